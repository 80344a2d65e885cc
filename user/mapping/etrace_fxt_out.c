// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink of the etrace model: a Fuchsia trace.  What becomes what, and why, is in
 * Documentation/fxt-mapping.md; etrace_fxt_in.c reads it back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/errname.h"
#include "base/signame.h"
#include "build/etrace_formats.h"
#include "mapping/etrace_fxt.h"
#include "lines/event_lines.h"
#include "fxt/fxt_write.h"
#include "build/proctab.h"
#include "base/shquote.h"
#include "base/utf8.h"
#include "base/xalloc.h"

/* Names beside those of the schema. */
enum name {
	N_PROCESS, N_CPU, N_FAILED, N_INCOMPLETE, N_LINES, N_STAMPS, N_LATE,
	N_UPID, N_COUNT, N_META, N_MORE, N_FORK, N_FLOW, N_PROCESSES,
	N_UNFINISHED, N_ERROR, NAME_COUNT
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
};

/* The arguments of one event; more than a record takes if need be. */
struct args {
	struct fxt_arg *a;
	size_t n, cap;
	char **temp;		/* strings that were made for them */
	size_t ntemp, temp_cap;
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
	struct args args;
	uint64_t flows;		/* flow ids given so far */
	uint64_t events, lost, last_time, processes;
	const struct task *unborn;	/* begins with the execve at hand */
	bool begun;
};

/*
 * A name, which gets its String record when it is first used, and keeps its
 * slot: what the schema has beside that changes nothing in a file.
 */
static inline struct fxt_str used(struct fxt_out *f, struct fxt_str *name)
{
	if (!name->pin)
		*name = fxt_pin(f->w, *name);
	return *name;
}

static inline struct fxt_str literal(const char *s)
{
	return fxt_str(s, strlen(s));
}

static inline struct fxt_str name_of(struct fxt_out *f, enum name n)
{
	return used(f, &f->name[n]);
}

/* ---- arguments ---- */

/* Room for one more, which the caller fills. */
static inline struct fxt_arg *new_arg(struct args *as)
{
	if (as->n == as->cap)
		as->a = xgrow(as->a, &as->cap, as->n + 1, sizeof(*as->a));
	return &as->a[as->n++];
}

static inline void add_arg(struct args *as, struct fxt_arg a)
{
	*new_arg(as) = a;
}

static char *keep(struct args *as, char *s)
{
	as->temp = xgrow(as->temp, &as->temp_cap, as->ntemp + 1, sizeof(s));
	as->temp[as->ntemp++] = s;
	return s;
}

static void clear_args(struct args *as)
{
	for (size_t i = 0; i < as->ntemp; i++)
		free(as->temp[i]);
	as->ntemp = 0;
	as->n = 0;
}

/* Valid UTF-8 of any length: in one argument or several, "name+1" and on. */
static void add_text(struct args *as, struct fxt_str name, const char *s, size_t len)
{
	size_t n = utf8_cut(s, len, FXT_MAX_STRING);

	add_arg(as, fxt_arg_str(name, fxt_str(s, n)));
	for (unsigned int i = 1; n < len; i++) {
		char *more;
		int more_len;

		s += n;
		len -= n;
		n = utf8_cut(s, len, FXT_MAX_STRING);
		more_len = asprintf(&more, "%.*s+%u", (int)name.len, name.s, i);
		if (more_len < 0)
			more = xstrdup("");
		keep(as, more);
		add_arg(as, fxt_arg_str(fxt_str(more, strlen(more)), fxt_str(s, n)));
	}
}

/*
 * Any bytes: as text, and where they are not UTF-8 (or hold NUL, which ends a
 * string for consumers) with U+FFFD, and all of them in hex beside it.
 */
static void add_bytes(struct args *as, struct fxt_str name, const char *s, size_t len)
{
	struct buf hex_name = { 0 };
	char *copy;
	size_t copy_len;

	if (utf8_valid(s, len)) {
		add_text(as, name, s, len);
		return;
	}
	copy = keep(as, utf8_replace(s, len, &copy_len));
	add_text(as, name, copy, copy_len);
	buf_add(&hex_name, name.s, name.len);
	buf_adds(&hex_name, ETRACE_FXT_HEX);
	add_text(as, fxt_str(keep(as, hex_name.s), hex_name.len), keep(as, utf8_hex(s, len)),
		 2 * len);
}

/* A number that is a name: "SIGSEGV". */
static bool add_signal(struct fxt_out *f, struct fxt_str name, int64_t v)
{
	char *text;

	if (v <= 0 || v > INT32_MAX || !signal_abbrev((int)v))
		return false;
	text = keep(&f->args, xmalloc(32));
	signal_name((int)v, text, 32);
	add_arg(&f->args, fxt_arg_str(name, fxt_str(text, strlen(text))));
	return true;
}

static void add_values(struct fxt_out *f, const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	for (unsigned int i = 0; i < kind->nvalues; i++) {
		struct fxt_str name;
		int64_t v = ev->val[i];

		if (!et_has(ev, i))
			continue;
		name = used(f, &f->value[ev->kind][i]);
		if (kind->values[i].means == ET_MEANS_SIGNAL && add_signal(f, name, v))
			continue;
		if (ev->big >> i & 1) {
			/* viewers show numbers from 2^63 on as negative ones */
			char *text = keep(&f->args, xmalloc(24));

			snprintf(text, 24, "%" PRIu64, (uint64_t)v);
			add_arg(&f->args, fxt_arg_str(name, fxt_str(text, strlen(text))));
		} else {
			struct fxt_arg *a = new_arg(&f->args);

			a->name = name;
			/* the smallest that takes it */
			a->type = v > UINT32_MAX ? FXT_ARG_U64 : v > INT32_MAX ? FXT_ARG_U32 :
				  v >= INT32_MIN ? FXT_ARG_I32 : FXT_ARG_I64;
			a->i64 = v;
			if (a->type == FXT_ARG_U32 || a->type == FXT_ARG_I32)
				a->u32 = (uint32_t)v;
		}
	}
}

/* All arguments of the exec's command line as one that a shell would take. */
static void add_argv(struct fxt_out *f, const struct et_event *ev)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < ev->nargs; i++) {
		if (i)
			buf_addc(&b, ' ');
		sh_quote(&b, et_text(ev, &ev->args[i]), ev->args[i].len);
	}
	buf_addc(&b, 0);
	add_text(&f->args, used(f, &f->argv), keep(&f->args, b.s), b.len - 1);
}

/* Lines outside the format, "Foreign|cut=FN": an argument Foreign. */
static void add_extras(struct fxt_out *f, const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nextras; i++) {
		const char *s = ev->bytes + ev->extras[i].off;
		size_t len = ev->extras[i].len, n = et_extra_name(s, len);

		if (n)
			add_bytes(&f->args, fxt_str(s, n), s + n + 1, len - n - 1);
	}
}

static void add_error(struct fxt_out *f, const struct et_event *ev)
{
	const char *name = ev->error ? error_name(ev->error) : NULL;

	if (name)
		add_arg(&f->args, fxt_arg_str(name_of(f, N_ERROR), fxt_str(name, strlen(name))));
	else if (ev->error)
		add_arg(&f->args, fxt_arg_i(name_of(f, N_ERROR), ev->error));
	if (ev->flags & ET_F_FAILED)
		add_arg(&f->args, fxt_arg_u(name_of(f, N_FAILED), 1));
}

/* Which strings are not the names that the kernel resolved: "from+to". */
static void add_marks(struct fxt_out *f, const struct et_event *ev)
{
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		struct buf b = { 0 };

		if (!ev->marks[m])
			continue;
		for (unsigned int i = 0; i < 8; i++) {
			if (!(ev->marks[m] >> i & 1) || !et_marked(ev->kind, i))
				continue;
			if (b.len)
				buf_addc(&b, '+');
			buf_adds(&b, et_marked(ev->kind, i));
		}
		buf_addc(&b, 0);
		add_text(&f->args, used(f, &f->marking[m]), keep(&f->args, b.s), b.len - 1);
	}
}

static void add_lines(struct fxt_out *f, const struct et_event *ev)
{
	struct buf why = { 0 }, lines = { 0 };
	char text[160];

	for (unsigned int i = 0; i < ev->nfindings && i < 4; i++) {
		et_finding_text(&ev->findings[i], text, sizeof(text));
		if (i)
			buf_adds(&why, "; ");
		buf_adds(&why, text);
	}
	if (ev->nfindings) {
		buf_addc(&why, 0);
		add_text(&f->args, name_of(f, N_INCOMPLETE), keep(&f->args, why.s), why.len - 1);
	}
	if (ev->raw_len) {
		add_bytes(&f->args, name_of(f, N_LINES), ev->raw, ev->raw_len);
		return;
	}
	et_print_lines(ev, 0, &lines);
	add_bytes(&f->args, name_of(f, N_LINES), keep(&f->args, lines.s), lines.len);
}

/* The times of an event that came in several records. */
static void add_later(struct fxt_out *f, const struct et_event *ev)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < ev->nlater; i++) {
		const struct et_mark *m = &ev->later[i];

		buf_addu(&b, m->item);
		buf_addc(&b, ',');
		buf_addu(&b, m->off);
		buf_addc(&b, ',');
		buf_addu(&b, m->cpu);
		buf_addc(&b, ',');
		buf_addu(&b, m->time);
		buf_addc(&b, ';');
	}
	add_text(&f->args, name_of(f, N_STAMPS), keep(&f->args, b.s), b.len);
}

/* All that is known of an event. */
static void event_args(struct fxt_out *f, const struct et_event *ev)
{
	bool regular = et_regular(ev);

	clear_args(&f->args);
	add_values(f, ev);
	for (unsigned int i = 0; i < et_kinds[ev->kind].nstrings; i++)
		if (et_has_string(ev, i))
			add_bytes(&f->args, used(f, &f->string[ev->kind][i]),
				  et_text(ev, &ev->str[i]), ev->str[i].len);
	if (ev->nargs)
		add_argv(f, ev);
	else if (et_has_string(ev, ET_ARGS))
		add_text(&f->args, used(f, &f->argv), "", 0);
	if (regular)
		add_extras(f, ev);
	add_error(f, ev);
	if (et_any_marks(ev))
		add_marks(f, ev);
	if (ev->flags & ET_F_LATE)
		add_arg(&f->args, fxt_arg_u(name_of(f, N_LATE), 1));
	add_arg(&f->args, fxt_arg_u(name_of(f, N_CPU), ev->cpu));
	if (!regular)
		add_lines(f, ev);
	else if (ev->nlater)
		add_later(f, ev);
}

/* An event with all its arguments; those beyond a record's 15 follow it. */
static void put_event(struct fxt_out *f, struct fxt_event e)
{
	const struct fxt_arg *a = f->args.a, *end = a + f->args.n;

	while (end - a > FXT_MAX_ARGS) {
		fxt_event(f->w, &e, a, FXT_MAX_ARGS);
		a += FXT_MAX_ARGS;
		e.type = FXT_EV_INSTANT;
		e.category = name_of(f, N_META);
		e.name = name_of(f, N_MORE);
	}
	fxt_event(f->w, &e, a, (unsigned int)(end - a));
}

static void put_bare(struct fxt_out *f, enum fxt_event_type type, const struct task *t,
		     uint64_t time, struct fxt_str category, struct fxt_str name,
		     uint64_t value)
{
	struct fxt_event e = { type, time, t->process, t->koid, category, name, value };

	fxt_event(f->w, &e, NULL, 0);
}

/* ---- tasks ---- */

/* What a slice is called: a program's base name, as text. */
static struct fxt_str slice_name(struct fxt_out *f, const struct task *t)
{
	size_t len = t->program_len;

	if (!utf8_valid(t->program, len)) {
		char *s = keep(&f->args, utf8_replace(t->program, len, &len));

		return fxt_str(s, utf8_cut(s, len, FXT_MAX_STRING));
	}
	return fxt_str(t->program, utf8_cut(t->program, len, FXT_MAX_STRING));
}

static struct fxt_str slice_category(struct fxt_out *f, const struct task *t)
{
	return t->execed ? used(f, &f->category[ET_K_EXEC]) : name_of(f, N_FORK);
}

/* "program [pid]" for the process and for the thread. */
static void put_names(struct fxt_out *f, const struct task *t)
{
	struct fxt_str program = slice_name(f, t), full;
	struct fxt_arg args[2];
	char name[300];
	int len;

	len = snprintf(name, sizeof(name), "%.*s [%" PRIu64 "]",
		       (int)utf8_cut(program.s, program.len, 255), program.s, t->pid);
	full = fxt_str(name, (size_t)len);
	if (t->koid == t->process)
		fxt_process_name(f->w, t->process, full);
	args[0] = fxt_arg_koid(name_of(f, N_PROCESS), t->process);
	args[1] = fxt_arg_u(name_of(f, N_UPID), t->upid);
	fxt_kernel_object(f->w, FXT_KOBJ_THREAD, t->koid, full, args, 2);
}

static void put_processes(struct fxt_out *f, uint64_t time)
{
	struct fxt_event e = {
		.type = FXT_EV_COUNTER, .time = time, .process = PROCTAB_OWN_KOID,
		.thread = PROCTAB_OWN_KOID,
	};
	uint64_t n = proctab_processes(f->tab);
	struct fxt_arg arg;

	if (n == f->processes)
		return;
	f->processes = n;
	e.category = used(f, &f->category[ET_K_CLONE]);
	e.name = name_of(f, N_PROCESSES);
	arg = fxt_arg_i(e.name, (int64_t)n);
	fxt_event(f->w, &e, &arg, 1);
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
		struct fxt_event e = {
			FXT_EV_DURATION_BEGIN, ev->time, t->process, t->koid,
			slice_category(f, t), { 0 }, 0,
		};

		event_args(f, ev);
		e.name = slice_name(f, t);
		put_event(f, e);
		put_processes(f, ev->time);
		return;
	}
	/*
	 * A flow binds to the slice that was pushed last: here that of the
	 * clone, there the child's first.
	 */
	if (parent)
		put_bare(f, FXT_EV_FLOW_BEGIN, parent, ev->time, name_of(f, N_FORK),
			 name_of(f, N_FLOW), ++f->flows);
	put_bare(f, FXT_EV_DURATION_BEGIN, t, ev->time, slice_category(f, t),
		 slice_name(f, t), 0);
	if (parent)
		put_bare(f, FXT_EV_FLOW_END, t, ev->time, name_of(f, N_FORK),
			 name_of(f, N_FLOW), f->flows);
	put_processes(f, ev->time);
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct fxt_out *f = ctx;
	struct fxt_event e = {
		.type = FXT_EV_DURATION_END, .time = time, .process = t->process,
		.thread = t->koid,
	};

	if (f->unborn == t) {
		f->unborn = NULL;
		return;
	}
	clear_args(&f->args);
	if (why == TASK_EXIT)
		event_args(f, ev);
	else if (why != TASK_EXEC)
		add_arg(&f->args, fxt_arg_u(name_of(f, N_UNFINISHED), 1));
	e.category = slice_category(f, t);
	e.name = slice_name(f, t);
	put_event(f, e);
	put_processes(f, time);
}

/* ---- the sink ---- */

static void put_own(struct fxt_out *f, const char *category, const char *name,
		    uint64_t time)
{
	struct fxt_event e = {
		FXT_EV_INSTANT, time, PROCTAB_OWN_KOID, PROCTAB_OWN_KOID,
		fxt_str(category, strlen(category)), fxt_str(name, strlen(name)), 0,
	};

	put_event(f, e);
}

static void put_head(struct fxt_out *f, uint64_t time)
{
	clear_args(&f->args);
	add_arg(&f->args, fxt_arg_u(FXT_STR("version"), ETRACE_FXT_VERSION));
	add_arg(&f->args, fxt_arg_str(FXT_STR("writer"), FXT_STR("etrace-read " ETRACE_VERSION)));
	put_own(f, ETRACE_FXT_CAT_META, ETRACE_FXT_HEAD, time);
	f->begun = true;
}

static void put_lost(struct fxt_out *f, const struct et_event *ev)
{
	fxt_provider_event(f->w, ETRACE_FXT_PROVIDER_ID, FXT_PROVIDER_EVENT_BUFFER_FULL);
	clear_args(&f->args);
	if (et_has(ev, ET_V_LOST_count)) {
		uint64_t n = (uint64_t)ev->val[ET_V_LOST_count];

		add_arg(&f->args, fxt_arg_u(name_of(f, N_COUNT), n));
		f->lost += n;
	} else {
		f->lost++;
	}
	add_arg(&f->args, fxt_arg_u(name_of(f, N_CPU), ev->cpu));
	put_own(f, et_kinds[ET_K_LOST].category, et_kinds[ET_K_LOST].name, ev->time);
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
	if (!t) {
		event_args(f, ev);
		put_own(f, et_kinds[ev->kind].category, et_kinds[ev->kind].name, ev->time);
		return out_error(f->out);
	}
	if (ev->kind != ET_K_EXEC && ev->kind != ET_K_EXIT) {
		struct fxt_event e = {
			.type = FXT_EV_INSTANT, .time = ev->time, .process = t->process,
			.thread = t->koid,
		};

		e.category = used(f, &f->category[ev->kind]);
		e.name = used(f, &f->kind[ev->kind]);
		/* a flow begins here: it needs a slice, if of no length */
		if (ev->kind == ET_K_CLONE && et_has(ev, ET_V_CLONE_child)) {
			e.type = FXT_EV_DURATION_COMPLETE;
			e.value = ev->time;
		}
		event_args(f, ev);
		put_event(f, e);
	}
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
	clear_args(&f->args);
	add_arg(&f->args, fxt_arg_u(FXT_STR("complete"), complete));
	add_arg(&f->args, fxt_arg_u(FXT_STR("events"), f->events));
	add_arg(&f->args, fxt_arg_u(FXT_STR("lost"), f->lost));
	for (unsigned int i = 0; (kind = diag_next(f->diag, i, &n)); i++)
		add_arg(&f->args, fxt_arg_u(fxt_str(kind->what, strlen(kind->what)), n));
	put_own(f, ETRACE_FXT_CAT_META, ETRACE_FXT_VERDICT, f->last_time);
	return out_flush(f->out);
}

static void fxt_out_free(struct sink *s)
{
	struct fxt_out *f = (struct fxt_out *)s;

	clear_args(&f->args);
	free(f->args.a);
	free(f->args.temp);
	proctab_free(f->tab);
	fxt_writer_free(f->w);
	free(f);
}

static void take_names(struct fxt_out *f)
{
	for (unsigned int i = 0; i < NAME_COUNT; i++)
		f->name[i] = literal(names[i]);
	for (unsigned int i = 0; i < ET_K_COUNT; i++) {
		f->kind[i] = literal(et_kinds[i].name);
		f->category[i] = literal(et_kinds[i].category);
		for (unsigned int j = 0; j < et_kinds[i].nvalues; j++)
			f->value[i][j] = literal(et_kinds[i].values[j].name);
		for (unsigned int j = 0; j < et_kinds[i].nstrings; j++)
			f->string[i][j] = literal(et_kinds[i].strings[j].name);
	}
	f->argv = literal(et_args_name[ET_K_EXEC]);
	for (unsigned int i = 0; i < ET_NR_MARKINGS; i++)
		f->marking[i] = literal(et_marking_names[i]);
}

static void begin_file(struct fxt_out *f)
{
	struct fxt_arg own[2];

	take_names(f);
	fxt_magic(f->w);
	fxt_provider_info(f->w, ETRACE_FXT_PROVIDER_ID, FXT_STR(ETRACE_FXT_PROVIDER));
	fxt_init(f->w, 1000000000);
	/* viewers want it to be the first string */
	name_of(f, N_PROCESS);
	fxt_process_name(f->w, PROCTAB_OWN_KOID, FXT_STR("etrace"));
	own[0] = fxt_arg_koid(name_of(f, N_PROCESS), PROCTAB_OWN_KOID);
	own[1] = fxt_arg_u(name_of(f, N_UPID), 0);
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
