// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the trace_pipe of the tests' instance, whose option context-info is off, and sorts its
 * lines by task. A line violates the format unless it is etrace's or ftrace's report of lost
 * events; the first such line is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etrace_test.h"

static void *grown(void *p, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return p;
	*room = need * 2;
	p = realloc(p, *room * size);
	if (!p)
		DIE("out of memory");
	return p;
}

void et_trace_init(struct et_trace *tr)
{
	memset(tr, 0, sizeof(*tr));
	tr->keep = true;
}

void et_trace_free(struct et_trace *tr)
{
	size_t i, j;

	for (i = 0; i < tr->nr; i++) {
		for (j = 0; j < tr->task[i].nr; j++)
			free(tr->task[i].line[j].text);
		free(tr->task[i].line);
	}
	free(tr->task);
	free(tr->hash);
	free(tr->bad);
	free(tr->part);
	et_trace_init(tr);
}

static size_t *hash_slot(struct et_trace *tr, uint64_t upid)
{
	size_t i = (upid ^ upid >> 22) * 0x9e3779b97f4a7c15ULL % tr->hash_room;

	while (tr->hash[i] && tr->task[tr->hash[i] - 1].upid != upid)
		i = (i + 1) % tr->hash_room;
	return &tr->hash[i];
}

static void rehash(struct et_trace *tr)
{
	size_t i;

	tr->hash_room = tr->hash_room ? tr->hash_room * 4 : 64;
	free(tr->hash);
	tr->hash = calloc(tr->hash_room, sizeof(*tr->hash));
	if (!tr->hash)
		DIE("out of memory");
	for (i = 0; i < tr->nr; i++)
		*hash_slot(tr, tr->task[i].upid) = i + 1;
}

struct et_task *et_trace_upid(struct et_trace *tr, uint64_t upid)
{
	size_t n = tr->hash_room ? *hash_slot(tr, upid) : 0;

	return n ? &tr->task[n - 1] : NULL;
}

struct et_task *et_trace_pid(struct et_trace *tr, pid_t pid)
{
	struct et_task *found = NULL;
	size_t i;

	for (i = 0; i < tr->nr; i++) {
		struct et_task *t = &tr->task[i];

		if ((pid_t)(t->upid & ((1 << ET_PID_BITS) - 1)) == pid &&
		    (!found || t->upid > found->upid))
			found = t;
	}
	return found;
}

static struct et_task *task_add(struct et_trace *tr, uint64_t upid)
{
	struct et_task *t = et_trace_upid(tr, upid);

	if (t)
		return t;
	tr->task = grown(tr->task, &tr->room, tr->nr + 1, sizeof(*tr->task));
	t = &tr->task[tr->nr++];
	memset(t, 0, sizeof(*t));
	t->upid = upid;
	if (tr->nr * 2 > tr->hash_room)
		rehash(tr);
	else
		*hash_slot(tr, upid) = tr->nr;
	return t;
}

/* Parse a decimal number without sign, padding or leading zeros, which @end terminates. */
static const char *number(const char *s, uint64_t *n, char end)
{
	const char *p = s;

	*n = 0;
	while (*p >= '0' && *p <= '9') {
		if (*n > (UINT64_MAX - (*p - '0')) / 10)
			return NULL;
		*n = *n * 10 + (*p++ - '0');
	}
	if (p == s || (*s == '0' && p > s + 1) || *p != end)
		return NULL;
	return p + 1;
}

static void bad_line(struct et_trace *tr, const char *s, size_t len,
		     const char *why)
{
	if (tr->bad)
		return;
	if (asprintf(&tr->bad, "%s: '%s'", why, et_escape(s, len)) < 0)
		DIE("out of memory");
}

/* @s[@len] is a null byte. */
static void feed_line(struct et_trace *tr, const char *s, size_t len)
{
	uint64_t upid, cpu, sec, nsec;
	unsigned long lost;
	struct et_line l;
	struct et_task *t;
	const char *p = s;

	tr->lines++;
	if (*s == 'C' && sscanf(s, "CPU:%*d [LOST %lu EVENTS]", &lost) == 1) {
		tr->lost += lost;
		return;
	}
	if (!strncmp(s, "etrace_", 7)) {
		p += 7;
		while ((*p >= 'a' && *p <= 'z') || *p == '_')
			p++;
		if (p[0] != ':' || p[1] != ' ') {
			bad_line(tr, s, len, "no such event");
			return;
		}
		p += 2;
	}
	if (!(p = number(p, &upid, ',')) || !(p = number(p, &cpu, ',')) ||
	    !(p = number(p, &sec, ',')) || !(p = number(p, &nsec, '!'))) {
		tr->foreign++;
		bad_line(tr, s, len, "not an etrace line");
		return;
	}
	if (upid > INT64_MAX || nsec >= 1000000000 ||
	    cpu >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF)) {
		bad_line(tr, s, len, "number out of range");
		return;
	}
	l.time = sec * 1000000000 + nsec;
	l.cpu = cpu;
	l.text = (char *)p;
	l.len = s + len - p;

	t = task_add(tr, upid);
	/* so that sorting by time keeps the order in which a task's lines were printed */
	if (l.time <= t->last)
		bad_line(tr, s, len, "a task's line is not later than the one before");
	t->last = l.time;
	if (tr->line)
		tr->line(t, &l);
	if (!tr->keep)
		return;
	t->line = grown(t->line, &t->room, t->nr + 1, sizeof(*t->line));
	t->line[t->nr] = l;
	t->line[t->nr].text = malloc(l.len + 1);
	if (!t->line[t->nr].text)
		DIE("out of memory");
	memcpy(t->line[t->nr].text, l.text, l.len + 1);
	t->nr++;
}

void et_trace_feed(struct et_trace *tr, const char *buf, size_t n)
{
	size_t from = 0;
	char *nl;

	tr->part = grown(tr->part, &tr->part_room, tr->part_len + n + 1, 1);
	memcpy(tr->part + tr->part_len, buf, n);
	tr->part_len += n;
	while ((nl = memchr(tr->part + from, '\n', tr->part_len - from))) {
		*nl = '\0';
		feed_line(tr, tr->part + from, nl - (tr->part + from));
		from = nl + 1 - tr->part;
	}
	memmove(tr->part, tr->part + from, tr->part_len - from);
	tr->part_len -= from;
}

void et_trace_read(struct et_trace *tr, int fd)
{
	static char buf[1 << 16];
	ssize_t n;

	for (;;) {
		n = read(fd, buf, sizeof(buf));
		if (n <= 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		et_trace_feed(tr, buf, n);
	}
	if (n < 0 && errno != EAGAIN)
		DIE("trace_pipe: %m");
	/* The file may end with a line that is still being written. */
	if (tr->part_len && !et_bpf())
		bad_line(tr, tr->part, tr->part_len, "line without end");
}

static int by_time(const void *a, const void *b)
{
	const struct et_line *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Move the lines of @from, a thread that has joined, to @to, except those of its begin and end. */
static void fold(struct et_task *to, struct et_task *from)
{
	bool joined = false;
	size_t i;

	for (i = 0; i < from->nr; i++) {
		struct et_line *l = &from->line[i];

		if (joined && strncmp(l->text, "Exit|", 5)) {
			to->line = grown(to->line, &to->room, to->nr + 1, sizeof(*to->line));
			to->line[to->nr++] = *l;
			continue;
		}
		joined |= !strcmp(l->text, "Joined|");
		free(l->text);
	}
	from->nr = 0;
	if (to->nr)
		qsort(to->line, to->nr, sizeof(*to->line), by_time);
}

void et_trace_fold(struct et_trace *tr)
{
	unsigned long long process;
	struct et_task *to;
	size_t i;

	for (i = 0; i < tr->nr; i++) {
		if (!tr->task[i].nr ||
		    sscanf(tr->task[i].line[0].text,
			   "Join|argsize=0,pathsize=%*u,cwdsize=%*u,process=%llu,", &process) != 1)
			continue;
		to = et_trace_upid(tr, process);
		if (to && to != &tr->task[i])
			fold(to, &tr->task[i]);
	}
}

int et_trace_open(void)
{
	if (et_bpf())
		et_param_write("flush", "lines");
	return MUST(open(et_bpf() ? et_bpf_lines() : ET_TRACE_DIR "/trace_pipe",
			 O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

const char *et_escape(const char *s, size_t len)
{
	static char bufs[4][400];
	static unsigned int next;
	char *buf = bufs[next++ % ET_NELEMS(bufs)];
	size_t i, n = 0;

	for (i = 0; i < len && n < sizeof(bufs[0]) - 8; i++) {
		unsigned char c = s[i];

		if (c < ' ' || c >= 0x7f)
			n += sprintf(buf + n, "\\x%02x", c);
		else
			buf[n++] = c;
	}
	strcpy(buf + n, i < len ? "..." : "");
	return buf;
}

/* ---- strings ------------------------------------------------------------- */

#define PART_MAX	900

static void string_add(struct et_string *out, const char *s, size_t n)
{
	out->s = realloc(out->s, out->len + n + 1);
	if (!out->s)
		DIE("out of memory");
	memcpy(out->s + out->len, s, n);
	out->len += n;
	out->s[out->len] = '\0';
}

static bool is_line(const struct et_line *l, const char *text)
{
	return l->len == strlen(text) && !memcmp(l->text, text, l->len);
}

/* Read the Cont lines from line *@i on, and the line that ends them. */
static const char *conts_read(const struct et_task *t, size_t *i,
			      struct et_string *out, size_t *part)
{
	bool any = false;

	for (; *i < t->nr && !strncmp(t->line[*i].text, "Cont|", 5); ++*i) {
		string_add(out, "\n", 1);
		string_add(out, t->line[*i].text + 5, t->line[*i].len - 5);
		*part += 1 + t->line[*i].len - 5;
		any = true;
	}
	if (!any)
		return NULL;
	if (*i == t->nr || !is_line(&t->line[*i], "Cont_end|"))
		return "no Cont_end| behind Cont|";
	++*i;
	return NULL;
}

const char *et_string_read(const struct et_task *t, size_t *i, const char *tag,
			   struct et_string *out)
{
	char head[64];
	const char *err;
	unsigned int n;
	size_t part;

	out->s = NULL;
	out->len = 0;
	string_add(out, "", 0);
	if (*i == t->nr)
		return "no more lines";

	snprintf(head, sizeof(head), "%s|", tag);
	if (!strncmp(t->line[*i].text, head, strlen(head))) {
		string_add(out, t->line[*i].text + strlen(head),
			   t->line[*i].len - strlen(head));
		++*i;
		err = conts_read(t, i, out, &part);
		if (!err && out->len >= PART_MAX)
			err = "too long for the form with '|'";
		return err;
	}
	for (n = 0; *i < t->nr; n++) {
		snprintf(head, sizeof(head), "%s_end|", tag);
		if (n && is_line(&t->line[*i], head)) {
			++*i;
			return out->len < PART_MAX ?
				"too short for the form with '[n]'" : NULL;
		}
		snprintf(head, sizeof(head), "%s[%u]", tag, n);
		if (strncmp(t->line[*i].text, head, strlen(head)))
			return n ? "neither next part nor end" : "another tag";
		part = t->line[*i].len - strlen(head);
		string_add(out, t->line[*i].text + strlen(head), part);
		++*i;
		err = conts_read(t, i, out, &part);
		if (err)
			return err;
		if (part > PART_MAX)
			return "a part longer than 900 bytes";
	}
	return "no end of a string in parts";
}

const char *et_arg_read(const struct et_task *t, size_t *i, unsigned int n,
			struct et_string *out)
{
	const char *err = NULL;
	char head[32];
	bool any = false;
	size_t part;

	out->s = NULL;
	out->len = 0;
	string_add(out, "", 0);
	snprintf(head, sizeof(head), "A[%u]", n);
	for (; !err && *i < t->nr &&
	     !strncmp(t->line[*i].text, head, strlen(head)); any = true) {
		part = t->line[*i].len - strlen(head);
		string_add(out, t->line[*i].text + strlen(head), part);
		++*i;
		err = conts_read(t, i, out, &part);
		if (!err && part > PART_MAX)
			err = "a part longer than 900 bytes";
	}
	return any ? err : "no such argument";
}
