-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet flaky: see query.h for the words between at signs.
SELECT countIf(ended != 0) AS failed, count() AS times, uniqExact(build) AS builds,
	uniqExact(host) AS hosts,
	arrayStringConcat(arrayMap(s -> toString(s), arraySort(groupUniqArray(ended))), '\0')
		AS statuses,
	max(began) AS last, min(project) AS project, min(label) AS label, min(output) AS output
FROM (
	SELECT command_hash, inputs_hash,
		if(ifNull(signal, 0) > 0, 128 + assumeNotNull(signal), assumeNotNull(status)) AS ended,
		build, host, project, label, output
	FROM @db@.step_rows
	WHERE @rows@ AND isNotNull(status) AND (command_hash, inputs_hash) GLOBAL IN (
		SELECT command_hash, inputs_hash
		FROM @db@.step_rows
		WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0
		GROUP BY command_hash, inputs_hash
		HAVING min(256 * ifNull(signal, 0) + status) != max(256 * ifNull(signal, 0) + status)
	)
) AS r GLOBAL ALL INNER JOIN (
	SELECT build, toUnixTimestamp(begin) AS began FROM @db@.build WHERE @when@
) AS b USING build
GROUP BY command_hash, inputs_hash
ORDER BY failed DESC, last DESC, project, output, label
LIMIT @limit@;
