/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of whichever backend can be had: the kernel module, or BPF
 * programs. The table of backends is in session.c; who uses a session knows no
 * more of its backend than its name.
 */
#ifndef ETRACE_SESSION_H
#define ETRACE_SESSION_H

#include "module/rec_session.h"

struct session;

struct backend {
	const char *name;
	/**
	 * open - a session that traces nothing yet
	 * @verbose: tell where it comes from
	 * @why: on failure, what is wrong and what to do, for a person
	 */
	void *(*open)(const struct rec_options *opt, bool verbose, struct sink *sink,
		      char *why, size_t size);
	void (*close)(void *s);
	int (*add)(void *s, pid_t pid);
	/* In a child that waits for its start: it must not keep the session. */
	void (*forget)(void *s);
	/* No traced task lives. */
	bool (*idle)(void *s);
	/* Hung up when no traced task lives; -1: ask idle() now and then. */
	int (*idle_fd)(void *s);
	int (*tasks)(void *s, struct etrace_task_info **list);
	/* What becomes readable when a buffer fills. */
	unsigned int (*npoll)(void *s);
	void (*poll)(void *s, struct pollfd *fds);
	/* Read what is there. Return: true if more was left for the next call. */
	bool (*pump)(void *s);
	/* How full the fullest buffer was at the last pump(), in percent. */
	unsigned int (*level)(void *s);
	int (*stop)(void *s);
	int (*account)(void *s, struct rec_account *a);
	const struct rec_tally *(*tally)(void *s);
	/* A task that was there before tracing began. */
	void (*present)(void *s, uint64_t upid, const char *program, bool process);
	unsigned int (*pid_bits)(void *s);
	/* What it polls is not ready before somebody should look. */
	bool wakes_for_a_reason;
};

/** backends - the table, in the order in which "auto" tries them; ends with NULL */
extern const struct backend *const backends[];

struct session {
	const struct backend *backend;
	void *s;
};

/** backend_known - whether there is one of that name, or it is "auto" */
bool backend_known(const char *name);

/**
 * session_open - a session of a backend
 * @name: its name; "auto" or NULL: the first that can be had
 * @verbose: tell which one, and why not those before it
 * @why: on failure, what is wrong with each, for a person
 */
bool session_open(struct session *s, const char *name, const struct rec_options *opt,
		  bool verbose, struct sink *sink, char *why, size_t size);

/** session_close - end it, if there is one */
void session_close(struct session *s);

#endif
