// SPDX-License-Identifier: GPL-2.0
/* Several output files of one recording.  See outputs.h. */
#include "outputs.h"
#include "disk.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
	char *path;
	int fd;			/* the stream's */
	const struct sink_format *format;
	struct out *out;
	struct sink *sink;
	dev_t dev;
	ino_t ino;
	bool regular;
	uint64_t bytes;
	int err;		/* it cannot be written any more */
};

struct outputs {
	struct sink sink;
	enum model model;
	outputs_failed_fn *failed;
	void *ctx;
	struct disk *disk;	/* NULL: none of them is a file on one */
	uint64_t synced;	/* outputs_bytes() then */
	struct output *out;
	unsigned int n;
	size_t cap;
};

static const struct sink_format *format_of(enum model model, const char *name, size_t len)
{
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (f->model == model && !f->flag && strlen(f->name) == len &&
		    !memcmp(f->name, name, len))
			return f;
	return NULL;
}

struct outputs *outputs_new(enum model model, outputs_failed_fn *failed, void *ctx)
{
	struct outputs *o = xcalloc(1, sizeof(*o));

	o->model = model;
	o->failed = failed;
	o->ctx = ctx;
	return o;
}

static void known_formats(enum model model, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (f->model == model && !f->flag && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? ", " : "", f->name);
}

bool outputs_add(struct outputs *o, const char *path, const char *to, char *why,
		 size_t size)
{
	struct output out = { 0 };
	const char *suffix;
	char names[128];
	size_t len;
	struct stat st;
	int fd;

	suffix = out_suffix(path, &len);
	out.format = to ? format_of(o->model, to, strlen(to)) : format_of(o->model, suffix, len);
	if (!out.format) {
		known_formats(o->model, names, sizeof(names));
		if (to)
			snprintf(why, size, "unknown output format \"%s\"; known are: %s", to, names);
		else
			snprintf(why, size, "%s: the name does not tell the format; end it in one of .%s, or say --to FORMAT",
				 path, names);
		return false;
	}

	/*
	 * Not emptied before it is known to be no other output; and not waited
	 * for, should it be a pipe that nobody reads.
	 */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, size, "%s: %s", path, errno == ENXIO ?
			 "is a pipe that nobody reads" : strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (unsigned int i = 0; i < o->n; i++)
		if (S_ISREG(st.st_mode) && o->out[i].regular &&
		    o->out[i].dev == st.st_dev && o->out[i].ino == st.st_ino) {
			snprintf(why, size, "%s and %s are the same file", o->out[i].path, path);
			close(fd);
			return false;
		}
	if (S_ISREG(st.st_mode) && (ftruncate(fd, 0) || fchmod(fd, 0600))) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		close(fd);
		return false;
	}
	fcntl(fd, F_SETFL, 0);

	out.path = xstrdup(path);
	out.fd = fd;
	out.out = out_named(fd, path);
	out.dev = st.st_dev;
	out.ino = st.st_ino;
	out.regular = S_ISREG(st.st_mode);
	o->out = xgrow(o->out, &o->cap, o->n + 1, sizeof(out));
	o->out[o->n++] = out;
	return true;
}

/* An output that fails is given up; the others go on. */
static void check(struct outputs *o, struct output *out)
{
	int err = out_error(out->out);

	if (!err)
		return;
	out->err = -err;
	o->failed(o->ctx, out->path, -err);
}

static int outputs_item(struct sink *s, const void *item)
{
	struct outputs *o = (struct outputs *)s;

	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];

		if (out->err)
			continue;
		if (sink_item(out->sink, item))
			check(o, out);
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

struct sink *outputs_sink(struct outputs *o, const struct opts *opts,
			  struct diag *diag, const char *source)
{
	static const struct sink_ops ops = { outputs_item, outputs_no_end, outputs_no_free };

	for (unsigned int i = 0; i < o->n; i++) {
		struct sink_args args = { o->out[i].out, opts, diag, source };

		o->out[i].sink = o->out[i].format->open(&args);
		if (!o->out[i].sink)
			return NULL;
	}
	o->sink.ops = &ops;
	return &o->sink;
}

/* What a crash of the machine may take is bounded, too. */
static void to_disk(struct outputs *o)
{
	if (!o->disk) {
		o->disk = disk_new();
		for (unsigned int i = 0; o->disk && i < o->n; i++)
			if (o->out[i].regular)
				disk_add(o->disk, o->out[i].fd);
	}
	if (o->disk)
		disk_sync(o->disk);
}

void outputs_sync(struct outputs *o)
{
	uint64_t bytes = outputs_bytes(o);

	if (bytes == o->synced)
		return;
	o->synced = bytes;
	for (unsigned int i = 0; i < o->n; i++)
		if (!o->out[i].err && out_sync(o->out[i].out))
			check(o, &o->out[i]);
	to_disk(o);
}

uint64_t outputs_bytes(const struct outputs *o)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < o->n; i++)
		sum += o->out[i].out ? out_bytes(o->out[i].out) : o->out[i].bytes;
	return sum;
}

unsigned int outputs_end(struct outputs *o)
{
	unsigned int bad = 0;

	disk_free(o->disk);
	o->disk = NULL;
	for (unsigned int i = 0; i < o->n; i++) {
		struct output *out = &o->out[i];
		int err;

		if (!out->err) {
			sink_end(out->sink);
			out_flush(out->out);
			check(o, out);
		}
		sink_free(out->sink);
		out->sink = NULL;
		out->bytes = out_bytes(out->out);
		err = out_close(out->out);
		out->out = NULL;
		if (err && !out->err) {
			out->err = -err;
			o->failed(o->ctx, out->path, -err);
		}
		bad += out->err != 0;
	}
	return bad;
}

unsigned int outputs_count(const struct outputs *o)
{
	return o->n;
}

const char *outputs_path(const struct outputs *o, unsigned int i, int *err)
{
	*err = o->out[i].err;
	return o->out[i].path;
}

void outputs_free(struct outputs *o)
{
	if (!o)
		return;
	disk_free(o->disk);
	for (unsigned int i = 0; i < o->n; i++) {
		sink_free(o->out[i].sink);
		if (o->out[i].out)
			out_close(o->out[i].out);
		free(o->out[i].path);
	}
	free(o->out);
	free(o);
}
