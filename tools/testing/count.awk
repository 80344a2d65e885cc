# SPDX-License-Identifier: GPL-2.0
#
# Count the results in a stage's TAP or KTAP output; -v status=EXIT_STATUS.
# Prints "PASSED FAILED SKIPPED".
#
# Nested results ("# ok ..." or indented) are counted instead of the result that sums them up,
# unless that is "not ok" and none of them is.  A plan ("1..N") with fewer results after it, and
# "Bail out!", are failures.

# The results seen at a depth, and the plan announced there.
function close_depth(d)
{
	if (d in plan && seen[d] < plan[d])
		failed += plan[d] - seen[d]
	delete plan[d]
	delete seen[d]
	delete bad[d]
	max = d - 1
}

BEGIN { max = -1 }

{
	sub(/\r$/, "")
	depth = 0
	while (match($0, /^(# |    |  )/)) {
		$0 = substr($0, RLENGTH + 1)
		depth++
	}
}

/^Bail out!/ { failed++; any = 1; next }

/^1\.\.[0-9]+/ {
	# After results without a plan, the plan is theirs; otherwise it begins a new list.
	while (max > depth || (max == depth && depth in plan))
		close_depth(max)
	plan[depth] = substr($0, 4) + 0
	seen[depth] += 0
	if (max < depth)
		max = depth
	any = 1
	next
}

/^(not )?ok( |$)/ {
	any = 1
	nested = nested_bad = 0
	while (max > depth) {
		nested += seen[max]
		nested_bad += bad[max]
		close_depth(max)
	}
	max = depth
	seen[depth]++
	if (/^not ok/ && !/# *SKIP/) {
		bad[depth]++
		if (!nested || !nested_bad)
			failed++
	} else if (!nested) {
		if (/# *SKIP/)
			skipped++
		else
			passed++
	}
}

END {
	while (max >= 0)
		close_depth(max)
	if (!any) {
		if (status == 0)
			passed = 1
		else if (status == 4)
			skipped = 1
		else
			failed = 1
	} else if (status != 0 && status != 4 && !failed) {
		# It failed after its last result.
		failed = 1
	}
	printf "%d %d %d\n", passed, failed, skipped
}
