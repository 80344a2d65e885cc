// SPDX-License-Identifier: GPL-2.0
/* What the tests of sp-rtrace share.  See common_sprt.h. */
#include "common_sprt.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/sprtrace/sprt_model.h"
#include "base/xalloc.h"

struct bytes sprt_sample(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "sp-rtrace/%s", name);
	return fixture(path);
}

size_t sprt_count_lines(const char *s, const char *what)
{
	size_t n = 0;

	while (s && *s) {
		n += !strncmp(s, what, strlen(what));
		s = strchr(s, '\n');
		s += s != NULL;
	}
	return n;
}

void sprt_assert_text(const char *got, const char *want, const char *what)
{
	unsigned int line = 1;

	while (*got || *want) {
		size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

		if (n != m || memcmp(got, want, n) || got[n] != want[m])
			fail_msg("%s: line %u is\n%.*s\nexpected\n%.*s", what,
				 line, (int)n, got, (int)m, want);
		line++;
		got += n + (got[n] != '\0');
		want += m + (want[m] != '\0');
	}
}

/* ---- the plain form ---- */

struct plain {
	struct sink sink;
	struct out *out;
};

static void plain_call(struct out *o, const struct sprt_call *c)
{
	out_printf(o, "CALL #%" PRIu64 " res=%" PRIu32 " ctx=0x%" PRIx32
		   " ts=%" PRIu64 " type=%" PRIu32 " name='%s' size=%" PRId32
		   " id=0x%" PRIx64 "\n", c->number, c->resource, c->context,
		   c->time_us / 1000, c->type, c->name, c->size, c->id);
	if (c->nargs) {
		out_printf(o, "ARGS n=%" PRIu32, c->nargs);
		for (uint32_t i = 0; i < c->nargs; i++)
			out_printf(o, " %s='%s'", c->args[i].name,
				   c->args[i].value);
		out_puts(o, "\n");
	}
	if (c->has_trace) {
		out_printf(o, "BTRC n=%" PRIu32, c->nframes);
		for (uint32_t i = 0; i < c->nframes; i++)
			out_printf(o, " 0x%" PRIx64, c->frames[i]);
		out_puts(o, "\n");
	}
}

static int plain_item(struct sink *s, const void *p)
{
	static const char *const heap[SPRT_HEAP_NUMBERS] = {
		"arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
		"fsmblks", "uordblks", "fordblks", "keepcost",
	};
	struct out *o = ((struct plain *)s)->out;
	const struct sprt_item *i = p;

	switch (i->kind) {
	case SPRT_LOG:
		out_printf(o, "HANDSHAKE version=%u.%u arch=%s endian=%d ptr=%u\n",
			   i->log.major, i->log.minor, i->log.arch,
			   i->log.big_endian, i->log.ptr_size);
		break;
	case SPRT_PROCESS:
		out_printf(o, "PINF pid=%" PRIu32 " sec=%" PRId64 " usec=%" PRIu32,
			   i->process.pid, i->process.sec, i->process.usec);
		if (i->process.has_depth)
			out_printf(o, " depth=%" PRIu32, i->process.depth);
		else
			out_puts(o, " depth=None");
		out_printf(o, " name='%s'\n", i->process.name);
		break;
	case SPRT_MODULE:
		out_printf(o, "MINF id=%" PRIu32 " ver=%u.%u name='%s'\n",
			   i->module.id, i->module.major, i->module.minor,
			   i->module.name);
		break;
	case SPRT_MAP:
		out_printf(o, "MMAP from=0x%" PRIx64 " to=0x%" PRIx64 " path='%s'\n",
			   i->map.from, i->map.to, i->map.path);
		break;
	case SPRT_RESOURCE:
		out_printf(o, "RESR id=%" PRIu32 " flags=0x%" PRIx32
			   " type='%s' desc='%s'\n", i->resource.id,
			   i->resource.flags, i->resource.type,
			   i->resource.desc);
		break;
	case SPRT_CONTEXT:
		out_printf(o, "CTXR id=0x%" PRIx32 " name='%s'\n",
			   i->context.id, i->context.name);
		break;
	case SPRT_CALL:
		plain_call(o, &i->call);
		break;
	case SPRT_HEAP:
		out_printf(o, "HINF bottom=0x%" PRIx64 " top=0x%" PRIx64,
			   i->heap.address[SPRT_HEAP_BOTTOM], i->heap.address[SPRT_HEAP_TOP]);
		for (int k = 0; k < SPRT_HEAP_NUMBERS; k++)
			out_printf(o, " %s=%" PRId32, heap[k], i->heap.number[k]);
		out_puts(o, "\n");
		break;
	case SPRT_FILE:
		out_printf(o, "FILE name='%s' path='%s'\n", i->file.name,
			   i->file.path);
		break;
	case SPRT_OUTPUT:
		out_printf(o, "OCFG dir='%s' opts=", i->output.dir);
		out_printf(o, i->output.options ? "'%s'\n" : "None\n",
			   i->output.options);
		break;
	case SPRT_LIBRARY:
		out_printf(o, "NLIB name='%s'\n", i->library);
		break;
	case SPRT_COMMENT:
		out_printf(o, "COMMENT '%s'\n", i->comment);
		break;
	}
	return 0;
}

static int plain_end(struct sink *s)
{
	return out_flush(((struct plain *)s)->out);
}

static void plain_free(struct sink *s)
{
	free(s);
}

static struct sink *plain_open(struct out *out)
{
	static const struct sink_ops ops = { plain_item, plain_end, plain_free };
	struct plain *p = xcalloc(1, sizeof(*p));

	p->sink.ops = &ops;
	p->out = out;
	return &p->sink;
}

/* ---- conversions ---- */

static struct conversion to_plain(const char *from, const void *data, size_t n)
{
	const struct source_format *source = source_formats;
	struct in *in = in_mem(data, n, "input");
	struct diag *diag = diag_new(NULL, "test");
	struct out *out = out_mem();
	struct sink *sink = plain_open(out);
	struct conversion c = { 0 };
	struct source *s;
	struct opts opts;
	const void *made;
	size_t len;

	opts_init(&opts);
	while (source->name && strcmp(source->name, from))
		source++;
	assert_non_null(source->name);
	s = source->open(&(struct source_args){ &in, 1, &opts, diag });
	assert_non_null(s);
	assert_int_equal(source_run(s, sink), 0);
	s->ops->free(s);
	sink_free(sink);
	made = out_mem_data(out, &len);
	bytes_add(&c.out, made, len);
	c.status = diag_status(diag);
	out_close(out);
	diag_free(diag);
	in_close(in);
	return c;
}

struct conversion sprt_convert(const char *from, const void *data, size_t n,
			       const char *to, const struct opt_given *given)
{
	if (!strcmp(to, "plain"))
		return to_plain(from, data, n);
	return convert(from, to, data, n, given);
}

/* ---- generated logs ---- */

static void set_number(const struct made *m, char *at, uint64_t v,
		       unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (char)(v >> 8 * (m->big ? bytes - 1 - i : i));
}

static void put_number(struct made *m, uint64_t v, unsigned int bytes)
{
	char number[8];

	set_number(m, number, v, bytes);
	bytes_add(&m->b, number, bytes);
}

void made_start(struct made *m, const char *arch)
{
	size_t n = strlen(arch), total = (7 + n + 3) & ~(size_t)3;
	/* The padding's content is not defined. */
	const char head[5] = { (char)0xf0, (char)(total - 2), (char)m->major,
			       (char)m->minor, (char)n };
	const char tail[5] = { m->big, (char)m->ptr, 0, 1, 0 };

	bytes_add(&m->b, head, 5);
	bytes_add(&m->b, arch, n);
	bytes_add(&m->b, tail, total - 5 - n);
}

void made_packet(struct made *m, const char *type)
{
	char name[4];

	for (int i = 0; i < 4; i++)
		name[m->big ? 3 - i : i] = m->slip && i > 1 ? type[1] : type[i];
	m->packet = m->b.n;
	if (m->major < 2)
		put_number(m, 0, 4);
	bytes_add(&m->b, name, 4);
	if (m->major >= 2)
		put_number(m, 0, 4);
}

void made_u32(struct made *m, uint32_t v)
{
	put_number(m, v, 4);
}

void made_ptr(struct made *m, uint64_t v)
{
	put_number(m, v, m->ptr);
}

void made_str(struct made *m, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	size_t len = ((2 + n + 3) & ~(size_t)3) - 2;

	put_number(m, s ? len : 0, 2);
	bytes_add(&m->b, s ? s : "", n);
	bytes_add(&m->b, "\0\0", len - n);
}

void made_end(struct made *m)
{
	/* 2.0 counts the data only, 1.x the type, too. */
	if (m->major >= 2)
		set_number(m, m->b.data + m->packet + 4,
			   m->b.n - m->packet - 8, 4);
	else
		set_number(m, m->b.data + m->packet,
			   m->b.n - m->packet - 4, 4);
}

void made_process(struct made *m, uint32_t pid, uint32_t sec, uint32_t usec,
		  uint32_t depth, const char *name)
{
	made_packet(m, "PINF");
	made_u32(m, pid);
	made_u32(m, sec);
	made_u32(m, usec);
	if (m->major >= 2 || m->minor >= 2)
		made_u32(m, depth);
	made_str(m, name);
	made_end(m);
}

void made_module(struct made *m, uint32_t id, uint32_t version,
		 const char *name)
{
	made_packet(m, "MINF");
	made_u32(m, id);
	made_u32(m, version);
	made_str(m, name);
	made_end(m);
}

void made_resource(struct made *m, uint32_t id, uint32_t flags,
		   const char *type, const char *desc)
{
	made_packet(m, "RESR");
	made_u32(m, id);
	if (m->major >= 2 || m->minor >= 3)
		made_u32(m, flags);
	made_str(m, type);
	made_str(m, desc);
	made_end(m);
}

void made_call(struct made *m, uint32_t res, uint32_t context, uint32_t ms,
	       uint32_t type, const char *name, uint32_t size, uint64_t id)
{
	made_packet(m, "CALL");
	made_u32(m, res);
	made_u32(m, context);
	made_u32(m, ms);
	made_u32(m, type);
	made_str(m, name);
	made_u32(m, size);
	made_ptr(m, id);
	made_end(m);
}

void made_trace(struct made *m, uint64_t first, uint32_t n)
{
	made_packet(m, "BTRC");
	made_u32(m, n);
	for (uint32_t i = 0; i < n; i++)
		made_ptr(m, first + 0x10 * i);
	made_end(m);
}
