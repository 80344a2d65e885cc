# SPDX-License-Identifier: GPL-2.0
"""What a timeline draws, looked at where it is drawn: each rectangle of its canvas."""
from common import open_page, page, quiet, same
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


# Zooms and moves for so many frames; of each, how many slices were looked at, rectangles drawn,
# and milliseconds of scripting.
FRAMES = """
    const done = arguments[1], rows = [], visible = lanes.visible;
    let slices = 0;
    lanes.visible = (indexed, lane, view, put) => visible(indexed, lane, view, (...args) => {
        slices++;
        put(...args);
    });
    (function next(i) {
        slices = 0;
        const before = timeline.frames.n;
        if (i % 3)
            viewport.zoom(i < arguments_[0] / 2 ? 1.1 : 1 / 1.1, (i % 7) / 7);
        else
            viewport.move(i % 2 ? 0.1 : -0.1);
        if (timeline.idle())        // there was nothing to move
            timeline.recolour();
        (function look() {
            if (timeline.frames.n === before)
                return requestAnimationFrame(look);
            rows.push([slices, timeline.frames.rectangles, timeline.frames.ms]);
            if (i < arguments_[0])
                return next(i + 1);
            lanes.visible = visible;
            return done(rows);
        })();
    })(0);"""


def scripting(b):
    """Milliseconds of CPU time that scripts took until now: others on the machine do not matter."""
    b.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = b.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "ScriptDuration")


def frames(b):
    """what a frame looks at and draws is bounded by its pixels, however many programs there are"""
    # of a small build, a window so small that it has more slices than pixels
    for name, width in (("kernel", 90), ("large", 1280)):
        if not page(name).exists():
            print("| there is no page %s" % name)
            continue
        b.resize(width, 800)
        took = open_page(b, name)
        b.wait("timeline.idle()")
        most = 2 * b.js("model.meta.counts.lanes * timeline.view().width")
        before = scripting(b)
        got = b.driver.execute_async_script("const arguments_ = arguments;" + FRAMES, 150)
        cpu = (scripting(b) - before) / len(got)
        for slices, rectangles, _ in got:
            assert 0 < slices <= most and 0 < rectangles <= most, (name, slices, rectangles, most)
        assert b.js("model.slices.n") > most, "too few slices for the test"
        ms = sorted(row[2] for row in got)
        print("| %s: usable after %d ms; %d frames: scripting %.1f ms at the median, %.1f ms of 99 %%, "
              "%.1f ms at most, %.1f ms of CPU time each; up to %d slices, %d rectangles" % (
                  name, took, len(ms), ms[len(ms) // 2], ms[len(ms) * 99 // 100], ms[-1],
                  cpu, max(r[0] for r in got), max(r[1] for r in got)))
        # how soon a search says something, and when it has looked at everything
        found = b.driver.execute_async_script("""
            const done = arguments[0], start = performance.now(), times = [];
            search.programs('main', (fits, all) => {
                times.push(performance.now() - start);
                if (all)
                    done(times);
            });""")
        print("| %s: a search says what it has after %.0f ms, and all after %.0f ms" % (
            name, found[0], found[-1]))
    b.resize(1280, 800)


TESTS = (drawn, failures, frames)
