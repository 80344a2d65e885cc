# SPDX-License-Identifier: GPL-2.0
"""What a timeline draws, looked at where it is drawn: each rectangle of its canvas."""
from common import open_page, quiet, same
import failing

RECORD = """
    const fill = CanvasRenderingContext2D.prototype.fillRect;
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, w, h) {
        if (this.canvas.matches('.lanes')) {
            if (w * h >= this.canvas.clientWidth * this.canvas.clientHeight)
                window.drawn = [];              // a frame begins
            else
                window.drawn.push([x, y, w, h]);
        }
        return fill.call(this, x, y, w, h);
    };"""

# Of the slices that are at least two pixels wide: how many there are, and which have no
# rectangle of their own.
MISSING = """
    const {slices} = model, view = timeline.view(), height = chart.laneHeight();
    const scale = view.width / (view.to - view.from), at = new Map(), missing = [];
    let wide = 0;
    for (const [x, y, w] of window.drawn) {
        const lane = Math.floor(y / height);
        at.set(lane, [...at.get(lane) || [], [x, x + w]]);
    }
    for (let i = 0; i < slices.n; i++) {
        const from = Math.max(0, (slices.from[i] - view.from) * scale);
        const to = Math.min(view.width, (slices.to[i] - view.from) * scale);
        if (to - from < 2)
            continue;
        wide++;
        // a gap of a pixel may follow
        if (!(at.get(slices.lane[i]) || []).some(([left, right]) =>
                Math.abs(left - from) < 0.01 && to - right > -0.01 && to - right < 1.01))
            missing.push([i, model.label(slices.program[i]), from, to]);
    }
    return [wide, missing];"""


def frame(b, change):
    """Until the timeline has been drawn after a change."""
    before = b.js("timeline.frames.n")
    change()
    assert b.wait("timeline.frames.n > a0", before), "no frame"


def drawn(b):
    """each slice at least two pixels wide is drawn as a rectangle of its own, at its place"""
    looked = 0
    for name in ("kernel", "jobs-4", "cmake", "ways"):
        for width in (1440, 1024, 390):
            b.resize(width, 900)
            open_page(b, name)
            b.run(RECORD)
            frame(b, lambda: b.run("timeline.recolour()"))
            b.run("document.getElementById('chart').focus()")
            for keys in ("", "+", "++", "-", "+++"):
                if keys:
                    frame(b, lambda: b.keys(*keys))
                b.wait("timeline.idle()")
                wide, missing = b.run(MISSING)
                assert not missing, "%s, %d pixels, %s: %d of %d are not drawn: %s" % (
                    name, width, keys, len(missing), wide, missing[:3])
                looked += wide
            quiet(b, name)
    b.resize(1280, 800)
    assert looked > 1000, looked
    print("| %d slices looked for" % looked)


def failures(b):
    """each program has the kind of its failure"""
    open_page(b, "failing")
    same(b.js("Array.from(model.programs.failure, k => model.meta.failure_words[k])"),
         [kind for *_, kind in failing.PROGRAMS], "kinds")
    same(b.js("model.meta.failed"), True, "the build failed")
    open_page(b, "jobs-4")
    same(b.js("model.meta.failed"), False, "a build that did not fail")


TESTS = (drawn, failures)
