-- SPDX-License-Identifier: LGPL-2.1
-- The files that etrace fleet users shows, as a part of a statement: see query.h.
SELECT build, id
FROM (
	SELECT path, build, id FROM @db@.file_rows WHERE @rows@ AND @path@
) AS r GLOBAL ALL INNER JOIN (
	SELECT build, begin AS began FROM @db@.build WHERE @when@
) AS b USING build
ORDER BY began DESC, build, path
LIMIT @shown@
