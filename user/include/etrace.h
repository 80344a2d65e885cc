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
 * @path: its name, .gz or .zst at the end compress; what was in it is lost
 * @provider: name of who writes, at most 255 bytes
 * @fxt: set to the handle, for etrace_fxt_close(); to NULL on failure
 *
 * Return: 0; or what open(2) says; -EINVAL if the provider's name is too long.
 */
int etrace_fxt_create(const char *path, const char *provider, struct etrace_fxt **fxt);

/**
 * etrace_fxt_process - name a process
 * etrace_fxt_thread - name a thread, before its first event
 *
 * Return: 0; -E2BIG: a name has more than 31,999 bytes; or an errno of write(2),
 * from which the file does not recover.
 */
int etrace_fxt_process(struct etrace_fxt *fxt, uint64_t process, const char *name);
int etrace_fxt_thread(struct etrace_fxt *fxt, uint64_t process, uint64_t thread,
		      const char *name);

/**
 * etrace_fxt_event - write an event
 * @args: its @nargs arguments, at most 15
 *
 * Return: 0; -E2BIG: a string has more than 31,999 bytes, or there are too many
 * arguments, and nothing was written; -EINVAL: a type is none of the above; or
 * an errno of write(2), from which the file does not recover.
 */
int etrace_fxt_event(struct etrace_fxt *fxt, const struct etrace_fxt_event *event,
		     const struct etrace_fxt_arg *args, unsigned int nargs);

/**
 * etrace_fxt_close - write what is left and free the handle; NULL is allowed
 *
 * Return: 0, or the first errno of write(2) that there was.
 */
int etrace_fxt_close(struct etrace_fxt *fxt);

#ifdef __cplusplus
}
#endif

#endif
