/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that the selftests share: results as KTAP (ktap.c), the module and its ftrace instance
 * (module.c), reading its output (trace.c), and running a traced workload with the lines that it
 * must leave (expect.c).
 *
 * A test program is a list of TEST() functions and a main() that calls et_main(). This library
 * does not know what each system call prints; the programs do, from the line format.
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

/* A case of the program. Cases run in the order in which they are defined. */
#define TEST(_name)							\
	static void test_##_name(void);					\
	static struct et_case case_##_name = { #_name, test_##_name, NULL }; \
	__attribute__((constructor)) static void add_##_name(void)	\
	{								\
		et_case_add(&case_##_name);				\
	}								\
	static void test_##_name(void)

/* The case goes on after a failure, so that one run reports all of them. */
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
			FAIL(#a " is %lld, expected " #b ", %lld", a_, b_); \
	} while (0)

/* For a precondition of a case: ends the program if it fails. */
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

/* Wait until @cond holds, for at most two minutes. Value: whether it holds. */
#define ET_UNTIL(cond)							\
	({								\
		double until_ = et_seconds() + 120;			\
		bool holds_;						\
									\
		while (!(holds_ = (cond)) && et_seconds() < until_)	\
			usleep(1000);					\
		holds_;							\
	})
double et_seconds(void);	/* CLOCK_MONOTONIC */

/* Skip this case because it cannot run here; the case must return after it. */
void et_skip(const char *fmt, ...) ET_PRINTF(1, 2);

/* Skip the whole program: print why and exit with KSFT_SKIP. */
void et_skip_all(const char *fmt, ...) ET_PRINTF(1, 2) __attribute__((noreturn));

/*
 * Run the cases, each in every variant that the program has (et_extended, et_int80), and return
 * the exit status. @params: parameters to load the module with, NULL if the cases load it
 * themselves. Arguments of the program select the cases whose names contain them.
 */
int et_main(int argc, char **argv, const char *params);
/* Run the first variant only, with a ring buffer of @kb KiB for each processor. */
int et_main_once(int argc, char **argv, const char *params, unsigned int kb);

/* The variant in which lines of the parameter "extended" are printed, too. */
extern bool et_extended;

/* The variant that makes system calls by int $0x80 (32-bit programs only). */
extern bool et_int80;

/* Run the calling process on one processor only. */
void et_on_cpu(int cpu);

/* Make a system call in the way of the variant; -1 and errno on failure. */
long et_sys(long nr, ...);

/*
 * From now on, a seccomp filter answers each call @nr of the child whose first argument is @first
 * with @error; 0 means success.
 */
void et_refuse(unsigned int nr, unsigned int first, unsigned int error);

/* ---- module.c: the module, its parameters, counters and instance -------- */

#define ET_INSTANCE	"etrace_selftest"
#define ET_TRACEFS	"/sys/kernel/tracing"
#define ET_TRACE_DIR	ET_TRACEFS "/instances/" ET_INSTANCE

/*
 * Whether ETRACE_BACKEND=bpf: then the program bpf-serve of selftests/bpf, in the working
 * directory, replaces the module and its instance.
 */
bool et_bpf(void);
/* Whether a case needs the module, which is not used here; the case then counts as skipped. */
bool et_without_module(void);
/* The file that bpf-serve writes its lines to. */
const char *et_bpf_lines(void);
/*
 * For a program that needs a recorder with these parameters and leaves it unchanged: it may share
 * one bpf-serve, which run.sh has started, or one loaded module whose parameters can be changed.
 * Loading takes longer than most programs. NULL: the program has the module or bpf-serve to
 * itself.
 */
void et_module_share(const char *params);

/* Path of etrace.ko: $ETRACE_MODULE, or else next to the program or in its build directory. */
const char *et_module_path(void);

/* Return: 0 or -errno, as insmod and rmmod would get it. */
int et_module_load(const char *params);
int et_module_unload(void);
bool et_module_loaded(void);

/* Load the module into ET_INSTANCE with buffers of @kb KiB per processor, or die. */
void et_module_setup(const char *params, unsigned int kb);
void et_module_teardown(void);

/* Return: 0 or -errno of writing a parameter. */
int et_param_write(const char *name, const char *value);
int et_param_write_int(const char *name, long long value);
/* The parameter's text without the newline, in a static buffer. */
const char *et_param_read(const char *name);

/* A file of /sys/module/etrace/counters. */
long long et_counter(const char *name);

/* Write a file of the instance. Return: 0 or -errno. */
int et_instance_write(const char *file, const char *value);
/* The sum of a field ("overrun", "entries", ...) of all per_cpu/cpuN/stats. */
long long et_instance_stat(const char *field);

/* Write a string to a file in one write. Return: 0 or -errno. */
int et_write_file(const char *path, const char *value);
/* The content of a small file without its last newline, in a static buffer. */
const char *et_read_file(const char *path);
/* Whether the kernel's log contains @text after the last et_log_mark(). */
void et_log_mark(void);
bool et_log_has(const char *text);
unsigned int et_log_count(const char *text);	/* how often */

/* Whether the running kernel is at least this version. */
bool et_kernel_at_least(int major, int minor);
bool et_has_userfaultfd(void);

/* ---- trace.c: lines that were read --------------------------------------- */

/**
 * struct et_line - a line of the trace
 * @time: nanoseconds of CLOCK_MONOTONIC
 * @cpu: processor
 * @text: the text after the '!', with a null byte at its end
 * @len: bytes of @text, without the null byte
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
	uint64_t last;		/* time of its latest line */
};

/**
 * struct et_trace - data that was read from a trace_pipe
 * @lost: number of events that the pipe reported as lost
 * @foreign: number of lines that are not etrace's
 * @bad: first line that violates the format, or NULL
 * @keep: keep the lines; otherwise only @line sees them
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
	char *part;		/* an incomplete line */
	size_t part_len;
	size_t part_room;
	bool keep;
	void (*line)(struct et_task *t, const struct et_line *l);
};

void et_trace_init(struct et_trace *tr);
void et_trace_free(struct et_trace *tr);

/* Read what is there now, without waiting for more. @fd must be O_NONBLOCK. */
void et_trace_read(struct et_trace *tr, int fd);
void et_trace_feed(struct et_trace *tr, const char *buf, size_t n);
int et_trace_open(void);

struct et_task *et_trace_upid(struct et_trace *tr, uint64_t upid);
/* The latest task whose upid contains @pid, for upids with 22 bits of the pid. */
struct et_task *et_trace_pid(struct et_trace *tr, pid_t pid);

/* Attribute the calls of io_uring workers to the first thread of the process that they work for. */
void et_trace_fold(struct et_trace *tr);

#define ET_PID_BITS	22

/**
 * struct et_string - a string of an event, reassembled from its lines
 */
struct et_string {
	char *s;
	size_t len;
};

/*
 * Reassemble the string with @tag whose lines begin at line *@i of @t, by the rules of the format
 * (parts, Cont), and move *@i past it. Return: NULL, or a message that says which rule is
 * violated.
 */
const char *et_string_read(const struct et_task *t, size_t *i, const char *tag,
			   struct et_string *out);

/* The same for argument number @n of an execve, which begins at line *@i. */
const char *et_arg_read(const struct et_task *t, size_t *i, unsigned int n,
			struct et_string *out);

/* A copy that can be printed on one line, in one of a few static buffers. */
const char *et_escape(const char *s, size_t len);

/* ---- expect.c: a traced workload and its lines -------------------------- */

/* Directory of the case: empty at first, and the child's working directory. */
extern char et_dir[];

/* Replace the previous case's directory with a new one; et_main() calls it. */
void et_dir_new(void);
/* Create a file in it, before anything is traced. */
void et_file(const char *name);
void et_mkdir(const char *name);
/* The absolute path of a name in it, in one of a few static buffers. */
const char *et_path(const char *name);

/*
 * Run @fn in a child that is traced from its beginning, and compare the lines of the child and
 * all its descendants with the wanted ones. If @fn returns, the child exits with status 0; that
 * line is wanted automatically.
 */
void et_traced(void (*fn)(void));

/*
 * The same, but the caller checks the trace; wanted lines are not compared. Return: the child's
 * pid. The caller must free @tr.
 */
pid_t et_run(void (*fn)(void), struct et_trace *tr);

/*
 * Start a child in its own process group that sleeps until it is killed, at the latest when the
 * caller ends.
 */
pid_t et_sleeper(void);

/*
 * Wait until a task has the state @state in /proc/PID/stat: 'Z' when it has ended. The caller
 * must not be traced.
 */
void et_until_state(pid_t pid, char state);

/*
 * Processes whose parents have ended become children of the test program. et_reap_orphans() waits
 * until all its children have ended, except @own: those that it had before, as listed by
 * et_children().
 */
struct et_children {
	pid_t pid[64];
	size_t nr;
};
void et_children(struct et_children *list);
void et_reap_orphans(const struct et_children *own);

/*
 * The module sees io_uring requests at once, BPF only some time after the first ring was created:
 * wait until it does.
 */
void et_see_rings(void);

/*
 * Names of events and of additional lines of events that exist only with the parameter "extended"
 * and that the program checks, for example "USE CloseRead". et_traced() and et_run() leave out
 * all others of this kind.
 */
extern const char *et_facts;

/* Called for every line that is read, if set. */
extern void (*et_trace_watch)(struct et_task *t, const struct et_line *l);

/* Functions for the child and its descendants, to be called between their system calls: */

/* Want a line of the calling task, its next one. */
void want(const char *fmt, ...) ET_PRINTF(1, 2);
/* Want a line of another task. */
void want_of(pid_t pid, const char *fmt, ...) ET_PRINTF(2, 3);
/* Want a line that is printed only with the parameter "extended". */
void want_extended(const char *fmt, ...) ET_PRINTF(1, 2);
void want_extended_of(pid_t pid, const char *fmt, ...) ET_PRINTF(2, 3);
/* Want the removal of the name @path; @dir: whether it is a directory's. */
void want_unlink(const char *path, int dir);
/*
 * Want an event of the parameter "extended" with one name: the line @line with the name's size
 * and then the fields @fmt, and the name with its @tag. @path: NULL if none.
 */
void want_named(const char *line, const char *tag, const char *path, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* After it: want its failure. @joined: tag of a name taken from user memory, NULL if none. */
void want_named_failed(const char *line, const char *joined, int err);
/* After it: want the same mark for an event that did not fail. */
void want_named_joined(const char *joined);
/* Want "SchedFork|pid=" with the upid of @child. */
void want_fork(pid_t child);
void want_forked(pid_t child);	/* after SYS_fork */
void want_fork_of(pid_t parent, pid_t child);
/* Want the counter to grow by @n in this run, or by any number (ET_ANY); others must not change. */
#define ET_ANY	-1
void want_count(const char *counter, int n);
/* The counter strings_joined: @n strings were taken from user memory. */
void want_joined(int n);
/* Do not compare the lines of this task. */
void want_any(pid_t pid);
/* Fail the case because something is wrong in the child. */
void et_child_fail(const char *file, int line, const char *fmt, ...)
	ET_PRINTF(3, 4);
#define CHILD_FAIL(...)	et_child_fail(__FILE__, __LINE__, __VA_ARGS__)

/* A call that must succeed in the child. Value: the call's. */
#define CHILD_MUST(expr)						\
	({								\
		long ret_ = (long)(expr);				\
									\
		if (ret_ < 0)						\
			CHILD_FAIL("%s: %m", #expr);			\
		ret_;							\
	})
/* A call that must fail in the child, with this error. */
#define CHILD_MUST_FAIL(expr, err)					\
	do {								\
		if ((long)(expr) != -1 || errno != (err))		\
			CHILD_FAIL("%s: %m, but " #err " is due", #expr); \
	} while (0)

/*
 * Waiting that a traced task cannot do itself, because it would have to open files: et_run() does
 * it. Only one task at a time may wait.
 */

/* Wait until process @pid has ended, or its leader if other threads live on. */
void et_until_ended(pid_t pid);
/* Wait until the first process of the workload has ended and been reaped. */
void et_until_root_gone(void);
/*
 * With BPF: wait until the reader has looked up the targets of all links wanted so far, which it
 * does shortly after they are created. The module does it at once.
 */
void et_until_links_read(void);

/* The kernel's name for the file of a descriptor; static buffers. */
const char *et_fd_path(int fd);

#endif /* ETRACE_TEST_H */
