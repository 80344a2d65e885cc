# SPDX-License-Identifier: GPL-2.0
"""Tests of what the timeline draws; they look at each rectangle on its canvas."""
from common import nanoseconds, open_page, page, quiet, same
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

# The number of slices that are at least two pixels wide, and those of them without their own
# rectangle.
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
    """Make a change, and wait until the timeline has been drawn."""
    before = b.js("timeline.frames.n")
    change()
    assert b.wait("timeline.frames.n > a0", before), "no frame was drawn"


def drawn(b):
    """each slice at least two pixels wide has its own rectangle at its place"""
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
    """each program has the right kind of failure"""
    open_page(b, "failing")
    same(b.js("Array.from(model.programs.failure, k => model.meta.failure_words[k])"),
         [kind for *_, kind in failing.PROGRAMS], "kinds")
    same(b.js("model.meta.failed"), True, "the build failed")
    open_page(b, "jobs-4")
    same(b.js("model.meta.failed"), False, "a build that did not fail")


def axis(b):
    """times on the axis are at the right places, do not overlap, and fit into the width"""
    open_page(b, "many-failures")
    b.run("""
        window.words = [];
        const text = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
            if (this.textAlign === 'left' && y === 11 && this.canvas === document.querySelector('#chart canvas'))
                window.words.push([words, x, x + this.measureText(words).width]);
            return text.call(this, words, x, y);
        };""")
    wall = b.js("model.meta.wall")
    for width in (1440, 390):
        b.resize(width, 800)
        for length in (wall, wall / 3, wall / 20, 100e9, 25e9, 7e9, 1e9, 3e6, 1e5):
            b.run("viewport.set(arguments[0], arguments[1])", wall / 2 - length / 2, wall / 2 + length / 2)
            assert b.wait("timeline.idle()")
            words = b.run("window.words = []; timeline.recolour(true); return window.words;")
            view = b.js("timeline.view()")
            assert 1 <= len(words) <= width / 50, (width, length, words)
            for (_, _, end), (_, begin, _) in zip(words, words[1:]):
                assert end < begin, (width, length, words)
            assert words[-1][2] <= view["width"], words
            for text, at, _ in words:
                shown = view["from"] + (at - 4) / view["width"] * (view["to"] - view["from"])
                near = (view["to"] - view["from"]) / view["width"]
                assert abs(nanoseconds(text) - shown) <= near, (text, shown)
    b.resize(1280, 800)
    quiet(b, "many-failures")


# Zoom and move for that many frames; for each frame, return the number of slices visited, of
# rectangles drawn, and the milliseconds of scripting.
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
    """Return the CPU time of scripts so far in ms; the load of the machine does not matter."""
    b.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = b.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "ScriptDuration")


def percentile(values, part):
    return sorted(values)[int(part * (len(values) - 1))]


def frames(b):
    """the work for a frame is bounded by its pixels, however many programs there are"""
    # for a small build, use a window so small that it has more slices than pixels
    for name, width in (("kernel", 90), ("many-failures", 90), ("large", 1280)):
        if not page(name).exists():
            print("| there is no page %s" % name)
            continue
        b.resize(width, 800)
        took = open_page(b, name)
        b.wait("timeline.idle()")
        # failed slices are visited for their edges, for their marks, and for the marks of the
        # first ones
        most = 2 * b.js("model.meta.counts.lanes * timeline.view().width")
        looked = most * (4 if b.js("filter.failedSlices()") else 1)
        got = b.driver.execute_async_script("const arguments_ = arguments;" + FRAMES, 150)
        for slices, rectangles, _ in got:
            assert 0 < slices <= looked and 0 < rectangles <= most, (name, slices, rectangles, most)
        assert b.js("model.slices.n") > most, "too few slices for the test"
        # CPU time does not depend on other programs of this machine
        cpu = []
        for i in range(60):
            before = scripting(b), b.js("timeline.frames.n")
            b.run("viewport.zoom(arguments[0] < 30 ? 1.1 : 1 / 1.1, 0.3); timeline.recolour()", i)
            assert b.wait("timeline.frames.n > a0", before[1])
            cpu.append(scripting(b) - before[0])
        ms = [row[2] for row in got]
        print("| %s: usable after %d ms; %d frames: scripting took %.1f ms at the median, %.1f ms of 99 %%; "
              "%d frames: %.1f and %.1f ms of CPU time; up to %d slices, %d rectangles" % (
                  name, took, len(ms), percentile(ms, 0.5), percentile(ms, 0.99), len(cpu),
                  percentile(cpu, 0.5), percentile(cpu, 0.99),
                  max(r[0] for r in got), max(r[1] for r in got)))
    b.resize(1280, 800)


# The results of a search, how often it expanded a section meanwhile, and the milliseconds to its
# first message and to its end.
SEARCH = """
    const [query, done] = arguments, start = performance.now(), times = [];
    const json = data.json, texts = data.texts;
    let expanded = 0;
    data.json = (...args) => { expanded++; return json(...args); };
    data.texts = (...args) => { expanded++; return texts(...args); };
    search.programs(query, (fits, all) => {
        times.push(performance.now() - start);
        if (!all)
            return;
        data.json = json;
        data.texts = texts;
        done([[...fits.keys()].filter(p => fits[p]), expanded, times[0], times.at(-1)]);
    });"""
# The same, computed from the data of each program.
FOUND = """
    const [query, done] = arguments;
    (async () => {
        const paths = await model.files(), found = [];
        const has = text => (text || '').toLowerCase().includes(query.toLowerCase());
        for (let p = 0; p < model.programs.n; p++) {
            const command = await model.command(p), {output, file, label} = model.programs;
            if (has(model.labels[label[p]]) || has(paths[output[p]]) || has(paths[file[p]]) ||
                command && has(command.words.join(' ')))
                found.push(p);
        }
        done(found);
    })();"""


def searches(b):
    """a search looks at each program's label, files and command; the page is read only once"""
    for name, words in (("kernel", ("crypto", "-Wall -W", "GCC", "/build/linux/lib/", "\u20ac", "o")),
                        ("jobs-4", ("main.c", "make -C", "cc1")), ("hostile", ("<script>", "\u00e9", "'")),
                        ("large", ("main", "fasynchronous", "gcc -c", "nothing-like-it"))):
        if not page(name).exists():
            print("| there is no page %s" % name)
            continue
        open_page(b, name)
        first = b.driver.execute_async_script(SEARCH, "zzz")
        for query in words:
            found, expanded, soon, all_ = b.driver.execute_async_script(SEARCH, query)
            same(expanded, 0, "sections read again for %r in %s" % (query, name))
            if name == "large":
                print("| large: %r: %d programs; says something after %.0f ms, all after %.0f ms" % (
                    query, len(found), soon, all_))
            else:
                same(found, b.driver.execute_async_script(FOUND, query), "%s: %r" % (name, query))
        print("| %s: the first search, which reads all: %.0f and %.0f ms" % (name, first[2], first[3]))
    # this is prepared in idle time, so nobody has to wait for it
    open_page(b, "kernel")
    assert b.wait("search.prepared()"), "the search is not prepared in idle time"
    same(b.driver.execute_async_script(SEARCH, "crypto")[1], 0, "sections read by the first search")


TESTS = (drawn, axis, failures, frames, searches)
