#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Questions about many builds, without a server: databases that "etrace db" made, put
# together in one of SQLite, and the questions of many-builds.sql:
#
#   many-builds.sh [-o ALL] [-f PATTERN] DB...
#
# DBs are given in the order of time, the oldest first.  ALL is kept, so that other
# questions can be asked of it; DBs that are not in it yet are added.  PATTERN is the
# file of question 4, as in GLOB: '*/config.h'.  Of each build ALL has, by its number
# ("build", from 1 on):
#
#   build	where it is from, its command and how it ended
#   step	what make or ninja started, with all below it; without them, programs
#   access	which step read, wrote or ran which file; step 0: make or ninja itself
#
# Times are in ns.  The directory of the build's first command is "." in paths and
# commands, so that builds in different directories can be compared; a command is one line.

# SQLite attaches at most ten databases at a time: one is attached, copied and let go,
# then the next one.

set -eu

die() { printf '%s: %s\n' "${0##*/}" "$1" >&2; exit 2; }

usage="usage: ${0##*/} [-o ALL] [-f PATTERN] DB..."
all='' pattern=''
while getopts o:f: option; do
	case $option in
	o) all=$OPTARG ;;
	f) pattern=$OPTARG ;;
	*) echo "$usage" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }
if [ -z "$all" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	all=$work/all.db
fi

# quoted TEXT: a string of SQL
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/''/g")"; }

# short COLUMN: a path as it is seen from the build's directory
short()
{
	printf '%s' "CASE WHEN $1 = root THEN '.'
		WHEN root <> '/' AND substr($1, 1, length(root) + 1) = root || '/'
		THEN '.' || substr($1, length(root) + 1) ELSE $1 END"
}

tables()
{
	cat <<-'EOF'
	CREATE TABLE build (build INTEGER PRIMARY KEY, source TEXT UNIQUE, command TEXT,
		root TEXT, took INTEGER, status INTEGER, complete INTEGER);
	CREATE TABLE step (build INTEGER, step INTEGER, cwd TEXT, program TEXT, command TEXT,
		at INTEGER, took INTEGER, cpu INTEGER, status INTEGER, output TEXT,
		PRIMARY KEY (build, step));
	CREATE TABLE access (build INTEGER, step INTEGER, path TEXT, how TEXT, class TEXT,
		PRIMARY KEY (path, build, step, how, class)) WITHOUT ROWID;
	CREATE TABLE asked (path TEXT);
	EOF
}

# copy DB: what the questions need of it
copy()
{
	cat <<-EOF
	ATTACH $(quoted "$1") AS b;
	BEGIN;
	INSERT INTO build (source, command, root, took, status, complete)
	SELECT $(quoted "$1"), (SELECT CAST(value AS TEXT) FROM b.meta WHERE key = 'command'),
		(SELECT cwd FROM b.execs WHERE program IS NOT NULL ORDER BY id LIMIT 1),
		(SELECT value FROM b.meta WHERE key = 'end'),
		(SELECT value FROM b.meta WHERE key = 'status'),
		(SELECT value FROM b.meta WHERE key = 'complete');
	CREATE TEMP TABLE this AS
		SELECT build, coalesce(root, '/') AS root, took AS last FROM build
		WHERE build = last_insert_rowid();

	-- Programs; name: what is behind the last slash of their path.
	CREATE TEMP TABLE program AS
	SELECT e.id, x.process, x.forked, e.program AS path, e.cwd,
		replace(e.command, char(10), ' ') AS command, e.at,
		coalesce(e.until, last) AS until, e.utime + e.stime AS cpu,
		coalesce(128 + nullif(e.signal, 0), e.status) AS status,
		substr(e.program, 1 + length(rtrim(e.program, replace(e.program, '/', '')))) AS name
	FROM b.execs AS e JOIN b.exec AS x ON x.id = e.id, this;
	CREATE TEMP TABLE process AS
	SELECT p.id, p.parent, max(g.name IN
			('make', 'gmake', 'ninja', 'samu', 'bazel', 'scons')) AS schedules,
		max(g.name IN ('sh', 'dash', 'bash', 'zsh', 'ksh', 'busybox')) AS shell,
		coalesce(min(g.forked), 1) AS forked
	FROM b.process AS p LEFT JOIN program AS g ON g.process = p.id GROUP BY p.id;
	CREATE INDEX temp.process_parent ON process (parent);
	CREATE INDEX temp.program_process ON program (process);

	-- No steps: what has make or ninja below it, a script that calls several programs and
	-- is no rule of theirs, and processes that run no program of their own.
	CREATE TEMP TABLE caller AS
	WITH RECURSIVE up (id) AS (
		SELECT id FROM process WHERE schedules
		UNION SELECT p.parent FROM up JOIN process AS p ON p.id = up.id
		WHERE p.parent IS NOT NULL)
	SELECT id FROM up
	UNION SELECT id FROM process WHERE forked
	UNION SELECT p.id FROM process AS p LEFT JOIN process AS u ON u.id = p.parent
	WHERE p.shell AND NOT coalesce(u.schedules, 0) AND
		(SELECT count(*) FROM process AS c WHERE c.parent = p.id) > 1;
	CREATE TEMP TABLE part AS
	WITH RECURSIVE down (process, step) AS (
		SELECT id, CASE WHEN id IN (SELECT id FROM caller) THEN 0 ELSE id END
		FROM process WHERE parent IS NULL
		UNION ALL SELECT p.id, CASE WHEN down.step THEN down.step
			WHEN p.id IN (SELECT id FROM caller) THEN 0 ELSE p.id END
		FROM down JOIN process AS p ON p.parent = down.process)
	SELECT g.id AS exec, g.process, down.step FROM down JOIN program AS g USING (process);
	CREATE INDEX temp.part_exec ON part (exec);
	CREATE INDEX temp.part_step ON part (step);

	-- A step's program and command are the first ones of its process: min() says which row
	-- the columns without a function are of.  Its output is the file whose last write ended
	-- latest, of those that are there in the end.
	CREATE TEMP TABLE output AS
	SELECT step, path FROM (SELECT p.step, CAST(f.path AS TEXT) AS path,
			row_number() OVER (PARTITION BY p.step
				ORDER BY max(coalesce(a.until, last)) DESC, f.path) AS place
		FROM this, b.access AS a JOIN part AS p ON p.exec = a.exec
		JOIN b.version AS v ON v.id = a.version AND v.made IN (1, 2)
		JOIN b.final AS n ON n.version = v.id JOIN b.file AS f ON f.id = n.file
		WHERE a.how = 2 AND p.step GROUP BY p.step, f.id)
	WHERE place = 1;
	INSERT INTO step
	SELECT build, h.process, $(short h.cwd), $(short h.path),
		CASE root WHEN '/' THEN h.command ELSE replace(h.command, root || '/', './') END,
		(SELECT min(at) FROM program AS g WHERE g.process = h.process),
		(SELECT max(until) - min(at) FROM program AS g WHERE g.process = h.process),
		(SELECT sum(g.cpu) FROM part JOIN program AS g ON g.id = exec WHERE step = h.process),
		(SELECT max(status) FROM program AS g WHERE g.process = h.process),
		$(short o.path)
	FROM this, (SELECT process, cwd, path, command, min(id) FROM program
		WHERE NOT forked GROUP BY process) AS h
	LEFT JOIN output AS o ON o.step = h.process
	WHERE h.process IN (SELECT step FROM part);

	INSERT OR IGNORE INTO access
	SELECT build, p.step, $(short a.path), a.how, a.class
	FROM this, b.accesses AS a JOIN part AS p ON p.exec = a.exec
	WHERE a.how IN ('read', 'write', 'run') AND a.path IS NOT NULL;
	COMMIT;
	DETACH b;
	DROP TABLE this; DROP TABLE program; DROP TABLE process;
	DROP TABLE caller; DROP TABLE part; DROP TABLE output;
	EOF
}

# ask DB SQL: one number, from a database that has to be there
ask() { [ ! -f "$1" ] || sqlite3 -readonly "$1" "$2" 2> /dev/null || :; }

if [ ! -s "$all" ]; then
	tables | sqlite3 -bail "$all" || die "$all: cannot be made"
elif [ "$(ask "$all" "SELECT count(*) FROM sqlite_schema
		WHERE name IN ('build', 'step', 'access', 'asked')")" != 4 ]; then
	die "$all: is there, and not of this program"
fi
for db; do
	db=$(realpath -- "$db") || exit 2
	# 0x65747263 and the version of its tables
	[ "$(ask "$db" 'PRAGMA application_id; PRAGMA user_version' | paste -s -)" = "1702130275	7" ] ||
		die "$db: no database of etrace db, or of another version"
	if [ "$(ask "$all" "SELECT count(*) FROM build WHERE source = $(quoted "$db")")" = 1 ]; then
		echo "$db: is there already" >&2
	else
		copy "$db" | sqlite3 -bail "$all" || die "$db: not copied"
	fi
done
[ -z "$pattern" ] ||
	sqlite3 "$all" "DELETE FROM asked; INSERT INTO asked VALUES ($(quoted "$pattern"))"
sqlite3 -header -tabs "$all" < "${0%/*}/many-builds.sql"
