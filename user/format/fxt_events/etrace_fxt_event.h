/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes an event as a Fuchsia trace record with arguments (etrace_fxt_event.c). Used
 * by the sink (etrace_fxt_out.c), which also writes the tasks. See
 * Documentation/fxt-mapping.md.
 */
#ifndef ETRACE_FXT_EVENT_H
#define ETRACE_FXT_EVENT_H

#include "base/buf.h"
#include "base/utf8.h"
#include "timeline/timeline_events.h"
#include "event/proctab.h"
#include "timeline/work.h"
#include "format/fxt/fxt_write.h"
#include "io/formats.h"
#include "format/fxt_events/etrace_fxt.h"
#include "format/fxt_events/etrace_fxt_view.h"

/* Names in addition to those of the schema. */
enum name {
	N_PROCESS, N_CPU, N_FAILED, N_INCOMPLETE, N_LINES, N_STAMPS, N_LATE,
	N_UPID, N_COUNT, N_META, N_MORE, N_FORK, N_FLOW, N_UNFINISHED,
	N_VIEW, N_LEFT_OUT, N_PID, N_BUILD, N_RUNNING, N_CRITICAL, N_WHY, N_NOBODY, N_CPU_TIME,
	N_INSIDE, N_DETAIL, N_NO_TRACE, N_PROGRAM, N_PATH, N_FAULT, N_ERROR, N_VERSION, N_WRITER, N_COMPLETE, N_EVENTS, N_LOST,
	NAME_COUNT
};

/*
 * Prepared parts of the plain events of a kind. They exist once such an event has been
 * written: from then on its names have references.
 */
struct known {
	uint64_t header;	/* header of the record; 0 if none was written */
	uint16_t values;		/* bit i: its name is known */
	uint8_t strings;
	/* first words of arguments without their values: FXT_ARG_I32, FXT_ARG_STRING */
	uint64_t value[ET_MAX_VALUES], string[ET_MAX_STRINGS];
};

struct fxt_out {
	struct sink sink;
	struct out *out;
	struct diag *diag;
	struct fxt_writer *w;
	struct proctab *tab;
	struct fxt_view view;
	struct timeline_events timeline;
	struct fxt_inside *inside;	/* NULL if not asked for */
	struct fxt_str name[NAME_COUNT];
	struct fxt_str kind[ET_K_COUNT], category[ET_K_COUNT], class[WORK_CLASSES];
	struct fxt_str value[ET_K_COUNT][ET_MAX_VALUES];
	struct fxt_str string[ET_K_COUNT][ET_MAX_STRINGS];
	struct fxt_str argv, marking[ET_NR_MARKINGS];
	uint16_t signals[ET_K_COUNT];	/* bit i: value i is a signal number */
	struct known known[ET_K_COUNT];
	/* steady values, by the reference of the path; valid only if it has an fxt_mark() */
	struct etrace_fxt_values *values;
	uint16_t left_out;	/* bit i: value i of the current event is left out */
	/* the current event, and its arguments so far */
	struct fxt_event event;
	struct fxt_record record;
	struct buf text;	/* buffer for building an argument */
	char *program;		/* memory of a text that was not UTF-8, or NULL */
	uint64_t flows;		/* number of flow ids in use */
	uint64_t events, lost, last_time, build_end;
	const struct task *unborn;	/* task that begins with the current execve, or NULL */
	bool begun;
};

/* ---- names ---- */

/** fxt_out_take_names - fill in all names, none of them used yet */
void fxt_out_take_names(struct fxt_out *f);

/* Gives a name its reference, when it is first used. */
uint16_t fxt_out_first_use(struct fxt_out *f, struct fxt_str *name);

/*
 * The reference of a name. A name gets its String record when it is first used, and keeps
 * that index. So unused names of the schema leave no trace in a file.
 */
static inline uint16_t name_ref(struct fxt_out *f, struct fxt_str *name)
{
	return name->pin ? name->pin : fxt_out_first_use(f, name);
}

static inline struct fxt_str used_name(struct fxt_out *f, struct fxt_str *name)
{
	name_ref(f, name);
	return *name;
}

/* A name that may not be needed again, valid for the current record. */
static inline struct fxt_str passing_name(struct fxt_out *f, const char *s, size_t len)
{
	struct fxt_str name = fxt_str(s, len);

	name.pin = fxt_ref(f->w, name);
	return name;
}

/** fxt_out_text - bytes as text, for the current record: valid until this is called again */
struct fxt_str fxt_out_text(struct fxt_out *f, const char *s, size_t len);

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

/* Ends the full record; more arguments go into a record that follows it. */
void fxt_out_next_record(struct fxt_out *f);

/* The rest of fxt_out_leave_out(), for events where something may be left out. */
void fxt_out_find_left_out(struct fxt_out *f, const struct et_event *ev);

/** fxt_out_leave_out - find the values that an event can omit; call before it is written */
static inline void fxt_out_leave_out(struct fxt_out *f, const struct et_event *ev)
{
	f->left_out = 0;
	if (etrace_fxt_steady[ev->kind] || f->view.cuts)
		fxt_out_find_left_out(f, ev);
}

/**
 * fxt_out_note_values - remember the steady values of an event's path; call after it is written
 */
void fxt_out_note_values(struct fxt_out *f, const struct et_event *ev);

/**
 * fxt_out_add_event - add everything known of an event, as arguments of the current record
 * @t: its task, NULL if none
 */
void fxt_out_add_event(struct fxt_out *f, struct task *t, const struct et_event *ev);

/*
 * Fast path: most events have only numbers and already known strings. Their records
 * are built directly in the output buffer.
 */

/** fxt_out_learn - prepare plain events of an event's kind; call after an event with a task */
void fxt_out_learn(struct fxt_out *f, const struct et_event *ev);

/** fxt_out_put_plain - write a plain event.  Return: false, with nothing written, if it is not. */
bool fxt_out_put_plain(struct fxt_out *f, struct task *t, const struct et_event *ev);

/** fxt_out_put_build - at the end of the trace: write the process "build" */
void fxt_out_put_build(struct fxt_out *f);

/* ---- inside the compilers: etrace_fxt_inside.c ---- */

/** fxt_inside_new - start following files that may be time traces; @below: as for chrome_read() */
struct fxt_inside *fxt_inside_new(const char *below);
void fxt_inside_free(struct fxt_inside *s);

/** fxt_inside_exec - a program begins: the last one of f->timeline */
void fxt_inside_exec(struct fxt_out *f, const struct et_event *ev);
/** fxt_inside_event - follow what a task does to such files */
void fxt_inside_event(struct fxt_out *f, const struct task *t, const struct et_event *ev);

/** fxt_out_put_inside - when f->timeline is complete: write the slices of the time traces */
void fxt_out_put_inside(struct fxt_out *f);

/* ---- arguments ---- */

static inline void make_room(struct fxt_out *f)
{
	if (f->record.nargs == FXT_MAX_ARGS)
		fxt_out_next_record(f);
}

/* Adds a number of unsigned type, even if it is small. */
static inline void add_count(struct fxt_out *f, struct fxt_str *name, uint64_t v)
{
	uint16_t ref;

	make_room(f);
	ref = name_ref(f, name);
	if (v <= UINT32_MAX)
		fxt_put_word(&f->record, FXT_ARG_U32, ref, (uint32_t)v);
	else
		fxt_put_two(&f->record, FXT_ARG_U64, ref, v);
}

/* Adds a number, with the smallest type that can hold it. */
static inline void add_number(struct fxt_out *f, struct fxt_str *name, int64_t v)
{
	uint16_t ref;

	make_room(f);
	ref = name_ref(f, name);
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
	ref = name_ref(f, name);
	fxt_put_word(&f->record, FXT_ARG_STRING, ref, fxt_ref(f->w, fxt_str(s, len)));
}

/* Adds a text too long for one argument as several: "name", "name+1" and so on. */
void fxt_out_long_text(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len);

/* Adds a text of any length, which must be valid UTF-8. */
static inline void add_text(struct fxt_out *f, struct fxt_str *name, const char *s, size_t len)
{
	if (len <= FXT_MAX_STRING)
		add_string(f, name, s, len);
	else
		fxt_out_long_text(f, name, s, len);
}

#endif
