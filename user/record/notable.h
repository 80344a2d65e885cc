/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Collects what to report about the tasks of a recording: the number of processes, and
 * which of them were killed, did something that is not recorded, lost records, or are
 * still alive.  It gets the events in order, from any backend.
 *
 * Memory: proportional to the number of live tasks.
 */
#ifndef ETRACE_NOTABLE_H
#define ETRACE_NOTABLE_H

#include "event/event.h"
#include "record/live.h"

/* Upper limit of the tasks kept of each kind; further ones are only counted. */
#define NOTABLE_MAX	16u

/* A task to which something happened. */
struct notable_task {
	uint64_t upid;
	int64_t signal;		/* signal that ended it, 0 if none */
	bool core;		/* it dumped core */
	char program[32];	/* base name of what it ran, "?" if unknown */
};

struct notable_list {
	uint64_t n;		/* how often it happened */
	unsigned int ntasks;	/* number of tasks in @task, the first ones */
	struct notable_task task[NOTABLE_MAX];
};

/* Records of a task that did not reach the ring buffer. */
struct notable_loss {
	uint64_t upid;
	uint64_t since;		/* time of the first of them, ns */
	uint64_t until;		/* time of the task's loss record, ns */
	uint64_t count;
	char program[32];	/* as in struct notable_task */
};

struct notable_losses {
	uint64_t records;	/* sum of the counts in all loss records */
	uint64_t n;		/* number of loss records */
	struct notable_loss loss[NOTABLE_MAX];	/* the first of them */
};

struct notable;

/** notable_new - create a collector; @pid_bits is the module's bits_of_real_pid */
struct notable *notable_new(unsigned int pid_bits);
void notable_free(struct notable *n);

/** notable_event - add one event, in time order */
void notable_event(struct notable *n, const struct et_event *ev);

/** notable_killed - processes that a signal ended */
const struct notable_list *notable_killed(const struct notable *n);

/** notable_failed - number of processes that ended with a status other than 0, or by a signal */
uint64_t notable_failed(const struct notable *n);

/** notable_urings - io_urings that were set up; a task is listed once */
const struct notable_list *notable_urings(const struct notable *n);

/** notable_losses - records that tasks lost */
const struct notable_losses *notable_losses(const struct notable *n);

/** notable_processes - processes seen so far, without threads, as a report counts them */
uint64_t notable_processes(const struct notable *n);
/** notable_processes_now - processes that live now */
uint64_t notable_processes_now(const struct notable *n);

/** notable_follow - call before the first event if notable_live() will be used */
void notable_follow(struct notable *n);
/** notable_live - the state at @time, see live_look() */
void notable_live(const struct notable *n, uint64_t time, struct live_now *now);

/**
 * notable_program - the program that a live process runs
 * @buf: set to its base name, with '?' for control characters; "?" if unknown
 *
 * Return: false if the events show no live process with that upid: it has ended, it is
 * a thread, or it has had no event yet.
 */
bool notable_program(struct notable *n, uint64_t upid, char *buf, size_t size);

#endif
