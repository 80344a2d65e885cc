// SPDX-License-Identifier: LGPL-2.1
/* Writes an event as a record of a Fuchsia trace.  See etrace_fxt_event.h. */
#include "format/fxt_events/etrace_fxt_event.h"
#include "base/errname.h"
#include "base/shquote.h"
#include "base/signame.h"
#include "format/lines/event_lines.h"

#include <stdio.h>
#include <stdlib.h>

/* Maximum bytes that the buffer for texts keeps between two uses. */
#define MAX_TEXT 65536u

static const char *const names[NAME_COUNT] = {
	[N_PROCESS] = "process",
	[N_CPU] = ETRACE_FXT_CPU,
	[N_FAILED] = ETRACE_FXT_FAILED,
	[N_INCOMPLETE] = ETRACE_FXT_INCOMPLETE,
	[N_LINES] = ETRACE_FXT_LINES,
	[N_STAMPS] = ETRACE_FXT_STAMPS,
	[N_LATE] = ETRACE_FXT_LATE,
	[N_UPID] = ETRACE_FXT_UPID,
	[N_COUNT] = ETRACE_FXT_COUNT,
	[N_META] = ETRACE_FXT_CAT_META,
	[N_MORE] = ETRACE_FXT_MORE,
	[N_FORK] = ETRACE_FXT_CAT_FORK,
	[N_FLOW] = "fork",
	[N_UNFINISHED] = "unfinished",
	[N_VIEW] = ETRACE_FXT_VIEW,
	[N_LEFT_OUT] = "left_out",
	[N_PID] = "pid",
	[N_BUILD] = "build",
	[N_RUNNING] = "running",
	[N_CRITICAL] = "critical path",
	[N_WHY] = "why",
	[N_NOBODY] = "nobody in the trace",
	[N_CPU_TIME] = "cpu_ns",
	[N_INSIDE] = "inside",
	[N_DETAIL] = "detail",
	[N_NO_TRACE] = "no time trace",
	[N_PROGRAM] = "program",
	[N_PATH] = "path",
	[N_FAULT] = "fault",
	[N_ERROR] = ETRACE_FXT_ERROR,
	[N_VERSION] = "version",
	[N_WRITER] = "writer",
	[N_COMPLETE] = "complete",
	[N_EVENTS] = "events",
	[N_LOST] = "lost",
};

/* ---- names ---- */

static struct fxt_str literal_name(const char *s)
{
	return fxt_str(s, strlen(s));
}

void fxt_out_take_names(struct fxt_out *f)
{
	for (unsigned int i = 0; i < NAME_COUNT; i++)
		f->name[i] = literal_name(names[i]);
	for (unsigned int i = 0; i < ET_K_COUNT; i++) {
		f->kind[i] = literal_name(et_kinds[i].name);
		f->category[i] = literal_name(et_kinds[i].category);
		for (unsigned int j = 0; j < et_kinds[i].nvalues; j++) {
			f->value[i][j] = literal_name(et_kinds[i].values[j].name);
			if (et_kinds[i].values[j].means == ET_MEANS_SIGNAL)
				f->signals[i] |= (uint16_t)(1u << j);
		}
		for (unsigned int j = 0; j < et_kinds[i].nstrings; j++)
			f->string[i][j] = literal_name(et_kinds[i].strings[j].name);
	}
	for (unsigned int i = 0; i < WORK_CLASSES; i++)
		f->class[i] = literal_name(work_classes[i]);
	f->argv = literal_name(et_args_name[ET_K_EXEC]);
	for (unsigned int i = 0; i < ET_NR_MARKINGS; i++)
		f->marking[i] = literal_name(et_marking_names[i]);
}

uint16_t fxt_out_first_use(struct fxt_out *f, struct fxt_str *name)
{
	*name = fxt_pin(f->w, *name);
	return fxt_ref(f->w, *name);
}

struct fxt_str fxt_out_text(struct fxt_out *f, const char *s, size_t len)
{
	if (utf8_valid(s, len))
		return fxt_str(s, utf8_cut(s, len, FXT_MAX_STRING));
	free(f->program);
	f->program = utf8_replace(s, len, &len);
	return fxt_str(f->program, utf8_cut(f->program, len, FXT_MAX_STRING));
}

/* ---- arguments ---- */

void fxt_out_next_record(struct fxt_out *f)
{
	end_event(f);
	f->event.type = FXT_EV_INSTANT;
	f->event.category = used_name(f, &f->name[N_META]);
	f->event.name = used_name(f, &f->name[N_MORE]);
	fxt_record_begin(&f->record);
}

void fxt_out_long_text(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	size_t n = utf8_cut(s, len, FXT_MAX_STRING);

	add_string(f, name, s, n);
	for (unsigned int i = 1; n < len; i++) {
		struct fxt_str more;
		char text[100];

		s += n;
		len -= n;
		n = utf8_cut(s, len, FXT_MAX_STRING);
		snprintf(text, sizeof(text), "%.*s+%u", (int)name->len, name->s, i);
		make_room(f);
		more = passing_name(f, text, strlen(text));
		add_string(f, &more, s, n);
	}
}

/*
 * Adds bytes that are not UTF-8, or contain NUL, which ends a string for consumers: as
 * text with U+FFFD, and in a second argument all of them in hex.
 */
static void add_other_bytes(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	struct fxt_str hex_name;
	char hex[100], *text;
	size_t text_len;

	text = utf8_replace(s, len, &text_len);
	add_text(f, name, text, text_len);
	free(text);
	snprintf(hex, sizeof(hex), "%.*s" ETRACE_FXT_HEX, (int)name->len, name->s);
	text = utf8_hex(s, len);
	make_room(f);
	hex_name = passing_name(f, hex, strlen(hex));
	add_text(f, &hex_name, text, 2 * len);
	free(text);
}

/*
 * Adds any bytes.  Strings that the encoder remembers were checked before: they are UTF-8 without
 * NUL.
 */
static inline void add_bytes(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	uint16_t ref, known;

	make_room(f);
	ref = name_ref(f, name);
	known = fxt_known_bytes(f->w, s, len);
	if (known)
		fxt_put_word(&f->record, FXT_ARG_STRING, ref, known);
	else if (utf8_valid(s, len))
		add_text(f, name, s, len);
	else
		add_other_bytes(f, name, s, len);
}

/* Empties the buffer for texts, and frees it if it has become too large. */
static struct buf *begin_text(struct fxt_out *f)
{
	if (f->text.cap > MAX_TEXT)
		buf_free(&f->text);
	f->text.len = 0;
	return &f->text;
}

/* Adds a signal number by its name: "SIGSEGV". */
static bool add_signal(struct fxt_out *f, struct fxt_str *name, int64_t v)
{
	char text[32];

	if (v <= 0 || v > INT32_MAX || !signal_abbrev((int)v))
		return false;
	signal_name((int)v, text, sizeof(text));
	add_text(f, name, text, strlen(text));
	return true;
}

/* Adds a number >= 2^63 as text: viewers would show it as negative. */
static void add_big(struct fxt_out *f, struct fxt_str *name, uint64_t v)
{
	char text[DECIMAL_ROOM];

	add_text(f, name, text, decimal(text, v));
}

static void add_value(struct fxt_out *f, const struct et_event *ev, unsigned int i)
{
	struct fxt_str *name = &f->value[ev->kind][i];

	if (ev->big >> i & 1)
		add_big(f, name, (uint64_t)ev->val[i]);
	else if (!(f->signals[ev->kind] >> i & 1) || !add_signal(f, name, ev->val[i]))
		add_number(f, name, ev->val[i]);
}

static inline void add_values(struct fxt_out *f, const struct et_event *ev)
{
	struct fxt_str *names = f->value[ev->kind];
	unsigned int other = ev->big | f->signals[ev->kind];

	for (unsigned int i = 0, left = ev->given & ~f->left_out; left; i++, left >>= 1) {
		if (!(left & 1))
			continue;
		if (other >> i & 1)
			add_value(f, ev, i);
		else
			add_number(f, &names[i], ev->val[i]);
	}
}

static inline void add_strings(struct fxt_out *f, const struct et_event *ev)
{
	struct fxt_str *names = f->string[ev->kind];
	unsigned int left = ev->strings & f->view.strings[ev->kind] & ~(1u << ET_ARGS);

	for (unsigned int i = 0; left; i++, left >>= 1)
		if (left & 1)
			add_bytes(f, &names[i], et_text(ev, &ev->str[i]), ev->str[i].len);
}

/* Adds the arguments of an exec as one command line that a shell would accept. */
static void add_argv(struct fxt_out *f, const struct et_event *ev)
{
	struct buf *b = begin_text(f);

	for (uint32_t i = 0; i < ev->nargs; i++) {
		/* cut only between arguments */
		if (b->len > f->view.max_argv) {
			buf_adds(b, " ...");
			break;
		}
		if (i)
			buf_addc(b, ' ');
		sh_quote(b, et_text(ev, &ev->args[i]), ev->args[i].len);
	}
	add_text(f, &f->argv, b->s, b->len);
}

/* Adds lines outside the format: "Foreign|cut=FN" becomes an argument "Foreign". */
static void add_extras(struct fxt_out *f, const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nextras; i++) {
		const char *s = ev->bytes + ev->extras[i].off;
		size_t len = ev->extras[i].len, n = et_extra_name(s, len);

		if (n) {
			struct fxt_str name;

			make_room(f);
			name = passing_name(f, s, n);
			add_bytes(f, &name, s + n + 1, len - n - 1);
		}
	}
}

static void add_error(struct fxt_out *f, const struct et_event *ev)
{
	const char *name = ev->error ? error_name(ev->error) : NULL;

	if (name)
		add_text(f, &f->name[N_ERROR], name, strlen(name));
	else if (ev->error)
		add_number(f, &f->name[N_ERROR], ev->error);
	if (ev->flags & ET_F_FAILED)
		add_count(f, &f->name[N_FAILED], 1);
}

/* Lists the strings that are not names resolved by the kernel: "from+to". */
static void add_marks(struct fxt_out *f, const struct et_event *ev)
{
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		struct buf *b = begin_text(f);

		if (!ev->marks[m])
			continue;
		for (unsigned int i = 0; i < 8; i++) {
			if (!(ev->marks[m] >> i & 1) || !et_marked(ev->kind, i))
				continue;
			if (b->len)
				buf_addc(b, '+');
			buf_adds(b, et_marked(ev->kind, i));
		}
		add_text(f, &f->marking[m], b->s, b->len);
	}
}

static void add_lines(struct fxt_out *f, const struct et_event *ev)
{
	struct buf *b = begin_text(f);
	char text[160];

	for (unsigned int i = 0; i < ev->nfindings && i < 4; i++) {
		et_finding_text(&ev->findings[i], text, sizeof(text));
		if (i)
			buf_adds(b, "; ");
		buf_adds(b, text);
	}
	if (ev->nfindings)
		add_text(f, &f->name[N_INCOMPLETE], b->s, b->len);
	if (ev->raw_len) {
		add_bytes(f, &f->name[N_LINES], ev->raw, ev->raw_len);
		return;
	}
	b = begin_text(f);
	et_print_lines(ev, 0, b);
	add_bytes(f, &f->name[N_LINES], b->s, b->len);
}

/* Adds the times of an event that came in several records. */
static void add_later(struct fxt_out *f, const struct et_event *ev)
{
	struct buf *b = begin_text(f);

	for (uint32_t i = 0; i < ev->nlater; i++) {
		const struct et_mark *m = &ev->later[i];

		buf_addu(b, m->item);
		buf_addc(b, ',');
		buf_addu(b, m->off);
		buf_addc(b, ',');
		buf_addu(b, m->cpu);
		buf_addc(b, ',');
		buf_addu(b, m->time);
		buf_addc(b, ';');
	}
	add_text(f, &f->name[N_STAMPS], b->s, b->len);
}

/* Whether an event has more than values and strings; few have. */
static inline bool has_more(const struct et_event *ev)
{
	return ev->flags || ev->error || ev->nextras || ev->nlater || et_any_marks(ev) ||
	       !et_regular(ev);
}

/*
 * Whether an event needs its processor as an argument: if the task's last event was on
 * another one, or if the event begins or ends a slice.
 */
static inline bool needs_cpu(const struct task *t, const struct et_event *ev)
{
	return !t || t->owners != (uint64_t)ev->cpu + 1 || ev->kind == ET_K_EXEC ||
	       ev->kind == ET_K_EXIT;
}

static void add_cpu(struct fxt_out *f, struct task *t, const struct et_event *ev)
{
	if (f->view.cuts || !needs_cpu(t, ev))
		return;
	add_count(f, &f->name[N_CPU], ev->cpu);
	if (t)
		t->owners = (uint64_t)ev->cpu + 1;
}

static void add_more(struct fxt_out *f, struct task *t, const struct et_event *ev)
{
	bool regular = et_regular(ev);

	if (regular)
		add_extras(f, ev);
	add_error(f, ev);
	if (et_any_marks(ev))
		add_marks(f, ev);
	if (ev->flags & ET_F_LATE)
		add_count(f, &f->name[N_LATE], 1);
	add_cpu(f, t, ev);
	if (!regular)
		add_lines(f, ev);
	else if (ev->nlater)
		add_later(f, ev);
}

void fxt_out_add_event(struct fxt_out *f, struct task *t, const struct et_event *ev)
{
	add_values(f, ev);
	add_strings(f, ev);
	if (ev->nargs)
		add_argv(f, ev);
	else if (et_has_string(ev, ET_ARGS))
		add_text(f, &f->argv, "", 0);
	if (has_more(ev))
		add_more(f, t, ev);
	else
		add_cpu(f, t, ev);
}

/* ---- what is left out ---- */

/* Whether an event has its path and all steady values of its kind, if there are any. */
static inline bool has_steady(const struct et_event *ev)
{
	return etrace_fxt_has_values(ev) && et_has_string(ev, 0);
}

void fxt_out_find_left_out(struct fxt_out *f, const struct et_event *ev)
{
	uint16_t ref;

	if (f->view.cuts)
		f->left_out = (uint16_t)~f->view.values[ev->kind];
	if (f->view.cuts || !has_steady(ev) || !et_regular(ev))
		return;
	ref = fxt_known_bytes(f->w, et_text(ev, &ev->str[0]), ev->str[0].len);
	if (ref && fxt_is_marked(f->w, ref) && etrace_fxt_values_match(&f->values[ref], ev))
		f->left_out = etrace_fxt_steady[ev->kind];
}

void fxt_out_note_values(struct fxt_out *f, const struct et_event *ev)
{
	uint16_t ref;

	if (!has_steady(ev) || f->left_out)
		return;
	ref = fxt_peek(f->w, et_text(ev, &ev->str[0]), ev->str[0].len);
	if (!ref)
		return;
	fxt_mark(f->w, ref);
	etrace_fxt_values_set(&f->values[ref], ev);
}

/* ---- plain events ---- */

#define ONE_ARG	(1u << 20)	/* one argument, in a record's header */

void fxt_out_learn(struct fxt_out *f, const struct et_event *ev)
{
	struct known *k = &f->known[ev->kind];
	uint16_t category = f->category[ev->kind].pin, name = f->kind[ev->kind].pin;

	/* records of these kinds differ in type or arguments, or need others around them */
	if (ev->kind == ET_K_CLONE || ev->kind == ET_K_SESSION || ev->kind == ET_K_FRAGMENT ||
	    !category || !name)
		return;
	/* --view leaves out some of their values */
	if (f->view.cuts)
		return;
	k->header = FXT_REC_EVENT | FXT_EV_INSTANT << 16 | (uint64_t)category << 32 |
		    (uint64_t)name << 48;
	for (unsigned int i = 0; i < et_kinds[ev->kind].nvalues; i++) {
		name = f->value[ev->kind][i].pin;
		k->value[i] = fxt_arg_word(FXT_ARG_I32, name, 0);
		if (name && !(f->signals[ev->kind] >> i & 1))
			k->values |= (uint16_t)(1u << i);
	}
	for (unsigned int i = 0; i < et_kinds[ev->kind].nstrings; i++) {
		name = f->string[ev->kind][i].pin;
		k->string[i] = fxt_arg_word(FXT_ARG_STRING, name, 0);
		if (name)
			k->strings |= (uint8_t)(1u << i);
	}
}

/* Write a number at @at; @word: first word of an FXT_ARG_I32. Return: the end of the number. */
static inline uint64_t *put_number(uint64_t *at, uint64_t word, int64_t v)
{
	if (v == (int32_t)v) {
		*at++ = word | (uint64_t)v << 32;
	} else if (v == (uint32_t)v) {
		*at++ = (word + FXT_ARG_U32 - FXT_ARG_I32) | (uint64_t)v << 32;
	} else {
		/* an argument of two words */
		*at++ = word + (v < 0 ? FXT_ARG_I64 : FXT_ARG_U64) - FXT_ARG_I32 + (1u << 4);
		*at++ = (uint64_t)v;
	}
	return at;
}

/* The values and strings of an event, and its CPU, must fit into one record. */
#define EVENT(ID, id, name, category, where, doc) \
	_Static_assert((int)ET_NV_##ID + (int)ET_NS_##ID + 1 <= (int)FXT_MAX_ARGS, name);
#include "event/events.def"

/* Whether an event has only learnt parts; then has_more() is false, too. */
static inline bool is_plain(const struct known *k, const struct et_event *ev)
{
	uint64_t other = ev->raw_len | ev->nfindings | ev->nargs | ev->nextras | ev->nlater |
			 (uint32_t)ev->error;

	other |= (ev->given & ~k->values) | (ev->strings & ~k->strings) | et_oddities(ev);
	return k->header && !other;
}

bool fxt_out_put_plain(struct fxt_out *f, struct task *t, const struct et_event *ev)
{
	const struct known *k = &f->known[ev->kind];
	uint64_t *words, *at, header = k->header;

	if (!is_plain(k, ev))
		return false;
	words = out_reserve(f->out, (2 + 2 * FXT_MAX_ARGS) * sizeof(*words));
	at = words + 2;
	for (unsigned int left = ev->given & ~f->left_out; left; left &= left - 1, header += ONE_ARG) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		at = put_number(at, k->value[i], ev->val[i]);
	}
	for (unsigned int left = ev->strings; left; left &= left - 1, header += ONE_ARG) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint16_t ref = fxt_known_bytes(f->w, et_text(ev, &ev->str[i]), ev->str[i].len);

		if (!ref)
			return false;
		*at++ = k->string[i] | (uint64_t)ref << 32;
	}
	if (needs_cpu(t, ev)) {
		*at++ = fxt_arg_word(FXT_ARG_U32, f->name[N_CPU].pin, ev->cpu);
		header += ONE_ARG;
	}
	words[0] = header;
	words[1] = ev->time;
	if (!fxt_put_known(f->w, words, at, t->process, t->koid))
		return false;
	t->owners = (uint64_t)ev->cpu + 1;
	if (etrace_fxt_steady[ev->kind])
		fxt_out_note_values(f, ev);
	return true;
}
