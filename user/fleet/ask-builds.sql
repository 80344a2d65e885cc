-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet builds: see query.h for the words between at signs.
SELECT began AS begin, took_ns, status, steps, host, project, name, all_tags AS tags, complete,
	missing, files, accesses, kernel, backend, command, root, id AS build
FROM (
	SELECT toUnixTimestamp(begin) AS began, took AS took_ns, status, steps, host, project,
		name, arrayStringConcat(tags, '\0') AS all_tags, complete, missing, files,
		accesses, kernel, backend, command, root, toString(build) AS id
	FROM @db@.build
	WHERE @when@
)
ORDER BY began DESC, id
LIMIT @limit@;
