-- SPDX-License-Identifier: GPL-2.0
--
-- Six questions about many builds, for the database that many-builds.sh makes, which
-- says what its tables hold:
--
--   many-builds.sh -o all.db monday.db tuesday.db ...
--   sqlite3 -header -tabs all.db < many-builds.sql

-- 1. Which builds are these?
SELECT build, source, round(took / 1e9, 3) AS took_s, status, complete, command
FROM build ORDER BY build;

-- 2. Which outputs take longest to make, and longer than before?  The mean time in the
-- first half of the builds that made them, and in the last half.
WITH one AS (
	SELECT output, build, sum(took) AS took FROM step
	WHERE output IS NOT NULL GROUP BY output, build),
placed AS (
	SELECT output, took, count(*) OVER (PARTITION BY output) AS n,
		row_number() OVER (PARTITION BY output ORDER BY build) AS place FROM one)
SELECT output, n AS builds, round(avg(took) / 1e9, 3) AS mean_s,
	round(max(took) / 1e9, 3) AS longest_s,
	round(avg(took) FILTER (WHERE 2 * place <= n) / 1e9, 3) AS before_s,
	round(avg(took) FILTER (WHERE 2 * place > n + 1) / 1e9, 3) AS now_s,
	round(100 * (avg(took) FILTER (WHERE 2 * place > n + 1) /
		avg(took) FILTER (WHERE 2 * place <= n) - 1), 1) AS change_percent
FROM placed GROUP BY output, n ORDER BY avg(took) DESC, output LIMIT 20;

-- 3. Which commands run again and again, and what does that cost?
SELECT count(*) AS times, count(DISTINCT build) AS builds,
	round(sum(took) / 1e9, 3) AS total_s, cwd, command
FROM step GROUP BY cwd, command HAVING count(*) > 1
ORDER BY sum(took) DESC, cwd, command LIMIT 20;

-- 4. Which builds used a file, and how?  Its name is in the table asked, as a pattern of
-- GLOB; step 0, that is make or ninja itself, counts as one.
SELECT access.build, source, access.path, how, count(DISTINCT step) AS steps
FROM asked JOIN access ON access.path GLOB asked.path JOIN build USING (build)
GROUP BY access.build, source, access.path, how
ORDER BY access.build, access.path, how;

-- 5. Which files do most steps read, as data: sources and headers, no libraries?
SELECT path, count(DISTINCT build) AS builds, count(*) AS steps
FROM access WHERE how = 'read' AND class = 'data' AND step <> 0
GROUP BY path ORDER BY steps DESC, path LIMIT 20;

-- 6. Which commands ended in more than one way?  A status is 128 and the signal's number
-- where a signal ended it.
WITH ways AS (
	SELECT cwd, command FROM step GROUP BY cwd, command HAVING count(DISTINCT status) > 1)
SELECT status, count(*) AS times, min(build) AS first, max(build) AS last, cwd, command
FROM step JOIN ways USING (cwd, command)
WHERE status IS NOT NULL
GROUP BY cwd, command, status ORDER BY cwd, command, status;
