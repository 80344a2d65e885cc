/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the selftests share: results as KTAP (ktap.c), the module and its
 * ftrace instance (module.c), the lines that come out of it (trace.c), and a
 * traced workload with the lines that it must leave (expect.c).
 *
 * A test program is a list of TEST() functions and a main() that calls
 * et_main().  Nothing here knows what a system call prints; that is in the
 * programs, which have it from the line format.
 */
#ifndef ETRACE_TEST_H
#define ETRACE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "old_calls.h"

#define ET_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))
#define ET_NELEMS(a)		(sizeof(a) / sizeof((a)[0]))

/* ---- ktap.c: cases and their results ----------------------------------- */

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

struct et_case {
	const char *name;
	void (*fn)(void);
	struct et_case *next;
};

void et_case_add(struct et_case *c);

/* A case of the program; they run in the order in which they are defined. */
#define TEST(_name)							\
	static void test_##_name(void);					\
	static struct et_case case_##_name = { #_name, test_##_name, NULL }; \
	__attribute__((constructor)) static void add_##_name(void)	\
	{								\
		et_case_add(&case_##_name);				\
	}								\
	static void test_##_name(void)

/* The case goes on after a failure, so that one run tells all of them. */
void et_fail(const char *file, int line, const char *fmt, ...) ET_PRINTF(3, 4);
#define FAIL(...)	et_fail(__FILE__, __LINE__, __VA_ARGS__)

#define EXPECT(cond, ...)						\
	do {								\
		if (!(cond))						\
			FAIL("not true: " #cond ". " __VA_ARGS__);	\
	} while (0)

#define EXPECT_EQ(a, b)							\
	do {								\
		long long a_ = (a), b_ = (b);				\
									\
		if (a_ != b_)						\
			FAIL(#a " is %lld, must be " #b ", %lld", a_, b_); \
	} while (0)

/* For what a case is built on: ends the program. */
void et_die(const char *file, int line, const char *fmt, ...)
	ET_PRINTF(3, 4) __attribute__((noreturn));
#define DIE(...)	et_die(__FILE__, __LINE__, __VA_ARGS__)
#define MUST(expr)							\
	({								\
		long must_ = (long)(expr);				\
									\
		if (must_ == -1)					\
			DIE("%s: %m", #expr);				\
		must_;							\
	})

void et_note(const char *fmt, ...) ET_PRINTF(1, 2);

/* Waits until @cond holds, for two minutes at most. The value: whether it does. */
#define ET_UNTIL(cond)							\
	({								\
		double until_ = et_seconds() + 120;			\
		bool holds_;						\
									\
		while (!(holds_ = (cond)) && et_seconds() < until_)	\
			usleep(1000);					\
		holds_;							\
	})
double et_seconds(void);	/* of CLOCK_MONOTONIC */

/* This case cannot be had here; return after it. */
void et_skip(const char *fmt, ...) ET_PRINTF(1, 2);

/* The whole program cannot: prints why and exits with KSFT_SKIP. */
void et_skip_all(const char *fmt, ...) ET_PRINTF(1, 2) __attribute__((noreturn));

/*
 * Runs the cases, each in every variant that the program has (et_extended,
 * et_int80), and returns the exit status. @params: parameters that the module
 * is loaded with; NULL: the cases load it themselves.  An argument of the
 * program picks the cases whose names contain it.
 */
int et_main(int argc, char **argv, const char *params);
/*
 * In the first variant only, with a ring buffer of that many KiB for each
 * processor.
 */
int et_main_once(int argc, char **argv, const char *params, unsigned int kb);

/* The variant: lines of the parameter "extended" are printed, too. */
extern bool et_extended;

/* The variant: system calls by int $0x80 (32-bit programs only). */
extern bool et_int80;

/* A system call as the variant makes it; -1 and errno on failure. */
long et_sys(long nr, ...);

/* From now on a filter answers each call @nr of the child whose first argument is @first. */
void et_refuse(unsigned int nr, unsigned int first, unsigned int error);

/* ---- module.c: the module, its parameters, counters and instance -------- */

#define ET_INSTANCE	"etrace_selftest"
#define ET_TRACEFS	"/sys/kernel/tracing"
#define ET_TRACE_DIR	ET_TRACEFS "/instances/" ET_INSTANCE

/*
 * ETRACE_BACKEND=bpf: the program bpf-serve in the working directory, of
 * selftests/bpf, stands in for the module and its instance.
 */
bool et_bpf(void);
/* Whether a case that is about the module cannot be had; then it counts as skipped. */
bool et_without_module(void);
/* Where its lines go. */
const char *et_bpf_lines(void);
/*
 * A program that needs what records with these parameters, and leaves it as it is: one
 * bpf-serve that run.sh has begun may serve it and others like it, or one module, where
 * the parameters can be changed without loading it anew.  Loading takes longer than most
 * programs.  NULL: it has the module, or bpf-serve, to itself.
 */
void et_module_share(const char *params);

/* Path of etrace.ko: $ETRACE_MODULE, or else beside the program or its build. */
const char *et_module_path(void);

/* 0 or -errno, as insmod and rmmod would get it. */
int et_module_load(const char *params);
int et_module_unload(void);
bool et_module_loaded(void);

/* Loads it into ET_INSTANCE with buffers of @kb per processor, or dies. */
void et_module_setup(const char *params, unsigned int kb);
void et_module_teardown(void);

/* 0 or -errno of writing a parameter. */
int et_param_write(const char *name, const char *value);
int et_param_write_int(const char *name, long long value);
/* The parameter's text without newline, in a static buffer. */
const char *et_param_read(const char *name);

/* A file of /sys/module/etrace/counters. */
long long et_counter(const char *name);

/* Writes a file of the instance; -errno if that fails. */
int et_instance_write(const char *file, const char *value);
/* Sums a field ("overrun", "entries", ...) of per_cpu/cpu N/stats. */
long long et_instance_stat(const char *field);

/* 0 or -errno: writes a string to any file in one write. */
int et_write_file(const char *path, const char *value);
/* The content of a small file, in a static buffer, without last newline. */
const char *et_read_file(const char *path);
/* Does the kernel's log hold @text, later than et_log_mark()? */
void et_log_mark(void);
bool et_log_has(const char *text);
unsigned int et_log_count(const char *text);	/* how often */

/* Is the running kernel at least this one? */
bool et_kernel_at_least(int major, int minor);
bool et_has_userfaultfd(void);

/* ---- trace.c: lines that were read --------------------------------------- */

/**
 * struct et_line - a line of the trace
 * @time: nanoseconds of CLOCK_MONOTONIC
 * @cpu: processor
 * @text: what stands behind the '!'
 * @len: bytes of @text, which has a null byte behind it
 */
struct et_line {
	uint64_t time;
	int cpu;
	size_t len;
	char *text;
};

/**
 * struct et_task - the lines of a task, in the order in which they were read
 */
struct et_task {
	uint64_t upid;
	struct et_line *line;
	size_t nr;
	size_t room;
	uint64_t last;		/* time of its last line */
};

/**
 * struct et_trace - what was read from a trace_pipe
 * @lost: events that the pipe said were lost
 * @foreign: lines that are none of etrace's
 * @bad: first line that breaks the format, or NULL
 * @keep: keep the lines; otherwise they only pass by @line
 * @line: called for each line, if set
 */
struct et_trace {
	struct et_task *task;
	size_t nr;
	size_t room;
	size_t *hash;
	size_t hash_room;
	size_t lost;
	size_t foreign;
	size_t lines;
	char *bad;
	char *part;		/* of a line that is not complete */
	size_t part_len;
	size_t part_room;
	bool keep;
	void (*line)(struct et_task *t, const struct et_line *l);
};

void et_trace_init(struct et_trace *tr);
void et_trace_free(struct et_trace *tr);

/* Reads what is there now, without waiting for more. @fd: O_NONBLOCK. */
void et_trace_read(struct et_trace *tr, int fd);
void et_trace_feed(struct et_trace *tr, const char *buf, size_t n);
int et_trace_open(void);

struct et_task *et_trace_upid(struct et_trace *tr, uint64_t upid);
/* The task whose upid shows @pid, with 22 bits; the latest one. */
struct et_task *et_trace_pid(struct et_trace *tr, pid_t pid);

/*
 * What workers of rings have done is taken for done by the first thread of their process,
 * whom they work for.
 */
void et_trace_fold(struct et_trace *tr);

#define ET_PID_BITS	22

/**
 * struct et_string - a string of an event, put together again
 */
struct et_string {
	char *s;
	size_t len;
};

/*
 * Puts together the string with @tag whose lines begin at line *@i of @t, by
 * the rules of the format (parts, Cont), and moves *@i behind it.  Returns
 * NULL, or a message that says which rule is broken.
 */
const char *et_string_read(const struct et_task *t, size_t *i, const char *tag,
			   struct et_string *out);

/* Argument number @n of an execve, which begins at line *@i. */
const char *et_arg_read(const struct et_task *t, size_t *i, unsigned int n,
			struct et_string *out);

/* A copy that can be printed in one line, in one of a few static buffers. */
const char *et_escape(const char *s, size_t len);

/* ---- expect.c: a traced workload and its lines -------------------------- */

/* Directory of the case, empty at its beginning, the child's working one. */
extern char et_dir[];

/* A new one, in place of the case before's; et_main() calls it. */
void et_dir_new(void);
/* A file there, made before anything is traced. */
void et_file(const char *name);
void et_mkdir(const char *name);
/* Its path, absolute, in one of a few static buffers. */
const char *et_path(const char *name);

/*
 * Runs @fn in a child that is traced from before it begins, and compares the
 * lines of that child and all below it with those that it said to want.  The
 * child ends with exit status 0 if @fn returns, which needs not be said.
 */
void et_traced(void (*fn)(void));

/*
 * The same, but what is in the trace is for the caller to judge, whatever the
 * child wants. Returns the child's pid; @tr is to be freed.
 */
pid_t et_run(void (*fn)(void), struct et_trace *tr);

/*
 * A child in a process group of its own that sleeps until it is killed, at the
 * latest when the caller ends.
 */
pid_t et_sleeper(void);

/*
 * Waits until a task has the state @state in /proc/PID/stat: 'Z' when it has ended.  The
 * caller must not be traced.
 */
void et_until_state(pid_t pid, char state);

/*
 * Processes whose parents have ended become children of the test program.
 * et_reap_orphans() waits until all its children have ended, but for @own, those that
 * it had before, which et_children() lists.
 */
struct et_children {
	pid_t pid[64];
	size_t nr;
};
void et_children(struct et_children *list);
void et_reap_orphans(const struct et_children *own);

/*
 * BPF sees what io_urings do some time after the first one is there, the module at
 * once: waits until it does.
 */
void et_see_rings(void);

/*
 * Events, and lines that tell more of one, that are there only with the parameter
 * "extended": "USE CloseRead", which the program looks at. Others of that sort
 * are left out of what et_traced() compares and et_run() returns.
 */
extern const char *et_facts;

/* If set, sees every line that is read. */
extern void (*et_trace_watch)(struct et_task *t, const struct et_line *l);

/* To be called in the child and in what it starts, between their calls: */

/* The calling task's next line. */
void want(const char *fmt, ...) ET_PRINTF(1, 2);
/* A line of another task. */
void want_of(pid_t pid, const char *fmt, ...) ET_PRINTF(2, 3);
/* A line that only the parameter "extended" brings. */
void want_extended(const char *fmt, ...) ET_PRINTF(1, 2);
void want_extended_of(pid_t pid, const char *fmt, ...) ET_PRINTF(2, 3);
/* The name @path goes; @dir: that of a directory. */
void want_unlink(const char *path, int dir);
/*
 * An event with one name, of the parameter "extended": the line @line, with what
 * @fmt says behind the name's size, and the name with its @tag. @path NULL: none.
 */
void want_named(const char *line, const char *tag, const char *path, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* Behind it: it failed. @joined: tag of a name that is the user's; NULL: none is. */
void want_named_failed(const char *line, const char *joined, int err);
/* The same marks of one that did not fail. */
void want_named_joined(const char *joined);
/* "SchedFork|pid=" with the upid of @child. */
void want_fork(pid_t child);
void want_forked(pid_t child);	/* by SYS_fork */
void want_fork_of(pid_t parent, pid_t child);
/* The module's counter grows by @n in this run, or ET_ANY, all others stay. */
#define ET_ANY	-1
void want_count(const char *counter, int n);
/* strings_joined: @n strings come with the user's words. */
void want_joined(int n);
/* Lines of this task are not compared. */
void want_any(pid_t pid);
/* Something is wrong in the child: fails the case. */
void et_child_fail(const char *file, int line, const char *fmt, ...)
	ET_PRINTF(3, 4);
#define CHILD_FAIL(...)	et_child_fail(__FILE__, __LINE__, __VA_ARGS__)

/* A call that must succeed in the child; its value. */
#define CHILD_MUST(expr)						\
	({								\
		long ret_ = (long)(expr);				\
									\
		if (ret_ < 0)						\
			CHILD_FAIL("%s: %m", #expr);			\
		ret_;							\
	})
/* And one that must fail, with this error. */
#define CHILD_MUST_FAIL(expr, err)					\
	do {								\
		if ((long)(expr) != -1 || errno != (err))		\
			CHILD_FAIL("%s: %m, but " #err " is due", #expr); \
	} while (0)

/*
 * Waiting, for which a traced task must not look into files itself: et_run() does it.
 * One task at a time.
 */

/* Until process @pid has ended; a thread group whose leader has, if others live on. */
void et_until_ended(pid_t pid);
/* Until the first process of the workload has ended and is no process any more. */
void et_until_root_gone(void);
/*
 * With BPF, until the reader has looked up where the links lead that are wanted so far: it
 * does so a little after they are made.  The module does so at once.
 */
void et_until_links_read(void);

/* The name that the kernel has for a descriptor; static buffers. */
const char *et_fd_path(int fd);

#endif /* ETRACE_TEST_H */
