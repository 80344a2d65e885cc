/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libetrace: traces of etrace for other programs.
 *
 * Rules that hold for all functions:
 *  - Nothing here ends the process or prints, and nothing is shared between
 *    handles: different threads may use different handles at the same time.
 *  - Functions that return int return 0 or more when they succeed, and a
 *    negative errno when they do not; strerror(-ret) tells it in words.
 *  - -ENOMEM kills a handle: whatever is done with it afterwards but to close
 *    it returns -ENOMEM, too.  Files are closed with it; memory that was in the
 *    middle of a change when it ran out is not given back.
 *  - Strings given to a function stay the caller's, and are copied if needed.
 */
#ifndef ETRACE_H
#define ETRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** etrace_version - of the library, as "0.1"; a constant */
const char *etrace_version(void);

/* ---- reading what a build did ---- */

/*
 * A trace that is being read: what etrace recorded, as lines (text of
 * trace_pipe) or as FXT that etrace wrote, compressed or not.
 *
 *	err = etrace_open(&path, 1, &trace);
 *	while ((err = etrace_next(trace, &ev)) > 0)
 *		...
 *	etrace_close(trace);
 *
 * Memory: what is open at once in the trace, and the tasks that live; not its
 * length.
 */
struct etrace;
/* One event; etrace's, and valid until the next call of etrace_next(). */
struct etrace_event;
/* One task that lives; etrace's, and valid until the next call of etrace_next(). */
struct etrace_task;

/*
 * Kinds of events, ETRACE_K_OPEN, and of each its values, ETRACE_V_OPEN_fd, and
 * its strings, ETRACE_S_OPEN_name.  Numbers do not change.  A later version of
 * the library may have more of them: a program passes over what it does not
 * know.
 */
#include <etrace_kinds.h>

/* What a value means. */
enum etrace_means {
	ETRACE_MEANS_FD,	/* a file descriptor */
	ETRACE_MEANS_FLAGS,
	ETRACE_MEANS_MODE,	/* permissions */
	ETRACE_MEANS_STATUS,	/* as waitpid(2) gives it, or an exit status */
	ETRACE_MEANS_SIGNAL,	/* its number, as x86 counts them */
	ETRACE_MEANS_BOOL,
	ETRACE_MEANS_UPID,	/* a task */
	ETRACE_MEANS_COUNT,
	ETRACE_MEANS_TIME,	/* CLOCK_MONOTONIC in nanoseconds */
	ETRACE_MEANS_DATE,	/* nanoseconds since 1970 */
	ETRACE_MEANS_NUMBER	/* of a thing: an inode, a device */
};

/* What a string may be that is not the name that the kernel resolved. */
enum etrace_marking {
	ETRACE_JOINED,		/* the user's string behind a directory's path */
	ETRACE_UNREAD,		/* it could not be read */
	ETRACE_CUT,		/* it is not whole */
	ETRACE_UNTOLD,		/* whether there is one is not known */
	ETRACE_OUTSIDE		/* no path from the task's root directory */
};

/* -- the schema, which is the same for all traces -- */

/**
 * etrace_kind_name - "open"; the one that FXT and JSON have, too
 * etrace_kind_category - "file"
 * etrace_kind_doc - what happened, in words
 *
 * Return: a constant; NULL: there is no such kind.
 */
const char *etrace_kind_name(unsigned int kind);
const char *etrace_kind_category(unsigned int kind);
const char *etrace_kind_doc(unsigned int kind);

/** etrace_kind_number - that of a name.  Return: -ENOENT: there is none. */
int etrace_kind_number(const char *name);

/**
 * etrace_value_name - "fd", of value @i of a kind
 * etrace_string_name - "path", of string @i; ETRACE_ARGS is the argument list's
 *
 * Return: a constant; NULL: there is none, as behind the last.
 */
const char *etrace_value_name(unsigned int kind, unsigned int i);
const char *etrace_string_name(unsigned int kind, unsigned int i);

/** etrace_value_means - enum etrace_means.  Return: -ENOENT: there is no such value. */
int etrace_value_means(unsigned int kind, unsigned int i);

/** etrace_marking_name - "joined".  Return: a constant; NULL: there is none. */
const char *etrace_marking_name(unsigned int marking);

/** etrace_errno_name - "ENOENT".  Return: a constant; NULL: it has no name. */
const char *etrace_errno_name(int error);

/** etrace_signal_name - "SIGSEGV" or "signal 40"; 32 bytes are enough */
void etrace_signal_name(int signal, char *buf, size_t size);

/* -- a trace -- */

/**
 * etrace_open - begin to read a trace
 * @paths: its @npaths files; "-" is standard input.  Several, as those of the
 *	processors, are one trace of lines, which is put in order of time.
 * @trace: set to the handle, for etrace_close(); to NULL on failure
 *
 * Return: 0; what open(2) or read(2) says; or
 * -EBADMSG: it is compressed, and cannot be expanded;
 * -ENODATA: all files are empty;
 * -ENOTSUP: a trace that etrace-read(1) reads, but that has no events of etrace:
 *	sp-rtrace, SWAP, FXT of somebody else;
 * -EINVAL: no trace in a known format; files of different formats; several FXT
 *	files; or no file at all.
 */
int etrace_open(const char *const *paths, size_t npaths, struct etrace **trace);

/**
 * etrace_set_pid_bits - how many low bits of a upid are the pid
 * @bits: 0 to 32; 22 if this is not called, as the module's bits_of_real_pid
 *
 * Return: 0; -EINVAL; -EBUSY: the first event has been read.
 */
int etrace_set_pid_bits(struct etrace *trace, unsigned int bits);

/** etrace_format - of the files: "etrace" (lines) or "fxt"; a constant */
const char *etrace_format(const struct etrace *trace);

/**
 * etrace_next - the next event, in the order of time
 * @event: set to it; to NULL if there is none
 *
 * Return: 1; 0: there are no more, and further calls say so again; -ENOMEM; or
 * -ENOTSUP: it was written by a newer etrace, whose events this one cannot read.
 * A file that is damaged, or ends too early, gives the events that can be had of
 * it: what is missing is told by etrace_damage().
 */
int etrace_next(struct etrace *trace, const struct etrace_event **event);

/**
 * etrace_complete - whether nothing was missing or damaged up to now
 *
 * Return: 1; or 0: see etrace_damage(); asked at the end, it tells of the trace.
 */
int etrace_complete(const struct etrace *trace);

/**
 * etrace_damage - what was missing, damaged or worth a note up to now
 * @i: 0, 1 and so on
 * @n: set to how often
 * @damage: set to 1, or to 0 if it is a note only; may be NULL
 *
 * Return: text as it follows a number, "events lost by the tracer", a constant;
 * NULL: there is no more.
 */
const char *etrace_damage(const struct etrace *trace, unsigned int i, uint64_t *n,
			  int *damage);

/** etrace_close - free the handle and all that is its; NULL is allowed */
void etrace_close(struct etrace *trace);

/* -- an event -- */

/** etrace_event_kind - ETRACE_K_*, or one that this header does not know */
unsigned int etrace_event_kind(const struct etrace_event *event);

/*
 * Who made it: a number that is unique in the trace, and the pid in it.  0 in
 * events that no task makes, ETRACE_K_LOST and ETRACE_K_SESSION.
 */
uint64_t etrace_event_upid(const struct etrace_event *event);
uint64_t etrace_event_pid(const struct etrace_event *event);
/* On which processor, and when it began: CLOCK_MONOTONIC in nanoseconds. */
uint32_t etrace_event_cpu(const struct etrace_event *event);
uint64_t etrace_event_time(const struct etrace_event *event);

/**
 * etrace_event_value - a value by its number, which is one of the event's kind
 * etrace_event_value_named - by its name
 * @v: set to it, if it is there; one above INT64_MAX as its two's complement
 *
 * Return: 1; 0: the event has none.
 */
int etrace_event_value(const struct etrace_event *event, unsigned int i, int64_t *v);
int etrace_event_value_named(const struct etrace_event *event, const char *name, int64_t *v);

/**
 * etrace_event_string - a string by its number, which is one of the event's kind
 * etrace_event_string_named - by its name
 * @len: set to its bytes; may be NULL.  Any byte can be in it; a NUL that does
 *	not count stands behind.
 *
 * Return: the string; NULL: the event has none, and *len is 0.
 */
const char *etrace_event_string(const struct etrace_event *event, unsigned int i, size_t *len);
const char *etrace_event_string_named(const struct etrace_event *event, const char *name,
				      size_t *len);

/**
 * etrace_event_argc - how many arguments a program was run with
 * etrace_event_arg - argument @i, from 0 on, as etrace_event_string()
 */
size_t etrace_event_argc(const struct etrace_event *event);
const char *etrace_event_arg(const struct etrace_event *event, size_t i, size_t *len);

/** etrace_event_failed - 1: the call failed.  0: it did not. */
int etrace_event_failed(const struct etrace_event *event);

/** etrace_event_errno - its errno, positive; 0: it did not fail, or it is not told */
int etrace_event_errno(const struct etrace_event *event);

/** etrace_event_signal - the signal that ended the task; 0: none, or no such event */
int etrace_event_signal(const struct etrace_event *event);

/**
 * etrace_event_markings - what string @i, or ETRACE_ARGS, is
 *
 * Return: bits 1u << ETRACE_JOINED and so on; 0: it is what the kernel resolved.
 */
unsigned int etrace_event_markings(const struct etrace_event *event, unsigned int i);

/** etrace_event_incomplete - 1: something of it is missing or damaged.  0: it is whole. */
int etrace_event_incomplete(const struct etrace_event *event);

/**
 * etrace_event_finding - what is wrong with it, in words
 * @i: 0, 1 and so on
 * @buf: filled, in @size bytes; 160 are enough
 *
 * Return: 0; -ENOENT: no more is known, and @buf is empty.
 */
int etrace_event_finding(const struct etrace_event *event, unsigned int i, char *buf,
			 size_t size);

/** etrace_event_late - 1: it came too late to be put in the order of time.  0: it did not. */
int etrace_event_late(const struct etrace_event *event);

/* -- the tasks that live -- */

/*
 * A task lives from the first event that tells of it, and up to and with its
 * exit event: its program is that of after the last event, also after an exec.
 * One whose end was lost goes when its pid comes again.
 */

/** etrace_task - the one with a upid.  Return: NULL: none lives. */
const struct etrace_task *etrace_task(const struct etrace *trace, uint64_t upid);

/** etrace_task_next - one after the other; the first: @task is NULL.  Return: NULL: no more. */
const struct etrace_task *etrace_task_next(const struct etrace *trace,
					   const struct etrace_task *task);

uint64_t etrace_task_upid(const struct etrace_task *task);
uint64_t etrace_task_pid(const struct etrace_task *task);

/** etrace_task_parent - 1, and *upid is who made it.  0: that is not known. */
int etrace_task_parent(const struct etrace_task *task, uint64_t *upid);

/** etrace_task_process - upid of its process: of the task that this began as */
uint64_t etrace_task_process(const struct etrace_task *task);

/** etrace_task_is_thread - 1: it is one of the other threads of its process.  0: it is not. */
int etrace_task_is_thread(const struct etrace_task *task);

/** etrace_task_program - base name of what it runs, "?" if not known; as strings above */
const char *etrace_task_program(const struct etrace_task *task, size_t *len);

/** etrace_task_since - when that began, as far as the trace tells, in nanoseconds */
uint64_t etrace_task_since(const struct etrace_task *task);

/* ---- writing FXT, the Fuchsia trace format ---- */

/*
 * A file of FXT that is being written: the documents are those of Fuchsia,
 * "Fuchsia trace format"; what viewers want beyond them is kept here, so that
 * etrace-read --check finds nothing wrong with what is written.
 */
struct etrace_fxt;

/* Types of events; the values are those of the format ("Event Record"). */
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

/* An argument; names within one event must differ. */
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
	uint64_t process;	/* ids of the caller's choice, not 0, below 2^32 */
	uint64_t thread;
	const char *category;
	const char *name;
	/*
	 * Of a complete duration the end, in nanoseconds; of a counter its id;
	 * of async and flow events what those that belong together share.
	 */
	uint64_t value;
};

/**
 * etrace_fxt_create - begin a file
 * @path: its name, .gz or .zst at the end compress.  A file is there, with mode 0600,
 *	when etrace_fxt_close() has said 0 or -EINVAL; what was there stays until then.
 *	What is no file is written to.
 * @provider: name of who writes, at most 255 bytes
 * @fxt: set to the handle, for etrace_fxt_close(); to NULL on failure
 *
 * Return: 0; or what open(2) says; -EBUSY: somebody else is writing it; -EINVAL if the
 * provider's name is too long, or not UTF-8.
 */
int etrace_fxt_create(const char *path, const char *provider, struct etrace_fxt **fxt);

/**
 * etrace_fxt_process - name a process
 * etrace_fxt_thread - name a thread, before its first event
 *
 * Return: 0; -E2BIG: a name has more than 31,999 bytes; -EINVAL: it is not UTF-8, or an
 * id is 0 or above 32 bits, and nothing was written; or an errno of write(2), from which
 * the file does not recover.
 */
int etrace_fxt_process(struct etrace_fxt *fxt, uint64_t process, const char *name);
int etrace_fxt_thread(struct etrace_fxt *fxt, uint64_t process, uint64_t thread,
		      const char *name);

/**
 * etrace_fxt_event - write an event
 * @args: its @nargs arguments, at most 15
 *
 * Return: 0; -E2BIG: a string has more than 31,999 bytes, or there are too many
 * arguments, and nothing was written; -EINVAL: etrace-read --check would call it broken,
 * and nothing was written: a type is none of the above, an id or a time is out of its
 * bounds, a text is not UTF-8, two arguments have one name, a complete duration ends
 * before it begins, an instant has "frame" in its name, a counter has an argument that is
 * no number or is another counter's; or an errno of write(2), from which the file does
 * not recover.
 */
int etrace_fxt_event(struct etrace_fxt *fxt, const struct etrace_fxt_event *event,
		     const struct etrace_fxt_arg *args, unsigned int nargs);

/**
 * etrace_fxt_close - write what is left and free the handle; NULL is allowed
 *
 * Return: 0, or the first errno of write(2) that there was; -EINVAL: the file is there,
 * but --check would call the order of its events broken: a duration without an end, one
 * that another one cuts, an async or flow event without its begin.  The last million
 * events are kept in memory to know that.
 */
int etrace_fxt_close(struct etrace_fxt *fxt);

#ifdef __cplusplus
}
#endif

#endif
