// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds failures while the build runs, as far as known yet.
 *
 * A failure waits for the end of its caller.  If the caller fails, too, it has passed the
 * failure on, and its own caller decides next; if it succeeds, it has ignored the failure.
 * So each failure waits in a list of the process that decides next, and the whole list
 * moves up in one step.
 */
#include "show/top_model.h"
#include "base/container.h"
#include "base/path.h"
#include "base/shquote.h"
#include "base/signame.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of callers that a walk up from a process visits. */
#define DEPTH_MAX	64u

static struct top_program *of_pending(struct top_link *l)
{
	return container_of(l, struct top_program, pending);
}

/* Programs whose status is an answer, not a failure, unless their callers fail because of it. */
static bool status_is_answer(const struct top_program *p)
{
	static const char *const names[] = {
		"test", "[", "grep", "egrep", "fgrep", "diff", "cmp", "expr", "false", "which",
		"pkg-config", "pkgconf", "pgrep", "kill", "command", "getconf", "id",
	};
	const char *name = p->args.len ? path_base(p->args.s) : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Whether a program configures: configure, cmake; but not "cmake --build", "meson compile". */
static bool program_configures(const struct top_program *p)
{
	const char *end = p->args.s + p->args.len;

	if (p->class != WORK_CONFIGURE)
		return false;
	for (const char *at = p->args.s; p->args.len && at < end; at += strlen(at) + 1)
		if (!strcmp(at, "--build") || !strcmp(at, "compile") || !strcmp(at, "install"))
			return false;
	return true;
}

/* Whether a program runs below one that configures. */
static bool is_probe(const struct top_model *m, const struct top_program *p)
{
	p = top_find(m, p->parent);
	for (unsigned int i = 0; p && i < DEPTH_MAX; i++, p = top_find(m, p->parent))
		if (program_configures(p))
			return true;
	return false;
}

/* Whether a signal ended a program in the way that build tools end other jobs after a failure. */
static bool was_stopped(const struct top_program *p)
{
	return p->signal == SIGTERM || p->signal == SIGINT || p->signal == SIGHUP ||
	       p->signal == SIGPIPE;
}

bool top_is_shown(const struct top_program *p)
{
	if (p->fate == TOP_REAL)
		return true;
	return p->fate == TOP_UNDECIDED && !p->question && !p->went_on;
}

static void set_fate(struct top_model *m, struct top_program *p, enum top_fate fate)
{
	m->nshown -= top_is_shown(p);
	p->fate = fate;
	m->nshown += top_is_shown(p);
}

/* Do not count a failure: it will be forgotten like other programs that ended. */
static void ignore_program(struct top_model *m, struct top_program *p)
{
	m->nshown -= top_is_shown(p);
	p->fate = TOP_NO_FAILURE;
	top_list_del(&p->pending);
	top_list_del(&p->by_failure);
	m->nfailures--;
}

/* Find the outermost compiler driver, which people know better than the programs that it ran. */
static void find_driver(const struct top_model *m, struct top_program *p)
{
	const struct top_program *d = top_find(m, p->parent), *driver = NULL;

	for (unsigned int i = 0; d && i < DEPTH_MAX; i++, d = top_find(m, d->parent)) {
		if (d->class != WORK_COMPILE && d->class != WORK_LINK)
			break;
		driver = d;
	}
	if (!driver)
		return;
	buf_add(&p->driver_args, driver->args.s, driver->args.len);
	buf_add(&p->driver_cwd, driver->cwd.s, driver->cwd.len);
}

static void add_failure(struct top_model *m, struct top_program *p, struct top_link *to)
{
	if (m->nfailures == TOP_FAILURES) {
		m->nover++;
		return;
	}
	p->probe = is_probe(m, p);
	p->question = p->probe || status_is_answer(p);
	find_driver(m, p);
	m->nfailures++;
	top_list_add(&p->by_failure, &m->failures);
	top_list_add(&p->pending, to);
	set_fate(m, p, to == &m->failed ? TOP_REAL : TOP_UNDECIDED);
}

/* Drop failures after which the caller continued, if others may be the reason of its failure. */
static void drop_ignored(struct top_model *m, struct top_program *p)
{
	struct top_link *next;
	bool others = false;

	for (struct top_link *l = p->failed.next; l != &p->failed; l = l->next)
		others |= !of_pending(l)->went_on;
	for (struct top_link *l = p->failed.next; others && l != &p->failed; l = next) {
		next = l->next;
		if (of_pending(l)->went_on)
			ignore_program(m, of_pending(l));
	}
}

static void pass_on(struct top_model *m, struct top_program *p, struct top_link *to)
{
	drop_ignored(m, p);
	for (struct top_link *l = p->failed.next; l != &p->failed; l = l->next) {
		struct top_program *f = of_pending(l);

		m->nshown -= top_is_shown(f);
		f->went_on = false;
		/* a probe is a failure only if the configure script itself fails */
		f->probe = f->probe && !program_configures(p);
		if (!f->probe)
			f->fate = TOP_REAL;
		m->nshown += top_is_shown(f);
	}
	top_list_move(&p->failed, to);
}

void top_failed(struct top_model *m, struct top_program *p, struct top_program *parent)
{
	struct top_link *to = parent ? &parent->failed : &m->failed;

	if (!top_list_empty(&p->failed))
		pass_on(m, p, to);
	else if (!(was_stopped(p) && m->nshown))
		add_failure(m, p, to);
}

void top_succeeded(struct top_model *m, struct top_program *p)
{
	while (!top_list_empty(&p->failed))
		ignore_program(m, of_pending(p->failed.next));
}

void top_goes_on(struct top_model *m, struct top_program *p)
{
	if (p->keeps_going)
		return;
	for (struct top_link *l = p->failed.prev; l != &p->failed; l = l->prev) {
		struct top_program *f = of_pending(l);

		/* all failures before this one are already marked */
		if (f->went_on)
			break;
		m->nshown -= top_is_shown(f);
		f->went_on = true;
		m->nshown += top_is_shown(f);
	}
}

/* ---- text ---- */

void top_how_ended(const struct top_program *p, char *buf, size_t size)
{
	if (!p->ended)
		snprintf(buf, size, "running");
	else if (p->signal > 0)
		signal_name((int)p->signal, buf, size);
	else if (p->status >= 0)
		snprintf(buf, size, "exit status %d", (int)p->status);
	else
		snprintf(buf, size, "ended, status unknown");
}

void top_command(const struct buf *args, struct buf *to)
{
	for (const char *at = args->s; args->len && at < args->s + args->len; at += strlen(at) + 1) {
		if (at != args->s)
			buf_addc(to, ' ');
		sh_quote(to, at, strlen(at));
	}
}

void top_failure_text(const struct top_program *p, struct buf *to)
{
	bool driven = p->driver_args.len;
	const struct buf *args = driven ? &p->driver_args : &p->args;
	const struct buf *cwd = driven ? &p->driver_cwd : &p->cwd;
	char how[64];

	top_how_ended(p, how, sizeof(how));
	buf_add(to, p->label.s, p->label.len);
	buf_adds(to, ": ");
	buf_adds(to, how);
	if (!args->len)
		return;
	buf_adds(to, " (");
	top_command(args, to);
	if (cwd->len) {
		buf_adds(to, " in ");
		buf_add(to, cwd->s, cwd->len);
	}
	buf_addc(to, ')');
}
