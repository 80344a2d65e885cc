-- SPDX-License-Identifier: GPL-2.0
--
-- Which program of a build reads what another one has written?
--
-- For Perfetto: open etrace.fxt in ui.perfetto.dev, choose "Query (SQL)" and paste
-- this; or "trace_processor_shell -q who-feeds-whom.sql etrace.fxt".
--
-- A program is a slice, a call is an instant in it, and a call's arguments are
-- named as in Documentation/fxt-mapping.md.  The lowest two bits of the flags are
-- 0 for reading, 1 for writing, 2 for both.

WITH opened AS (
	SELECT
		program.id AS id,
		program.name AS name,
		call.ts AS ts,
		extract_arg(call.arg_set_id, 'path') AS path,
		extract_arg(call.arg_set_id, 'flags') & 3 AS how
	FROM slice AS call
	JOIN slice AS program ON program.id = call.parent_id
	WHERE call.category = 'file' AND call.name = 'open'
)
SELECT DISTINCT writer.name AS writer, reader.name AS reader, path
FROM opened AS writer
JOIN opened AS reader USING (path)
WHERE writer.how IN (1, 2) AND reader.how IN (0, 2)
	AND writer.ts < reader.ts AND writer.id != reader.id
ORDER BY writer.ts, reader.ts;
