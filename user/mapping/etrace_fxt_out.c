// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink of the etrace model: a Fuchsia trace.  What becomes what, and why, is in
 * Documentation/fxt-mapping.md; etrace_fxt_in.c reads it back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/errname.h"
#include "base/shquote.h"
#include "base/signame.h"
#include "build/etrace_formats.h"
#include "mapping/etrace_fxt.h"
#include "lines/event_lines.h"
#include "fxt/fxt_write.h"
#include "build/proctab.h"
#include "base/utf8.h"
#include "base/xalloc.h"

/* What the buffer for texts keeps from one to the next. */
#define MAX_TEXT 65536u

/* Names beside those of the schema. */
enum name {
	N_PROCESS, N_CPU, N_FAILED, N_INCOMPLETE, N_LINES, N_STAMPS, N_LATE,
	N_UPID, N_COUNT, N_META, N_MORE, N_FORK, N_FLOW, N_PROCESSES,
	N_UNFINISHED, N_ERROR, N_VERSION, N_WRITER, N_COMPLETE, N_EVENTS, N_LOST,
	NAME_COUNT
};

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
	[N_PROCESSES] = "processes",
	[N_UNFINISHED] = "unfinished",
	[N_ERROR] = ETRACE_FXT_ERROR,
	[N_VERSION] = "version",
	[N_WRITER] = "writer",
	[N_COMPLETE] = "complete",
	[N_EVENTS] = "events",
	[N_LOST] = "lost",
};

/*
 * What plain events of a kind have in common, once such a one was written: then
 * the names have their references.
 */
struct known {
	uint64_t header;	/* of the record; 0: none was written */
	uint8_t values, strings;	/* bit i: its name is known */
	/* arguments without what they are: as FXT_ARG_I32, FXT_ARG_STRING */
	uint64_t value[ET_MAX_VALUES], string[ET_MAX_STRINGS];
};

struct fxt_out {
	struct sink sink;
	struct out *out;
	struct diag *diag;
	struct fxt_writer *w;
	struct proctab *tab;
	struct fxt_str name[NAME_COUNT];
	struct fxt_str kind[ET_K_COUNT], category[ET_K_COUNT];
	struct fxt_str value[ET_K_COUNT][ET_MAX_VALUES];
	struct fxt_str string[ET_K_COUNT][ET_MAX_STRINGS];
	struct fxt_str argv, marking[ET_NR_MARKINGS];
	uint8_t signals[ET_K_COUNT];	/* bit i: value i is one */
	struct known known[ET_K_COUNT];
	/* the event at hand, and its arguments so far */
	struct fxt_event event;
	struct fxt_record record;
	struct buf text;	/* an argument in the making */
	char *program;		/* a slice's name that had to be made, or NULL */
	uint64_t flows;		/* flow ids given so far */
	uint64_t events, lost, last_time, processes;
	const struct task *unborn;	/* begins with the execve at hand */
	bool begun;
};

/* ---- names ---- */

static struct fxt_str literal(const char *s)
{
	return fxt_str(s, strlen(s));
}

static void take_names(struct fxt_out *f)
{
	for (unsigned int i = 0; i < NAME_COUNT; i++)
		f->name[i] = literal(names[i]);
	for (unsigned int i = 0; i < ET_K_COUNT; i++) {
		f->kind[i] = literal(et_kinds[i].name);
		f->category[i] = literal(et_kinds[i].category);
		for (unsigned int j = 0; j < et_kinds[i].nvalues; j++) {
			f->value[i][j] = literal(et_kinds[i].values[j].name);
			if (et_kinds[i].values[j].means == ET_MEANS_SIGNAL)
				f->signals[i] |= (uint8_t)(1u << j);
		}
		for (unsigned int j = 0; j < et_kinds[i].nstrings; j++)
			f->string[i][j] = literal(et_kinds[i].strings[j].name);
	}
	f->argv = literal(et_args_name[ET_K_EXEC]);
	for (unsigned int i = 0; i < ET_NR_MARKINGS; i++)
		f->marking[i] = literal(et_marking_names[i]);
}

/*
 * A name gets its String record when it is first used, and keeps its slot: what
 * the schema has beside that changes nothing in a file.
 */
static uint16_t first_use(struct fxt_out *f, struct fxt_str *name)
{
	*name = fxt_pin(f->w, *name);
	return fxt_ref(f->w, *name);
}

static inline uint16_t use(struct fxt_out *f, struct fxt_str *name)
{
	return name->pin ? name->pin : first_use(f, name);
}

static inline struct fxt_str used(struct fxt_out *f, struct fxt_str *name)
{
	use(f, name);
	return *name;
}

/* A name that may not come again, for the record at hand. */
static struct fxt_str passing(struct fxt_out *f, const char *s, size_t len)
{
	struct fxt_str name = fxt_str(s, len);

	name.pin = fxt_ref(f->w, name);
	return name;
}

/* ---- events ---- */

static inline void begin_event(struct fxt_out *f, enum fxt_event_type type, uint64_t time,
			       const struct task *t, struct fxt_str category, struct fxt_str name)
{
	struct fxt_event *e = &f->event;

	e->type = type;
	e->time = time;
	e->process = t ? t->process : PROCTAB_OWN_KOID;
	e->thread = t ? t->koid : PROCTAB_OWN_KOID;
	e->category = category;
	e->name = name;
	e->value = 0;
	fxt_record_begin(&f->record);
}

static inline void end_event(struct fxt_out *f)
{
	fxt_record_event(f->w, &f->record, &f->event);
}

/* Arguments beyond those that a record takes follow it in others. */
static void next_record(struct fxt_out *f)
{
	end_event(f);
	f->event.type = FXT_EV_INSTANT;
	f->event.category = used(f, &f->name[N_META]);
	f->event.name = used(f, &f->name[N_MORE]);
	fxt_record_begin(&f->record);
}

/* ---- arguments ---- */

static inline void make_room(struct fxt_out *f)
{
	if (f->record.nargs == FXT_MAX_ARGS)
		next_record(f);
}

/* Unsigned by its type, even where the number is small. */
static inline void add_count(struct fxt_out *f, struct fxt_str *name, uint64_t v)
{
	uint16_t ref;

	make_room(f);
	ref = use(f, name);
	if (v <= UINT32_MAX)
		fxt_put_word(&f->record, FXT_ARG_U32, ref, (uint32_t)v);
	else
		fxt_put_two(&f->record, FXT_ARG_U64, ref, v);
}

/* The smallest type that takes it. */
static inline void add_number(struct fxt_out *f, struct fxt_str *name, int64_t v)
{
	uint16_t ref;

	make_room(f);
	ref = use(f, name);
	if (v == (int32_t)v)
		fxt_put_word(&f->record, FXT_ARG_I32, ref, (uint32_t)v);
	else if (v == (uint32_t)v)
		fxt_put_word(&f->record, FXT_ARG_U32, ref, (uint32_t)v);
	else
		fxt_put_two(&f->record, v < 0 ? FXT_ARG_I64 : FXT_ARG_U64, ref, (uint64_t)v);
}

static inline void add_string(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	uint16_t ref;

	make_room(f);
	ref = use(f, name);
	fxt_put_word(&f->record, FXT_ARG_STRING, ref, fxt_ref(f->w, fxt_str(s, len)));
}

/* What is too long for one argument: in several, "name", "name+1" and on. */
static void add_long_text(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
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
		more = passing(f, text, strlen(text));
		add_string(f, &more, s, n);
	}
}

/* Valid UTF-8 of any length. */
static inline void add_text(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	if (len <= FXT_MAX_STRING)
		add_string(f, name, s, len);
	else
		add_long_text(f, name, s, len);
}

/*
 * Bytes that are not UTF-8 (or hold NUL, which ends a string for consumers): with
 * U+FFFD as text, and all of them in hex beside it.
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
	hex_name = passing(f, hex, strlen(hex));
	add_text(f, &hex_name, text, 2 * len);
	free(text);
}

/* Any bytes: all that the encoder remembers were found to be text before. */
static inline void add_bytes(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	uint16_t ref, known;

	make_room(f);
	ref = use(f, name);
	known = fxt_known_bytes(f->w, s, len);
	if (known)
		fxt_put_word(&f->record, FXT_ARG_STRING, ref, known);
	else if (utf8_valid(s, len))
		add_text(f, name, s, len);
	else
		add_other_bytes(f, name, s, len);
}

/* Room for a text that is put together, and not too much of it for good. */
static struct buf *begin_text(struct fxt_out *f)
{
	if (f->text.cap > MAX_TEXT)
		buf_free(&f->text);
	f->text.len = 0;
	return &f->text;
}

/* A number that is a name: "SIGSEGV". */
static bool add_signal(struct fxt_out *f, struct fxt_str *name, int64_t v)
{
	char text[32];

	if (v <= 0 || v > INT32_MAX || !signal_abbrev((int)v))
		return false;
	signal_name((int)v, text, sizeof(text));
	add_text(f, name, text, strlen(text));
	return true;
}

/* Viewers show numbers from 2^63 on as negative ones. */
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

	for (unsigned int i = 0, left = ev->given; left; i++, left >>= 1) {
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
	unsigned int left = ev->strings & ~(1u << ET_ARGS);

	for (unsigned int i = 0; left; i++, left >>= 1)
		if (left & 1)
			add_bytes(f, &names[i], et_text(ev, &ev->str[i]), ev->str[i].len);
}

/* All arguments of the exec's command line as one that a shell would take. */
static void add_argv(struct fxt_out *f, const struct et_event *ev)
{
	struct buf *b = begin_text(f);

	for (uint32_t i = 0; i < ev->nargs; i++) {
		if (i)
			buf_addc(b, ' ');
		sh_quote(b, et_text(ev, &ev->args[i]), ev->args[i].len);
	}
	add_text(f, &f->argv, b->s, b->len);
}

/* Lines outside the format, "Foreign|cut=FN": an argument Foreign. */
static void add_extras(struct fxt_out *f, const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nextras; i++) {
		const char *s = ev->bytes + ev->extras[i].off;
		size_t len = ev->extras[i].len, n = et_extra_name(s, len);

		if (n) {
			struct fxt_str name;

			make_room(f);
			name = passing(f, s, n);
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

/* Which strings are not the names that the kernel resolved: "from+to". */
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

/* The times of an event that came in several records. */
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

/* Whether an event has more than values and strings, which few have. */
static inline bool has_more(const struct et_event *ev)
{
	return ev->flags || ev->error || ev->nextras || ev->nlater || et_any_marks(ev) ||
	       !et_regular(ev);
}

static void add_more(struct fxt_out *f, const struct et_event *ev)
{
	bool regular = et_regular(ev);

	if (regular)
		add_extras(f, ev);
	add_error(f, ev);
	if (et_any_marks(ev))
		add_marks(f, ev);
	if (ev->flags & ET_F_LATE)
		add_count(f, &f->name[N_LATE], 1);
	add_count(f, &f->name[N_CPU], ev->cpu);
	if (!regular)
		add_lines(f, ev);
	else if (ev->nlater)
		add_later(f, ev);
}

/* ---- plain events ---- */

#define ONE_ARG	(1u << 20)	/* in a record's header */

/*
 * Most events have numbers and strings that came before.  Of these the record is
 * put together where it belongs in the output; all others go the way above.
 */
static void learn(struct fxt_out *f, const struct et_event *ev)
{
	struct known *k = &f->known[ev->kind];
	uint16_t category = f->category[ev->kind].pin, name = f->kind[ev->kind].pin;

	/* their records differ, by type, arguments or by what stands around them */
	if (ev->kind == ET_K_CLONE || ev->kind == ET_K_SESSION || ev->kind == ET_K_FRAGMENT ||
	    !category || !name || !f->name[N_CPU].pin)
		return;
	/* with the argument that each has, the processor */
	k->header = FXT_REC_EVENT | FXT_EV_INSTANT << 16 | ONE_ARG | (uint64_t)category << 32 |
		    (uint64_t)name << 48;
	for (unsigned int i = 0; i < et_kinds[ev->kind].nvalues; i++) {
		name = f->value[ev->kind][i].pin;
		k->value[i] = fxt_arg_word(FXT_ARG_I32, name, 0);
		if (name && !(f->signals[ev->kind] >> i & 1))
			k->values |= (uint8_t)(1u << i);
	}
	for (unsigned int i = 0; i < et_kinds[ev->kind].nstrings; i++) {
		name = f->string[ev->kind][i].pin;
		k->string[i] = fxt_arg_word(FXT_ARG_STRING, name, 0);
		if (name)
			k->strings |= (uint8_t)(1u << i);
	}
}

/* The same as add_number(); @word: of an argument FXT_ARG_I32. Return: behind it. */
static inline uint64_t *put_number(uint64_t *at, uint64_t word, int64_t v)
{
	if (v == (int32_t)v) {
		*at++ = word | (uint64_t)v << 32;
	} else if (v == (uint32_t)v) {
		*at++ = (word + FXT_ARG_U32 - FXT_ARG_I32) | (uint64_t)v << 32;
	} else {
		/* of two words */
		*at++ = word + (v < 0 ? FXT_ARG_I64 : FXT_ARG_U64) - FXT_ARG_I32 + (1u << 4);
		*at++ = (uint64_t)v;
	}
	return at;
}

_Static_assert(ET_MAX_VALUES + ET_MAX_STRINGS + 1 <= FXT_MAX_ARGS, "one record");

/* Whether all that an event has was learnt: no other one has_more(). */
static inline bool is_plain(const struct known *k, const struct et_event *ev)
{
	uint64_t other = ev->raw_len | ev->nfindings | ev->nargs | ev->nextras | ev->nlater |
			 (uint32_t)ev->error;

	other |= (ev->given & ~k->values) | (ev->strings & ~k->strings) | ev->big | ev->flags;
	return k->header && !other && !et_any_marks(ev);
}

/* Return: false: it is not such a one; nothing was written. */
static inline bool put_plain(struct fxt_out *f, const struct task *t, const struct et_event *ev)
{
	const struct known *k = &f->known[ev->kind];
	uint64_t *words, *at, header = k->header;

	if (!is_plain(k, ev))
		return false;
	words = out_reserve(f->out, (2 + 2 * FXT_MAX_ARGS) * sizeof(*words));
	at = words + 2;
	for (unsigned int left = ev->given; left; left &= left - 1, header += ONE_ARG) {
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
	*at++ = fxt_arg_word(FXT_ARG_U32, f->name[N_CPU].pin, ev->cpu);
	words[0] = header;
	words[1] = ev->time;
	return fxt_put_known(f->w, words, at, t->process, t->koid);
}

/* All that is known of an event. */
static void add_event(struct fxt_out *f, const struct et_event *ev)
{
	add_values(f, ev);
	add_strings(f, ev);
	if (ev->nargs)
		add_argv(f, ev);
	else if (et_has_string(ev, ET_ARGS))
		add_text(f, &f->argv, "", 0);
	if (has_more(ev))
		add_more(f, ev);
	else
		add_count(f, &f->name[N_CPU], ev->cpu);
}

/* One that has no arguments. */
static void put_bare(struct fxt_out *f, enum fxt_event_type type, const struct task *t,
		     uint64_t time, struct fxt_str category, struct fxt_str name,
		     uint64_t value)
{
	begin_event(f, type, time, t, category, name);
	f->event.value = value;
	end_event(f);
}

/* ---- tasks ---- */

/* What a slice is called: a program's base name, as text. */
static struct fxt_str slice_name(struct fxt_out *f, const struct task *t)
{
	size_t len = t->program_len;

	if (utf8_valid(t->program, len))
		return fxt_str(t->program, utf8_cut(t->program, len, FXT_MAX_STRING));
	free(f->program);
	f->program = utf8_replace(t->program, len, &len);
	return fxt_str(f->program, utf8_cut(f->program, len, FXT_MAX_STRING));
}

static struct fxt_str slice_category(struct fxt_out *f, const struct task *t)
{
	return t->execed ? used(f, &f->category[ET_K_EXEC]) : used(f, &f->name[N_FORK]);
}

/* "program [pid]" for the process and for the thread. */
static void put_names(struct fxt_out *f, const struct task *t)
{
	struct fxt_str program = slice_name(f, t), full;
	size_t len = utf8_cut(program.s, program.len, 255);
	char name[300], *end = name;
	struct fxt_arg args[2];

	memcpy(name, program.s, len);
	end += len;
	*end++ = ' ';
	*end++ = '[';
	end += decimal(end, t->pid);
	*end++ = ']';
	full = fxt_str(name, (size_t)(end - name));
	if (t->koid == t->process)
		fxt_process_name(f->w, t->process, full);
	args[0] = fxt_arg_koid(used(f, &f->name[N_PROCESS]), t->process);
	args[1] = fxt_arg_u(used(f, &f->name[N_UPID]), t->upid);
	fxt_kernel_object(f->w, FXT_KOBJ_THREAD, t->koid, full, args, 2);
}

static void put_processes(struct fxt_out *f, uint64_t time)
{
	struct fxt_str category, name;
	uint64_t n = proctab_processes(f->tab);

	if (n == f->processes)
		return;
	f->processes = n;
	category = used(f, &f->category[ET_K_CLONE]);
	name = used(f, &f->name[N_PROCESSES]);
	begin_event(f, FXT_EV_COUNTER, time, NULL, category, name);
	add_number(f, &f->name[N_PROCESSES], (int64_t)n);
	end_event(f);
}

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct fxt_out *f = ctx;

	/* nothing is known of it before its execve: no slice of no length */
	if (!t->execed && ev->kind == ET_K_EXEC) {
		f->unborn = t;
		return;
	}
	put_names(f, t);
	if (t->execed) {
		begin_event(f, FXT_EV_DURATION_BEGIN, ev->time, t, slice_category(f, t),
			    slice_name(f, t));
		add_event(f, ev);
		end_event(f);
		put_processes(f, ev->time);
		return;
	}
	/*
	 * A flow binds to the slice that was pushed last: here that of the
	 * clone, there the child's first.
	 */
	if (parent)
		put_bare(f, FXT_EV_FLOW_BEGIN, parent, ev->time, used(f, &f->name[N_FORK]),
			 used(f, &f->name[N_FLOW]), ++f->flows);
	put_bare(f, FXT_EV_DURATION_BEGIN, t, ev->time, slice_category(f, t),
		 slice_name(f, t), 0);
	if (parent)
		put_bare(f, FXT_EV_FLOW_END, t, ev->time, used(f, &f->name[N_FORK]),
			 used(f, &f->name[N_FLOW]), f->flows);
	put_processes(f, ev->time);
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct fxt_out *f = ctx;

	if (f->unborn == t) {
		f->unborn = NULL;
		return;
	}
	begin_event(f, FXT_EV_DURATION_END, time, t, slice_category(f, t), slice_name(f, t));
	if (why == TASK_EXIT)
		add_event(f, ev);
	else if (why != TASK_EXEC)
		add_count(f, &f->name[N_UNFINISHED], 1);
	end_event(f);
	put_processes(f, time);
}

/* ---- the sink ---- */

static void put_head(struct fxt_out *f, uint64_t time)
{
	static const char writer[] = "etrace-read " ETRACE_VERSION;

	begin_event(f, FXT_EV_INSTANT, time, NULL, used(f, &f->name[N_META]),
		    FXT_STR(ETRACE_FXT_HEAD));
	add_count(f, &f->name[N_VERSION], ETRACE_FXT_VERSION);
	add_text(f, &f->name[N_WRITER], writer, sizeof(writer) - 1);
	end_event(f);
	f->begun = true;
}

static void put_lost(struct fxt_out *f, const struct et_event *ev)
{
	struct fxt_str category = used(f, &f->category[ET_K_LOST]);
	uint64_t n = (uint64_t)et_value(ev, ET_V_LOST_count, 1);

	fxt_provider_event(f->w, ETRACE_FXT_PROVIDER_ID, FXT_PROVIDER_EVENT_BUFFER_FULL);
	begin_event(f, FXT_EV_INSTANT, ev->time, NULL, category, used(f, &f->kind[ET_K_LOST]));
	if (et_has(ev, ET_V_LOST_count))
		add_count(f, &f->name[N_COUNT], n);
	f->lost += n;
	add_count(f, &f->name[N_CPU], ev->cpu);
	end_event(f);
}

static int fxt_out_item(struct sink *s, const void *item)
{
	struct fxt_out *f = (struct fxt_out *)s;
	const struct et_event *ev = item;
	struct task *t;

	if (!f->begun)
		put_head(f, ev->time);
	f->events++;
	if (ev->time > f->last_time)
		f->last_time = ev->time;
	if (ev->kind == ET_K_LOST) {
		put_lost(f, ev);
		return out_error(f->out);
	}
	t = proctab_actor(f->tab, ev);
	if (t && put_plain(f, t, ev))
		return out_error(f->out);
	if (!t || (ev->kind != ET_K_EXEC && ev->kind != ET_K_EXIT)) {
		struct fxt_str category = used(f, &f->category[ev->kind]);

		begin_event(f, FXT_EV_INSTANT, ev->time, t, category, used(f, &f->kind[ev->kind]));
		/* a flow begins here: it needs a slice, if of no length */
		if (ev->kind == ET_K_CLONE && et_has(ev, ET_V_CLONE_child)) {
			f->event.type = FXT_EV_DURATION_COMPLETE;
			f->event.value = ev->time;
		}
		add_event(f, ev);
		end_event(f);
		learn(f, ev);
	}
	if (t)
		proctab_apply(f->tab, t, ev);
	return out_error(f->out);
}

static int fxt_out_end(struct sink *s)
{
	struct fxt_out *f = (struct fxt_out *)s;
	bool complete = diag_complete(f->diag);
	const struct diag_kind *kind;
	uint64_t n;

	if (!f->begun)
		put_head(f, 0);
	proctab_end(f->tab, f->last_time);
	begin_event(f, FXT_EV_INSTANT, f->last_time, NULL, used(f, &f->name[N_META]),
		    FXT_STR(ETRACE_FXT_VERDICT));
	add_count(f, &f->name[N_COMPLETE], complete);
	add_count(f, &f->name[N_EVENTS], f->events);
	add_count(f, &f->name[N_LOST], f->lost);
	for (unsigned int i = 0; (kind = diag_next(f->diag, i, &n)); i++) {
		struct fxt_str name;

		make_room(f);
		name = passing(f, kind->what, strlen(kind->what));
		add_count(f, &name, n);
	}
	end_event(f);
	return out_flush(f->out);
}

static void fxt_out_free(struct sink *s)
{
	struct fxt_out *f = (struct fxt_out *)s;

	buf_free(&f->text);
	free(f->program);
	proctab_free(f->tab);
	fxt_writer_free(f->w);
	free(f);
}

static void begin_file(struct fxt_out *f)
{
	struct fxt_arg own[2];

	take_names(f);
	fxt_magic(f->w);
	fxt_provider_info(f->w, ETRACE_FXT_PROVIDER_ID, FXT_STR(ETRACE_FXT_PROVIDER));
	fxt_init(f->w, 1000000000);
	/* viewers want it to be the first string */
	use(f, &f->name[N_PROCESS]);
	fxt_process_name(f->w, PROCTAB_OWN_KOID, FXT_STR("etrace"));
	own[0] = fxt_arg_koid(used(f, &f->name[N_PROCESS]), PROCTAB_OWN_KOID);
	own[1] = fxt_arg_u(used(f, &f->name[N_UPID]), 0);
	fxt_kernel_object(f->w, FXT_KOBJ_THREAD, PROCTAB_OWN_KOID, FXT_STR("etrace"), own, 2);
}

struct sink *etrace_fxt_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { fxt_out_item, fxt_out_end, fxt_out_free };
	static const struct proctab_ops tab_ops = { on_begin, on_end };
	struct fxt_out *f;
	unsigned int bits;

	if (!etrace_pid_bits(args->opts, args->diag, &bits))
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->sink.ops = &ops;
	f->out = args->out;
	f->diag = args->diag;
	f->w = fxt_writer_new(args->out);
	f->tab = proctab_new(bits, &tab_ops, f);
	begin_file(f);
	return &f->sink;
}
