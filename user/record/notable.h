/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a person is to be told of the tasks of a recording: how many processes
 * there were, who was killed, who did what is not recorded or lost records, and
 * what those are called that live on.  Fed with the events in order, whichever
 * backend they come from.
 *
 * Memory: the live tasks.
 */
#ifndef ETRACE_NOTABLE_H
#define ETRACE_NOTABLE_H

#include "event/event.h"
#include "record/live.h"

/* So many are kept of each kind; further ones are only counted. */
#define NOTABLE_MAX	16u

/* A task that something happened to. */
struct notable_task {
	uint64_t upid;
	int64_t signal;		/* that ended it; 0: none did */
	bool core;		/* and it left a core */
	char program[32];	/* base name of what it ran, "?" if not known */
};

struct notable_list {
	uint64_t n;		/* how often it happened */
	unsigned int ntasks;	/* the first of them, in @task */
	struct notable_task task[NOTABLE_MAX];
};

/* Records of a task that did not reach the ring buffer. */
struct notable_loss {
	uint64_t upid;
	uint64_t since;		/* time of the first of them, ns */
	uint64_t until;		/* time at which the task said so, ns */
	uint64_t count;
	char program[32];	/* as in struct notable_task */
};

struct notable_losses {
	uint64_t records;	/* that tasks said they lost */
	uint64_t n;		/* how often they said so */
	struct notable_loss loss[NOTABLE_MAX];	/* the first of them */
};

struct notable;

/** notable_new - nothing has come yet; @pid_bits as the module's bits_of_real_pid */
struct notable *notable_new(unsigned int pid_bits);
void notable_free(struct notable *n);

/** notable_event - one event, in the order of time */
void notable_event(struct notable *n, const struct et_event *ev);

/** notable_killed - processes that a signal ended */
const struct notable_list *notable_killed(const struct notable *n);

/** notable_failed - how many processes ended with another status than 0, or by a signal */
uint64_t notable_failed(const struct notable *n);

/** notable_urings - io_urings that were set up; a task is listed once */
const struct notable_list *notable_urings(const struct notable *n);

/** notable_losses - records that tasks lost */
const struct notable_losses *notable_losses(const struct notable *n);

/** notable_processes - that were seen, as a report counts them: no threads */
uint64_t notable_processes(const struct notable *n);
/** notable_processes_now - of them, those that live */
uint64_t notable_processes_now(const struct notable *n);

/** notable_follow - notable_live() will be asked; before the first event */
void notable_follow(struct notable *n);
/** notable_live - what goes on at a time, see live_look() */
void notable_live(const struct notable *n, uint64_t time, struct live_now *now);

/**
 * notable_program - what a process that lives runs
 * @buf: filled with its base name, control characters as '?'; "?" if it is not known
 *
 * Return: false if by the events no process of that upid lives: it has ended, or
 * is a thread of one, or nothing of it has come.
 */
bool notable_program(struct notable *n, uint64_t upid, char *buf, size_t size);

#endif
