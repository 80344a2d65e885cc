-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet users: see query.h for the words between at signs.
SELECT begin, steps, size_bytes, mtime_ns, sha256, class, made, package, version, host, project,
	path, file, toString(build) AS build
FROM (
	SELECT toUnixTimestamp(began) AS begin, readers AS steps, size AS size_bytes,
		mtime AS mtime_ns, sha256, class, toUInt8(made_by != 0) AS made, package, version,
		host, project, path, file, build
	FROM (
		SELECT readers, size, mtime, sha256, class, made_by, package, version, host,
			project, path, id AS file, build
		FROM @db@.file_rows
		WHERE @rows@ AND @path@
	) AS r GLOBAL ALL INNER JOIN (
		SELECT build, begin AS began FROM @db@.build WHERE @when@
	) AS b USING build
)
ORDER BY begin DESC, build, path
LIMIT @limit@;

SELECT uniqExact(build) AS builds, quantileExact(0.5)(took) AS median_ns, project, label, output
FROM @db@.step_rows
WHERE @rows@ AND (build, id) GLOBAL IN (
	SELECT build, if(step = 0, id, step)
	FROM @db@.step_rows
	WHERE @rows@ AND (build, id) GLOBAL IN (
		SELECT build, step
		FROM @db@.access_rows
		WHERE @rows@ AND how != 'write' AND (build, file) @files@
	)
)
GROUP BY project, label, output
ORDER BY builds DESC, project, output, label
LIMIT @limit@;
