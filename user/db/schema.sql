-- SPDX-License-Identifier: LGPL-2.1
-- The tables of a database of etrace: etrace-db(5) says what each holds.
-- Times are nanoseconds since the first event of the trace (meta: begin).

CREATE TABLE meta (
	key TEXT NOT NULL PRIMARY KEY,
	value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE string (
	id INTEGER PRIMARY KEY,
	s BLOB NOT NULL
) STRICT;

CREATE TABLE file (
	id INTEGER PRIMARY KEY,
	path BLOB NOT NULL
) STRICT;

CREATE TABLE version (
	id INTEGER PRIMARY KEY,
	file INTEGER,
	made INTEGER NOT NULL,
	exec INTEGER,
	base INTEGER,
	target INTEGER,
	at INTEGER NOT NULL,
	type INTEGER,
	dev INTEGER,
	ino INTEGER,
	size INTEGER,
	mtime INTEGER
) STRICT;

CREATE TABLE name (
	file INTEGER NOT NULL,
	version INTEGER,
	exec INTEGER,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE asked (
	file INTEGER NOT NULL,
	path INTEGER NOT NULL,
	class INTEGER NOT NULL
) STRICT;

CREATE TABLE content (
	version INTEGER NOT NULL,
	at INTEGER NOT NULL,
	sha256 TEXT,
	gitoid TEXT,
	why_not TEXT
) STRICT;

CREATE TABLE process (
	id INTEGER PRIMARY KEY,
	parent INTEGER,
	upid INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE task (
	id INTEGER PRIMARY KEY,
	process INTEGER NOT NULL,
	upid INTEGER NOT NULL,
	thread INTEGER NOT NULL,
	name BLOB,
	at INTEGER NOT NULL,
	until INTEGER
) STRICT;

CREATE TABLE exec (
	id INTEGER PRIMARY KEY,
	process INTEGER NOT NULL,
	parent INTEGER,
	before INTEGER,
	forked INTEGER NOT NULL,
	begun INTEGER NOT NULL,
	program INTEGER,
	interp INTEGER,
	cwd INTEGER,
	args TEXT,
	at INTEGER NOT NULL,
	until INTEGER,
	ended INTEGER,
	status INTEGER,
	signal INTEGER,
	core INTEGER,
	unseen INTEGER,
	utime INTEGER,
	stime INTEGER,
	maxrss INTEGER,
	minflt INTEGER,
	majflt INTEGER,
	rchar INTEGER,
	wchar INTEGER,
	rbytes INTEGER,
	wbytes INTEGER
) STRICT;

CREATE TABLE access_list (
	exec INTEGER NOT NULL,
	at INTEGER NOT NULL,
	list TEXT NOT NULL
) STRICT;

CREATE TABLE copy (
	exec INTEGER NOT NULL,
	input INTEGER,
	output INTEGER NOT NULL,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE miss (
	exec INTEGER NOT NULL,
	error INTEGER NOT NULL,
	at INTEGER NOT NULL,
	list TEXT NOT NULL
) STRICT;

CREATE TABLE change (
	exec INTEGER NOT NULL,
	what INTEGER NOT NULL,
	file INTEGER,
	to_file INTEGER,
	version INTEGER,
	error INTEGER,
	value INTEGER,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE net (
	exec INTEGER NOT NULL,
	what TEXT NOT NULL,
	address INTEGER,
	family INTEGER,
	error INTEGER,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE ask (
	exec INTEGER NOT NULL,
	call INTEGER NOT NULL,
	value INTEGER NOT NULL,
	flags INTEGER NOT NULL,
	name INTEGER,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE env (
	exec INTEGER NOT NULL,
	name INTEGER NOT NULL,
	value INTEGER,
	hidden INTEGER NOT NULL
) STRICT;

CREATE TABLE printed (
	exec INTEGER NOT NULL,
	fd INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	text BLOB NOT NULL,
	at INTEGER NOT NULL
) STRICT;

CREATE TABLE loss (
	at INTEGER NOT NULL,
	upid INTEGER,
	count INTEGER
) STRICT;

CREATE TABLE compilation (
	exec INTEGER NOT NULL,
	source INTEGER NOT NULL,
	output INTEGER
) STRICT;

-- What the numbers of made, how, class, what, ended and call mean.
CREATE TABLE word (
	of TEXT NOT NULL,
	number INTEGER NOT NULL,
	word TEXT NOT NULL,
	PRIMARY KEY (of, number)
) STRICT, WITHOUT ROWID;

-- These indexes are filled while rows are written.  That is cheap, because their keys (nearly)
-- ascend from row to row, or because they have few rows.  To make them in the end would take a
-- sort, which costs more the more rows there are.
CREATE INDEX exec_parent ON exec (parent);
CREATE INDEX version_exec ON version (exec) WHERE exec IS NOT NULL;
CREATE INDEX version_file ON version (file);
CREATE INDEX content_version ON content (version);
CREATE INDEX copy_output ON copy (output);
