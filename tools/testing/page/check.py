#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the page of a build, as a browser shows it, with the answers of other commands.

usage: check.py DIR [TEST...]

DIR has recordings NAME.db and their pages NAME.html (made by tools/testing/stages/60-page), and
perhaps axe.min.js; etrace is in PATH.  Each test prints "ok: what", "not ok: what" or
"skip: what".
"""
import json
import pathlib
import re
import subprocess
import sys
import time
import traceback

from browser import Browser, Keys
from common import db, dir, etrace, lines, nanoseconds, open_page, page, quiet, rows, same, seconds
import colours
import hostile
import inside as compiler_trace
import lanes
import state
import views

SMALL = ("cmake", "kernel", "jobs-4", "wrong-outside", "wrong-writers", "rebuild-nothing")
CTRL, SHIFT = 2, 8      # modifiers of events
VIEWS = ("overview", "timeline", "failures", "tree", "slowest", "path", "where", "file", "findings", "packages")


# ---- tests: the first line of a docstring is the name of the test ----

def heads(b):
    """the verdict and the figures match etrace report and etrace time"""
    for name in SMALL:
        open_page(b, name)
        report = etrace("report", db(name))
        times = lines("time", "--json", db(name))[0]
        whole = "The trace is complete" in report
        verdict = b.js("document.getElementById('verdict').textContent")
        assert ("NOT complete" in verdict) == (not whole), verdict
        figures = dict(b.js("[...document.querySelectorAll('#figures div')]"
                            ".map(d => [...d.children].map(c => c.textContent))"))
        programs = re.search(r"(\d+) programs run by (\d+) processes", report)
        same(figures["Programs"], "{:,}".format(int(programs[1])), name)
        same(figures["Took"], seconds(times["wall_ns"]), name)
        same(figures["CPU time"], seconds(times["cpu_ns"]), name)
        same(figures["With unlimited CPUs"], seconds(times["endless_ns"]), name)
        same(figures["Average parallelism"], "%.2f" % times["working"], name)
        command = re.search("^Recorded: (.*)$", report, re.M)[1]
        same(b.js("document.title"), command, name)
        status = re.search(r"exit status (\d+)", report)[1]
        assert "status %s" % status in verdict, verdict
        assert ("The build failed" in verdict) == bool(b.js("model.meta.failed")), verdict
        quiet(b, name)


def numbers(b):
    """times and sizes are shown in readable units"""
    open_page(b, "jobs-4")
    # the same as in the programs, which print ASCII (test_verdict)
    for line in pathlib.Path(__file__).parent.joinpath("../unit/data/times").read_text().splitlines():
        ns, text = line.split(" ", 1)
        same(b.js("dom.time(arguments[0]).replace('\\u00b5', 'u')", int(ns)), text, ns + " ns")
        same(seconds(int(ns)).replace("\u00b5", "u"), text, ns + " ns in the tests")
    for args, text in (([12.5e9, 1e8], "12.5 s"), ([35947.5e9, 5e8], "9 h 59 min 07.5 s"),
                       ([600e9, 60e9], "10 min"), ([605e9, 5e9], "10 min 05 s")):
        same(b.js("dom.moment(...arguments[0])", args), text, "moment")
    for n, text in ((999, "999 B"), (4.1e6, "4.1 MB"), (2e9, "2.0 GB")):
        same(b.js("dom.bytes(arguments[0])", n), text, "bytes")
    for part, text in ((0.81, "81 %"), (0.0644, "6.4 %"), (0, "0 %"), (1, "100 %")):
        same(b.js("dom.percent(arguments[0])", part), text, "percent")


def incomplete(b):
    """the page of an incomplete trace says so and lists what is missing"""
    open_page(b, "cut")
    text = b.js("document.querySelector('header').innerText")
    assert "NOT complete" in text, text
    missing = b.js("[...document.querySelectorAll('#missing li')].map(l => l.textContent)")
    assert missing and b.js("document.getElementById('missing').checkVisibility()"), missing


def timeline(b):
    """the timeline: keys, search, zoom and links work; the chosen program is described in words"""
    open_page(b, "jobs-4")
    description = "document.querySelector('.description').textContent"
    b.run("document.getElementById('chart').focus()")
    b.keys(Keys.ARROW_RIGHT)
    first = b.js(description)
    assert re.search(r"worked [\d.]+ m?s from [\d.]+ m?s, ", first), first
    b.keys(Keys.ARROW_RIGHT)
    second = b.js(description)
    assert second != first, second
    b.keys(Keys.ARROW_LEFT)
    same(b.js(description), first, "program chosen after right and left")
    b.keys(Keys.ARROW_DOWN)
    assert b.js(description) != first
    # zoom and move
    whole = b.js("timeline.view()")
    b.keys("+", "+")
    closer = b.js("timeline.view()")
    assert closer["to"] - closer["from"] < (whole["to"] - whole["from"]) / 2, closer
    b.keys(Keys.ARROW_RIGHT, shift=True)
    moved = b.js("timeline.view()")
    assert moved["from"] > closer["from"], (closer, moved)
    b.keys("-")
    assert b.js("timeline.view().to - timeline.view().from") > moved["to"] - moved["from"]
    b.keys(Keys.HOME)
    same(b.js("timeline.view()"), whole, "view after Home")
    # Enter shows the details
    b.keys(Keys.ARROW_RIGHT, Keys.ENTER)
    assert b.wait("document.activeElement.closest('.details h3')"), "no details"
    assert "Command" in b.js("document.querySelector('.details').textContent")
    # only slices in view are drawn
    assert 0 < b.js("timeline.frames.rectangles") < 5000, b.js("timeline.frames")
    # search: by command, and by a file
    commands = b.js("Promise.all([...model.labels.keys()].length ? "
                    "Array.from({length: model.programs.n}, (x, p) => model.command(p)) : [])")
    fits = sum(1 for c in commands if c and "-fasynchronous" in " ".join(c["words"]))
    assert fits, commands[:3]
    b.run("document.getElementById('search').focus()")
    b.keys("-fasynchronous")
    assert b.wait("document.querySelector('.tools [role=status]').dataset.done === 'true'")
    same(b.js("document.querySelector('.tools [role=status]').textContent"),
         "%d programs" % fits, "search")
    b.keys(Keys.ENTER)
    third = b.js(description)
    assert third.startswith(("cc1", "gcc")), third
    b.keys(Keys.ENTER)
    assert b.js(description) != third
    # the same as a table
    b.run("document.querySelector('.listed').open = true")
    assert b.wait("document.querySelectorAll('.listed tbody tr').length > 0"), "no table"
    # pointer: wheel, drag, click
    b.run("document.getElementById('search').value = ''; "
         "document.getElementById('search').dispatchEvent(new Event('input')); "
         "document.getElementById('chart').focus()")
    b.keys(Keys.HOME)
    box = b.js("(() => { document.getElementById('chart').scrollIntoView({block: 'center'});"
               " const r = document.getElementById('chart').getBoundingClientRect();"
               " return [r.left + r.width / 2, r.top + 160]; })()")
    mouse = lambda kind, x, y, **more: b.driver.execute_cdp_cmd(
        "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})
    mouse("mouseWheel", *box, deltaX=0, deltaY=-300, modifiers=CTRL)
    assert b.wait("timeline.view().to - timeline.view().from < a0",
                  0.9 * (whole["to"] - whole["from"])), "the wheel does not zoom"
    before = b.js("timeline.view()")
    mouse("mousePressed", *box, button="left", clickCount=1, buttons=1, modifiers=SHIFT)
    mouse("mouseMoved", box[0] - 100, box[1], button="left", buttons=1, modifiers=SHIFT)
    mouse("mouseReleased", box[0] - 100, box[1], button="left", clickCount=1, modifiers=SHIFT)
    assert b.wait("timeline.view().from > a0", before["from"]), "dragging does not move the timeline"
    # the address of a program
    b.go("#timeline/20")
    label = b.js("model.label(20)")
    assert b.js(description).startswith(label), (b.js(description), label)
    b.driver.back()
    b.go("#timeline/999999")
    assert "no program 999999" in b.js(description), b.js(description)
    quiet(b, "jobs-4")


def tree(b):
    """the tree shows all processes, the slowest first, and can be used by keyboard"""
    open_page(b, "kernel", "#tree")
    b.wait("document.querySelector('[role=tree]')")
    total = b.js("model.work.reduce((a, x) => a + x, 0)")
    roots = b.js("model.rootsOf().map(i => model.times(() => true).all[i])")
    same(round(sum(roots)), round(total), "work of the roots of the tree")
    b.run("document.querySelector('[role=treeitem]').focus()")
    b.keys(Keys.HOME, Keys.ARROW_LEFT)
    same(b.js("document.querySelectorAll('[role=treeitem]:not([hidden] *)').length"), 1, "items after the root was closed")
    b.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    same(b.js("document.activeElement.getAttribute('aria-level')"), "2", "level after right")
    b.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    same(b.js("document.activeElement.getAttribute('aria-level')"), "1", "level after left")
    b.keys(Keys.END)
    last = b.js("document.activeElement.textContent")
    b.keys(Keys.ARROW_UP)
    assert b.js("document.activeElement.textContent") != last
    b.run("""
        return (async () => {
            for (let again = true; again;) {
                again = false;
                for (const row of document.querySelectorAll('[role=treeitem]')) {
                    if (row.textContent.startsWith('Show more')) { row.click(); again = true; }
                    else if (row.getAttribute('aria-expanded') === 'false') {
                        row.click(); again = true;
                    }
                }
                await new Promise(r => setTimeout(r, 10));
            }
        })()""")
    same(b.js("document.querySelectorAll('[role=treeitem]').length"),
         b.js("model.processes.n"), "all processes")
    for times in b.js("""[...document.querySelectorAll('[role=group], [role=tree]')].map(
            g => [...g.children].map(li => li.querySelector('.time').textContent))"""):
        same(times, sorted(times, key=nanoseconds, reverse=True), "times within a group")
    pids = b.js("[...document.querySelectorAll('[role=treeitem] small')]"
                ".map(s => Number(s.textContent.match(/pid (\\d+)/)[1])).sort((a, b) => a - b)")
    known = subprocess.run(["sqlite3", db("kernel"), "SELECT pid FROM process ORDER BY pid"],
                           capture_output=True, text=True, check=True).stdout.split()
    same(pids, [int(p) for p in known], "pids")
    quiet(b, "kernel")


def slowest(b):
    """the slowest outputs, programs and directories match etrace time; column headings sort"""
    for name in ("kernel", "cmake"):
        open_page(b, name, "#slowest")
        b.wait("document.querySelectorAll('#view-slowest table').length === 3")
        for one in ("output", "program", "directory"):
            found = lines("time", "--json", "--by=" + one, "--top=200", db(name))[0]["slowest"]
            key = next(k for k in found[0] if not k.endswith("_ns") and k != "runs")
            got = [(r[0], r[1], r[2], r[3]) for r in rows(b, "By " + one)]
            same(got, [(s.get(key) or "(not known)", seconds(s["total_ns"]), str(s["runs"]),
                        seconds(s["longest_ns"])) for s in found], "%s by %s" % (name, one))
        for column, falling in ((1, False), (1, True), (0, False), (0, True)):
            b.run("document.querySelectorAll('#view-slowest thead button')[arguments[0]].click()", column)
            same(b.js("document.querySelectorAll('#view-slowest thead th')[arguments[0]]"
                      ".getAttribute('aria-sort')", column),
                 "descending" if falling else "ascending", "sorted")
            keys_ = [r[0] if not column else nanoseconds(r[1])
                     for r in rows(b, "By output")]
            same(keys_, sorted(keys_, reverse=falling), "column %d" % column)
        quiet(b, name)


def path(b):
    """the critical path matches etrace time"""
    for name in ("kernel", "jobs-4", "cmake"):
        critical = lines("time", "--json", db(name))[0]["critical"]
        open_page(b, name, "#path")
        b.wait("document.querySelectorAll('#view-path table').length >= 2")
        got = b.js("Array.from(model.path.from, (f, i) => [f, model.path.to[i], "
                   "model.path.program[i] + 1, model.meta.whys[model.path.why[i]]])")
        same(got, [[c["from_ns"], c["to_ns"], c.get("exec", 0), c["why"]] for c in critical],
             "path of " + name)
        # the longest steps are first, the short ones folded
        by_length = sorted(critical, key=lambda c: c["from_ns"] - c["to_ns"])
        table = rows(b, "Steps")
        folded = b.js("document.querySelector('#view-path details') !== null")
        assert folded == (len(table) < len(critical)), (len(table), len(critical))
        if folded:
            b.run("document.querySelector('#view-path details').open = true")
            assert b.wait("document.querySelectorAll('#view-path table').length === 3")
            rest = rows(b, "Short steps")
            same(b.js("document.querySelector('#view-path summary').textContent"),
                 "%d step%s no longer than %s, together %s" % (
                     len(rest), "" if len(rest) == 1 else "s", rest[0][0],
                     seconds(sum(c["to_ns"] - c["from_ns"] for c in by_length[len(table):]))), "folded")
            table += rest
        same([r[0] for r in table], [seconds(c["to_ns"] - c["from_ns"]) for c in by_length],
             "steps of " + name)
        for row, c in zip(table, by_length):
            assert c["why"] != "needed" or c["file"] in row[5], (row, c)
            assert not c.get("output") or row[3] == c["output"], (row, c)
        quiet(b, name)


def files(b):
    """a file is found by its path; makers, inputs and uses match etrace deps, rdeps and why"""
    for name in ("ways", "kernel", "jobs-4"):
        deps = {d["output"]: d["inputs"] for d in lines("deps", "--all", "--direct", "--json", db(name))}
        rdeps = {d["input"]: d["outputs"] for d in lines("rdeps", "--all", "--direct", "--json", db(name))}
        open_page(b, name, "#file")
        b.wait("document.getElementById('file-search')")
        paths = b.js("model.files()")
        got = b.run("""
            return model.graph(() => {}).then(g => paths().then(all => all.map((p, i) => {
                const v = graph.last(g, i);
                const names = list => [...new Set(list.map(n => all[n.file]))];
                return v < 0 ? [[], []] : [names(graph.inputs(g, {version: v, file: i})),
                                              names(graph.outputs(g, {version: v, file: i}))];
            })));
            function paths() { return model.files(); }""")
        got = dict(zip(paths, got))
        same({p: sorted(got[p][0]) for p in deps}, {p: sorted(i) for p, i in deps.items()}, "inputs")
        same({p: sorted(got[p][1]) for p in rdeps if p in got},
             {p: sorted(o) for p, o in rdeps.items() if p in got}, "outputs")
        assert sum(map(len, rdeps.values())) == sum(len(rdeps[p]) for p in rdeps if p in got)
        quiet(b, name)
    # one of the files, as the page shows it
    output = next(p for p in sorted(deps) if p.endswith(".o"))
    b.run("document.getElementById('file-search').focus()")
    b.keys(output[-9:])
    assert b.wait("document.querySelectorAll('#file-found li').length"), "the file search finds nothing"
    b.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    assert b.js("document.querySelector('#file-found [aria-selected=true]').id === "
                "document.activeElement.getAttribute('aria-activedescendant')")
    found = b.js("document.querySelector('#file-found [aria-selected=true]').textContent")
    b.keys(Keys.ENTER)
    assert b.wait("document.querySelector('#view-file h2.path')"), "Enter does not open the file"
    same(b.js("document.querySelector('#view-file h2').textContent"), found, "the file")
    shown = b.js("[...document.querySelectorAll('[aria-label=\"Made from\"] > li > .row > a')]"
                 ".map(a => a.textContent)")
    same(sorted(shown), sorted(deps[found]), "shown inputs")
    command = b.js("document.querySelector('.makers .command').textContent")
    # as wrote the file, but the page shows the command that was typed
    assert found.endswith(".o") and command.split()[0].endswith("gcc"), (found, command)
    why = lines("why", "--json", db(name), found)[0]
    assert str(why).replace("'", '"').find(command.split()[0]) >= 0, (command, why)
    # go to an input, and back with the browser's button
    b.run("document.querySelector('[aria-label=\"Made from\"] a').click()")
    assert b.wait("document.querySelector('#view-file h2').textContent !== a0", found)
    used = b.js("[...document.querySelectorAll('[aria-label=\"Used for\"] > li > .row > a')]"
                ".map(a => a.textContent)")
    assert found in used, used
    b.driver.back()
    assert b.wait("document.querySelector('#view-file h2').textContent === a0", found), "back"
    b.go("#file/123456789")
    assert "no file 123456789" in b.js("document.querySelector('#view-file').textContent")


def findings(b):
    """findings and packages match etrace check and etrace used"""
    for name in ("wrong-outside", "wrong-writers", "wrong-network", "rebuild-nothing"):
        expected = lines("check", "--json", db(name))
        open_page(b, name, "#findings")
        b.wait("document.querySelector('#view-findings h2')")
        got = b.js("[...document.querySelectorAll('#view-findings tbody tr')]"
                   ".map(r => [r.cells[0].textContent, r.cells[1].textContent])")
        same(sorted(r[0] for r in got), sorted(f.get("path") or f["address"] for f in expected), name)
        for f in expected:
            assert any(f["what"] in r[1] for r in got), (f, got)
        if expected:
            text = b.js("document.querySelector('#view-findings').textContent")
            assert all(f["by"]["arguments"][0] in text for f in expected), text
            link = b.js("document.querySelector('#view-findings td a[href^=\"#program/\"]').hash")
            assert link in ["#program/%d" % (f["by"]["exec"] - 1) for f in expected], link
        quiet(b, name)
        used = lines("used", "--json", db(name))
        b.go("#packages")
        b.wait("document.querySelector('#view-packages h2')")
        if used:
            got = [r[:2] for r in rows(b, "")]
            same(sorted(got), sorted([p.get("package") or "(in no package)", p.get("version") or ""]
                                     for p in used), "packages of " + name)


def inside(b):
    """a program shows what its compiler did; a missing time trace is reported"""
    open_page(b, "inside", "#program/0")
    got = rows(b, "Inside")
    same([r[:2] for r in got], [["\u00a0" * 2 * depth + name, detail]
                                for name, detail, _, _, depth in compiler_trace.ROWS], "slices")
    same([r[3] for r in got], [seconds(1000 * length) for _, _, _, length, _ in compiler_trace.ROWS], "times")
    # the bars are at the times of their slices
    bars = b.js("[...document.querySelectorAll('section:not([hidden]) .bar')].map(b => ["
                "b.firstChild.offsetLeft - b.offsetLeft, b.firstChild.offsetWidth, b.offsetWidth])")
    for (_, _, at, length, _), (left, width, whole) in zip(compiler_trace.ROWS, bars):
        assert abs(left - whole * (at - 1000) / 700000) <= 2, bars
        assert abs(width - whole * length / 700000) <= 2, bars
    quiet(b, "inside")
    open_page(b, "gone")
    missing = b.js("[...document.querySelectorAll('#missing li')].map(l => l.textContent)")
    assert any("main.json: " in m for m in missing), missing


def harm(b):
    """names with HTML, scripts, control characters or invalid UTF-8 are harmless text"""
    open_page(b, "hostile")
    title = "make </title><script>window.harmed=9</script>&amp;<!--TITLE-->"
    same(b.js("document.title"), title, "title")
    same(b.js("document.getElementById('title').textContent"), title, "heading")
    for view in VIEWS:
        b.go("#" + view)
    b.go("#timeline")
    b.run("document.getElementById('search').value = '<script>'; "
         "document.getElementById('search').dispatchEvent(new Event('input'))")
    assert b.wait("document.querySelector('.tools [role=status]').dataset.done === 'true'")
    count = sum(b"<script>" in n for n in hostile.NAMES)
    same(b.js("document.querySelector('.tools [role=status]').textContent"),
         "%d programs" % count, "programs with a script in their names")
    paths = b.js("model.files()")
    for i, path_ in enumerate(paths):
        b.go("#file/%d" % i)
        shown = b.js("document.querySelector('#view-file h2').textContent")
        plain = re.sub("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff]",
                       lambda m: "\\u%04x" % ord(m[0]), path_)
        same(shown, plain, "name of a file")
    for name in hostile.NAMES:
        text = ("/build/" + name.decode("utf-8", "replace") + ".o")
        assert text in paths, (text, paths)
    for p in range(b.js("model.programs.n")):
        b.go("#program/%d" % p)
    same(b.js("window.harmed"), None, "window.harmed")
    same(b.js("document.querySelectorAll('#content script, #content img, header img').length"), 0,
         "elements created by names")
    quiet(b, "hostile")


def faults(b):
    """the page says why it cannot be shown: damaged data, an old browser, no scripts"""
    text = page("jobs-4").read_bytes()

    def shows(data, *words):
        (dir / "fault.html").write_bytes(data)
        b.open(dir / "fault.html", "#timeline")
        message = b.js("document.querySelector('[role=alert]').innerText")
        assert all(w in message for w in words), message

    at = text.index(b'id="slices"')
    at = text.index(b">", at) + 40
    shows(text[:at] + bytes([text[at] ^ 1]) + text[at + 1:], "slices", "damaged")
    shows(text.replace(b'id="steps"', b'id="stops"'), 'no section "steps"')
    script = b.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                      {"source": "delete window.DecompressionStream"})
    shows(text, "browser", "DecompressionStream")
    b.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        b.driver.get((dir / "jobs-4.html").resolve().as_uri())
        tree_ = b.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})
        shown = json.dumps(tree_)
        assert "needs its scripts" in shown, "no message without scripts"
        assert "make -C src" in shown, "no title without scripts"
    finally:
        b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def access(b):
    """axe finds nothing wrong in any view, light or dark"""
    axe = dir / "axe.min.js"
    if not axe.exists():
        return "axe-core is not available from npm"
    open_page(b, "wrong-writers")
    output = b.js("model.files().then(l => l.findIndex(p => p.endsWith('.o')))")
    looked = [(name, view) for name in ("wrong-writers",) for view in
              (*VIEWS, "timeline/5", "file/%d" % output, "program/3")]
    looked += [("inside", "program/0"), ("cut", "timeline"), ("hostile", "file"), ("hostile", "slowest"), ("failing", "overview"),
               ("failing", "failures"), ("compared", "compare")]
    wrong = []
    for dark in (False, True):
        last = None
        for name, view in looked:
            if name != last:
                open_page(b, name)
                b.dark(dark)
                b.run(axe.read_text() + "")
                last = name
            b.go("#" + view)
            found = b.driver.execute_async_script(
                "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']})"
                ".then(r => done(r.violations), e => done([{id: String(e), nodes: []}]))")
            wrong += ["%s #%s %s: %s %s" % (name, view, "dark" if dark else "light", v["id"],
                                            [n["target"] for n in v["nodes"][:2]]) for v in found]
    same(wrong, [], "violations")
    return None


def keys(b):
    """the keyboard alone reaches the content, all views and the timeline, and leaves it again"""
    open_page(b, "jobs-4")
    b.keys(Keys.TAB)
    same(b.js("document.activeElement.id"), "skip", "first element that Tab reaches")
    assert b.js("document.activeElement.getBoundingClientRect().left") >= 0, "the skip link is not visible"
    b.keys(Keys.ENTER)
    same(b.js("document.activeElement.id"), "content", "focus after the skip link")
    seen = []
    for _ in range(40):
        b.keys(Keys.TAB)
        seen.append(b.js("document.activeElement.id || document.activeElement.tagName"))
        if seen[-1] == "chart":
            break
    assert seen[-1] == "chart", seen
    width = b.js("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
    assert width >= 2, "the focus outline is not visible: %s" % width
    b.keys(Keys.TAB)
    assert b.js("document.activeElement.id") != "chart", "the timeline keeps the focus"
    for view in VIEWS:
        b.run("document.querySelector('nav a[href=\"#%s\"]').focus()" % view)
        b.keys(Keys.ENTER)
        assert b.wait("document.getElementById('view-' + a0) && "
                      "!document.getElementById('view-' + a0).hidden", view), view
        same(b.js("document.querySelector('nav [aria-current]').hash"), "#" + view, "current view in the navigation")
        same(b.js("document.activeElement.id"), "content", "focus after " + view)
    quiet(b, "jobs-4")


def small(b):
    """measure how soon the page of a few hundred programs can be used"""
    took = sorted(open_page(b, "kernel") for _ in range(3))
    print("| kernel: %d programs, %d bytes, usable after %d ms (%s)" % (
        b.js("model.programs.n"), page("kernel").stat().st_size, took[1],
        ", ".join("%d" % t for t in took)))


def large(b):
    """100,000 programs: at most 25 MB, every view works, each frame is bounded by its pixels"""
    if not page("large").exists():
        return "the page of 100,000 programs is only made with LONG=y"
    size = page("large").stat().st_size
    took = open_page(b, "large")
    assert b.js("model.meta.counts.run") >= 100000, b.js("model.meta.counts")
    print("| large: %d programs, %d bytes, usable after %d ms" % (
        b.js("model.meta.counts.run"), size, took))
    assert size <= 25e6, size
    counts = b.js("model.meta.counts")
    most = (counts["lanes"] + 1) * b.js("timeline.view().width")
    box = "document.getElementById('chart')"
    b.run(box + ".focus()")
    steps = []
    for key in 12 * ["+"] + 8 * ["-"]:
        before = b.js("timeline.frames.n")
        start = time.monotonic()
        b.keys(key)
        assert b.wait("timeline.frames.n > a0", before)
        frames = b.js("timeline.frames")
        steps.append((frames["ms"], (time.monotonic() - start) * 1000))
        assert 0 < frames["rectangles"] <= most, (frames, most)
    print("| large: 20 zoom steps: frames of %s ms; with the way there and back %d ms at most" % (
        " ".join("%.0f" % s[0] for s in steps), max(s[1] for s in steps)))
    b.keys(Keys.HOME)
    b.wait("timeline.view().from === 0")
    assert counts["slices"] > most, "too few slices for the test: %s" % counts
    for view in (*VIEWS[1:], "compare"):
        start = time.monotonic()
        assert b.go("#" + view), view
        print("| large: #%s after %d ms" % (view, (time.monotonic() - start) * 1000))
        nodes = b.js("document.querySelectorAll('section:not([hidden]) *').length")
        assert nodes < 20000, "%s has %d elements" % (view, nodes)
    output = b.js("model.files().then(l => l.findLastIndex(p => /^\\/b.*\\.o$/.test(p)))")
    start = time.monotonic()
    assert b.go("#file/%d" % output)
    assert b.wait("document.querySelector('[aria-label=\"Made from\"] li')"), b.js(
        "document.querySelector('section:not([hidden])').innerText")
    print("| large: a file's page after %d ms" % ((time.monotonic() - start) * 1000))
    b.go("#timeline")
    start = time.monotonic()
    b.run("document.getElementById('search').value = 'fasynchronous'; "
         "document.getElementById('search').dispatchEvent(new Event('input'))")
    assert b.wait("document.querySelector('.tools [role=status]').dataset.done === 'true'")
    print("| large: all commands searched after %d ms: %s" % (
        (time.monotonic() - start) * 1000,
        b.js("document.querySelector('.tools [role=status]').textContent")))
    quiet(b, "large")
    took = open_page(b, "many-failures", "#overview")
    start = time.monotonic()
    assert b.go("#failures")
    print("| many-failures: %d programs, usable after %d ms, #failures after %d ms more" % (
        b.js("model.meta.counts.run"), took, (time.monotonic() - start) * 1000))
    nodes = b.js("document.querySelectorAll('section:not([hidden]) *').length")
    assert nodes < 20000, "%d elements" % nodes
    quiet(b, "many-failures")
    return None


TESTS = (heads, numbers, incomplete, timeline, *lanes.TESTS, *state.TESTS, *views.TESTS, tree, slowest, path,
         files, findings, inside, harm, faults, access, keys, *colours.TESTS, small, large)


def main():
    wanted = sys.argv[2:] or [t.__name__ for t in TESTS]
    with Browser() as b:
        for test in TESTS:
            if test.__name__ not in wanted:
                continue
            start = time.monotonic()
            what = test.__doc__.split("\n")[0]
            try:
                reason = test(b)
                print("skip: %s: %s" % (what, reason) if reason else "ok: " + what)
            except Exception as fault:      # go on with the next test
                traceback.print_exc(file=sys.stdout)
                print("not ok: %s: %s" % (what, str(fault).split("\n")[0][:300]))
            print("| %s: %.1f s" % (test.__name__, time.monotonic() - start), flush=True)


main()
