// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a record as etrace lines when the trace is read as text.
 *
 * The format is in Documentation/line-format.md. Anything that it does not define is
 * printed only with the parameter "extended", in lines with other tags.
 */
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "print.h"
#include "etrace.h"

/**
 * struct etrace_out - the lines of one record
 * @p: receives the lines
 * @start: start of the lines in @p
 * @upid: in the prefix of each line
 * @cpu: in the prefix of each line
 * @sec: time of the next line; each is 1 ns after the one before, so that the
 *	order of a task's lines is the order of their times
 * @nsec: nanoseconds of that time
 * @first: no line has been printed yet
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
	/* emit.c makes records small enough; if the lines still do not fit, say so */
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

/* Prints a line with a number, or only a tag. */
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
 * Prints a piece of a string: a line with its tag, or with Cont after a newline;
 * then a Cont line for each newline, and Cont_end after a group of them.
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

static void etrace_args(struct etrace_out *o, const char *tag, u32 index, const char *s,
			u32 len)
{
	while (len) {
		u32 n = strnlen(s, len);
		u32 part = min_t(u32, n, ETRACE_PART_MAX);

		etrace_piece(o, tag, index, s, part, 0);
		s += part;
		len -= part;
		if (part == n && len) {		/* @s is at its NUL */
			s++;
			len--;
			index++;
		}
	}
}

/* ---- the lines of the table ---------------------------------------------- */

/*
 * Are all strings and values of a line present? @plain: and is every MAY value of the event
 * absent?
 */
static bool etrace_is_given(const struct etrace_content *content, const struct etrace_word *w,
			    bool plain)
{
	unsigned int i;

	for (; w->kind != ETRACE_WORD_END_LINE; w++) {
		if (w->kind == ETRACE_WORD_SIZE && content->str[w->i].len < 0)
			return false;
		if (w->kind == ETRACE_WORD_FIELD && !content->val[w->i].there)
			return false;
	}
	for (i = 0; plain && i < ETRACE_NR_VAL; i++)
		if (etrace_schemas[content->ev].may[i] && content->val[i].there)
			return false;
	return true;
}

/* Should a line be printed now? @own: this is the event's own record. */
static bool etrace_is_due(const struct etrace_content *content, const struct etrace_word *w,
			  bool own)
{
	switch (w->role) {
	case ETRACE_ROLE_LAST:
	case ETRACE_ROLE_FAILED:
		if (content->tail.more)
			return false;
		break;
	case ETRACE_ROLE_MIDDLE:
		/* Print this line only if its string is in this record. */
		if (!own || w[1].i >= content->tail.inl)
			return false;
		break;
	default:
		if (!own)
			return false;
	}
	switch (w->when) {
	case ETRACE_WHEN_GIVEN:
		return etrace_is_given(content, w, false);
	case ETRACE_WHEN_PLAIN:
		return etrace_is_given(content, w, true);
	case ETRACE_WHEN_ERROR:
		return content->tail.error;
	case ETRACE_WHEN_EXTRA:
		return etrace_extended && etrace_is_given(content, w, false);
	default:
		return true;
	}
}

/* Prints a line. Returns its end in the table. */
static const struct etrace_word *etrace_spell_line(struct etrace_out *o,
						   const struct etrace_content *content,
						   const struct etrace_word *w)
{
	const char *sep = "";

	etrace_prefix(o);
	trace_seq_puts(o->p, w->text);
	for (w++; w->kind != ETRACE_WORD_END_LINE; w++) {
		if (w->kind == ETRACE_WORD_SIZE_MAY && content->str[w->i].len < 0)
			continue;
		if (w->kind == ETRACE_WORD_FIELD && !content->val[w->i].there)
			continue;
		trace_seq_printf(o->p, "%s%s", sep, w->text);
		if (w->kind != ETRACE_WORD_FIELD)
			trace_seq_printf(o->p, "%d", content->str[w->i].len);
		else if (w->is_signed)
			trace_seq_printf(o->p, "%lld", (s64)content->val[w->i].v);
		else
			trace_seq_printf(o->p, "%llu", content->val[w->i].v);
		sep = ",";
	}
	return w;
}

/* Prints the lines of an event; if not @own, only those that follow its last string. */
static void etrace_spell(struct etrace_out *o, const struct etrace_content *content, bool own)
{
	const struct etrace_schema *schema = &etrace_schemas[content->ev];
	const struct etrace_word *w;

	for (w = schema->words; w->kind != ETRACE_WORD_END; w++) {
		const struct etrace_shown *str;

		if (w->kind == ETRACE_WORD_LINE && etrace_is_due(content, w, own)) {
			w = etrace_spell_line(o, content, w);
			continue;
		}
		if (!own || (w->kind != ETRACE_WORD_TEXT && w->kind != ETRACE_WORD_TEXT_ARGS))
			continue;
		str = &content->str[w->i];
		if (w->kind == ETRACE_WORD_TEXT_ARGS)
			etrace_args(o, etrace_tag_names[schema->tags[w->i]], 0, str->s,
				    content->args_room);
		else if (str->len >= 0 && w->i < content->tail.inl)
			etrace_piece(o, etrace_tag_names[schema->tags[w->i]], -1, str->s,
				     str->len, 0);
	}
}

static void etrace_mark(struct trace_seq *p, const char *name, u8 bits,
			const struct etrace_schema *schema)
{
	const char *sep = "";
	int i, tag;

	trace_seq_printf(p, "%s=", name);
	for (i = 0; i <= ETRACE_NR_STR; i++) {
		if (!(bits & BIT(i)))
			continue;
		/* The bit after the strings: the argument list or other arguments. */
		tag = i < ETRACE_NR_STR ? i : schema->nr_tags - 1;
		trace_seq_printf(p, "%s%s", sep, i < ETRACE_NR_STR || schema->has_args ?
				 etrace_tag_names[schema->tags[tag]] : "args");
		sep = "+";
	}
}

/* Prints anything that the line format does not define, after all other lines. */
static void etrace_spell_tail(struct etrace_out *o, const struct etrace_content *content)
{
	const struct etrace_schema *schema = &etrace_schemas[content->ev];
	const struct etrace_tail *tail = &content->tail;

	if (likely(!etrace_extended) || tail->more)
		return;
	if (tail->error)
		etrace_line(o, "Failed|error=%d", tail->error);
	if (tail->joined | tail->unread | tail->cut | tail->untold | tail->outside) {
		etrace_line(o, "Marks|");
		etrace_mark(o->p, "joined", tail->joined, schema);
		etrace_mark(o->p, ",unread", tail->unread, schema);
		etrace_mark(o->p, ",cut", tail->cut, schema);
		if (tail->untold)
			etrace_mark(o->p, ",untold", tail->untold, schema);
		if (tail->outside)
			etrace_mark(o->p, ",outside", tail->outside, schema);
	}
}

/* ---- called by the trace events ------------------------------------------ */

/* Prints any event of the table. */
const char *etrace_print(const struct etrace_head *h, const struct etrace_content *content)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_spell(&o, content, true);
	etrace_spell_tail(&o, content);
	return etrace_end(&o);
}

/* Prints the line before a string that is not in its event's record, if there is one. */
static void etrace_string_head(struct etrace_out *o, const struct etrace_content *content,
			       u8 tag, u32 total)
{
	const struct etrace_schema *schema = &etrace_schemas[content->ev];
	const struct etrace_word *w;

	for (w = schema->words; w->kind != ETRACE_WORD_END; w++)
		if (w->kind == ETRACE_WORD_LINE && w->role == ETRACE_ROLE_MIDDLE &&
		    schema->tags[w[1].i] == tag)
			etrace_line(o, "%s%s%u", w->text, w[1].text, total);
}

const char *etrace_print_string(const struct etrace_head *h, const struct etrace_content *content,
				u8 tag, u8 state, s32 part, u32 total, const char *piece,
				u32 len)
{
	const char *name = etrace_tag_names[tag];
	struct etrace_out o;

	etrace_begin(&o, h);
	if (part <= 0 && !(state & ETRACE_PIECE_CONT))
		etrace_string_head(&o, content, tag, total);
	etrace_piece(&o, name, part, piece, len, state);
	if (part >= 0 && state & ETRACE_PIECE_LAST)
		etrace_line(&o, "%s_end|", name);
	etrace_spell(&o, content, false);
	etrace_spell_tail(&o, content);
	return etrace_end(&o);
}

const char *etrace_print_args(const struct etrace_head *h, const struct etrace_content *content,
			      u32 first, const char *piece, u32 len)
{
	const struct etrace_schema *schema = &etrace_schemas[content->ev];
	struct etrace_out o;

	etrace_begin(&o, h);
	/* the argument list's tag is the last, after the tags of the strings */
	etrace_args(&o, etrace_tag_names[schema->tags[schema->nr_tags - 1]], first, piece, len);
	etrace_spell(&o, content, false);
	etrace_spell_tail(&o, content);
	return etrace_end(&o);
}

const char *etrace_print_lost(const struct etrace_head *h, u64 count, u64 since)
{
	struct etrace_out o;

	etrace_begin(&o, h);
	etrace_line(&o, "Lost|count=%llu,since=%llu", count, since);
	return etrace_end(&o);
}
