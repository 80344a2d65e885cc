# SPDX-License-Identifier: GPL-2.0
"""Tests of the colours: light and dark, on screen and on paper, and for the colour-blind."""
import base64
import re

from common import open_page, quiet, same


def colours(b):
    """light and dark follow the system and the button; the colour-blind can tell classes apart"""
    open_page(b, "jobs-4")
    paper = "getComputedStyle(document.body).backgroundColor"
    pixel = """(() => {
        const c = document.querySelector('.chart canvas:nth-of-type(2)');
        const copy = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
        copy.drawImage(c, 1 - c.width, 1 - c.height);
        return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);
    })()"""
    found = {}
    for dark in (False, True):
        b.dark(dark)
        assert b.wait(paper + " === a0", "rgb(22, 25, 29)" if dark else "rgb(255, 255, 255)"), dark
        found[dark] = b.js("model.meta.classes.map((n, i) => getComputedStyle("
                           "document.querySelector('.swatch.class-' + i)).backgroundColor)")
        inks = b.js("chart.readColours().inks")
        for kind, ink in zip(found[dark], inks):
            light = sorted(0.05 + sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(rgb(s))))
                           for s in (kind, ink))
            assert light[1] / light[0] >= 4.5, "%s upon %s: %.1f" % (ink, kind, light[1] / light[0])
    b.run("document.getElementById('theme').click()")
    same(b.js(paper), "rgb(255, 255, 255)", "background after the button")
    b.run("document.getElementById('theme').click()")
    assert b.wait("String(" + pixel + ") === '22,25,29'"), "the canvas is %s" % b.js(pixel)
    for list_ in found.values():
        for kind, matrix in SEEN.items():
            seen = [lab(apply(matrix, linear(rgb(c)))) for c in list_]
            for i, one in enumerate(seen):
                for j in range(i):
                    apart = sum((x - y) ** 2 for x, y in zip(one, seen[j])) ** 0.5
                    assert apart >= 20, "classes %d and %d look alike to %s: %.1f" % (j, i, kind, apart)
    # paper is white, whatever the screen
    b.dark(True)
    b.run("window.dispatchEvent(new Event('beforeprint'))")
    same(b.js(pixel), [255, 255, 255], "printed canvas")
    b.run("window.dispatchEvent(new Event('afterprint'))")
    assert b.wait("String(" + pixel + ") === '22,25,29'"), "the canvas is not dark after printing"
    b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    same(b.js("getComputedStyle(document.querySelector('nav')).display"), "none", "display of the navigation on paper")
    same(b.js(paper), "rgb(255, 255, 255)", "paper")
    pdf = base64.b64decode(b.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20000, len(pdf)
    quiet(b, "jobs-4")


# How the colour-blind (Vienot, Brettel and Mollon 1999) and everyone else see linear light.
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "the red-blind": ((0.1124, 0.8876, 0), (0.1124, 0.8876, 0), (0.0040, -0.0040, 1)),
    "the green-blind": ((0.2927, 0.7073, 0), (0.2927, 0.7073, 0), (-0.0223, 0.0223, 1)),
}


def rgb(css):
    return [int(n) / 255 for n in re.findall(r"\d+", css)[:3]]


def linear(colour):
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]


def apply(matrix, colour):
    return [max(0, sum(m * c for m, c in zip(row, colour))) for row in matrix]


def lab(rgb):
    xyz = apply(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)), rgb)
    f = [(v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
         for v, w in zip(xyz, (0.9505, 1, 1.089))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


TESTS = (colours,)
