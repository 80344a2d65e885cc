-- SPDX-License-Identifier: LGPL-2.1
-- Made when all rows are there: a sort costs less than so many insertions anywhere.
-- The first one before, where it has to be asked who lies below a directory that is renamed.
CREATE UNIQUE INDEX IF NOT EXISTS file_path ON file (path);
CREATE INDEX IF NOT EXISTS version_base ON version (base) WHERE base IS NOT NULL;
CREATE INDEX IF NOT EXISTS name_file ON name (file);
CREATE INDEX IF NOT EXISTS name_version ON name (version);
CREATE INDEX IF NOT EXISTS access_version ON access (version);
CREATE INDEX IF NOT EXISTS miss_exec ON miss (exec);
CREATE INDEX IF NOT EXISTS change_file ON change (file);
CREATE INDEX IF NOT EXISTS compilation_source ON compilation (source);
-- What whoever plans a question has to know: most accesses of a version are no writes, and
-- the library of all programs has as many as there are programs.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES
	('access', 'access_exec', '1000000 12'),
	('access', 'access_version', '1000000 100'),
	('access', 'access_written', '50000 1 1');
ANALYZE sqlite_schema;
