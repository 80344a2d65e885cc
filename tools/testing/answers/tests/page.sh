#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace report --html: the page agrees with the database and the other commands, loads nothing
# from elsewhere, shows names as text, and is written completely or not at all.

. "${0%/*}/../lib.sh"
export PYTHONPATH=$ANSWERS

check_page()	# FIXTURE BACKEND
{
	local trace=$FIXTURES/$1/$2.fxt.zst name="$1, $2"

	etrace db -o a.db "$trace"
	check "$name: a page is written" etrace report --html a.html "$trace"
	check "$name: the page agrees with the database" "$ANSWERS/page-same" a.html a.db
	check "$name: a page is written from the database" etrace report --html b.html a.db
	same "$name: the page from the database is the same" a.html b.html
}
for backend in module bpf; do
	check_page make $backend
	check_page flows $backend
done
check_page meson module
check_page cmake bpf
check_page wrong-outside module
check_page wrong-network bpf
check_page ccache-link module
check_page kernel module

# Nothing is loaded, and only the page's own scripts run: browsers enforce the policy.
check "the page loads nothing and runs only its own scripts" python3 - a.html << 'END'
import base64, hashlib, re, sys
from html.parser import HTMLParser
policy, scripts, inside, data = {}, [], None, 0

class Reader(HTMLParser):
    def handle_starttag(self, tag, attrs):
        global policy, inside, data
        a = dict(attrs)
        assert tag not in ("link", "iframe", "object", "embed", "base"), tag
        assert a.get("href", "#").startswith("#"), a
        assert not any(n in ("src", "srcset", "action", "style") or n.startswith("on") for n in a), a
        if a.get("http-equiv") == "Content-Security-Policy":
            assert not scripts, "a script precedes the policy"
            policy = dict(p.split(None, 1) for p in a["content"].split("; "))
        inside = None
        if tag == "script" and "type" not in a:
            inside = "script-src"
            scripts.append("")
        elif tag == "style":
            inside = "style-src"
        elif tag == "script":
            data += a["type"] == "application/octet-stream"
    def handle_data(self, text):
        if inside:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert "'sha256-%s'" % digest in policy[inside].split(), text[:60]
            scripts[-1:] = [text]
    def handle_endtag(self, tag):
        global inside
        inside = None

text = open(sys.argv[1], encoding="utf-8").read()
Reader().feed(text)
assert policy["default-src"] == "'none'" and "unsafe" not in str(policy), policy
assert policy["img-src"] == "data:" and set(policy) == {
    "default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}, policy
assert len(scripts) > 1 and data > 10
assert "Mike Bostock" in text and "THIS SOFTWARE IS PROVIDED" in text, "D3's licence is missing"
END

# ---- names ----

cat > lines.py << 'END'
"""A trace with names that must be escaped in a page."""
import sys
names = [b"/src/</script><script>alert(1)</script>.c", b"/src/\xff\xfe\xc3(.c", b"/src/two\nlines\n.c",
         b"/src/<!--\"'&amp;--> \t\x1b[31m.c", "/src/\u2028\u65e5\u672c.c".encode(), b"/src/]]>%s\\u0041.c"]
now = 0

def line(text, value=b""):
    global now
    for i, part in enumerate(value.split(b"\n")):
        now += 1000
        sys.stdout.buffer.write(b"4194405,0,10,%d!%s%s\n" % (now, b"Cont|" if i else text, part))
    if b"\n" in value:
        line(b"Cont_end|")

args = [b"cc", b"<script>", *names, b"\x80\n</script>"]
line(b"New_proc|argsize=%d,prognameisize=8,prognamepsize=8,cwdsize=%d" %
     (sum(len(a) + 1 for a in args), len(names[0])))
line(b"PI|", b"/bin/cc1")
line(b"PP|", b"/bin/cc1")
line(b"CW|", names[0])
for i, a in enumerate(args):
    line(b"A[%d]" % i, a)
line(b"End_of_args|")
for i, name in enumerate(names + [n + b".o" for n in names]):
    line(b"Open|fnamesize=%d,forigsize=%d,flags=%d,mode=0,fd=3" %
         (len(name), len(name), 0o1101 if name.endswith(b".o") else 0))
    line(b"FN|", name)
    line(b"FO|", name)
    line(b"Close|fd=3")
# a file from before the build, renamed by it: an output of the build
line(b"RenameFrom|fnamesize=%d" % len(names[0]))
line(b"RF|", names[0])
line(b"RenameTo|fnamesize=4")
line(b"RT|", b"/new")
line(b"Exit|status=0")
END
python3 lines.py > names.etrace
ends 0 "a page is written for a trace with special characters in names" \
	etrace report --html names.html names.etrace
etrace db -o names.db names.etrace
check "special characters: the page agrees with the database" \
	"$ANSWERS/page-same" names.html names.db
check "special characters: all names are shown as text" python3 - names.html << 'END'
import sys
from page_data import Page
page = Page(sys.argv[1])
files = page.texts("files")
for name in ("/src/</script><script>alert(1)</script>.c", "/src/\ufffd\ufffd\ufffd(.c", "/src/two\nlines\n.c",
             "/src/<!--\"'&amp;--> \t\x1b[31m.c", "/src/\u2028\u65e5\u672c.c", "/src/]]>%s\\u0041.c"):
    assert name in files and name + ".o" in files, (name, files)
assert page.commands()[0][1][-1] == "\ufffd\n</script>"
assert page.commands()[0][0] == "/src/</script><script>alert(1)</script>.c"
new = page.rows("filefacts")[files.index("/new")]
assert new["flags"] == 1 and page.rows("versions")[new["present"]]["made"] == 0, new
assert "alert(1)" not in page.text and "/src/" not in page.text, "a name is in the page unescaped"
END

# ---- incomplete traces ----

zstd -dcq "$FIXTURES/make/module.fxt.zst" > whole.fxt
head -c $(($(stat -c %s whole.fxt) * 2 / 3)) whole.fxt > cut.fxt
ends 1 "a page of a truncated trace has exit status 1" etrace report --html cut.html cut.fxt
check "a page of a truncated trace says what is missing" python3 -c '
from page_data import Page
page = Page("cut.html")
assert page.meta["complete"] is False and page.meta["missing"], page.meta'

# ---- the file ----

check "the page has mode 600" test "$(stat -c %a a.html)" = 600
check "a finished page leaves no other files" test "$(echo a.html*)" = a.html
etrace report --html - whole.fxt > standard.html
etrace report --html file.html whole.fxt
same "standard output gets the same page as a file" standard.html file.html
mkfifo pipe
timeout 600 cat pipe > piped.html &
etrace report --html pipe whole.fxt
wait
check "a named pipe is kept" test -p pipe
same "a named pipe gets the same page as a file" piped.html file.html
ln -s file.html link.html
echo old > file.html
etrace report --html link.html whole.fxt
check "a symbolic link is kept" test -L link.html
same "the target of a symbolic link is replaced" file.html standard.html

cp whole.fxt trace.html
ln trace.html again.html
for name in trace.html again.html; do
	ends 2 "the trace is refused as output ($name)" etrace report --html $name trace.html
done
same "a trace refused as output is unchanged" trace.html whole.fxt
ends 2 "a missing output directory is an error" etrace report --html none/a.html whole.fxt
check "a missing output directory is reported" \
	bash -c "etrace report --html none/a.html whole.fxt 2>&1 | grep -qx 'etrace report: none/a.html: No such file or directory'"
ends 2 "an output to /dev/full is an error" etrace report --html /dev/full whole.fxt
echo old > old.html
cp old.html before
ends 2 "a full disk is an error" \
	bash -c "trap '' XFSZ; ulimit -f 64; etrace report --html old.html a.db"
same "a full disk leaves the old page unchanged" old.html before
check "a full disk leaves no temporary files" test "$(echo old.html*)" = old.html
ends 2 "--json with --html is a usage error" etrace report --json --html a.html whole.fxt
ends 2 "an input that is not a trace is an error" etrace report --html none.html "$ANSWERS/lib.sh"
check "an input that is not a trace gives no page" test ! -e none.html

cp whole.fxt build.fxt
cp whole.fxt yesterday.fxt
while read -r line; do
	check "the example in etrace-report.1 works: $line" bash -c "$line && test -s build.html"
done < <(sed -n 's/^etrace report .*html.*/&/p' "$ANSWERS/../../../Documentation/etrace-report.1" | sed 's/\\-/-/g')
