-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet cache: see query.h for the words between at signs.
SELECT saved_ns, took_ns, times, builds, hosts, project, label, output
FROM (
	SELECT count() AS times, uniqExact(build) AS builds, uniqExact(host) AS hosts,
		sum(took) AS took_ns, took_ns - argMin(took, (began, at, build, id)) AS saved_ns,
		min(project) AS project, min(label) AS label, min(output) AS output
	FROM (
		SELECT command_hash, inputs_hash, took, at, id, build, host, project, label, output
		FROM @db@.step_rows
		WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0 AND status = 0
	) GLOBAL ALL INNER JOIN (
		SELECT build, begin AS began FROM @db@.build WHERE @when@
	) USING build
	GROUP BY command_hash, inputs_hash
	HAVING times > 1
)
ORDER BY saved_ns DESC, project, output, label
LIMIT @limit@;

SELECT sum(times) AS steps, sum(total) AS took_ns, sum(times) - count() AS again,
	sum(saved) AS saved_ns
FROM (
	SELECT count() AS times, sum(took) AS total,
		total - argMin(took, (began, at, build, id)) AS saved
	FROM (
		SELECT command_hash, inputs_hash, took, at, id, build
		FROM @db@.step_rows
		WHERE @rows@ AND command_hash != 0 AND inputs_hash != 0 AND status = 0
	) GLOBAL ALL INNER JOIN (
		SELECT build, begin AS began FROM @db@.build WHERE @when@
	) USING build
	GROUP BY command_hash, inputs_hash
)
HAVING steps > 0;

SELECT multiIf(unknown != '', unknown, status = 0, 'not known why', 'it failed') AS reason,
	count() AS steps, sum(took) AS took_ns
FROM @db@.step_rows
WHERE @rows@ AND id = step
	AND (command_hash = 0 OR inputs_hash = 0 OR status != 0 OR isNull(status))
GROUP BY reason
ORDER BY took_ns DESC, reason;
