# SPDX-License-Identifier: GPL-2.0
"""Tests of a page's state: zoom, range, search, filter, and the address that keeps them."""
import re

from browser import Keys
from common import lines, db, nanoseconds, open_page, page, quiet, rows, same, seconds
import failing

CTRL, SHIFT = 2, 8      # modifiers of events
SEEN = "timeline.view()"
FITS = "document.querySelector('#view-timeline [role=status]').textContent"


def mouse(b, kind, x, y, **more):
    b.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})


def drag(b, x, to, y, modifiers=0):
    mouse(b, "mousePressed", x, y, button="left", clickCount=1, buttons=1, modifiers=modifiers)
    for at in ((2 * x + to) / 3, to):
        mouse(b, "mouseMoved", at, y, button="left", buttons=1, modifiers=modifiers)
    mouse(b, "mouseReleased", to, y, button="left", clickCount=1, modifiers=modifiers)


def chart(b):
    """Return the chart's left, top, width and height in the window."""
    return b.js("(() => { const c = document.getElementById('chart'); c.scrollIntoView({block: 'center'});"
                " const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")


def settled(b):
    assert b.wait("timeline.idle() && !timeline.noting()"), "the page does not settle"


def address(b):
    """the address keeps view, zoom, choice, search, filter and range; reload and back work"""
    open_page(b, "jobs-4", "#timeline")
    left, top, width, _ = chart(b)
    b.keys("w", "w", "d")
    settled(b)
    zoomed = b.js(SEEN)
    assert "v=" in b.js("location.hash"), b.js("location.hash")
    b.run("document.getElementById('search').focus()")
    b.keys("cc1")
    assert b.wait("document.querySelector('#view-timeline [role=status]').dataset.done === 'true'")
    found = b.js(FITS)
    b.run("document.querySelector('.filter').open = true")
    assert b.wait("document.getElementById('filter-class')")
    b.run("const s = document.getElementById('filter-class'); s.value = 'compile';"
          "s.dispatchEvent(new Event('change'))")
    assert b.wait("document.querySelector('.chips button')")
    left, top, width, _ = chart(b)
    drag(b, left + 0.25 * width, left + 0.5 * width, top + 160)
    assert b.wait("document.querySelector('.totals h3')"), "no totals"
    band = b.js("range.get()")
    left, top, width, _ = chart(b)
    mouse(b, "mousePressed", left + width / 2, top + 130, button="left", clickCount=1, buttons=1)
    mouse(b, "mouseReleased", left + width / 2, top + 130, button="left", clickCount=1)
    assert b.wait("document.querySelector('.details h3')"), "a click shows no details"
    shown = b.js("document.querySelector('.description').textContent")
    settled(b)
    hash_ = b.js("location.hash")
    for part in ("#timeline/", "v=", "r=", "q=cc1", "class=compile"):
        assert part in hash_, (part, hash_)
    # the same address in a new page
    b.driver.get("about:blank")
    b.open(page("jobs-4"), hash_)
    settled(b)
    near(b.js(SEEN), zoomed, "zoom")
    near(b.js("range.get()"), band, "range")
    same(b.js("document.querySelector('.description').textContent"), shown, "the chosen program")
    same(b.js("document.getElementById('search').value"), "cc1", "search")
    same(b.js("filter.key()"), '[["class","compile"]]', "filter")
    # a link to another view keeps all of it; then back
    b.run("document.querySelector('nav a[href=\"#tree\"]').click()")
    assert b.wait("!document.getElementById('view-tree').hidden")
    assert "class=compile" in b.js("location.hash") and b.js("filter.active()"), b.js("location.hash")
    b.driver.back()
    assert b.wait("!document.getElementById('view-timeline').hidden")
    same(b.js("location.hash"), hash_, "address after going back")
    near(b.js(SEEN), zoomed, "zoom after back")
    b.run("document.querySelector('.chips button').click()")
    assert b.wait("!filter.active()")
    b.driver.back()
    assert b.wait("filter.active()"), "the filter does not come back"
    assert found.endswith("programs"), found
    quiet(b, "jobs-4")


def near(got, expected, what):
    for name in expected:
        assert abs(got[name] - expected[name]) <= 2, "%s: %r, not %r" % (what, got, expected)


def astray(b):
    """an invalid address shows the first view and says so"""
    for hash_, why in (("#%E0%A4%A", "%E0%A4%A"), ("#nothing/3", 'no view "nothing"'),
                       ("#__proto__", "no view"), ("#timeline?v=9-1&r=x&q=%E0%A4%A&class=none", "")):
        open_page(b, "jobs-4", hash_)
        shown = b.js("document.getElementById('astray').textContent")
        assert why in shown and bool(why) == bool(shown), (hash_, shown)
        assert b.js("document.getElementById('view-' + Object.keys({...document.querySelector("
                    "'nav [aria-current]')}).length) || document.querySelector('nav [aria-current]')"), hash_
        assert b.js("document.querySelector('#content > section:not([hidden])').childElementCount"), hash_
        same(b.js("document.getElementById('loading').textContent"), "", "loading message")
    b.go("#tree")
    same(b.js("document.getElementById('astray').hidden"), True, "whether the message is hidden at a valid address")
    quiet(b, "jobs-4")


def pointer(b):
    """wheel and keys work as in Perfetto; a tooltip closes when the pointer or the view moves"""
    open_page(b, "jobs-4", "#timeline")
    left, top, width, height = chart(b)
    whole = b.js(SEEN)
    x, y = left + 0.75 * width, top + height - 30
    # the wheel alone does not change the timeline; with Ctrl it zooms around the pointer
    mouse(b, "mouseWheel", x, y, deltaX=0, deltaY=100)
    settled(b)
    same(b.js(SEEN), whole, "view after the wheel alone")
    left, top, width, height = chart(b)
    mouse(b, "mouseWheel", x, top + 130, deltaX=0, deltaY=-300, modifiers=CTRL)
    assert b.wait(SEEN + ".from > 0"), "Ctrl and the wheel do not zoom"
    settled(b)
    seen = b.js(SEEN)
    at = seen["from"] + 0.75 * (seen["to"] - seen["from"])
    assert abs(at - 0.75 * whole["to"]) < 0.01 * whole["to"], (seen, whole)
    mouse(b, "mouseWheel", x, top + 130, deltaX=0, deltaY=-100, modifiers=SHIFT)
    assert b.wait(SEEN + ".from < a0", seen["from"]), "Shift and the wheel do not move"
    settled(b)
    # w, s, a and d work wherever the focus is
    b.run("document.activeElement.blur()")
    before = b.js(SEEN)
    for key, what in (("w", "to - timeline.view().from < a0.to - a0.from"),
                      ("s", "to - timeline.view().from > a0.to - a0.from"),
                      ("d", "from > a0.from"), ("a", "from < a0.from")):
        b.keys(key)
        assert b.wait("timeline.view()." + what, before), key
        settled(b)
        before = b.js(SEEN)
    # tooltips
    tip = "!document.querySelector('.tip').hidden"

    def over():
        b.go("#timeline")
        settled(b)
        left, top, width, height = chart(b)
        for part in range(20, 80):
            mouse(b, "mouseMoved", left + part / 100 * width, top + 130)
            if b.js(tip):
                return
        raise AssertionError("no tip")

    for leave in (lambda: b.keys("w"), lambda: mouse(b, "mouseMoved", 5, 5),
                  lambda: b.run("window.dispatchEvent(new Event('scroll'))"), lambda: b.go("#tree"),
                  lambda: mouse(b, "mouseWheel", left + 0.5 * width, top + 130, deltaX=0, deltaY=-300,
                                modifiers=CTRL)):
        over()
        leave()
        assert b.wait("document.querySelector('.tip').hidden"), "the tooltip stays open"
    quiet(b, "jobs-4")


def filters(b):
    """filters and search terms select the right programs, the same in all views"""
    open_page(b, "failing", "#timeline")
    names = [p[0] for p in failing.PROGRAMS]
    kinds = [p[-1] for p in failing.PROGRAMS]
    stati = [p[5] for p in failing.PROGRAMS]
    everything = set(range(len(names)))
    failed = {i for i in everything if kinds[i] in ("first", "real", "passed on", "followed")}
    wanted = {
        "tool=cc1": {i for i in everything if names[i] == "cc1"},
        "status=1": {i for i in everything if stati[i] == 1},
        "status=0": {i for i in everything if stati[i] == 0},
        "status=nonzero": {i for i in everything if stati[i]},
        "status=failed": failed,
        "status=first": {kinds.index("first")},
        "status=answer": {kinds.index("answer")},
        "tool=gcc&status=failed": {i for i in failed if names[i] == "gcc"},
    }
    for query, expected in wanted.items():
        b.go("#timeline?" + query)
        same(b.js("[...model.programs.file.keys()].filter(filter.passes)"), sorted(expected), query)
        assert b.js("document.querySelector('#filters').textContent").find(
            "%d of %d programs" % (len(expected), len(names))) >= 0, query
        b.go("#slowest?" + query)
        same(b.js("[...model.programs.file.keys()].filter(filter.passes)"), sorted(expected), query)
    for query, expected in (*((q.replace("&", " ").replace("=", ":"), e) for q, e in wanted.items()),
                            ("failed", failed), ("status:1 bad.c", {5, 6}), ("nothing-like-it", set())):
        b.go("#timeline")
        b.run("const i = document.getElementById('search'); i.value = arguments[0];"
              "i.dispatchEvent(new Event('input'))", query)
        assert b.wait("document.querySelector('#view-timeline [role=status]').dataset.done === 'true'")
        same(b.js(FITS), "%d program%s" % (len(expected), "s" * (len(expected) != 1)) if expected else
             "No program matches", query)
        b.run("document.getElementById('search').value = ''; "
              "document.getElementById('search').dispatchEvent(new Event('input'))")
    open_page(b, "jobs-4", "#timeline?dir=/build")
    paths = b.js("model.files()")
    directory = next(p.rsplit("/", 1)[0] for p in paths if p.endswith("main.o"))
    b.go("#timeline?dir=" + directory)
    outputs = b.js("Array.from(model.programs.output)")
    same(b.js("[...model.programs.file.keys()].filter(filter.passes)"),
         [i for i, o in enumerate(outputs) if o >= 0 and paths[o].startswith(directory + "/")], directory)
    quiet(b, "jobs-4")


def selection(b):
    """a selected range has totals: programs, work, CPU, parallelism, by class and by tool"""
    for name, hash_ in (("failing", "#timeline?r=1-4"), ("jobs-4", "#timeline?r=3-5")):
        open_page(b, name, hash_)
        assert b.wait("document.querySelector('.totals h3')")
        facts = dict(b.js("[...document.querySelectorAll('.totals dt')].map(d => "
                          "[d.textContent, d.nextElementSibling.textContent])"))
        slices = b.js("Array.from(model.slices.from, (f, i) => [f, model.slices.to[i], "
                      "model.className(model.slices.program[i]), model.slices.program[i]])")
        low, high = (float(t) * 1e9 for t in hash_.split("r=")[1].split("-"))
        inside = [(min(high, t) - max(low, f), kind, p) for f, t, kind, p in slices if f < high and t > low]
        work = sum(i[0] for i in inside)
        same(facts["Work in all"], seconds(work), name)
        same(facts["Length"], seconds(high - low), name)
        same(facts["Average parallelism"], "%.2f" % (work / (high - low)), name)
        by = {}
        for part, kind, _ in inside:
            by[kind] = by.get(kind, 0) + part
        same([(r[0].strip(), r[1]) for r in rows(b, "By class")],
             [(kind, seconds(part)) for kind, part in sorted(by.items(), key=lambda k: -k[1])], name)
        same(sum(int(n) for n in re.findall(r"\d+", facts["Programs"])), len({p for *_, p in inside}), name)
        assert len(rows(b, "By tool")) > 1
    # facts about the build that failed: each program uses half a CPU
    open_page(b, "failing", "#timeline?r=2-3")
    facts = b.js("document.querySelector('.totals').textContent")
    lives = [p[3:5] for p in failing.PROGRAMS]
    cpu = sum(max(0, min(3, to) - max(2, at)) for at, to in lives) * failing.USED
    shown = nanoseconds(facts.split("CPU time")[1].split("(")[0])
    assert abs(shown - cpu * 1e9) < 0.02e9, (shown, cpu)
    # select with the keyboard, and clear the selection
    b.run("document.getElementById('chart').focus()")
    b.keys("m")
    same(b.js("document.activeElement.textContent"), "Selected range", "focus")
    same(b.js("range.get().to"), b.js("model.meta.wall"), "end of the selected range")
    b.run("document.getElementById('chart').focus()")
    b.keys(Keys.ESCAPE)
    same(b.js("document.querySelector('.totals').childElementCount"), 0, "totals after Escape")
    assert "r=" not in b.js("location.hash")
    quiet(b, "failing")


def over_time(b):
    """CPU and memory over time are sums over living programs, and are called estimates"""
    open_page(b, "failing", "#timeline")
    for at in (0.5, 1.7, 3, 4.5, 6, 9.5):
        living = [i for i, p in enumerate(failing.PROGRAMS) if p[3] <= at < p[4]]
        got = b.run("""
            const steps = costs.load(), i = d3.bisectRight(steps.at, arguments[0]) - 1;
            return steps.counts.map(c => c[i]);""", at * 1e9)
        cores, memory = len(living) * failing.USED, sum((i + 1) * failing.MEMORY for i in living)
        assert abs(got[0] - cores) < 0.02 and abs(got[1] - memory) < 1, (at, got, cores, memory)
    assert "estimates" in b.js("document.getElementById('chart-hint').textContent")
    assert b.js("document.querySelectorAll('.chart canvas')[1].clientHeight") > 50
    quiet(b, "failing")
    # the sum over a whole recorded build is its CPU time
    open_page(b, "jobs-4", "#timeline")
    used = lines("time", "--json", db("jobs-4"))[0]["cpu_ns"]
    got = b.js("costs.cpuWithin(0, Infinity, () => true)")
    assert abs(got - used) < 0.001 * used, (got, used)


def marks(b):
    """failures are marked in the lanes by a shape and an edge, and the legend names the marks"""
    open_page(b, "failing", "#timeline")
    failed = [p for p in failing.PROGRAMS if p[-1] in ("first", "passed on")]
    same(b.js("timeline.state.marks"), len(failed), "marks")
    assert b.js("['.first-mark', '.failed-mark'].every(m => document.querySelector('.legend ' + m))")
    red = b.run("""
        const canvas = document.querySelector('.lanes');
        const bad = getComputedStyle(document.querySelector('.failed-mark')).backgroundColor.match(/\\d+/g);
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4)
            n += bad.every((c, k) => Number(c) === data[i + k]);
        return n;""")
    assert red > 200, red
    b.go("#timeline/%d" % [p[-1] for p in failing.PROGRAMS].index("first"))
    shown = b.js("document.querySelector('.description').textContent")
    assert shown.endswith("exit status 1 (failed first)"), shown
    open_page(b, "jobs-4", "#timeline")
    same(b.js("timeline.state.marks"), 0, "marks of a build that did not fail")
    assert not b.js("document.querySelector('.failed-mark')")


def helping(b):
    """? opens help, Escape closes it and restores the focus; / starts a search; copying works"""
    open_page(b, "jobs-4", "#tree")
    b.run("document.getElementById('theme').focus()")
    b.keys("?")
    assert b.wait("document.querySelector('dialog').open"), "the help does not open"
    assert b.js("document.activeElement.closest('dialog')"), "the focus is not in the help"
    text = b.js("document.querySelector('dialog').textContent")
    assert all(word in text for word in ("zoom", "status:1", "Escape", "search")), text
    b.keys(Keys.ESCAPE)
    assert b.wait("!document.querySelector('dialog').open"), "Escape does not close it"
    same(b.js("document.activeElement.id"), "theme", "focus after closing the help")
    b.keys("/")
    assert b.wait("document.activeElement.id === 'search'"), "/ does not search"
    b.keys("?w")
    same(b.js("document.getElementById('search').value"), "?w", "keys in a field are text")
    assert not b.js("document.querySelector('dialog').open")
    b.go("#program/5")
    assert b.wait("document.querySelector('#view-program .copy')")
    command = b.js("document.querySelector('#view-program .command').textContent")
    for broken in (False, True):
        b.run("""
            window.copied = null;
            Object.defineProperty(navigator, 'clipboard', {configurable: true, value: arguments[0] ?
                undefined : {writeText: async text => { window.copied = text; }}});
            document.execCommand = () => { window.copied = document.activeElement.value; return true; };
            document.querySelector('#view-program .copy').click();""", broken)
        assert b.wait("window.copied !== null"), "the command was not copied"
        same(b.js("window.copied"), command, "copied")
        assert b.wait("document.querySelector('#view-program .copy').textContent === 'Copied'")
    same(b.js("document.querySelectorAll('textarea').length"), 0, "text areas left over")
    quiet(b, "jobs-4")


def phone(b):
    """at 390 pixels, the first screen has verdict, views and timeline; nothing is wider"""
    b.resize(390, 844)
    try:
        for name in ("kernel", "failing", "jobs-4"):
            open_page(b, name, "#timeline")
            top = lambda what: b.js("document.querySelector(arguments[0]).getBoundingClientRect().top", what)
            assert top("#verdict") < 120, (name, top("#verdict"))
            assert top("nav") < 844 / 3, (name, top("nav"))
            assert top("#chart") < 844 / 2, (name, top("#chart"))
            same(b.js("document.documentElement.scrollWidth"), 390, "width of " + name)
    finally:
        b.resize(1280, 800)


TESTS = (address, astray, pointer, filters, selection, over_time, marks, helping, phone)
