// SPDX-License-Identifier: LGPL-2.1
/* Writes several output files of one recording.  See outputs.h. */
#include "format/outputs.h"
#include "event/event.h"
#include "io/out_place.h"
#include "io/out_queue.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Grace period in ms for an output that is given up to end by itself. */
#define LAST_MS 50

struct output {
	char *path;
	struct out_place place;	/* @queue owns its descriptor, once there is a queue */
	const struct sink_format *format;
	struct opts opts;	/* options of all outputs, and options implied by its name */
	struct out_queue *queue;
	struct out *out;	/* the stream to the queue, NULL if ended */
	struct sink *sink;
	struct diag *diag;
	dev_t dev;
	ino_t ino;
	mode_t type;		/* S_IFREG, ... */
	int misplaced;		/* negative errno if the file did not get its name, else 0 */
	uint64_t bytes;
	uint64_t lost;		/* number of lost events */
	uint64_t unreported;	/* number of @lost without a LOST event in the file yet */
	char fault[160];	/* "" if none so far */
};

struct outputs {
	struct sink sink;
	outputs_failed_fn *failed;
	void *ctx;
	uint64_t limit;		/* bytes in all queues; after outputs_sink(), in each */
	uint64_t synced;	/* outputs_bytes() at the last sync */
	int ended_fd;		/* eventfd: readable when an output has ended */
	struct et_event gap;
	struct output *out;
	unsigned int n;
	size_t cap;
};

/* Sets the fault of an output, if it has none yet. */
__attribute__((format(printf, 2, 3)))
static void output_fault(struct output *out, const char *fmt, ...)
{
	va_list ap;

	if (*out->fault)
		return;
	va_start(ap, fmt);
	vsnprintf(out->fault, sizeof(out->fault), fmt, ap);
	va_end(ap);
}

static void fault_of(struct output *out, int err)
{
	switch (-err) {
	case 0:
		break;
	case ESTALE:
		output_fault(out, "somebody else wrote into it or cut it");
		break;
	case ECANCELED:
		output_fault(out,
			     "it did not accept all data: %" PRIu64 " bytes are missing at its end",
			     out_queue_waiting(out->queue));
		break;
	default:
		output_fault(out, "%s", strerror(-err));
	}
}

/* ---- beginning ---- */

static const struct sink_format *format_of(const char *name, size_t len)
{
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (f->model == MODEL_ETRACE && !f->flag && strlen(f->name) == len &&
		    !memcmp(f->name, name, len))
			return f;
	return NULL;
}

struct outputs *outputs_new(uint64_t limit, outputs_failed_fn *failed, void *ctx)
{
	struct outputs *o = xcalloc(1, sizeof(*o));

	o->limit = limit;
	o->failed = failed;
	o->ctx = ctx;
	o->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	et_init(&o->gap);
	return o;
}

static void known_formats(char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (f->model == MODEL_ETRACE && !f->flag && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? ", " : "", f->name);
}

/* Whether only one writer is allowed; a device may have several. */
static bool is_exclusive(mode_t type)
{
	return S_ISREG(type) || S_ISFIFO(type);
}

static bool is_same(const struct stat *a, dev_t dev, ino_t ino)
{
	return a->st_dev == dev && a->st_ino == ino;
}

static const char is_twice[] = "%s and %s are the same file";
static const char is_written[] =
	"%s: another recording is being written to it; name another file with -o";

/* Locks an output.  Return: false if another writer uses it, with the reason in @why. */
static bool claim_file(const struct outputs *o, int fd, const struct stat *st, const char *path,
		       char *why, size_t size)
{
	static const char *const standard[] = { NULL, "output", "error" };
	struct stat s;

	if (!is_exclusive(st->st_mode))
		return true;
	for (unsigned int i = 0; i < o->n; i++)
		if (is_same(st, o->out[i].dev, o->out[i].ino) ||
		    is_same(st, o->out[i].place.was.st_dev, o->out[i].place.was.st_ino)) {
			snprintf(why, size, is_twice, o->out[i].path, path);
			return false;
		}
	/* only regular files: two writers would overwrite each other, but not in a pipe */
	for (int i = 1; i <= 2 && S_ISREG(st->st_mode); i++)
		if (!fstat(i, &s) && is_same(st, s.st_dev, s.st_ino)) {
			snprintf(why, size, "%s: is standard %s, which belongs to the command; name another file",
				 path, standard[i]);
			return false;
		}
	/* some file systems have no locks */
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return true;
	snprintf(why, size, is_written, path);
	return false;
}

/* Call claim_file() for the file that the output will replace. */
static bool claim_old(const struct outputs *o, const struct out_place *p, const char *path,
		      char *why, size_t size)
{
	int fd = p->part && p->was.st_nlink ? open(p->name, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	char old[PATH_MAX];
	struct stat st;
	bool good;

	/* no file, or it cannot be opened: nothing to lock */
	if (fd < 0)
		return true;
	good = claim_file(o, fd, &p->was, path, why, size);
	close(fd);
	snprintf(old, sizeof(old), "%s" OUT_OLD, p->name);
	if (good && !stat(old, &st) && S_ISDIR(st.st_mode)) {
		snprintf(why, size, "%s: cannot keep the earlier recording, for %s" OUT_OLD " is a directory",
			 path, path);
		good = false;
	}
	return good;
}

/* Explains who writes the file already: possibly another output of this recording. */
static void explain_busy(const struct outputs *o, const char *path, char *why, size_t size)
{
	for (unsigned int i = 0; i < o->n; i++)
		if (out_place_same(&o->out[i].place, path)) {
			snprintf(why, size, is_twice, o->out[i].path, path);
			return;
		}
	snprintf(why, size, is_written, path);
}

static const char *open_error(const char *path, int err)
{
	struct stat st;

	if (err != ENXIO)
		return out_place_error(-err);
	return !stat(path, &st) && S_ISSOCK(st.st_mode) ? "is a socket" :
							  "is a pipe that nobody reads";
}

bool outputs_add(struct outputs *o, const char *path, const char *to, char *why,
		 size_t size)
{
	struct output out = { 0 };
	const char *suffix;
	char names[128];
	size_t len;
	struct stat st;
	int err;

	suffix = out_suffix(path, &len);
	out.format = to ? format_of(to, strlen(to)) : format_of(suffix, len);
	if (!out.format) {
		known_formats(names, sizeof(names));
		if (to)
			snprintf(why, size, "unknown output format \"%s\"; known are: %s", to, names);
		else
			snprintf(why, size, "%s: the name does not tell the format; end it in one of .%s, or give --to FORMAT",
				 path, names);
		return false;
	}

	/* do not wait, now or later: it may be a pipe without a reader */
	err = out_place_open(&out.place, path, OUT_PLACE_WAITS_NOT);
	if (err == -EBUSY) {
		explain_busy(o, path, why, size);
		return false;
	}
	if (err || fstat(out.place.fd, &st)) {
		snprintf(why, size, "%s: %s", path, open_error(path, err ? -err : errno));
		return false;
	}
	if (!claim_old(o, &out.place, path, why, size) ||
	    !claim_file(o, out.place.fd, &st, path, why, size)) {
		close(out.place.fd);
		out_place_free(&out.place);
		return false;
	}
	out.path = xstrdup(path);
	out.dev = st.st_dev;
	out.ino = st.st_ino;
	out.type = st.st_mode & S_IFMT;
	o->out = xgrow(o->out, &o->cap, o->n + 1, sizeof(out));
	o->out[o->n++] = out;
	return true;
}

bool outputs_empty(struct outputs *o, char *why, size_t size)
{
	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];
		int err = out_place_begin(&out->place);

		if (err) {
			snprintf(why, size, "%s: %s", out->path, strerror(-err));
			return false;
		}
	}
	return true;
}

void outputs_appear(struct outputs *o)
{
	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];

		out->misplaced = out_place_commit(&out->place, true);
		if (out->misplaced)
			out_place_leave(&out->place);
	}
}

/* ---- while recording ---- */

/* Gives up an output if it has failed; the others continue. */
static void check_output(struct outputs *o, struct output *out)
{
	int err = out_queue_error(out->queue);

	if (!err || *out->fault)
		return;
	fault_of(out, err);
	o->failed(o->ctx, out->path, out->fault);
}

/* Writes how many events were lost before the next one. */
static void write_gap(struct outputs *o, struct output *out, const struct et_event *next)
{
	et_reset(&o->gap, ET_K_LOST, 0, next->cpu, next->time);
	et_set(&o->gap, ET_V_LOST_count, (int64_t)out->unreported);
	out->unreported = 0;
	sink_item(out->sink, &o->gap);
}

/*
 * A queue that was full accepts events again when half of it is written.  This makes a few
 * long gaps rather than many short ones.
 */
static bool has_room(const struct outputs *o, const struct output *out)
{
	return out_queue_waiting(out->queue) <= (out->unreported ? o->limit / 2 : o->limit);
}

static int outputs_item(struct sink *s, const void *item)
{
	struct outputs *o = (struct outputs *)s;

	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];

		if (*out->fault)
			continue;
		if (!has_room(o, out)) {
			out->lost++;
			out->unreported++;
			continue;
		}
		if (out->unreported)
			write_gap(o, out, item);
		if (sink_item(out->sink, item))
			check_output(o, out);
	}
	return 0;
}

static int outputs_no_end(struct sink *s)
{
	(void)s;
	return 0;
}

static void outputs_no_free(struct sink *s)
{
	(void)s;
}

struct sink *outputs_sink(struct outputs *o, const struct opts *opts, const char *source)
{
	static const struct sink_ops ops = { outputs_item, outputs_no_end, outputs_no_free };

	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];
		struct sink_args args = { .opts = &out->opts, .source = source };

		for (size_t k = 0; k < opts->n; k++)
			opts_add(&out->opts, opts->given[k].name, opts->given[k].value);
		if (out_is_view(out->path) && opt_row_has(out->format->options, "view"))
			opts_add(&out->opts, "view", NULL);

		out->queue = out_queue_new(out->place.fd, out->path,
					   S_ISREG(out->type) && !out->place.own, o->ended_fd);
		out->out = args.out = out_queue_stream(out->queue);
		out->diag = args.diag = diag_new(NULL, "");
		out->sink = out->format->open(&args);
		if (!out->sink)
			return NULL;
	}
	o->limit /= o->n ? o->n : 1;
	o->sink.ops = &ops;
	return &o->sink;
}

void outputs_sync(struct outputs *o)
{
	uint64_t bytes = outputs_bytes(o);

	for (unsigned int i = 0; i < o->n; i++) {
		if (bytes != o->synced && !*o->out[i].fault)
			out_sync(o->out[i].out);
		check_output(o, &o->out[i]);
	}
	o->synced = bytes;
}

void outputs_settle(struct outputs *o, unsigned int ms)
{
	for (unsigned int i = 0; i < o->n; i++)
		out_queue_settle(o->out[i].queue, ms);
}

uint64_t outputs_bytes(const struct outputs *o)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < o->n; i++)
		sum += o->out[i].out ? out_bytes(o->out[i].out) : o->out[i].bytes;
	return sum;
}

uint64_t outputs_waiting(const struct outputs *o)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < o->n; i++)
		sum += out_queue_waiting(o->out[i].queue);
	return sum;
}

/* ---- the end ---- */

struct diag *outputs_diag(struct outputs *o, unsigned int i)
{
	return o->out[i].diag;
}

uint64_t outputs_lost(const struct outputs *o, unsigned int i)
{
	return o->out[i].lost;
}

void outputs_last(struct outputs *o, unsigned int i, const void *item)
{
	struct output *out = &o->out[i];

	if (*out->fault)
		return;
	if (out->unreported)
		write_gap(o, out, item);
	sink_item(out->sink, item);
}

static void end_output(struct output *out)
{
	if (!out->out)
		return;
	if (out->sink && !*out->fault)
		sink_end(out->sink);
	sink_free(out->sink);
	out->sink = NULL;
	out->bytes = out_bytes(out->out);
	out_close(out->out);
	out->out = NULL;
}

void outputs_end(struct outputs *o)
{
	for (unsigned int i = 0; i < o->n; i++)
		end_output(&o->out[i]);
}

int outputs_fd(const struct outputs *o)
{
	return o->ended_fd;
}

const char *outputs_stalled(const struct outputs *o)
{
	for (unsigned int i = 0; i < o->n; i++)
		if (!out_queue_ended(o->out[i].queue))
			return o->out[i].path;
	return NULL;
}

bool outputs_ended(struct outputs *o)
{
	uint64_t count;

	/* drain first: an output that ends after that makes it readable again */
	while (read(o->ended_fd, &count, sizeof(count)) > 0)
		;
	return !outputs_stalled(o);
}

/*
 * Checks that the output's name still leads to the file that was written.  Not for a
 * file that failed: its disk may never answer.
 */
static void look_at_name(struct output *out)
{
	struct stat st;

	if (!S_ISREG(out->type) || *out->fault)
		return;
	if (stat(out->path, &st))
		output_fault(out, errno == ENOENT ?
			     "it no longer exists: somebody removed or renamed it" :
			     "%s", strerror(errno));
	else if (!is_same(&st, out->dev, out->ino))
		output_fault(out, "somebody put another file in its place");
}

unsigned int outputs_close(struct outputs *o)
{
	unsigned int bad = 0;

	outputs_settle(o, LAST_MS);
	for (unsigned int i = 0; i < o->n; i++)
		if (!out_queue_ended(o->out[i].queue))
			out_queue_cancel(o->out[i].queue);
	outputs_settle(o, LAST_MS);
	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];

		fault_of(out, out_queue_error(out->queue));
		if (out->misplaced)
			output_fault(out, "%s; what was recorded is in %s" OUT_PART,
				     strerror(-out->misplaced), out->place.name);
		look_at_name(out);
		if (out->lost)
			output_fault(out, "%" PRIu64 " events lost: it did not take them in time",
				     out->lost);
		bad += *out->fault != 0;
	}
	return bad;
}

unsigned int outputs_count(const struct outputs *o)
{
	return o->n;
}

const char *outputs_path(const struct outputs *o, unsigned int i)
{
	return o->out[i].path;
}

const char *outputs_fault(const struct outputs *o, unsigned int i)
{
	return *o->out[i].fault ? o->out[i].fault : NULL;
}

void outputs_free(struct outputs *o)
{
	bool freed = true;

	if (!o)
		return;
	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];

		if (!out->queue) {
			close(out->place.fd);
		} else {
			/* outputs_end() was not called: discard what is still queued */
			if (out->out)
				out_queue_cancel(out->queue);
			output_fault(out, "not ended");
			end_output(out);
			freed &= out_queue_free(out->queue);
		}
		out_place_free(&out->place);
		diag_free(out->diag);
		opts_free(&out->opts);
		free(out->path);
	}
	/* a thread that still runs may yet write to the descriptor */
	if (freed)
		close(o->ended_fd);
	et_fini(&o->gap);
	free(o->out);
	free(o);
}
