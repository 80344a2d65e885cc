#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace rebuilt: what ninja said that it would do, and why.

. "${0%/*}/../lib.sh"

cat > steps.py <<'END2'
import json, os, sys
for line in open("answer"):
    row = json.loads(line)
    for output in row["outputs"]:
        if sys.argv[1] == "files":
            print(output)
        for r in row["reasons"]:
            if sys.argv[1] == "why" and not r["reason"] == "made":
                print(os.path.basename(output), r["reason"], os.path.basename(r.get("path", "-")))
        if sys.argv[1] == "why" and not row["reasons"]:
            print(os.path.basename(output), "none")
END2

# rebuilt OLD NEW REASON...: the steps are what ninja explains; these are the reasons
# but for inputs that were made anew.
rebuilt()
{
	local new=$FIXTURES/rebuild-$2 explained
	explained=$new/explained
	[ -e "$explained" ] || explained=$new/$by.explained
	etrace rebuilt --json "$FIXTURES/rebuild-$1/$by.fxt.zst" "$new/$by.fxt.zst" > answer
	result $? "$by: $1, $2: status"
	cat answer >> answers.json
	sed -n 's|^ninja explain: \(.*\) is dirty$|/build/rebuild/out/\1|p' "$explained" |
		sort -u > expected
	python3 steps.py files | sort > outputs
	same "$by: $1, $2: what ninja says" outputs expected
	python3 steps.py why | sort > reasons
	printf '%s\n' "${@:3}" | sed '/^$/d' | sort > expected
	same "$by: $1, $2: why" reasons expected
}

for by in module bpf; do
	rebuilt old nothing
	rebuilt old touched "circle.c.o input shapes.h" "square.c.o input shapes.h" \
		"names.c.o input shapes.h" "main.cc.o input shapes.h"
	rebuilt old flag "main.cc.o command -" "main.cc.o input config.h" \
		"main.cc.o input shapes.h" "options.c.o command -" "options.c.o input config.h" \
		"print.cc.o command -" "print.cc.o input config.h" "app input libshapes.a"
	# What was not built in between is other than then, too.
	rebuilt touched missing "libshapes.a missing libshapes.a" "app input main.cc.o" \
		"app input options.c.o" "app input print.cc.o"
	rebuilt flag command "stack.cc.o new -" "libshapes.a new -" "main.cc.o command -" \
		"print.cc.o command -" "app command -"
done

# Each step that has inputs made anew says by which.
check "who made them anew" python3 -c '
import json
for line in open("answers.json"):
    for r in json.loads(line)["reasons"]:
        assert (r["reason"] == "made") == ("by" in r), r'
etrace rebuilt "$FIXTURES/rebuild-old/module.fxt.zst" "$FIXTURES/rebuild-touched/module.fxt.zst" > text
check "for a person" grep -q '^  input /build/rebuild/src/include/shapes.h: changed or touched$' text
etrace rebuilt "$FIXTURES/rebuild-flag/module.fxt.zst" "$FIXTURES/rebuild-command/module.fxt.zst" > text
check "which words of a command" grep -qx '    + -DEXTRA=1' text
etrace db -o touched.db "$FIXTURES/rebuild-touched/module.fxt.zst"
sqlite3 touched.db "UPDATE version SET mtime = 1704067200000000000 WHERE file =
	(SELECT id FROM file WHERE path = CAST('/build/rebuild/src/include/shapes.h' AS BLOB))"
etrace rebuilt "$FIXTURES/rebuild-old/module.fxt.zst" touched.db > text
check "no reason" grep -q '^  no reason found$' text
ends 2 "one trace is not enough" etrace rebuilt touched.db

# An input that is declared, and that no program reads: ninja starts the step again for it.
mkdir declared
cat > declared/build.ninja <<'END'
rule copy
  command = cp from $out
rule touch
  command = echo x > $out
build out: copy from | order
build order: touch base
END
touch declared/from declared/base
declared()
{
	(cd declared && etrace run -q --backend=strace -o "../$1.fxt" -- ninja > /dev/null)
}
declared d1
sleep 0.1
touch declared/base
declared d2
etrace rebuilt --ninja declared d1.fxt d2.fxt > text
check "declared, and changed" grep -q '^  declared, and not read: .*/declared/base: changed or touched$' text
check "declared, and made anew" grep -q '^  declared, and not read: .*/declared/order: made anew$' text
etrace rebuilt d1.fxt d2.fxt > text
check "not without being asked" sh -c '! grep -q declared, text'

# What the page shows.
zstd -dqo old.fxt "$FIXTURES/rebuild-old/module.fxt.zst"
zstd -dqo build.fxt "$FIXTURES/rebuild-touched/module.fxt.zst"
line=$(sed -n 's/^etrace rebuilt .*/&/p' "$ANSWERS/../../../Documentation/etrace-rebuilt.1" | sed 's/\\-/-/g')
check "etrace-rebuilt.1: $line" bash -c "$line | grep -q ."
