-- SPDX-License-Identifier: LGPL-2.1
-- The tables of version 1 in ClickHouse, described in etrace-fleet(5).  Each statement ends
-- with a semicolon at the end of a line.  tables.c replaces @db@ with the database, @on@ with
-- the ON CLUSTER clause or nothing, @rows@ with the end of the name of a table that holds
-- rows, and @engine NAME@ with its engine.

CREATE DATABASE IF NOT EXISTS @db@@on@;

CREATE TABLE IF NOT EXISTS @db@.schema@rows@@on@ (
	version UInt32,
	made DateTime,
	etrace String
) ENGINE = @engine schema@ ORDER BY version;

CREATE TABLE IF NOT EXISTS @db@.build@rows@@on@ (
	day Date,
	build UUID,
	pushed DateTime,
	parts Array(UInt64),
	host String,
	project String,
	name String,
	tags Array(String),
	begin DateTime,
	took Int64,
	command String,
	root String,
	backend String,
	kernel String,
	status Nullable(Int32),
	complete UInt8,
	missing String,
	events UInt64,
	steps UInt32,
	files UInt32,
	accesses UInt64,
	hashed UInt8,
	packages String,
	etrace String
) ENGINE = @engine build@ PARTITION BY day ORDER BY build;

CREATE TABLE IF NOT EXISTS @db@.step@rows@@on@ (
	part UInt64,
	day Date,
	build UUID,
	pushed DateTime,
	host String,
	project String,
	id UInt32,
	parent UInt32,
	step UInt32,
	at Int64,
	took Int64,
	cpu Nullable(Int64),
	maxrss Nullable(Int64),
	rbytes Nullable(Int64),
	wbytes Nullable(Int64),
	status Nullable(Int32),
	signal Nullable(Int32),
	program String,
	class String,
	label String,
	command String,
	cwd String,
	output String,
	outputs UInt32,
	inputs UInt32,
	command_hash UInt64,
	inputs_hash UInt64,
	unknown String
) ENGINE = @engine step@ PARTITION BY day ORDER BY (command_hash, inputs_hash, build, id);

CREATE TABLE IF NOT EXISTS @db@.file@rows@@on@ (
	part UInt64,
	day Date,
	build UUID,
	pushed DateTime,
	host String,
	project String,
	id UInt32,
	path String,
	class String,
	existed UInt8,
	kept UInt8,
	made_by UInt32,
	size Nullable(Int64),
	mtime Nullable(Int64),
	sha256 String,
	package String,
	version String,
	readers UInt32,
	rebuilds UInt32,
	rebuild_took Int64
) ENGINE = @engine file@ PARTITION BY day ORDER BY (path, build);

CREATE TABLE IF NOT EXISTS @db@.access@rows@@on@ (
	part UInt64,
	day Date,
	build UUID,
	pushed DateTime,
	step UInt32,
	file UInt32,
	how Enum8('open' = 0, 'read' = 1, 'write' = 2, 'run' = 3),
	class Enum8('data' = 0, 'pipe' = 1, 'program' = 2, 'loader' = 3, 'config' = 4, 'probe' = 5, 'dir' = 6),
	bytes Nullable(Int64),
	at Int64
) ENGINE = @engine access@ PARTITION BY day ORDER BY (build, file, step);

CREATE VIEW IF NOT EXISTS @db@.build@on@ AS
SELECT day, build, pushed, parts, host, project, name, tags, begin, took, command, root, backend,
	kernel, status, complete, missing, events, steps, files, accesses, hashed, packages, etrace
FROM @db@.build_rows
ORDER BY pushed, parts
LIMIT 1 BY build;

CREATE VIEW IF NOT EXISTS @db@.step@on@ AS
SELECT day, build, pushed, host, project, id, parent, step, at, took, cpu, maxrss, rbytes, wbytes,
	status, signal, program, class, label, command, cwd, output, outputs, inputs, command_hash,
	inputs_hash, unknown
FROM @db@.step_rows
WHERE part GLOBAL IN (SELECT arrayJoin(parts) FROM @db@.build);

CREATE VIEW IF NOT EXISTS @db@.file@on@ AS
SELECT day, build, pushed, host, project, id, path, class, existed, kept, made_by, size, mtime,
	sha256, package, version, readers, rebuilds, rebuild_took
FROM @db@.file_rows
WHERE part GLOBAL IN (SELECT arrayJoin(parts) FROM @db@.build);

CREATE VIEW IF NOT EXISTS @db@.access@on@ AS
SELECT day, build, pushed, step, file, how, class, bytes, at
FROM @db@.access_rows
WHERE part GLOBAL IN (SELECT arrayJoin(parts) FROM @db@.build);
