-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet builds: see query.h for the words between at signs.
SELECT begin, took_ns, status, steps, host, project, name, tags, complete, missing, files,
	accesses, kernel, backend, command, root, build
FROM (
	SELECT toUnixTimestamp(begin) AS begin, took AS took_ns, status, steps, host, project,
		name, arrayStringConcat(tags, '\0') AS tags, complete, missing, files, accesses,
		kernel, backend, command, root, toString(build) AS build
	FROM @db@.build
	WHERE @when@
)
ORDER BY begin DESC, build
LIMIT @limit@;
