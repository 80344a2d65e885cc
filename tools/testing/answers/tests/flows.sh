#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every way in which data gets from file to file, compared with the truth of the script.

. "${0%/*}/../lib.sh"

LC_ALL=C sort "$FIXTURES/flows/truth.json" > truth
sed 's/^\({"output":"[^"]*",\).*/\1/' truth > outputs
for backend in module bpf; do
	etrace deps --leaves --all --json "$FIXTURES/flows/$backend.fxt.zst" > all
	grep -F -f outputs all | LC_ALL=C sort > ours
	same "$backend: the leaves of all $(wc -l < truth) outputs are right" ours truth
done

# In reverse: each output is found from each of its inputs.
etrace db -o flows.db "$FIXTURES/flows/module.fxt.zst"
etrace rdeps --all --json flows.db > back
check "rdeps is the reverse of deps" python3 - <<- 'END'
	import json, sys
	back = {}
	for line in open("back"):
	    row = json.loads(line)
	    back[row["input"]] = row["outputs"]
	bad = 0
	for line in open("truth"):
	    row = json.loads(line)
	    for i in row["inputs"]:
	        if row["output"] not in back.get(i, []):
	            print(i, "does not lead to", row["output"])
	            bad = 1
	sys.exit(bad)
END
