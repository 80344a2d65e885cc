// SPDX-License-Identifier: GPL-2.0
/*
 * The rules by which inputs belong to outputs (etrace-db(5)): which program made what from what,
 * through which names and descriptors.  Classes and what is passed on are in test_uses.c.
 */
#include "common_graph.h"
#include "build/build.h"

/* ---- roots ---- */

static const char paths[] = "SELECT CAST(path AS TEXT) FROM file ORDER BY path";

/* A path is valid in the root directory of its process, and in no other. */
static void test_paths_in_roots(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/sh");
	writes(1, "/c/in.c", 11);
	forks(1, 2);
	line(2, "Chroot|fnamesize=2");
	line(2, "CR|/c");
	runs(2, "/bin/cc");
	reads(2, "/in.c", 11);
	writes(2, "/out.o", 12);
	/* a name that is no path, and a call that failed */
	line(2, "ChrootFailed|");
	opens(2, 9, "pipe:[5]", WR, 0, 0);
	/* a root within that one, which the child inherits */
	line(2, "PivotRoot|newnamesize=2,oldnamesize=4");
	line(2, "NR|/d");
	line(2, "PO|/d/o");
	forks(2, 3);
	runs(3, "/bin/as");
	reads(3, "/", 0);
	/* a root of which only the namespace is known */
	line(3, "Setns|fnamesize=16,fd=3,flags=131072");
	line(3, "NS|mnt:[4026532281]");
	reads(3, "/lib/a.so", 0);
	ends(3);
	ends(2);
	/* the parent still has the machine's root */
	removes(1, "/in.c");
	ends(1);
	says(paths, "/ /bin/sh /c /c/bin/cc /c/d /c/d/bin/as /c/in.c /c/out.o /in.c "
		    "mnt:[4026532281]/lib/a.so pipe:[5]");
	says(edges, "/c/out.o</c/in.c");
}

/*
 * A file's class follows from its path in the process's root, whether the trace has this path or,
 * from strace, that in the machine's root; also if the file was known before.
 */
static void test_classes_in_root(void **state)
{
	static const char *const files[] = {
		"/etc/inputrc", "/usr/share/locale/x", "/proc/cpuinfo", "/w/in",
	};

	(void)state;
	for (int joined = 0; joined < 2; joined++) {
		const char *root = joined ? "/c" : "";
		char path[64];

		starts(true);
		runs(1, "/bin/sh");
		reads(1, "/c/usr/share/locale/x", 11);
		forks(1, 2);
		line(2, "Chroot|fnamesize=2");
		line(2, "CR|/c");
		if (joined)
			line(2, "Marks|joined=CR,unread=,cut=");
		snprintf(path, sizeof(path), "%s/bin/cat", root);
		runs_with(2, path, joined ? "/c" : "/", "/etc/inputrc w");
		for (unsigned int i = 0; i < 4; i++) {
			snprintf(path, sizeof(path), "%s%s", root, files[i]);
			reads(2, path, i == 1 ? 11 : 20 + i);
		}
		line(2, "Pipe|fd1=12,fd2=13,flags=0");
		line(2, "Pipe|fd1=14,fd2=15,flags=0");
		snprintf(path, sizeof(path), "%s/dev/fd/12", root);
		line(2, "Open|fnamesize=8,forigsize=%zu,flags=0,mode=0,fd=20", strlen(path));
		line(2, "FN|pipe:[5]");
		line(2, "FO|%s", path);
		closes(2, 20, 10, -1);
		ends(2);
		ends(1);
		/* 0: data, 4: config */
		says("SELECT CAST(f.path AS TEXT) || ' ' || a.class FROM access AS a"
		     " JOIN file AS f ON f.id = a.file WHERE a.how = 1 AND a.exec = 3 ORDER BY f.path",
		     "/c/etc/inputrc 0 /c/proc/cpuinfo 4 /c/usr/share/locale/x 4 /c/w/in 0");
		says("SELECT version - (SELECT min(id) FROM version WHERE made = 3) FROM access"
		     " WHERE how = 1 AND class = 1", "0");
	}
}

/*
 * In another mount namespace, a name without an inode number may not be the same file as
 * outside.
 */
static void test_names_in_other_mount_namespaces(void **state)
{
	static const struct {
		unsigned int flags;	/* of unshare() */
		const char *path;
		unsigned int ino;
		const char *unseen;
	} rows[] = {
		{ 0x20000, "/n/in.c", 0, "0 16" },
		{ 0x20000, "/n/in.c", 11, "0 0" },
		{ 0x20000, "/usr/include/stdio.h", 0, "0 0" },
		{ 0x20000, "/proc/cpuinfo", 0, "0 0" },
		{ 0x10000000, "/n/in.c", 0, "0 0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		starts(true);
		runs(1, "/bin/sh");
		reads(1, "/in.c", 0);
		line(1, "Unshare|flags=%u", rows[i].flags);
		runs(1, "/bin/cc");
		reads(1, rows[i].path, rows[i].ino);
		ends(1);
		says("SELECT group_concat(unseen, ' ') FROM (SELECT unseen FROM exec ORDER BY id)",
		     rows[i].unseen);
	}
}

/* The other path by which a file was opened is in the process's root, too, in whatever form. */
static void test_original_path_in_root(void **state)
{
	static const char *const paths_asked[] = { "/l/in.c", "/l//x/../in.c" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		starts(true);
		runs(1, "/bin/cc");
		line(1, "Chroot|fnamesize=2");
		line(1, "CR|/c");
		line(1, "Open|fnamesize=7,forigsize=%zu,flags=0,mode=0,fd=7", strlen(paths_asked[i]));
		line(1, "FN|/t/in.c");
		line(1, "FO|%s", paths_asked[i]);
		closes(1, 7, 100, -1);
		writes(1, "/out.o", 12);
		ends(1);
		says("SELECT CAST(s.s AS TEXT) FROM asked JOIN string AS s ON s.id = asked.path"
		     " JOIN file ON file.id = asked.file WHERE CAST(file.path AS TEXT) = '/c/t/in.c'",
		     i ? "/c/l//x/../in.c" : "/c/l/in.c");
	}
}

#define WAYS "SELECT CAST(f.path AS TEXT) || '<' || CAST(s.s AS TEXT) || ' ' || a.class FROM asked AS a" \
	     " JOIN file AS f ON f.id = a.file JOIN string AS s ON s.id = a.path ORDER BY 1"

static void looks_for(unsigned int task, const char *path)
{
	line(task, "OpenFailed|fnamesize=%zu,flags=0", strlen(path));
	line(task, "Failed|error=2");
	line(task, "NO|%s", path);
}

static void opens_by(unsigned int task, const char *path, const char *by, int flags)
{
	line(task, "Open|fnamesize=%zu,forigsize=%zu,flags=%d,mode=0,fd=7", strlen(path), strlen(by), flags);
	line(task, "FN|%s", path);
	line(task, "FO|%s", by);
	closes(task, 7, flags & WR ? -1 : 100, flags & WR ? 100 : -1);
}

/* If ".." was removed from a name as text, the directory's original path is recorded, once. */
static void test_way_with_dot_dot(void **state)
{
	static const char *const cases[][2] = {
		{ "/l/../x", "/</l/.. 6" }, { "/a/l/../x", "/a</a/l/.. 6" }, { "/a/l/../d/x", "/a/d</a/l/../d 6" },
		{ "/a/l/../d/..", "/a</a/l/../d/.. 6" }, { "/a/l/../d/.", "/a/d</a/l/../d/. 6" },
		{ "/a/l/./../x//", "/a</a/l/./.. 6" }, { "/a/..x/y", "" }, { "/../x", "" }, { "/./a//x", "" },
		{ "/a/x", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		runs(1, "/bin/cc");
		looks_for(1, cases[i][0]);
		looks_for(1, cases[i][0]);
		ends(1);
		says(WAYS, cases[i][1]);
	}
}

/* Links that the build made are resolved before "..". */
static void test_links_before_dot_dot(void **state)
{
	static const char missed[] = "SELECT CAST(f.path AS TEXT) FROM misses AS m JOIN file AS f ON f.id = m.file";

	(void)state;
	for (int gone = 0; gone < 3; gone++) {
		starts(true);
		runs(1, "/bin/ln");
		line(1, "Symlink|targetnamesize=4,linknamesize=4");
		line(1, "ST|e/f/");
		line(1, "SL|/w/l");
		if (gone == 1)
			removes(1, "/w/l");
		if (gone == 2)
			writes(1, "/w/l/../y", 5);
		looks_for(1, "/w/./l//../x");
		ends(1);
		says(missed, gone == 1 ? "/w/x" : "/w/e/x");
	}
	says(WAYS, "/w/e</w/./l//.. 6");
}

/* Files opened by other paths; of files to write, only the directory's if the name is the same. */
static void test_ways_of_opened_files(void **state)
{
	static const struct {
		const char *path, *by;
		int flags;
		const char *ways;
	} cases[] = {
		{ "/a/x", "/l/x", RD, "/a/x</l/x 0" }, { "/a/x", "/a/d/../x", RD, "/a</a/d/.. 6" },
		{ "/a/x", "/l/../x", RD, "/a/x</l/../x 0" }, { "/a/x", "/l//x", RD, "/a/x</l/x 0" },
		{ "/a/x", "/l/x", NEW, "/a</l 6" }, { "/a/x", "/l/../x", NEW, "/a</l/.. 6" },
		{ "/a/x", "/a/d/../x", NEW, "/a</a/d/.. 6" }, { "/a/x", "/l", NEW, "/a/x</l 5" },
		{ "/x", "/l/x", NEW, "/</l 6" }, { "/a/x", "/a/x", NEW, "" }, { "/a/x", "/a//x", NEW, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		runs(1, "/bin/cc");
		opens_by(1, cases[i].path, cases[i].by, cases[i].flags);
		ends(1);
		says(WAYS, cases[i].ways);
	}
}

/* Which file is the script, whatever options come before it. */
static void test_scripts(void **state)
{
	static const struct {
		const char *program, *words, *edges;
	} cases[] = {
		{ "/bin/bash", "-eu /in.c", "" },
		{ "/bin/bash", "-o pipefail /in.c", "" },
		{ "/bin/sh", "-ec true /in.c", "/out.o</in.c" },
		{ "/usr/bin/perl", "-w /in.c", "" },
		{ "/usr/bin/perl", "-eprint /in.c", "/out.o</in.c" },
		{ "/usr/bin/perl", "-e print /in.c", "/out.o</in.c" },
		{ "/usr/bin/python3", "-W error /in.c", "" },
		{ "/usr/bin/python3", "-m tool /in.c", "/out.o</in.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		runs_with(1, cases[i].program, "/", cases[i].words);
		opens(1, 3, "/in.c", RD, 41, 9);
		closes(1, 3, 9, -1);
		opens(1, 3, "/out.o", WR, 42, 0);
		closes(1, 3, -1, 9);
		ends(1);
		says(edges, cases[i].edges);
	}
}

/* One program that is several: its arguments select one. */
static void test_applets(void **state)
{
	static const struct {
		const char *words[4];
		const char *edges;
	} cases[] = {
		{ { "cat", "/in.c" }, "/out.o</in.c" },
		{ { "/bin/busybox", "cat", "/in.c" }, "/out.o</in.c" },
		/* interpreters read a script */
		{ { "sh", "/in.c" }, "" },
		{ { "busybox", "ash", "/in.c" }, "" },
		{ { "busybox" }, "/out.o</in.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		line(1, "New_proc|argsize=1,prognameisize=12,prognamepsize=12,cwdsize=1");
		line(1, "PI|/bin/busybox");
		line(1, "PP|/bin/busybox");
		line(1, "CW|/");
		for (int k = 0; k < 4 && cases[i].words[k]; k++)
			line(1, "A[%d]%s", k, cases[i].words[k]);
		line(1, "End_of_args|");
		reads(1, "/in.c", 11);
		writes(1, "/out.o", 12);
		ends(1);
		says("SELECT CAST(o.path AS TEXT) || '<' || CAST(i.path AS TEXT)"
		     " FROM edge JOIN version AS v ON v.id = output JOIN file AS o ON o.id = v.file"
		     " JOIN version AS w ON w.id = input JOIN file AS i ON i.id = w.file"
		     " WHERE class = 0", cases[i].edges);
	}
}

/* Tasks that exist when tracing begins, or that join. */
static void test_present_roots(void **state)
{
	(void)state;
	starts(true);
	line(1, "Present|commsize=1,pathsize=8,cwdsize=4,rootsize=2,process=%lu,parent=0", upid(1));
	line(1, "TN|x");
	line(1, "TP|/c/bin/x");
	line(1, "TW|/c/w");
	line(1, "TR|/c");
	reads(1, "/etc/a", 0);
	line(2, "Present|commsize=1,pathsize=6,cwdsize=2,rootsize=16,process=%lu,parent=0", upid(2));
	line(2, "TN|y");
	line(2, "TP|/bin/y");
	line(2, "TW|/w");
	line(2, "TR|mnt:[4026532281]");
	reads(2, "/etc/a", 0);
	line(3, "Join|argsize=2,pathsize=6,cwdsize=2,process=%lu,parent=%lu", upid(3), upid(2));
	line(3, "JP|/bin/z");
	line(3, "JW|/v");
	line(3, "JA[0]z");
	line(3, "Joined|");
	reads(3, "/etc/b", 0);
	ends(3);
	ends(2);
	ends(1);
	says(paths, "/bin/z /c /c/bin/x /c/etc/a /c/w /etc/b /v mnt:[4026532281]/bin/y "
		    "mnt:[4026532281]/etc/a mnt:[4026532281]/w");
	says("SELECT CAST(p.path AS TEXT) || ':' || coalesce((SELECT CAST(q.path AS TEXT) FROM exec AS f"
	     " JOIN file AS q ON q.id = f.program WHERE f.id = e.parent), '') FROM exec AS e"
	     " JOIN file AS p ON p.id = e.program ORDER BY e.id",
	     "/c/bin/x: mnt:[4026532281]/bin/y: /bin/z:mnt:[4026532281]/bin/y");
}

/* ---- rule 1: descriptors ---- */

/* sh opens files, its child reads and writes them as 0 and 1, with and without records of use. */
static void test_inherited_descriptors(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/sh");
		forks(1, 2);
		opens(2, 3, "/in.c", RD, 11, 100);
		dups(2, 3, 0);
		closes(2, 3, -1, -1);
		opens(2, 4, "/out.o", NEW, 12, 0);
		dups(2, 4, 1);
		closes(2, 4, -1, -1);
		runs(2, "/bin/cc");
		closes(2, 0, 100, -1);
		closes(2, 1, -1, 100);
		ends(2);
		ends(1);
		says(edges, "/out.o</in.c");
		says(makers, "/out.o=/bin/sh");
	}
}

static void test_cloexec(void **state)
{
	(void)state;
	/* without records of use: close-on-exec descriptors are closed for the next program */
	starts(false);
	runs(1, "/bin/a");
	opens(1, 0, "/secret.c", RD | CLOEXEC, 11, 100);
	runs(1, "/bin/b");
	writes(1, "/b.o", 12);
	ends(1);
	says(edges, "");
}

/* CLONE_FILES: a descriptor that one task opens is open in the other, too. */
static void test_shared_table(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks_by(1, 2, 0x400);
	opens(2, 5, "/in.c", RD, 11, 100);
	opens(1, 6, "/out.o", NEW, 12, 0);
	closes(1, 5, 100, -1);
	closes(1, 6, -1, 100);
	ends(2);
	ends(1);
	says(edges, "/out.o</in.c");
}

static void test_descriptor_of_unknown_origin(void **state)
{
	(void)state;
	/* 1 was the file, and becomes an unknown descriptor: the file is not written any more */
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in.c", 11);
	opens(1, 1, "/out.o", NEW, 12, 0);
	dups(1, 9, 1);
	closes(1, 1, -1, 100);
	ends(1);
	says(edges, "");
}

/* An empty original path is not recorded as asked for, whatever follows it in memory. */
static void test_empty_original(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/a/b/c/d", 11);
	line(1, "Open|fnamesize=8,forigsize=0,flags=0,mode=0,fd=7");
	line(1, "FN|/e/f/g/h");
	line(1, "FO|");
	line(1, "OpenFile|dev=1,ino=12,size=100,mtime=5,type=32768");
	closes(1, 7, 100, -1);
	ends(1);
	says("SELECT count(*) FROM asked", "0");
}

/* ---- rule 2: names and versions ---- */

static void test_rename_over(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/cc");
		reads(1, "/in.c", 11);
		writes(1, "/tmp.o", 12);
		ends(1);
		runs(2, "/bin/mv");
		renames(2, "/tmp.o", "/out.o");
		ends(2);
		runs(3, "/bin/ld");
		reads(3, "/out.o", 12);
		writes(3, "/app", 13);
		ends(3);
		says(edges, "/app</out.o /out.o</in.c");
		says(makers, "/out.o=/bin/cc");
	}
}

static void test_exchange(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	runs(1, "/bin/b");
	writes(1, "/b.o", 12);
	exchanges(1, "/a.o", "/b.o");
	ends(1);
	says(makers, "/a.o=/bin/b /b.o=/bin/a");
}

/* Files below exchanged directories move with them, with or without a counterpart in the other. */
static void test_exchange_directories(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/a");
		writes(1, "/x/both.o", 11);
		writes(1, "/x/one.o", 12);
		runs(1, "/bin/b");
		writes(1, "/y/both.o", 13);
		writes(1, "/y/d/other.o", 14);
		exchanges(1, "/x", "/y");
		ends(1);
		says(makers, "/x/both.o=/bin/b /x/d/other.o=/bin/b /y/both.o=/bin/a /y/one.o=/bin/a");
	}
}

/* One file with two names: what is written by one name is read by the other. */
static void test_hard_link(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/a");
		writes(1, "/one.o", 11);
		links(1, "/one.o", "/two.o");
		runs(1, "/bin/b");
		reads(1, "/in.c", 12);
		writes(1, "/one.o", 11);
		ends(1);
		says(makers, "/one.o=/bin/b /two.o=/bin/b");
	}
}

/* The names are changed; what is written by one of them is still read by each. */
static void test_hard_link_renamed(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/a");
		writes(1, "/one.o", 11);
		writes(1, "/other.o", 12);
		links(1, "/one.o", "/two.o");
		renames(1, "/one.o", "/new.o");
		exchanges(1, "/new.o", "/other.o");
		runs(1, "/bin/b");
		writes(1, "/two.o", 11);
		ends(1);
		says(makers, "/new.o=/bin/a /other.o=/bin/b /two.o=/bin/b");
	}
}

/* A file linked before the trace began is recognized by its inode. */
static void test_hard_link_older_than_trace(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/one.o", 11);
	reads(1, "/two.o", 11);
	reads(1, "/three.o", 11);
	runs(1, "/bin/b");
	writes(1, "/two.o", 11);
	ends(1);
	says(makers, "/one.o=/bin/b /three.o=/bin/b /two.o=/bin/b");
}

static void test_directory_renamed(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	line(1, "Mkdir|fnamesize=4,mode=511");
	line(1, "KD|/dir");
	writes(1, "/dir/a.o", 11);
	writes(1, "/dir2.o", 12);
	renames(1, "/dir", "/new");
	runs(1, "/bin/b");
	reads(1, "/new/a.o", 11);
	writes(1, "/app", 13);
	ends(1);
	says(edges, "/app</new/a.o");
	says(makers, "/dir2.o=/bin/a /new/a.o=/bin/a");
}

/* Files first seen after a directory above them was renamed. */
static void test_files_below_renamed_directory(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	/* used before and removed: now the name belongs to another file */
	reads(1, "/new/b", 11);
	removes(1, "/new/b");
	renames(1, "/dir", "/tmp");
	renames(1, "/tmp", "/new");
	renames(1, "/two", "/dir");
	reads(1, "/new/sub/a", 12);
	reads(1, "/new/b", 13);
	reads(1, "/dir/sub/a", 14);
	reads(1, "/newer/a", 15);
	writes(1, "/new/made", 16);
	ends(1);
	says("SELECT CAST(f.path AS TEXT) || '=' || CAST(o.path AS TEXT) FROM final AS n"
	     " JOIN version AS v ON v.id = n.version JOIN file AS f ON f.id = n.file"
	     " JOIN file AS o ON o.id = v.file WHERE v.ino > 0 ORDER BY 1",
	     "/dir/sub/a=/two/sub/a /new/b=/dir/b /new/made=/new/made /new/sub/a=/dir/sub/a "
	     "/newer/a=/newer/a");
	says("SELECT DISTINCT CAST(f.path AS TEXT) || '=' || n.exec FROM name AS n"
	     " JOIN file AS f ON f.id = n.file WHERE CAST(f.path AS TEXT) LIKE '%/a' ORDER BY 1",
	     "/dir/sub/a=1 /new/sub/a=1 /two/sub/a=1");
}

/* The inode number of a removed file is reused. */
static void test_reused_inode(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	removes(1, "/a.o");
	writes(1, "/b.o", 11);
	runs(1, "/bin/b");
	reads(1, "/b.o", 11);
	writes(1, "/app", 13);
	ends(1);
	says(edges, "/app</b.o");
	says(makers, "/b.o=/bin/a");
}

/* A process that is not traced removes a file, and the inode number is reused. */
static void test_inode_reused_from_outside(void **state)
{
	(void)state;
	for (unsigned int size = 100; size <= 101; size++) {
		starts(true);
		runs(1, "/bin/a");
		reads(1, "/in.c", 12);
		writes(1, "/one.o", 11);
		reads(1, "/one.o", 11);
		runs(1, "/bin/b");
		opens(1, 7, "/two.o", RD, 11, size);
		closes(1, 7, (int)size, -1);
		writes(1, "/app", 13);
		/* it is open all the time, so it was not removed */
		runs(1, "/bin/c");
		opens(1, 9, "/two.o", RD, 11, size);
		opens(1, 7, "/three.o", RD, 11, 7);
		closes(1, 7, 7, -1);
		ends(1);
		says("SELECT CAST(f.path AS TEXT) FROM version AS v JOIN file AS f ON f.id = v.file"
		     " WHERE CAST(f.path AS TEXT) LIKE '/t%'", size == 100 ? "" : "/two.o");
	}
}

static void test_removed(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	removes(1, "/a.o");
	runs(1, "/bin/b");
	writes(1, "/a.o", 12);
	ends(1);
	says(makers, "/a.o=/bin/b");
}

static const char backwards[] =
	"SELECT count(*) FROM version AS v JOIN version AS b ON b.id = v.base WHERE v.at <= b.at";

/* A descriptor that was opened before the file was made anew is the last to write. */
static void test_last_writer_of_old_file(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in1", 11);
	receives(1, 5, "/x.o");
	runs(2, "/bin/b");
	reads(2, "/in2", 12);
	writes(2, "/x.o", 13);
	closes(1, 5, -1, 9);
	ends(1);
	ends(2);
	says(makers, "/x.o=/bin/a");
	says(edges, "-</in2 /x.o</in1");
	says(backwards, "0");
}

/* A written file has the name that it has by then, not the one by which it was opened. */
static void test_name_at_the_last_write(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	receives(1, 5, "/x.o");
	receives(1, 6, "/z.o");
	runs(2, "/bin/b");
	renames(2, "/x.o", "/y.o");
	writes(2, "/x.o", 12);
	links(2, "/z.o", "/zz.o");
	removes(2, "/z.o");
	closes(1, 5, -1, 9);
	closes(1, 6, -1, 9);
	ends(2);
	says(makers, "/x.o=/bin/b /y.o=/bin/a /zz.o=/bin/a");
	starts(true);
	runs(1, "/bin/a");
	receives(1, 5, "/x.o");
	removes(1, "/x.o");
	closes(1, 5, -1, 9);
	ends(1);
	says(makers, "");
	says("SELECT count(*) FROM version WHERE made = 2 AND file IS NULL", "1");
}

/* Each version's name, device, inode, size and mtime. */
static const char identities[] =
	"SELECT CAST(path AS TEXT) || '=' || coalesce(dev || ':' || ino || ':' ||"
	" coalesce(size, '?') || ':' || coalesce(mtime, '?'), '')"
	" FROM version AS v JOIN file ON file.id = v.file WHERE v.made < 3 ORDER BY v.id";

/* A version that began with a stat or an execve is identified once the file is opened. */
static void test_identified_when_opened(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/in.c");
	stats(1, "/old.o");
	stats(1, "/none.c");
	reads(1, "/in.c", 11);
	opens(1, 3, "/bin/a", RD, 12, 100);
	/* its size and mtime before it was emptied are unknown */
	opens(1, 4, "/old.o", NEW, 13, 0);
	ends(1);
	says(identities, "/bin/a=1:12:100:5 /in.c=1:11:100:5 /old.o=1:13:?:? /none.c="
			 " /old.o=1:13:0:5");
}

/* What an execve records of its file; for a script, this is the interpreter. */
static void test_identified_program(void **state)
{
	(void)state;
	starts(true);
	for (unsigned int i = 1; i <= 2; i++) {
		line(i, "New_proc|argsize=2,prognameisize=7,prognamepsize=%d,cwdsize=1",
		     i == 1 ? 7 : 4);
		line(i, "ExecFile|dev=1,ino=11,size=900,mtime=5");
		line(i, "PI|/bin/sh");
		line(i, "PP|%s", i == 1 ? "/bin/sh" : "/x.s");
		line(i, "CW|/");
		line(i, "A[0]a");
		line(i, "End_of_args|");
		ends(i);
	}
	says(identities, "/bin/sh=1:11:900:5 /x.s=");
}

/* The same if the version's row was written long before. */
static void test_identified_after_row_was_written(void **state)
{
	char path[16];

	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/in.c");
	stats(1, "/old.o");
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		stats(1, path);
	}
	reads(1, "/in.c", 11);
	opens(1, 4, "/old.o", NEW, 13, 0);
	ends(1);
	says("SELECT CAST(path AS TEXT) || '=' || dev || ':' || ino || ':' || coalesce(size, '?')"
	     " FROM version AS v JOIN file ON file.id = v.file WHERE v.made = 0 AND dev ORDER BY v.id",
	     "/in.c=1:11:100 /old.o=1:13:?");
}

static void opens_anew(int fd, const char *path, unsigned int ino)
{
	opens(1, fd, path, RDWR | CREAT | TRUNC, ino, 0);
}

/* A new file is empty when it is opened.  Its size after a write need not be recorded. */
static void test_size_after_write(void **state)
{
	char path[16];

	(void)state;
	starts(true);
	runs(1, "/bin/ld");
	opens_anew(3, "/unknown", 11);
	opens_anew(4, "/recorded", 12);
	opens_anew(5, "/seen", 13);
	opens_anew(6, "/hashed", 14);
	opens_anew(7, "/empty", 15);
	opens_anew(8, "/late", 16);
	for (int fd = 3; fd <= 6; fd++) {
		closes(1, fd, 9, 100);
		if (fd == 4)
			line(1, "CloseFile|size=120,mtime=7");
	}
	closes(1, 7, 9, -1);
	opens(1, 9, "/seen", RD, 13, 130);
	line(1, "Content|pathsize=7,sha256size=1,gitoidsize=1,dev=1,ino=14,size=140,mtime=8");
	line(1, "HF|/hashed");
	line(1, "HS|a");
	line(1, "HG|a");
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		stats(1, path);
	}
	closes(1, 8, 9, 100);
	ends(1);
	says("SELECT CAST(path AS TEXT) || '=' || ino || ':' || coalesce(size || ':' || mtime, '?')"
	     " FROM version AS v JOIN file ON file.id = v.file WHERE v.made = 1 ORDER BY v.id",
	     "/unknown=11:? /recorded=12:120:7 /seen=13:130:5 /hashed=14:140:8 /empty=15:0:5"
	     " /late=16:?");
}

/* Open a file for reading that is created if it does not exist. */
static void opens_to_read(const char *path, int flags, unsigned int ino, unsigned int size,
			  unsigned long mtime)
{
	opens(1, 3, path, RD | CREAT | flags, 0, 0);
	line(1, "OpenFile|dev=1,ino=%u,size=%u,mtime=%lu,type=32768", ino, size, mtime);
	closes(1, 3, -1, -1);
}

/* Its mtime shows whether it was created, or it cannot have existed before; in rows of any age. */
static void test_created_when_opened_to_read(void **state)
{
	static const char made[] = "SELECT CAST(path AS TEXT) || '=' || v.made || ':' ||"
		" coalesce(v.exec, 0) FROM final JOIN version AS v ON v.id = final.version"
		" JOIN file ON file.id = final.file WHERE CAST(path AS TEXT) LIKE '/l/%' ORDER BY path";
	/* begin of the trace, if CLOCK_REALTIME is 1000 s ahead of the trace's clock */
	const unsigned long begin = 1010000000000;
	char path[16];

	(void)state;
	for (int known = 0; known < 2; known++) {
		starts(true);
		runs(1, "/bin/flock");
		removes(1, "/l/gone");
		opens_to_read("/l/late", 0, 11, 0, begin);
		opens_to_read("/l/early", 0, 12, 0, begin - 1);
		opens_to_read("/l/full", 0, 13, 1, begin);
		opens_to_read("/l/excl", EXCL, 14, 0, 5);
		opens_to_read("/l/gone", 0, 15, 0, 5);
		for (int i = 0; i < 5000; i++) {
			snprintf(path, sizeof(path), "/%d", i);
			stats(1, path);
		}
		opens_to_read("/l/later", 0, 16, 0, begin + 1);
		ends(1);
		if (known)
			buf_adds(&text, "0,0,99,0!Session|backendsize=3,commandsize=1,verdictsize=8,"
				 "complete=1,records=9,arrived=9,lost=0,realtime=1000000000000\n"
				 "0,0,99,0!VB|bpf\n0,0,99,0!VC|a\n0,0,99,0!VT|complete\n");
		says(made, known ?
		     "/l/early=0:0 /l/excl=1:1 /l/full=0:0 /l/gone=1:1 /l/late=1:1 /l/later=1:1" :
		     "/l/early=0:0 /l/excl=1:1 /l/full=0:0 /l/gone=1:1 /l/late=0:0 /l/later=0:0");
	}
}

/* Two names of one file, one of which was only looked up before. */
static void test_hard_link_looked_at(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/one.o");
	reads(1, "/two.o", 11);
	reads(1, "/one.o", 11);
	runs(1, "/bin/b");
	writes(1, "/two.o", 11);
	ends(1);
	says(makers, "/one.o=/bin/b /two.o=/bin/b");
	/* no traced program gave it that name */
	says("SELECT coalesce(exec, 'nobody') FROM name ORDER BY rowid", "nobody 2");
}

/* Targets and makers of the symbolic links that exist in the end. */
static const char symbolic[] =
	"SELECT CAST(f.path AS TEXT) || '>' || coalesce(CAST(t.path AS TEXT), '') || ' by ' ||"
	" CAST(p.path AS TEXT) FROM final JOIN version AS v ON v.id = final.version AND v.made = 8"
	" JOIN file AS f ON f.id = final.file JOIN exec AS e ON e.id = v.exec"
	" JOIN file AS p ON p.id = e.program LEFT JOIN file AS t ON t.id = v.target ORDER BY f.path";

static void test_symlink(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/ln");
	named(1, "Mkdir", ",mode=511", "KD", "/d");
	symlinks(1, "../in", "/d/rel");
	symlinks(1, "/abs/./in", "/d/abs");
	symlinks(1, "gone", "/removed");
	symlinks(1, "x", "/replaced.o");
	symlinks(1, "new", "/tmp1");
	runs(1, "/bin/mv");
	removes(1, "/removed");
	removes(1, "/replaced.o");
	writes(1, "/replaced.o", 12);
	renames(1, "/d", "/e");
	renames(1, "/tmp1", "/link");
	/* an open by the name shows that the link is no longer there */
	reads(1, "/link", 13);
	symlinks(1, "y", "/last");
	ends(1);
	says(symbolic, "/e/abs>/abs/in by /bin/ln /e/rel>/in by /bin/ln /last>/y by /bin/mv");
	says(makers, "/replaced.o=/bin/mv");
}

/* ---- rules 3 to 5 ---- */

/* O_RDWR without O_TRUNC keeps the content, O_TRUNC and O_EXCL do not. */
static void test_changed_in_place(void **state)
{
	static const struct {
		int flags;
		const char *expected;
	} rows[] = {
		{ RDWR, "/b.o<(/b.o)" }, { RDWR | TRUNC, "" }, { RDWR | CREAT | EXCL, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		writes(1, "/b.o", 11);
		runs(1, "/bin/b");
		if (rows[i].flags & EXCL)
			removes(1, "/b.o");
		opens(1, 3, "/b.o", rows[i].flags, 11, rows[i].flags == RDWR ? 100 : 0);
		closes(1, 3, rows[i].flags == RDWR ? 100 : -1, 100);
		ends(1);
		says(edges, rows[i].expected);
	}
}

/* A file opened after the output was closed is no input of it. */
static void test_input_after_output(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/before.c", 11);
	writes(1, "/a.o", 12);
	reads(1, "/after.c", 13);
	writes(1, "/b.o", 14);
	ends(1);
	says(edges, "/a.o</before.c /b.o</after.c /b.o</before.c");
}

/* ---- rule 6: pipes ---- */

static void test_pipe(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/sh");
		line(1, "Pipe|fd1=3,fd2=4,flags=0");
		forks(1, 2);
		forks(1, 3);
		closes(1, 3, -1, -1);
		closes(1, 4, -1, -1);
		dups(2, 4, 1);
		closes(2, 3, -1, -1);
		closes(2, 4, -1, -1);
		runs(2, "/bin/a");
		reads(2, "/in.c", 11);
		closes(2, 1, -1, 100);
		ends(2);
		dups(3, 3, 0);
		closes(3, 3, -1, -1);
		closes(3, 4, -1, -1);
		runs(3, "/bin/b");
		opens(3, 5, "/out.o", NEW, 12, 0);
		closes(3, 0, 100, -1);
		closes(3, 5, -1, 100);
		ends(3);
		ends(1);
		says(edges, "-</in.c /out.o<-");
	}
}

/* ---- odd cases ---- */

static void test_tmpfile(void **state)
{
	(void)state;
	/* an unnamed file in a directory: the directory is not what is written */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/tmp", RDWR | TMPFILE, 11, 0);
	closes(1, 3, -1, 100);
	reads(1, "/in.c", 12);
	writes(1, "/a.o", 13);
	ends(1);
	says(edges, "/a.o</in.c");
}

/* An unnamed file gets a name through its descriptor. */
static void test_tmpfile_linked(void **state)
{
	static const struct {
		const char *from;
		int flags;
	} ways[] = {
		{ "/proc/self/fd/3", 0x400 }, { "/proc/101/fd/3", 0x400 }, { "/dev/fd/3", 0x400 },
		{ "", 0x1000 }, { "/tmp/#11 (deleted)", 0x1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		reads(1, "/in.c", 12);
		opens(1, 3, "/tmp/#11 (deleted)", RDWR | TMPFILE, 11, 0);
		links_at(1, ways[i].from, ways[i].flags, "/out.o");
		closes(1, 3, -1, 100);
		runs(1, "/bin/b");
		reads(1, "/out.o", 11);
		writes(1, "/app", 13);
		ends(1);
		says(makers, "/out.o=/bin/a");
		says(edges, "/app</out.o /out.o</in.c");
	}
	/* one of several, and it is unknown which: the program that gave the name made it */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/tmp/#11 (deleted)", RDWR | TMPFILE, 11, 0);
	opens(1, 4, "/tmp/#12 (deleted)", RDWR | TMPFILE, 12, 0);
	links_at(1, "", 0x1000, "/out.o");
	ends(1);
	says(makers, "/out.o=/bin/a");
	says("SELECT coalesce(ino, 0) FROM final JOIN version AS v ON v.id = final.version"
	     " JOIN file AS f ON f.id = final.file WHERE CAST(f.path AS TEXT) = '/out.o'", "0");
}

/* A descriptor's number ends with its string, even if the buffer had a longer one before. */
static void test_number_of_descriptor_ends(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	line(1, "Pipe|fd1=1,fd2=4,flags=0");
	line(1, "Pipe|fd1=12,fd2=13,flags=0");
	for (int i = 0; i < 2; i++) {
		line(1, "Open|fnamesize=8,forigsize=%d,flags=0,mode=0,fd=%d", 10 - i, 20 + i);
		line(1, "FN|pipe:[5]");
		line(1, "FO|/dev/fd/%s", i ? "1" : "12");
	}
	closes(1, 21, 10, -1);
	ends(1);
	says("SELECT version FROM access WHERE how = 1",
	     "2");
}

/* A FIFO that is closed everywhere is empty when it is opened next. */
static void test_reopened_fifo(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/sh");
	named(1, "Mknod", ",mode=4516,dev=0", "KN", "/g");
	for (unsigned int i = 0; i < 2; i++) {
		forks(1, 2 + 2 * i);
		forks(1, 3 + 2 * i);
		runs(2 + 2 * i, "/bin/from");
		reads(2 + 2 * i, i ? "/in2" : "/in1", 11 + i);
		runs(3 + 2 * i, "/bin/to");
		opens(2 + 2 * i, 3, "/g", WR, 0, 0);
		opens(3 + 2 * i, 3, "/g", RD, 0, 0);
		closes(2 + 2 * i, 3, -1, 100);
		writes(3 + 2 * i, i ? "/out2" : "/out1", 21 + i);
		closes(3 + 2 * i, 3, 100, -1);
		ends(2 + 2 * i);
		ends(3 + 2 * i);
	}
	ends(1);
	says(edges, "-</in1 /g</in2 /out1<(/g) /out2</g");
}

/* A thread belongs to its process: what it reads is an input of the process's program. */
static void test_input_of_a_thread(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks_by(1, 2, 0x10000 | 0x400);
	reads(2, "/in.c", 11);
	writes(1, "/a.o", 12);
	ends(1);
	ends(2);
	says(edges, "/a.o</in.c");
	says(ends_of, "/bin/a exit");
}

/* Output of a process belongs to the last program that it ran. */
static void test_output_of_last_program(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks(1, 2);
	runs(2, "/bin/b");
	runs(2, "/bin/c");
	line(2, "Output|textsize=2,fd=2,bytes=5000");
	line(2, "OU|xy");
	ends(2);
	line(1, "Output|textsize=0,fd=1,bytes=7");
	line(1, "OU|");
	ends(1);
	says("SELECT CAST(f.path AS TEXT) || ' ' || p.fd || ' ' || p.bytes || ' '"
	     " || CAST(p.text AS TEXT) || '.' FROM printed AS p JOIN exec AS e ON e.id = p.exec"
	     " JOIN file AS f ON f.id = e.program ORDER BY 1", "/bin/a 1 7 . /bin/c 2 5000 xy.");
}

/* What a program asked the system belongs to it: in the database, and when that is read back. */
static void test_questions_to_the_system(void **state)
{
	static const char rows[] =
		"SELECT e.id || ':' || w.word || ',' || a.value || ',' || a.flags || ','"
		" || coalesce(CAST(s.s AS TEXT), '-') FROM ask AS a JOIN exec AS e ON e.id = a.exec"
		" JOIN word AS w ON w.of = 'call' AND w.number = a.call"
		" LEFT JOIN string AS s ON s.id = a.name ORDER BY a.at";
	struct diag *diag = diag_new(NULL, "");
	const struct build_ask *a;
	const struct build *b;
	struct db *db;
	size_t n;

	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks(1, 2);
	runs(2, "/bin/b");
	line(1, "Ask|call=0,value=8,flags=1");
	line(2, "Ask|namesize=2,call=1,value=0,flags=0");
	line(2, "AN|vm");
	line(2, "Ask|call=2,value=-1,flags=0");
	line(1, "Ask|call=3,value=0,flags=0");
	/* from a newer etrace */
	line(1, "Ask|call=4,value=0,flags=0");
	ends(2);
	forks(1, 3);
	runs(3, "/bin/c");
	ends(3);
	ends(1);
	says(rows, "1:getrandom,8,1,- 2:uname,0,0,vm 2:sched_getaffinity,-1,0,- 1:sysinfo,0,0,-");

	db = made(diag);
	b = build_of(db);
	a = build_asks(b, 1, &n);
	assert_int_equal(n, 2);
	assert_int_equal(a[0].exec, 1);
	assert_int_equal(a[0].call, GRAPH_GETRANDOM);
	assert_int_equal(a[0].value, 8);
	assert_int_equal(a[0].flags, 1);
	assert_null(build_ask_name(b, &a[0]));
	assert_int_equal(a[1].call, GRAPH_SYSINFO);
	assert_true(a[0].at < a[1].at);
	a = build_asks(b, 2, &n);
	assert_int_equal(n, 2);
	assert_int_equal(a[0].call, GRAPH_UNAME);
	assert_string_equal(build_ask_name(b, &a[0]), "vm");
	assert_int_equal(a[1].call, GRAPH_AFFINITY);
	assert_int_equal(a[1].value, -1);
	build_asks(b, 3, &n);
	assert_int_equal(n, 0);
	build_asks(b, 0, &n);
	assert_int_equal(n, 0);
	db_close(db);
	diag_free(diag);

	/* a program that asked nothing */
	starts(true);
	runs(1, "/bin/a");
	ends(1);
	diag = diag_new(NULL, "");
	db = made(diag);
	build_asks(build_of(db), 1, &n);
	assert_int_equal(n, 0);
	db_close(db);
	diag_free(diag);
}

/* The end of the trace is missing: open descriptors count as used, the trace as incomplete. */
static void test_trace_without_end(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in.c", 11);
	writes(1, "/a.o", 12);
	says(ends_of, "/bin/a open");
	says(edges, "/a.o</in.c");
	buf_adds(&text, "4194405,0,12,5!Open|fnamesize=9,for");
	says(whole, "0");
}

/* Names may have any bytes. */
static void test_names_of_any_bytes(void **state)
{
	char path[400] = "/long";

	(void)state;
	memset(path + 5, 'x', sizeof(path) - 6);
	path[sizeof(path) - 1] = '\0';
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/<script>'\";--\xff\xfe", 11);
	reads(1, path, 12);
	writes(1, "/a.o", 13);
	ends(1);
	says("SELECT count(*) || ' ' || max(length(path)) FROM file", "5 399");
	says("SELECT hex(path) FROM file WHERE CAST(path AS TEXT) LIKE '/<%'",
	     "2F3C7363726970743E27223B2D2DFFFE");
}

/* An argument may be empty. */
static void test_empty_argument(void **state)
{
	(void)state;
	starts(true);
	runs(1, "");
	ends(1);
	says("SELECT count(*) || ' ' || typeof(s) FROM string", "1 blob");
	says("SELECT args FROM exec WHERE args IS NOT NULL", "[1]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_in_roots), cmocka_unit_test(test_classes_in_root),
		cmocka_unit_test(test_names_in_other_mount_namespaces),
		cmocka_unit_test(test_present_roots),
		cmocka_unit_test(test_scripts), cmocka_unit_test(test_applets),
		cmocka_unit_test(test_original_path_in_root),
		cmocka_unit_test(test_inherited_descriptors),
		cmocka_unit_test(test_way_with_dot_dot),
		cmocka_unit_test(test_links_before_dot_dot),
		cmocka_unit_test(test_ways_of_opened_files),
		cmocka_unit_test(test_cloexec), cmocka_unit_test(test_shared_table),
		cmocka_unit_test(test_descriptor_of_unknown_origin),
		cmocka_unit_test(test_empty_original),
		cmocka_unit_test(test_rename_over), cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_exchange_directories),
		cmocka_unit_test(test_hard_link), cmocka_unit_test(test_hard_link_renamed),
		cmocka_unit_test(test_hard_link_older_than_trace),
		cmocka_unit_test(test_hard_link_looked_at),
		cmocka_unit_test(test_last_writer_of_old_file),
		cmocka_unit_test(test_name_at_the_last_write),
		cmocka_unit_test(test_identified_when_opened),
		cmocka_unit_test(test_size_after_write),
		cmocka_unit_test(test_identified_after_row_was_written),
		cmocka_unit_test(test_created_when_opened_to_read),
		cmocka_unit_test(test_identified_program),
		cmocka_unit_test(test_symlink), cmocka_unit_test(test_tmpfile_linked),
		cmocka_unit_test(test_number_of_descriptor_ends),
		cmocka_unit_test(test_reopened_fifo),
		cmocka_unit_test(test_directory_renamed),
		cmocka_unit_test(test_files_below_renamed_directory),
		cmocka_unit_test(test_reused_inode),
		cmocka_unit_test(test_inode_reused_from_outside),
		cmocka_unit_test(test_removed), cmocka_unit_test(test_changed_in_place),
		cmocka_unit_test(test_input_after_output), cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_tmpfile), cmocka_unit_test(test_input_of_a_thread),
		cmocka_unit_test(test_output_of_last_program),
		cmocka_unit_test(test_questions_to_the_system),
		cmocka_unit_test(test_trace_without_end), cmocka_unit_test(test_names_of_any_bytes),
		cmocka_unit_test(test_empty_argument),
	};

	return cmocka_run_group_tests(tests, NULL, over);
}
