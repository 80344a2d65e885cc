-- SPDX-License-Identifier: LGPL-2.1
-- etrace fleet hosts: see query.h for the words between at signs.
SELECT host, count() AS builds, countIf(ifNull(status, 0) != 0) AS failed,
	quantileExact(0.5)(took) AS median_ns, max(took) AS worst_ns,
	max(toUnixTimestamp(begin)) AS last
FROM @db@.build
WHERE @when@
GROUP BY host
ORDER BY median_ns DESC, host
LIMIT @limit@;
