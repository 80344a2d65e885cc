-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet rebuilds: see query.h for the words between at signs.
SELECT quantileExact(0.5)(rebuild_took) AS rebuild_ns, quantileExact(0.5)(rebuilds) AS rebuilds,
	count() AS builds, project, path
FROM @db@.file_rows
WHERE @rows@ AND rebuild_took > 0 AND class = 'data' AND made_by = 0 AND package = ''
GROUP BY project, path
ORDER BY rebuild_ns DESC, project, path
LIMIT @limit@;
