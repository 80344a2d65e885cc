-- SPDX-License-Identifier: GPL-2.0
--
-- Ten questions about a build, for Perfetto: open etrace.fxt in ui.perfetto.dev,
-- choose "Query (SQL)" and paste one of them; or all of them with
-- "trace_processor_shell -q build.sql etrace.fxt".
--
-- The process "build" has the whole: its threads "lane N" hold the programs that
-- really worked, by class and by what they make; its thread "critical path" what
-- decided how long the build took.  Each program has a process of its own, too, in
-- which it is a slice with its arguments and calls: Documentation/fxt-mapping.md.
-- Of a view (--view) the questions about opened files have no rows.

-- 1. Which programs worked longest, at what?
SELECT slice.name AS program, slice.category AS class, slice.dur / 1000000 AS ms
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = 'build' AND thread.name GLOB 'lane *'
ORDER BY slice.dur DESC, slice.ts LIMIT 20;

-- 2. Which kinds of work took how much time, of all programs together?
SELECT slice.category AS class, count(*) AS slices, sum(slice.dur) / 1000000 AS ms
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = 'build' AND thread.name GLOB 'lane *'
GROUP BY slice.category ORDER BY ms DESC, class;

-- 3. How many programs worked on average, and at most?
SELECT 1.0 * sum(slice.dur) / (max(slice.ts + slice.dur) - min(slice.ts)) AS average,
	count(DISTINCT slice.track_id) AS most
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = 'build' AND thread.name GLOB 'lane *';

-- 4. What decided how long it took?
SELECT slice.name AS program, count(*) AS times, sum(slice.dur) / 1000000 AS ms
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = 'build' AND thread.name = 'critical path' AND slice.dur > 0
GROUP BY slice.name ORDER BY ms DESC, program LIMIT 20;

-- 5. Who waited long without working?
SELECT slice.name AS program, slice.dur / 1000000 AS ms,
	extract_arg(slice.arg_set_id, 'cpu_ns') / 1000000 AS worked_ms
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = 'build' AND thread.name GLOB 'long waits *'
ORDER BY slice.dur DESC, slice.ts;

-- 6. Which programs failed, and how?
SELECT slice.name AS program, extract_arg(slice.arg_set_id, 'pid') AS pid,
	extract_arg(slice.arg_set_id, 'status') AS status,
	extract_arg(slice.arg_set_id, 'signal') AS signal,
	extract_arg(slice.arg_set_id, 'argv') AS command
FROM slice
WHERE slice.category = 'exec' AND slice.dur != 0
	AND (extract_arg(slice.arg_set_id, 'status') != 0 OR
	     extract_arg(slice.arg_set_id, 'signal') IS NOT NULL)
ORDER BY slice.ts;

-- 7. Which programs needed most memory, in bytes?
SELECT slice.name AS program, max(extract_arg(slice.arg_set_id, 'maxrss')) AS maxrss
FROM slice
WHERE slice.category = 'exec' AND extract_arg(slice.arg_set_id, 'maxrss') IS NOT NULL
GROUP BY slice.name ORDER BY maxrss DESC, program LIMIT 20;

-- 8. Which files were written, by which programs?
SELECT DISTINCT extract_arg(call.arg_set_id, 'path') AS path, program.name AS program
FROM slice AS call
JOIN slice AS program ON program.id = call.parent_id
WHERE call.category = 'file' AND call.name = 'open'
	AND (extract_arg(call.arg_set_id, 'flags') IS NULL OR
	     extract_arg(call.arg_set_id, 'flags') & 3 != 0)
ORDER BY path, program;

-- 9. Which files were opened most?
SELECT extract_arg(call.arg_set_id, 'path') AS path, count(*) AS opens
FROM slice AS call
WHERE call.category = 'file' AND call.name = 'open'
GROUP BY path ORDER BY opens DESC, path LIMIT 20;

-- 10. Which programs ran most often, and for how long?
SELECT slice.name AS program, count(*) AS runs, sum(slice.dur) / 1000000 AS ms
FROM slice
WHERE slice.category = 'exec' AND slice.dur > 0
GROUP BY slice.name ORDER BY runs DESC, program LIMIT 20;
