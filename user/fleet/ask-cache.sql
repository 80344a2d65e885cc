-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet cache: see query.h for the words between at signs.  The subquery finds the
-- steps that wasted most by numbers alone, so that texts are read only for these.
SELECT took_ns - argMin(took, began + at) AS saved_ns, sum(took) AS took_ns, count() AS times,
	uniqExact(build) AS builds, uniqExact(host) AS hosts, min(project) AS project,
	min(label) AS label, min(output) AS output
FROM (
	SELECT command_hash, inputs_hash, took, at, build, host, project, label, output
	FROM @db@.step_rows
	WHERE @rows@ AND status = 0 AND ifNull(signal, 0) = 0
			AND (command_hash, inputs_hash) GLOBAL IN (
		SELECT command_hash, inputs_hash
		FROM (
			SELECT command_hash, inputs_hash, took, at, build
			FROM @db@.step_rows
			WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0 AND status = 0
				AND ifNull(signal, 0) = 0
		) AS r GLOBAL ALL INNER JOIN (
			SELECT build, toInt64(toUnixTimestamp(begin)) * 1000000000 AS began
			FROM @db@.build
			WHERE @when@
		) AS b USING build
		GROUP BY command_hash, inputs_hash
		HAVING count() > 1
		ORDER BY sum(took) - argMin(took, began + at) DESC, command_hash, inputs_hash
		LIMIT @limit@
	)
) AS r GLOBAL ALL INNER JOIN (
	SELECT build, toInt64(toUnixTimestamp(begin)) * 1000000000 AS began
	FROM @db@.build
	WHERE @when@
) AS b USING build
GROUP BY command_hash, inputs_hash
ORDER BY saved_ns DESC, project, output, label;

SELECT sum(times) AS steps, sum(total) AS took_ns, sum(times) - count() AS again,
	sum(saved) AS saved_ns
FROM (
	SELECT count() AS times, sum(took) AS total, total - argMin(took, began + at) AS saved
	FROM (
		SELECT command_hash, inputs_hash, took, at, build
		FROM @db@.step_rows
		WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0 AND status = 0
			AND ifNull(signal, 0) = 0
	) AS r GLOBAL ALL INNER JOIN (
		SELECT build, toInt64(toUnixTimestamp(begin)) * 1000000000 AS began
		FROM @db@.build
		WHERE @when@
	) AS b USING build
	GROUP BY command_hash, inputs_hash
)
HAVING steps > 0;

SELECT multiIf(unknown != '', unknown, isNull(status), 'end unknown',
		command_hash = 0 OR inputs_hash = 0, 'command or inputs unknown', 'it failed') AS reason,
	count() AS steps, sum(took) AS took_ns
FROM @db@.step_rows
WHERE @rows@ AND id = step
	AND (command_hash = 0 OR inputs_hash = 0 OR isNull(status) OR status != 0
		OR ifNull(signal, 0) != 0)
GROUP BY reason
ORDER BY took_ns DESC, reason;
