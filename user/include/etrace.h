/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libetrace: lets other programs read the traces of etrace, and write FXT files.
 *
 * Rules that hold for all functions:
 *  - Nothing here ends the process or prints, and nothing is shared between
 *    handles: different threads may use different handles at the same time.
 *  - Functions that return int return 0 or more on success, and a negative
 *    errno on failure; strerror(-ret) describes it.
 *  - A handle is unusable after -ENOMEM: further calls return -ENOMEM, too, until it is
 *    closed.  Closing it closes its files; memory that was being changed when the
 *    allocation failed is leaked.
 *  - The caller keeps the strings it passes; the library copies what it needs.
 */
#ifndef ETRACE_H
#define ETRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** etrace_version - version of the library, such as "0.1"; a constant */
const char *etrace_version(void);

/* ---- reading what a build did ---- */

/*
 * A trace being read: a recording of etrace, as lines (text of trace_pipe) or
 * as FXT written by etrace, compressed or not.
 *
 *	err = etrace_open(&path, 1, &trace);
 *	while ((err = etrace_next(trace, &ev)) > 0)
 *		...
 *	etrace_close(trace);
 *
 * Memory use depends on the number of live tasks and of unfinished events, not
 * on the length of the trace.
 */
struct etrace;
/* One event; the library owns it, and it is valid until the next call of etrace_next(). */
struct etrace_event;
/* One live task; the library owns it, and it is valid until the next call of etrace_next(). */
struct etrace_task;

/*
 * Kinds of events (ETRACE_K_OPEN), and the values (ETRACE_V_OPEN_fd) and strings
 * (ETRACE_S_OPEN_name) of each.  Numbers do not change.  A later version of the
 * library may have more of them: programs must ignore those that they do not know.
 */
#include <etrace_kinds.h>

/* What a value means. */
enum etrace_means {
	ETRACE_MEANS_FD,	/* a file descriptor */
	ETRACE_MEANS_FLAGS,
	ETRACE_MEANS_MODE,	/* permissions */
	ETRACE_MEANS_STATUS,	/* as waitpid(2) gives it, or an exit status */
	ETRACE_MEANS_SIGNAL,	/* a signal number of x86 */
	ETRACE_MEANS_BOOL,
	ETRACE_MEANS_UPID,	/* a task */
	ETRACE_MEANS_COUNT,
	ETRACE_MEANS_TIME,	/* CLOCK_MONOTONIC in nanoseconds */
	ETRACE_MEANS_DATE,	/* nanoseconds since 1970 */
	ETRACE_MEANS_NUMBER	/* an identifier: of an inode, a device */
};

/* How a string may differ from the name that the kernel resolved. */
enum etrace_marking {
	ETRACE_JOINED,		/* a directory's path with the program's string appended */
	ETRACE_UNREAD,		/* it could not be read */
	ETRACE_CUT,		/* it is incomplete */
	ETRACE_UNTOLD,		/* unknown whether a file has that name */
	ETRACE_OUTSIDE		/* not reachable from the task's root directory */
};

/* -- the schema, which is the same for all traces -- */

/**
 * etrace_kind_name - name of a kind, such as "open"; FXT and JSON use it, too
 * etrace_kind_category - its category, such as "file"
 * etrace_kind_doc - a description of what happened
 *
 * Return: a constant; NULL if there is no such kind.
 */
const char *etrace_kind_name(unsigned int kind);
const char *etrace_kind_category(unsigned int kind);
const char *etrace_kind_doc(unsigned int kind);

/** etrace_kind_number - ETRACE_K_* of the kind with this name.  Return: -ENOENT if none. */
int etrace_kind_number(const char *name);

/**
 * etrace_value_name - name of value @i of a kind, such as "fd"
 * etrace_string_name - name of string @i, such as "path"; ETRACE_ARGS: the argument list
 *
 * Return: a constant; NULL if none, for instance after the last.
 */
const char *etrace_value_name(unsigned int kind, unsigned int i);
const char *etrace_string_name(unsigned int kind, unsigned int i);

/** etrace_value_means - enum etrace_means of a value.  Return: -ENOENT if no such value. */
int etrace_value_means(unsigned int kind, unsigned int i);

/** etrace_marking_name - name such as "joined".  Return: a constant; NULL if none. */
const char *etrace_marking_name(unsigned int marking);

/** etrace_errno_name - name such as "ENOENT".  Return: a constant; NULL if it has no name. */
const char *etrace_errno_name(int error);

/** etrace_signal_name - writes "SIGSEGV" or "signal 40"; 32 bytes are enough */
void etrace_signal_name(int signal, char *buf, size_t size);

/* -- a trace -- */

/**
 * etrace_open - begin to read a trace
 * @paths: its @npaths files; "-" is standard input.  Several files, such as one for
 *	each processor, must be lines; they are merged in time order.
 * @trace: set to the handle, for etrace_close(); to NULL on failure
 *
 * Return: 0; a negative errno of open(2) or read(2); or
 * -EBADMSG: the file is compressed, and cannot be decompressed;
 * -ENODATA: all files are empty;
 * -ENOTSUP: a trace that etrace-read(1) reads, but without events of etrace:
 *	sp-rtrace, SWAP, FXT of another program;
 * -EINVAL: not a trace in a known format; files of different formats; several
 *	FXT files; or no file at all.
 */
int etrace_open(const char *const *paths, size_t npaths, struct etrace **trace);

/**
 * etrace_set_pid_bits - set how many low bits of a upid are the pid
 * @bits: 0 to 32, the module's bits_of_real_pid; 22 if this is not called
 *
 * Return: 0; -EINVAL; -EBUSY after the first event has been read.
 */
int etrace_set_pid_bits(struct etrace *trace, unsigned int bits);

/** etrace_format - format of the files: "etrace" (lines) or "fxt"; a constant */
const char *etrace_format(const struct etrace *trace);

/**
 * etrace_next - the next event, in time order
 * @event: set to the event; to NULL if there is none
 *
 * Return: 1; 0 if there are no more, also in further calls; -ENOMEM; or
 * -ENOTSUP: a newer etrace wrote the trace, with events that this one cannot read.
 * All readable events of a file that is damaged, or ends too early, are returned;
 * etrace_damage() reports what is missing.
 */
int etrace_next(struct etrace *trace, const struct etrace_event **event);

/**
 * etrace_complete - whether nothing has been missing or damaged so far
 *
 * Return: 1 if so; else 0, see etrace_damage().  Call it at the end for the whole trace.
 */
int etrace_complete(const struct etrace *trace);

/**
 * etrace_damage - what has been missing, damaged or worth a note so far
 * @i: 0, 1 and so on
 * @n: set to how often it occurred
 * @damage: set to 1 for damage, to 0 for a note; may be NULL
 *
 * Return: text to print after the number, such as "events lost by the tracer", a constant;
 * NULL if there are no more.
 */
const char *etrace_damage(const struct etrace *trace, unsigned int i, uint64_t *n,
			  int *damage);

/** etrace_close - free the handle with its events and tasks; NULL is allowed */
void etrace_close(struct etrace *trace);

/* -- an event -- */

/** etrace_event_kind - ETRACE_K_*, or a newer kind that this header does not have */
unsigned int etrace_event_kind(const struct etrace_event *event);

/*
 * The task that caused the event: its upid, a number unique in the trace, and the pid
 * contained in it. Both are 0 in events that no task caused: ETRACE_K_LOST, _SESSION and
 * _CONTENT.
 */
uint64_t etrace_event_upid(const struct etrace_event *event);
uint64_t etrace_event_pid(const struct etrace_event *event);
/* Processor number, and the time when the call began: CLOCK_MONOTONIC in nanoseconds. */
uint32_t etrace_event_cpu(const struct etrace_event *event);
uint64_t etrace_event_time(const struct etrace_event *event);

/**
 * etrace_event_value - a value by its number, ETRACE_V_* of the event's kind
 * etrace_event_value_named - a value by its name
 * @v: set to the value if the event has it; values above INT64_MAX wrap to negative
 *
 * Return: 1; 0 if the event does not have it.
 */
int etrace_event_value(const struct etrace_event *event, unsigned int i, int64_t *v);
int etrace_event_value_named(const struct etrace_event *event, const char *name, int64_t *v);

/**
 * etrace_event_string - a string by its number, ETRACE_S_* of the event's kind
 * etrace_event_string_named - a string by its name
 * @len: set to its length in bytes; may be NULL.  The string can contain any byte; a
 *	NUL that is not counted follows it.
 *
 * Return: the string; NULL, with *len 0, if the event does not have it.
 */
const char *etrace_event_string(const struct etrace_event *event, unsigned int i, size_t *len);
const char *etrace_event_string_named(const struct etrace_event *event, const char *name,
				      size_t *len);

/**
 * etrace_event_argc - number of arguments that a program was run with
 * etrace_event_arg - argument @i, from 0 on; @len and Return: see etrace_event_string()
 */
size_t etrace_event_argc(const struct etrace_event *event);
const char *etrace_event_arg(const struct etrace_event *event, size_t i, size_t *len);

/** etrace_event_failed - 1 if the call failed, else 0 */
int etrace_event_failed(const struct etrace_event *event);

/** etrace_event_errno - errno of the call, positive; 0 if it did not fail, or if unknown */
int etrace_event_errno(const struct etrace_event *event);

/** etrace_event_signal - the signal that ended the task; 0 if none, or not an exit event */
int etrace_event_signal(const struct etrace_event *event);

/**
 * etrace_event_markings - markings of string @i, or of the arguments (ETRACE_ARGS)
 *
 * Return: bits 1u << ETRACE_JOINED and so on; 0 if it is the name that the kernel resolved.
 */
unsigned int etrace_event_markings(const struct etrace_event *event, unsigned int i);

/** etrace_event_incomplete - 1 if a part of the event is missing or damaged, else 0 */
int etrace_event_incomplete(const struct etrace_event *event);

/**
 * etrace_event_finding - description of what is wrong with an event
 * @i: 0, 1 and so on
 * @buf: gets the text; its size is @size bytes, 160 are enough
 *
 * Return: 0; -ENOENT, with an empty @buf, if there are no more.
 */
int etrace_event_finding(const struct etrace_event *event, unsigned int i, char *buf,
			 size_t size);

/** etrace_event_late - 1 if the event came too late to be put in time order, else 0 */
int etrace_event_late(const struct etrace_event *event);

/* -- live tasks -- */

/*
 * A task is live from the first event that mentions it up to its exit event,
 * inclusive.  Its program is the one that it runs after the last event that was returned.
 * A task whose exit event was lost is removed when its pid is used again.
 */

/** etrace_task - the live task with a upid.  Return: NULL if none. */
const struct etrace_task *etrace_task(const struct etrace *trace, uint64_t upid);

/** etrace_task_next - the task after @task; NULL gives the first.  Return: NULL after the last. */
const struct etrace_task *etrace_task_next(const struct etrace *trace,
					   const struct etrace_task *task);

uint64_t etrace_task_upid(const struct etrace_task *task);
uint64_t etrace_task_pid(const struct etrace_task *task);

/** etrace_task_parent - *upid is set to the parent task.  Return: 1; 0 if it is unknown. */
int etrace_task_parent(const struct etrace_task *task, uint64_t *upid);

/** etrace_task_process - upid of the task's process, which is that of its first task */
uint64_t etrace_task_process(const struct etrace_task *task);

/** etrace_task_is_thread - 1 if the task is not the first of its process, else 0 */
int etrace_task_is_thread(const struct etrace_task *task);

/** etrace_task_program - base name of its program, "?" if unknown; @len may be NULL */
const char *etrace_task_program(const struct etrace_task *task, size_t *len);

/** etrace_task_since - earliest known time of that program in this task, in nanoseconds */
uint64_t etrace_task_since(const struct etrace_task *task);

/* ---- writing FXT, the Fuchsia trace format ---- */

/*
 * An FXT file being written.  The format is described in Fuchsia's document "Fuchsia
 * trace format".  These functions also keep the rules that viewers add to it, so that
 * etrace-read --check finds nothing wrong with the file.
 */
struct etrace_fxt;

/* Types of events; the numbers are those of the format ("Event Record"). */
enum etrace_fxt_type {
	ETRACE_FXT_INSTANT,
	ETRACE_FXT_COUNTER,
	ETRACE_FXT_DURATION_BEGIN,
	ETRACE_FXT_DURATION_END,
	ETRACE_FXT_DURATION_COMPLETE,
	ETRACE_FXT_ASYNC_BEGIN,
	ETRACE_FXT_ASYNC_INSTANT,
	ETRACE_FXT_ASYNC_END,
	ETRACE_FXT_FLOW_BEGIN,
	ETRACE_FXT_FLOW_STEP,
	ETRACE_FXT_FLOW_END
};

enum etrace_fxt_arg_type {
	ETRACE_FXT_ARG_NULL,	/* no value */
	ETRACE_FXT_ARG_INT,	/* @i */
	ETRACE_FXT_ARG_UINT,	/* @u, below 2^63 */
	ETRACE_FXT_ARG_DOUBLE,	/* @d */
	ETRACE_FXT_ARG_STRING,	/* @s, UTF-8 */
	ETRACE_FXT_ARG_POINTER	/* @u, an address */
};

/* An argument; the names within one event must differ. */
struct etrace_fxt_arg {
	const char *name;
	enum etrace_fxt_arg_type type;
	union {
		int64_t i;
		uint64_t u;
		double d;
		const char *s;
	};
};

struct etrace_fxt_event {
	enum etrace_fxt_type type;
	uint64_t time;		/* nanoseconds, below 2^63 */
	uint64_t process;	/* this and the thread: ids the caller chooses, 1 to 2^32 - 1 */
	uint64_t thread;
	const char *category;
	const char *name;
	/*
	 * Complete duration: its end in nanoseconds.  Counter: its id.
	 * Async and flow events: an id shared by events that belong together.
	 */
	uint64_t value;
};

/**
 * etrace_fxt_create - begin a file
 * @path: name of the file; it is compressed if this ends in .gz or .zst.  The file
 *	appears, with mode 0600, when etrace_fxt_close() returns 0 or -EINVAL; an older
 *	file stays until then.  If @path is not a regular file, it is written directly.
 * @provider: name of the program that writes, at most 255 bytes
 * @fxt: set to the handle, for etrace_fxt_close(); to NULL on failure
 *
 * Return: 0; a negative errno of open(2); -EBUSY if another process is writing the file;
 * -EINVAL if the provider's name is too long, or not UTF-8.
 */
int etrace_fxt_create(const char *path, const char *provider, struct etrace_fxt **fxt);

/**
 * etrace_fxt_process - name a process
 * etrace_fxt_thread - name a thread, before its first event
 *
 * Return: 0; -E2BIG if the name has more than 31,999 bytes; -EINVAL if it is not UTF-8, or
 * an id is 0 or above 32 bits, and nothing was written; or a negative errno of write(2),
 * after which nothing more can be written.
 */
int etrace_fxt_process(struct etrace_fxt *fxt, uint64_t process, const char *name);
int etrace_fxt_thread(struct etrace_fxt *fxt, uint64_t process, uint64_t thread,
		      const char *name);

/**
 * etrace_fxt_event - write an event
 * @args: its @nargs arguments, at most 15
 *
 * Return: 0; a negative errno of write(2), after which nothing more can be written; or,
 * with this event not written,
 * -E2BIG: a string has more than 31,999 bytes, or there are too many arguments;
 * -EINVAL: etrace-read --check would reject the event: unknown type, id or time out of
 *	bounds, text not UTF-8, two arguments with one name, a complete duration that ends
 *	before it begins, an instant with "frame" in its name, or a counter with an argument
 *	that is not a number or whose name another counter has used.
 */
int etrace_fxt_event(struct etrace_fxt *fxt, const struct etrace_fxt_event *event,
		     const struct etrace_fxt_arg *args, unsigned int nargs);

/**
 * etrace_fxt_close - write the remaining data and free the handle; NULL is allowed
 *
 * Return: 0; the first negative errno of write(2); or -EINVAL: the file was written, but
 * --check would reject the order of its events: a duration without an end, durations that
 * overlap without nesting, an async or flow event without its begin.  This check keeps the
 * last million events in memory.
 */
int etrace_fxt_close(struct etrace_fxt *fxt);

#ifdef __cplusplus
}
#endif

#endif
