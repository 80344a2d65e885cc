// SPDX-License-Identifier: GPL-2.0
/*
 * The etrace lines, printed from a record when somebody reads it.
 *
 * The format is in Documentation/line-format.md. What it does not define is
 * printed only with the parameter "extended", in lines with tags of their own.
 */
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "etrace.h"
#include "print.h"

bool etrace_extended;

struct etrace_tag_info {
	char name[4];
	const char *head;	/* the event line before the string, if any */
};

static const struct etrace_tag_info etrace_tags[ETRACE_NR_TAG] = {
	[ETRACE_TAG_PI] = { "PI" },
	[ETRACE_TAG_PP] = { "PP" },
	[ETRACE_TAG_CW] = { "CW" },
	[ETRACE_TAG_FN] = { "FN" },
	[ETRACE_TAG_FO] = { "FO" },
	[ETRACE_TAG_RF] = { "RF" },
	[ETRACE_TAG_RT] = { "RT", "RenameTo|fnamesize=" },
	[ETRACE_TAG_LF] = { "LF" },
	[ETRACE_TAG_LT] = { "LT", "LinkTo|fnamesize=" },
	[ETRACE_TAG_ST] = { "ST" },
	[ETRACE_TAG_SR] = { "SR" },
	[ETRACE_TAG_SL] = { "SL" },
	[ETRACE_TAG_MS] = { "MS" },
	[ETRACE_TAG_MT] = { "MT" },
	[ETRACE_TAG_MX] = { "MX" },
	[ETRACE_TAG_CN] = { "CN" },
	[ETRACE_TAG_A]  = { "A" },
};

struct etrace_event_info {
	u8 tags[ETRACE_NR_STR];
	const char *failed;	/* the line that ends a call that failed */
};

static const struct etrace_event_info etrace_events[ETRACE_NR_EV] = {
	[ETRACE_EV_EXEC] = {
		{ ETRACE_TAG_PI, ETRACE_TAG_PP, ETRACE_TAG_CW } },
	[ETRACE_EV_CLONE] = { .failed = "SysCloneFailed|" },
	[ETRACE_EV_OPEN] = { { ETRACE_TAG_FN, ETRACE_TAG_FO } },
	[ETRACE_EV_RENAME] = {
		{ ETRACE_TAG_RF, ETRACE_TAG_RT }, "RenameFailed|" },
	[ETRACE_EV_LINK] = {
		{ ETRACE_TAG_LF, ETRACE_TAG_LT }, "LinkFailed|" },
	[ETRACE_EV_SYMLINK] = {
		{ ETRACE_TAG_ST, ETRACE_TAG_SR, ETRACE_TAG_SL } },
	[ETRACE_EV_MOUNT] = {
		{ ETRACE_TAG_MS, ETRACE_TAG_MT, ETRACE_TAG_MX }, "MountFailed|" },
	[ETRACE_EV_UMOUNT] = { { ETRACE_TAG_MT }, "UmountFailed|" },
	[ETRACE_EV_COMM] = { { ETRACE_TAG_CN } },
};

const u8 *etrace_event_tags(enum etrace_event ev)
{
	return etrace_events[ev].tags;
}

/**
 * struct etrace_out - the lines of one record
 * @p: where they go
 * @start: where they begin
 * @upid: prefix of each line
 * @cpu: the same
 * @sec: of the next line; each is 1 ns behind the one before, so that the
 *	order of a task's lines is the order of their times
 * @nsec: the same
 * @first: no line is there yet
 */
struct etrace_out {
	struct trace_seq *p;
	const char *start;
	u64 upid;
	int cpu;
	u64 sec;
	u32 nsec;
	bool first;
};

static void etrace_begin(struct etrace_out *o, const struct etrace_head *h)
{
	o->p = h->p;
	o->start = trace_seq_buffer_ptr(h->p);
	o->upid = h->upid;
	o->cpu = h->cpu;
	o->sec = div_u64_rem(h->time, NSEC_PER_SEC, &o->nsec);
	o->first = true;
}

static const char *etrace_end(struct etrace_out *o)
{
	/* emit.c sees to it that the lines have room; say so if they have not */
	if (trace_seq_has_overflowed(o->p))
		return "etrace: lines of a record too long to print";
	trace_seq_putc(o->p, 0);
	return o->start;
}

static void etrace_prefix(struct etrace_out *o)
{
	if (!o->first)
		trace_seq_putc(o->p, '\n');
	o->first = false;
	trace_seq_printf(o->p, "%llu,%d,%llu,%u!", o->upid, o->cpu, o->sec,
			 o->nsec);
	if (unlikely(++o->nsec == NSEC_PER_SEC)) {
		o->nsec = 0;
		o->sec++;
	}
}

/* An event's line. */
static __printf(2, 3) void etrace_line(struct etrace_out *o, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	etrace_prefix(o);
	trace_seq_puts(o->p, text);
}

/*
 * A piece of a string: a line with its tag, or with Cont behind a newline;
 * then a Cont line for each newline and Cont_end behind a group of them.
 */
static void etrace_piece(struct etrace_out *o, const char *tag, s32 part,
			 const char *s, u32 len, u8 state)
{
	bool conts = state & ETRACE_PIECE_CONT;

	etrace_prefix(o);
	if (conts)
		trace_seq_puts(o->p, "Cont|");
	else if (part < 0)
		trace_seq_printf(o->p, "%s|", tag);
	else
		trace_seq_printf(o->p, "%s[%d]", tag, part);

	for (;;) {
		const char *nl = memchr(s, '\n', len);
		u32 n = nl ? nl - s : len;

		trace_seq_putmem(o->p, s, n);
		if (!nl)
			break;
		s += n + 1;
		len -= n + 1;
		conts = true;
		etrace_prefix(o);
		trace_seq_puts(o->p, "Cont|");
	}
	if (conts && !(state & ETRACE_PIECE_OPEN)) {
		etrace_prefix(o);
		trace_seq_puts(o->p, "Cont_end|");
	}
}

static void etrace_tag_head(struct etrace_out *o, u8 tag, u32 total)
{
	if (etrace_tags[tag].head)
		etrace_line(o, "%s%u", etrace_tags[tag].head, total);
}

/* A string that is in its event's own record. */
static void etrace_str(struct etrace_out *o, enum etrace_event ev, int i,
		       const struct etrace_shown *str, const struct etrace_tail *tail)
{
	u8 tag = etrace_events[ev].tags[i];

	if (str->len < 0 || i >= tail->inl)
		return;
	etrace_tag_head(o, tag, str->len);
	etrace_piece(o, etrace_tags[tag].name, -1, str->s, str->len, 0);
}

static void etrace_args(struct etrace_out *o, u32 index, const char *s, u32 len)
{
	while (len) {
		u32 n = strnlen(s, len);
		u32 part = min_t(u32, n, ETRACE_PART_MAX);

		etrace_piece(o, etrace_tags[ETRACE_TAG_A].name, index, s, part, 0);
		s += part;
		len -= part;
		if (part == n && len) {		/* at its null byte */
			s++;
			len--;
			index++;
		}
	}
}

static void etrace_mark(struct trace_seq *p, const char *name, u8 bits,
			enum etrace_event ev)
{
	const char *sep = "";
	int i;

	trace_seq_printf(p, "%s=", name);
	for (i = 0; i <= ETRACE_NR_STR; i++) {
		if (!(bits & BIT(i)))
			continue;
		trace_seq_printf(p, "%s%s", sep,
				 i < ETRACE_NR_STR ?
				 etrace_tags[etrace_events[ev].tags[i]].name :
				 ev == ETRACE_EV_EXEC ? "A" : "args");
		sep = "+";
	}
}

/* What comes behind an event's last string. */
static void etrace_tail(struct etrace_out *o, enum etrace_event ev, const struct etrace_tail *tail)
{
	if (tail->more)
		return;
	if (ev == ETRACE_EV_EXEC)
		etrace_line(o, "End_of_args|");
	if (tail->error && etrace_events[ev].failed)
		etrace_line(o, "%s", etrace_events[ev].failed);
	if (likely(!etrace_extended))
		return;
	if (tail->error)
		etrace_line(o, "Failed|error=%d", tail->error);
	if (tail->joined | tail->unread | tail->cut | tail->untold | tail->outside) {
		etrace_line(o, "Marks|");
		etrace_mark(o->p, "joined", tail->joined, ev);
		etrace_mark(o->p, ",unread", tail->unread, ev);
		etrace_mark(o->p, ",cut", tail->cut, ev);
		if (tail->untold)
			etrace_mark(o->p, ",untold", tail->untold, ev);
		if (tail->outside)
			etrace_mark(o->p, ",outside", tail->outside, ev);
	}
}

const char *etrace_print_exec(const struct etrace_head *h, const struct etrace_shown *interp,
			      const struct etrace_shown *path, const struct etrace_shown *cwd,
			      u32 args_len, const char *args, u32 args_room,
			      const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "New_proc|argsize=%u,prognameisize=%d,prognamepsize=%d,cwdsize=%d",
		    args_len, interp->len, path->len, cwd->len);
	etrace_str(&o, ETRACE_EV_EXEC, 0, interp, tail);
	etrace_str(&o, ETRACE_EV_EXEC, 1, path, tail);
	etrace_str(&o, ETRACE_EV_EXEC, 2, cwd, tail);
	etrace_args(&o, 0, args, args_room);
	etrace_tail(&o, ETRACE_EV_EXEC, tail);
	return etrace_end(&o);
}

const char *etrace_print_clone(const struct etrace_head *h, bool has_flags, u64 flags,
			       u64 child, const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (has_flags)
		etrace_line(&o, "SysClone|flags=%llu", flags);
	if (!tail->error)
		etrace_line(&o, "SchedFork|pid=%llu", child);
	etrace_tail(&o, ETRACE_EV_CLONE, tail);
	return etrace_end(&o);
}

const char *etrace_print_exit(const struct etrace_head *h, s32 status, s32 signal, bool core)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Exit|status=%d", status);
	if (etrace_extended && signal)
		etrace_line(&o, "ExitSignal|signal=%d,core=%d", signal, core);
	return etrace_end(&o);
}

const char *etrace_print_open(const struct etrace_head *h, u32 flags, u16 mode, s32 fd,
			      const struct etrace_shown *name, const struct etrace_shown *orig,
			      const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Open|fnamesize=%d,forigsize=%d,flags=%u,mode=%u,fd=%d",
		    name->len, orig->len, flags, mode, fd);
	etrace_str(&o, ETRACE_EV_OPEN, 0, name, tail);
	etrace_str(&o, ETRACE_EV_OPEN, 1, orig, tail);
	etrace_tail(&o, ETRACE_EV_OPEN, tail);
	return etrace_end(&o);
}

const char *etrace_print_close(const struct etrace_head *h, s32 fd)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Close|fd=%d", fd);
	return etrace_end(&o);
}

const char *etrace_print_dup(const struct etrace_head *h, s32 oldfd, s32 newfd, u32 flags)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Dup|oldfd=%d,newfd=%d,flags=%u", oldfd, newfd, flags);
	return etrace_end(&o);
}

const char *etrace_print_pipe(const struct etrace_head *h, s32 fd1, s32 fd2, u32 flags)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Pipe|fd1=%d,fd2=%d,flags=%u", fd1, fd2, flags);
	return etrace_end(&o);
}

const char *etrace_print_rename(const struct etrace_head *h, bool has_flags, u32 flags,
				const struct etrace_shown *from, const struct etrace_shown *to,
				const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (from->len >= 0 && has_flags)
		etrace_line(&o, "Rename2From|fnamesize=%d,flags=%u", from->len, flags);
	else if (from->len >= 0)
		etrace_line(&o, "RenameFrom|fnamesize=%d", from->len);
	etrace_str(&o, ETRACE_EV_RENAME, 0, from, tail);
	etrace_str(&o, ETRACE_EV_RENAME, 1, to, tail);
	etrace_tail(&o, ETRACE_EV_RENAME, tail);
	return etrace_end(&o);
}

const char *etrace_print_link(const struct etrace_head *h, bool has_flags, u32 flags,
			      const struct etrace_shown *from, const struct etrace_shown *to,
			      const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (from->len >= 0 && has_flags)
		etrace_line(&o, "LinkatFrom|fnamesize=%d,flags=%u", from->len, flags);
	else if (from->len >= 0)
		etrace_line(&o, "LinkFrom|fnamesize=%d", from->len);
	etrace_str(&o, ETRACE_EV_LINK, 0, from, tail);
	etrace_str(&o, ETRACE_EV_LINK, 1, to, tail);
	etrace_tail(&o, ETRACE_EV_LINK, tail);
	return etrace_end(&o);
}

const char *etrace_print_symlink(const struct etrace_head *h, const struct etrace_shown *target,
				 const struct etrace_shown *resolved, const struct etrace_shown *link,
				 const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (resolved->len >= 0)
		etrace_line(&o, "Symlink|targetnamesize=%d,resolvednamesize=%d,linknamesize=%d",
			    target->len, resolved->len, link->len);
	else
		etrace_line(&o, "Symlink|targetnamesize=%d,linknamesize=%d",
			    target->len, link->len);
	etrace_str(&o, ETRACE_EV_SYMLINK, 0, target, tail);
	etrace_str(&o, ETRACE_EV_SYMLINK, 1, resolved, tail);
	etrace_str(&o, ETRACE_EV_SYMLINK, 2, link, tail);
	etrace_tail(&o, ETRACE_EV_SYMLINK, tail);
	return etrace_end(&o);
}

const char *etrace_print_mount(const struct etrace_head *h, u64 flags, const struct etrace_shown *source,
			       const struct etrace_shown *target, const struct etrace_shown *type,
			       const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Mount|");
	if (source->len >= 0)
		trace_seq_printf(h->p, "sourcenamesize=%d,", source->len);
	trace_seq_printf(h->p, "targetnamesize=%d,", target->len);
	if (type->len >= 0)
		trace_seq_printf(h->p, "typenamesize=%d,", type->len);
	trace_seq_printf(h->p, "flags=%llu", flags);
	etrace_str(&o, ETRACE_EV_MOUNT, 0, source, tail);
	etrace_str(&o, ETRACE_EV_MOUNT, 1, target, tail);
	etrace_str(&o, ETRACE_EV_MOUNT, 2, type, tail);
	etrace_tail(&o, ETRACE_EV_MOUNT, tail);
	return etrace_end(&o);
}

const char *etrace_print_umount(const struct etrace_head *h, u64 flags, const struct etrace_shown *target,
				const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (target->len >= 0)
		etrace_line(&o, "Umount|targetnamesize=%d,flags=%llu",
			    target->len, flags);
	etrace_str(&o, ETRACE_EV_UMOUNT, 0, target, tail);
	etrace_tail(&o, ETRACE_EV_UMOUNT, tail);
	return etrace_end(&o);
}

const char *etrace_print_comm(const struct etrace_head *h, u64 target, const struct etrace_shown *comm,
			      const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Comm|size=%d", comm->len);
	etrace_str(&o, ETRACE_EV_COMM, 0, comm, tail);
	etrace_tail(&o, ETRACE_EV_COMM, tail);
	if (etrace_extended && target != h->upid)
		etrace_line(&o, "CommOf|upid=%llu", target);
	return etrace_end(&o);
}

const char *etrace_print_string(const struct etrace_head *h, u8 event, u8 tag, u8 state,
				s32 part, u32 total, const char *piece, u32 len,
				const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	if (part <= 0 && !(state & ETRACE_PIECE_CONT))
		etrace_tag_head(&o, tag, total);
	etrace_piece(&o, etrace_tags[tag].name, part, piece, len, state);
	if (part >= 0 && state & ETRACE_PIECE_LAST)
		etrace_line(&o, "%s_end|", etrace_tags[tag].name);
	etrace_tail(&o, event, tail);
	return etrace_end(&o);
}

const char *etrace_print_args(const struct etrace_head *h, u32 first, const char *piece,
			      u32 len, const struct etrace_tail *tail)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_args(&o, first, piece, len);
	etrace_tail(&o, ETRACE_EV_EXEC, tail);
	return etrace_end(&o);
}

/* Not in the line format; written by sessions only, whose readers know it. */
const char *etrace_print_uring(const struct etrace_head *h, s32 fd)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "IoUring|fd=%d", fd);
	return etrace_end(&o);
}

const char *etrace_print_lost(const struct etrace_head *h, u64 count, u64 since)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Lost|count=%llu,since=%llu", count, since);
	return etrace_end(&o);
}
