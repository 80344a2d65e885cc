-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet slowest, slower: see query.h for the words between at signs.
SELECT median_ns, worst_ns, before_ns, change_ns, change_percent, times, before_times, project,
	output
FROM (
	SELECT project, output,
		quantileExactIf(0.5)(took, now) AS median_ns,
		maxIf(took, now) AS worst_ns,
		quantileExactIf(0.5)(took, NOT now) AS before,
		if(before_times = 0, NULL, before) AS before_ns,
		if(before_times = 0, NULL, median_ns - before) AS change_ns,
		if(before_times = 0, NULL, intDiv(100 * (median_ns - before), before + (before = 0)))
			AS change_percent,
		countIf(now) AS times,
		countIf(NOT now) AS before_times
	FROM (
		SELECT project, output, took, part GLOBAL IN (@now@) AS now
		FROM @db@.step_rows
		WHERE @both@ AND output != '' AND id = step AND status = 0
			AND ifNull(signal, 0) = 0
	)
	GROUP BY project, output
	HAVING @only@
)
ORDER BY @order@, project, output
LIMIT @limit@;
