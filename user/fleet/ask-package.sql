-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet package: see query.h for the words between at signs.
SELECT package, version, uniqExact(build) AS builds, uniqExact(host) AS hosts,
	min(toUnixTimestamp(began)) AS first, max(toUnixTimestamp(began)) AS last
FROM (
	SELECT package, version, host, build FROM @db@.file_rows WHERE @rows@ AND @package@
) AS r GLOBAL ALL INNER JOIN (
	SELECT build, begin AS began FROM @db@.build WHERE @when@
) AS b USING build
GROUP BY package, version
ORDER BY last DESC, package, version
LIMIT @limit@;

SELECT begin, package, version, files, host, project, toString(build) AS build
FROM (
	SELECT max(toUnixTimestamp(began)) AS begin, package, version, count() AS files, host,
		project, build
	FROM (
		SELECT package, version, host, project, build
		FROM @db@.file_rows
		WHERE @rows@ AND @package@
	) AS r GLOBAL ALL INNER JOIN (
		SELECT build, begin AS began FROM @db@.build WHERE @when@
	) AS b USING build
	GROUP BY package, version, host, project, build
)
ORDER BY begin DESC, build, package, version
LIMIT @limit@;
