-- SPDX-License-Identifier: LGPL-2.1
-- Views for the most frequent questions, with names instead of numbers.

CREATE VIEW execs AS
SELECT e.id, e.process, e.parent, e.before, e.forked,
       CAST(p.path AS TEXT) AS program, CAST(c.path AS TEXT) AS cwd,
       (SELECT group_concat(CAST(s.s AS TEXT), ' ')
	FROM json_each(e.args) AS j JOIN string AS s ON s.id = j.value) AS command,
       e.at, e.until, e.until - e.at AS took, e.status, e.signal, e.utime, e.stime, e.maxrss
FROM exec AS e LEFT JOIN file AS p ON p.id = e.program LEFT JOIN file AS c ON c.id = e.cwd;

-- Each file that was looked for in vain.
CREATE VIEW misses AS
SELECT m.exec, json_extract(j.value, '$[0]') AS file, nullif(m.error, 0) AS error,
       m.at + json_extract(j.value, '$[1]') AS at
FROM miss AS m, json_each(m.list) AS j;

-- Each thing that was done with a file.
CREATE VIEW access AS
SELECT exec, nullif(v ->> 0, 0) AS version, nullif(v ->> 1, 0) AS file, v ->> 2 AS how,
       v ->> 3 AS class, nullif(v ->> 6, -1) AS fd, nullif(v ->> 7, -1) AS bytes,
       at + (v ->> 4) AS at, at + (v ->> 4) + (v ->> 5) AS until, nullif(v ->> 8, 0) AS copied,
       nullif(v ->> 9, 0) AS since
FROM (SELECT l.exec, l.at, j.value AS v FROM access_list AS l, json_each(l.list) AS j);

CREATE VIEW accesses AS
SELECT a.exec, a.version, CAST(f.path AS TEXT) AS path, h.word AS how, k.word AS class, a.fd,
       a.bytes, NULL AS error, a.at, a.until
FROM access AS a LEFT JOIN version AS v ON v.id = a.version
LEFT JOIN file AS f ON f.id = coalesce(a.file, v.file)
JOIN word AS h ON h.of = 'how' AND h.number = a.how
JOIN word AS k ON k.of = 'class' AND k.number = a.class
UNION ALL
SELECT m.exec, NULL, CAST(f.path AS TEXT), 'miss', 'probe', NULL, NULL, m.error, m.at, m.at
FROM misses AS m LEFT JOIN file AS f ON f.id = m.file;

-- Which exec made an output from which inputs: from all that it began to read before its last
-- write to the output; but only from what it copied, if copies were all that it wrote.
CREATE VIEW edge AS
WITH used AS MATERIALIZED (SELECT * FROM access WHERE how IN (1, 2, 3))
SELECT DISTINCT w.version AS output, r.version AS input, w.exec AS exec, r.class AS class
FROM used AS w JOIN used AS r ON r.exec = w.exec
WHERE w.how = 2 AND r.how <> 2 AND coalesce(r.since, r.at) < w.until AND r.version <> w.version
AND (w.copied IS NULL OR EXISTS (SELECT 1 FROM copy AS c WHERE c.output = w.version
     AND c.exec = w.exec AND c.input = r.version));

CREATE VIEW pipe AS
WITH used AS MATERIALIZED (SELECT a.version, a.exec, a.how FROM access AS a
	JOIN version AS v ON v.id = a.version WHERE v.made IN (3, 4))
SELECT DISTINCT w.version, w.exec AS writer, r.exec AS reader
FROM used AS w JOIN used AS r ON r.version = w.version
WHERE w.how = 2 AND r.how = 1;

-- Which version each name stands for in the end, as far as the trace shows; NULL if none.
CREATE VIEW final AS
SELECT file, version, at
FROM (SELECT file, version, at, row_number() OVER
		(PARTITION BY file ORDER BY at DESC, named DESC, n DESC) AS place
      FROM (SELECT file, version, at, 1 AS named, rowid AS n FROM name
	    UNION ALL SELECT file, id, at, 0, id FROM version WHERE file IS NOT NULL))
WHERE place = 1;
