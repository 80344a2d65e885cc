# SPDX-License-Identifier: GPL-2.0
"""Tests of the first view and of those behind it, and that cells of tables do not overlap."""
from browser import Keys
from common import db, dir, lines, open_page, quiet, rows, same, seconds
import failing

# For each visible table: cells whose text does not fit, or reaches into the next cell; and the
# width of the page, if it is wider than the window.
OVERLAPS = """
    const found = [], section = document.querySelector('#content > section:not([hidden])');
    const boxOf = cell => {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), boxes = [];
        const range = document.createRange();
        while (texts.nextNode()) {
            range.selectNodeContents(texts.currentNode);
            boxes.push(...range.getClientRects());
        }
        return [...boxes, ...[...cell.querySelectorAll('.bar')].map(bar => bar.getBoundingClientRect())]
            .filter(r => r.width > 0);
    };
    let cells = 0;
    for (const table of section.querySelectorAll('table')) {
        for (const row of table.rows) {
            for (const cell of row.cells) {
                const own = cell.getBoundingClientRect(), parts = boxOf(cell);
                cells++;
                const out = parts.find(r => r.left < own.left - 1 || r.right > own.right + 1 ||
                    r.top < own.top - 1 || r.bottom > own.bottom + 1);
                const over = parts.find((r, i) => parts.some((s, k) => k > i &&
                    r.left < s.right - 1 && s.left < r.right - 1 &&
                    r.top < s.bottom - 3 && s.top < r.bottom - 3));
                if (out || over)
                    found.push([out ? 'out' : 'over', table.caption.textContent,
                        row.rowIndex, cell.cellIndex, cell.textContent.slice(0, 40)]);
            }
        }
    }
    const wide = document.documentElement.scrollWidth;
    return [cells, found, wide > document.documentElement.clientWidth ? wide : 0];"""


def tables(b):
    """no table cell overflows or covers other text, in any view at three widths"""
    cells = 0
    try:
        for width in (1440, 1024, 390):
            b.resize(width, 900)
            for name, fragments in (
                    ("kernel", ("overview", "failures", "slowest", "path", "where", "findings", "packages",
                                "program/30", "file/40")),
                    ("failing", ("overview", "failures", "path")),
                    ("compared", ("overview", "compare")),
                    ("inside", ("program/0",)), ("hostile", ("slowest", "path"))):
                open_page(b, name, "#overview")
                for fragment in fragments:
                    b.go("#" + fragment)
                    n, wrong, wide = b.run(OVERLAPS)
                    cells += n
                    assert not wrong, "%s #%s at %d pixels: %s" % (name, fragment, width, wrong[:3])
                    assert not wide, "%s #%s: %d pixels wide, in a window of %d" % (
                        name, fragment, wide, width)
    finally:
        b.resize(1280, 800)
    assert cells > 4000, "too few cells were checked: %d" % cells


def overview(b):
    """the first view shows what failed first and what to make faster, as etrace time does"""
    for name in ("kernel", "jobs-4", "cmake"):
        open_page(b, name, "")
        same(b.js("document.querySelector('#content > section:not([hidden])').id"), "view-overview",
             "the first view")
        assert b.wait("document.querySelector('#view-overview h2')")
        expected = lines("time", "--json", db(name))[0]["faster"]
        got = b.js("[...document.querySelectorAll('#view-overview .faster li')].map(l => ["
                   "l.querySelector('strong').textContent, l.querySelector('a').hash])")
        same(got, [["at most %s less" % seconds(f["saves_ns"]),
                    "#program/%d" % (f["exec"] - 1) if "exec" in f else "#timeline"]
                   for f in expected], "what to make faster of " + name)
        same(b.js("document.querySelectorAll('#view-overview .failed').length"),
             int(b.js("model.meta.failed")), "failed: " + name)
        quiet(b, name)
    open_page(b, "failing", "")
    first = next(i for i, p in enumerate(failing.PROGRAMS) if p[6] == "first")
    text = b.js("document.querySelector('#view-overview .failed').textContent")
    assert "cc1 failed first" in text and "bad.c" in text and "exit status 1" in text, text
    same(b.js("[...document.querySelectorAll('#view-overview .failed a')].map(a => a.hash)"),
         ["#program/%d" % first, "#timeline/%d" % first, "#failures"], "links")
    colour = b.js("getComputedStyle(document.querySelector('.failed strong')).color")
    same(colour, "rgb(164, 14, 38)", "colour of failures")
    quiet(b, "failing")


def failure_list(b):
    """the list of failures has each failed program under its kind, with its command"""
    open_page(b, "failing", "#failures")
    b.wait("document.querySelector('#view-failures table')")
    b.run("document.querySelectorAll('#view-failures details').forEach(d => { d.open = true; })")
    for title, kind in (("Failed first", "first"), ("Passed on", "passed on"), ("Answers", "answer")):
        assert b.wait("[...document.querySelectorAll('#view-failures caption')]"
                      ".some(c => c.textContent === a0)", title), title
        got = [r[0].split()[0] for r in rows(b, title)]
        same(sorted(got), sorted(p[0] for p in failing.PROGRAMS if p[6] == kind), title)
    (first,) = rows(b, "Failed first")
    # the command is the one that was typed
    assert first[1] == "exit status 1" and any("gcc -c bad.c" in cell for cell in first), first
    assert any("bad.c" in cell for cell in first[2:4]), first
    quiet(b, "failing")
    open_page(b, "jobs-4", "#failures")
    assert "did not fail" in b.js("document.querySelector('#view-failures').textContent")


def comparison(b):
    """the comparison with an earlier build shows what is slower, new or gone, and adds up"""
    open_page(b, "failing")
    same(b.js("document.querySelectorAll('nav a[href=\"#compare\"]').length"), 0, "no earlier build")
    open_page(b, "compared", "#compare")
    b.wait("document.querySelector('#view-compare table')")
    slower = [(r[0].strip(), r[1], r[3], r[4]) for r in rows(b, "Slower")]
    assert ("cc1 good.c", "+1.00 s", "401 ms", "1.40 s") in slower, slower
    same(sorted(r[0].strip() for r in rows(b, "New")), ["cc1 bad.c", "gcc bad.c"], "new")
    same([(r[0], r[2], r[3]) for r in rows(b, "Gone")], [("ld prog", "ld -o prog", "/src")], "gone")
    # the lists account for the whole difference
    c = b.js("model.compare()")
    lists = [c[kind] for kind in ("slower", "faster", "added", "gone")]
    explained = sum(row[2] - row[1] for one in lists for row in one["rows"])
    (now,), (before,) = (lines("time", "--json", str(dir / name))
                         for name in ("failing.etrace", "earlier.etrace"))
    same(explained, now["worked_ns"] - before["worked_ns"], "sum of the lists")
    totals = {r[0]: r[1:3] for r in rows(b, "Totals")}
    same(totals["Took"], [seconds(before["wall_ns"]), seconds(now["wall_ns"])], "wall")
    same(totals["CPU time"], [seconds(before["cpu_ns"]), seconds(now["cpu_ns"])], "CPU")
    same(totals["Programs"], ["6", "7"], "programs")
    b.go("#overview")
    text = b.js("document.querySelector('#view-overview').textContent")
    assert "2 new, 1 gone" in text and "as long as the earlier build" in text, text
    quiet(b, "compared")


def places(b):
    """maps of directories and tools show all work and take keys; headers count their readers"""
    open_page(b, "kernel", "#where")
    b.wait("document.querySelectorAll('#view-where .map').length === 2")
    worked = lines("time", "--json", db("kernel"))[0]["worked_ns"]
    shown = b.js("[...document.querySelectorAll('#view-where [role=status]')].map(p => p.textContent)")
    assert len(shown) == 2 and all(seconds(worked) in text for text in shown), (shown, seconds(worked))
    # areas are proportional to times: the largest rectangle of the tools is the slowest tool
    areas = b.js("[...document.querySelectorAll('#view-where .map')[1].children].map(c => ["
                 "c.textContent.split(':')[0], c.offsetWidth * c.offsetHeight])")
    times = b.js("(() => { const by = {}; for (let p = 0; p < model.programs.n; p++) {"
                 "const t = model.className(p) + '/' + model.label(p).split(/[ :]/)[0];"
                 "by[t] = (by[t] || 0) + model.work[p]; } return by; })()")
    whole = sum(times.values())
    largest = max(areas, key=lambda a: a[1])
    same(largest[0], max(times, key=times.get), "largest")
    box = b.js("document.querySelectorAll('#view-where .map')[1].offsetWidth * 360")
    assert abs(largest[1] / box - times[largest[0]] / whole) < 0.03, (largest, times[largest[0]], whole)
    # enter the first part and leave it, with keys
    before = shown[0]
    b.run("document.querySelector('#view-where .map button').focus()")
    b.keys(Keys.ENTER)
    inner = b.js("document.querySelector('#view-where [role=status]').textContent")
    assert inner != before, inner
    assert b.js("document.activeElement.matches('#view-where .up')"), "the focus is lost"
    b.keys(Keys.ENTER)
    same(b.js("document.querySelector('#view-where [role=status]').textContent"), before, "status after going back")
    # each program has a place: its job's output, or what it served, or where it ran
    names = b.js("[...document.querySelectorAll('#view-where .map')[0].children].map(c => c.textContent)")
    assert names and not any("not known" in n or "no output" in n for n in names), names
    # the filter of the page also applies here
    b.go("#where?class=link")
    linked = b.js("model.work.reduce((sum, t, p) => sum + (model.className(p) === 'link' ? t : 0), 0)")
    text = b.js("document.querySelector('#view-where [role=status]').textContent")
    assert seconds(linked) in text and "filter" in text, (text, seconds(linked))
    b.go("#where")
    # headers: the readers of the first one, as etrace lists them
    table = rows(b, "Headers")
    assert len(table) > 50, len(table)
    found = b.js("model.headers().then(h => h.rows[0])")
    b.go("#file/%d" % found[0])
    readers = [r[0].split()[0] for r in rows(b, "Programs that read it")]
    compilers = [r for r in readers if r.startswith("cc1") or r.startswith("gcc")]
    same(found[1], len(compilers), "compilers that read %s" % table[0][0])
    quiet(b, "kernel")


# The programs that a view links to, in all of its rows.
LINKED = """
    const section = document.querySelector('#content > section:not([hidden])');
    section.querySelectorAll('details').forEach(d => { d.open = true; });
    for (let more; (more = [...section.querySelectorAll('.more')].find(m => !m.hidden)); )
        more.click();
    return [...section.querySelectorAll('td a, th a, .faster a, [role=treeitem]:not([aria-expanded]) a')]
        .filter(a => /^#program/.test(a.hash)).map(a => Number(a.hash.match(/\\d+/)[0]));"""


def filtered(b):
    """each view shows only programs that pass the filter, or says that it shows everything"""
    for name, query, lists in (
            ("kernel", "class=shell", {"overview": 0, "path": 0, "slowest": 3, "tree": 0}),
            ("kernel", "tool=cc1", {"path": 2, "slowest": 3}),
            ("failing", "tool=cc1", {"failures": 1, "slowest": 2}), ("compared", "tool=cc1", {"compare": 1}),
            ("wrong-writers", "class=compile", {"slowest": 3, "findings": 0})):
        # open the page anew: results without the filter must not remain
        open_page(b, name, "#overview")
        views = b.js("[...document.querySelectorAll('nav a')].map(a => a.hash)")
        for view in views:
            b.go(view)
            everything = b.run(LINKED)
            b.go(view + "?" + query)
            shown = b.js("document.getElementById('filters').textContent")
            if "This view shows everything." in shown:
                same(view, "#packages", "a view without the filter")
                continue
            got = b.run(LINKED)
            wrong = b.js("arguments[0].filter(p => !filter.passes(p)).map(model.label)", got)
            same(wrong, [], "%s %s?%s: programs that the filter leaves out" % (name, view, query))
            assert len(got) >= lists.get(view[1:], 0), (name, view, query, got)
            if view[1:] in ("slowest", "tree") and name == "kernel":
                assert b.js("arguments[0].some(p => !filter.passes(p))", everything), (
                    "%s shows nothing that the filter would leave out" % view)
            b.go("#overview")
        # the tree has exactly the time of the programs that pass
        b.go("#tree?" + query)
        left = b.js("model.work.reduce((sum, t, p) => sum + (filter.passes(p) ? t : 0), 0)")
        roots = b.js("[...document.querySelectorAll('#view-tree [aria-level=\"1\"] .time')].map(t => t.textContent)")
        if len(roots) == 1:
            same(roots[0], seconds(left), "time of the tree of " + name)
        quiet(b, name)
    # with a filter that leaves everything, the results are those of etrace
    open_page(b, "kernel", "#slowest")
    for key, files in (("programs", "file"), ("directories", "directory")):
        got, expected = b.driver.execute_async_script("""
            const [key, files, done] = arguments;
            Promise.all([model.files(), model.slowest()]).then(([paths, rows]) => done([
                slowest.sums(model.programs[files], () => true, paths), rows[key]]));""", key, files)
        same(sorted([r[2:5] for r in got]), sorted([r[2:5] for r in expected]), key)


TESTS = (tables, overview, failure_list, comparison, places, filtered)
