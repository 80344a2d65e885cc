-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet flaky: see query.h for the words between at signs.
SELECT failed, times, builds, hosts, statuses, last, project, label, output
FROM (
	SELECT countIf(status != 0) AS failed, count() AS times, uniqExact(build) AS builds,
		uniqExact(host) AS hosts,
		arrayStringConcat(arrayMap(s -> toString(s), arraySort(groupUniqArray(status))), '\0') AS statuses,
		max(began) AS last, min(project) AS project, min(label) AS label,
		min(output) AS output
	FROM (
		SELECT command_hash, inputs_hash, assumeNotNull(status) AS status, build, host,
			project, label, output
		FROM @db@.step_rows
		WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0 AND isNotNull(status)
	) GLOBAL ALL INNER JOIN (
		SELECT build, toUnixTimestamp(begin) AS began FROM @db@.build WHERE @when@
	) USING build
	GROUP BY command_hash, inputs_hash
	HAVING uniqExact(status) > 1
)
ORDER BY failed DESC, last DESC, project, output, label
LIMIT @limit@;
