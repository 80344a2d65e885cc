# SPDX-License-Identifier: GPL-2.0
"""Functions that the tests of a page share: ask etrace for its data, and look at the page.

The program's first argument is the directory of the recordings and pages.
"""
import decimal
import json
import pathlib
import re
import subprocess
import sys

dir = pathlib.Path(sys.argv[1])


def etrace(*args):
    done = subprocess.run(["etrace", *args], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def lines(*args):
    return [json.loads(line) for line in etrace(*args).splitlines()]


def same(got, expected, what):
    if got == expected:
        return
    if isinstance(got, list) and isinstance(expected, list):
        for i, (g, e) in enumerate(zip(got, expected)):
            assert g == e, "%s: row %d: %r, not %r" % (what, i, g, e)
        assert len(got) == len(expected), "%s: %d rows, not %d" % (what, len(got), len(expected))
    raise AssertionError("%s: %r, not %r" % (what, got, expected))


# Times below a limit, in ns: value of the last digit, digits after the point, unit.
TIMES = ((1e3, 1, 0, "ns"), (999.5e3, 10**3, 0, "\u00b5s"), (9.95e6, 10**5, 1, "ms"),
         (999.5e6, 10**6, 0, "ms"), (9.995e9, 10**7, 2, "s"), (59.95e9, 10**8, 1, "s"))


def rounded(n, unit):
    return int((n + unit / 2) // unit)


def seconds(ns):
    """Return a time as text, with units."""
    if not ns:
        return "0 s"
    for limit, digit, decimals, name in TIMES:
        if ns < limit:
            value = decimal.Decimal(rounded(ns, digit)).scaleb(-decimals)
            return "%s %s" % (value, name)
    s = rounded(ns, 10**9)
    if s < 3600:
        return "%d min %02d s" % divmod(s, 60)
    return "%d h %02d min" % divmod(rounded(s, 60), 60)


def nanoseconds(text):
    """Return the time in a text of seconds(); the order of a column stays the same."""
    units = {"h": 3600e9, "min": 60e9, "s": 1e9, "ms": 1e6, "\u00b5s": 1e3, "ns": 1}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"([\d.]+) ([a-z\u00b5]+)", text))


def page(name):
    return dir / (name + ".html")


def db(name):
    return str(dir / (name + ".db"))


def open_page(b, name, fragment="#timeline"):
    b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    took = b.open(page(name), fragment)
    assert took >= 0, "%s: %s" % (name, b.js("document.body.innerText"))
    return took


def quiet(b, name):
    """Check that the console has no messages and that only the page itself was requested."""
    same(b.messages(), [], "console of " + name)
    asked = [r for r in b.requests() if not r.startswith("about:")]
    same(asked, [asked[0]] if asked else ["the file"], "requests of " + name)
    assert asked[0].startswith("file:///") and asked[0].split("#")[0].endswith(name + ".html"), asked


ALL_ROWS = """
    const table = [...document.querySelectorAll('section:not([hidden]) table')]
        .find(t => t.caption.textContent.startsWith(arguments[0]));
    const more = table.parentElement.querySelector('.more');
    while (more && !more.hidden) more.click();
    return [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent));
"""


def rows(b, caption):
    return b.run(ALL_ROWS, caption)
