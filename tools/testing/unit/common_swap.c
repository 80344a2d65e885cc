// SPDX-License-Identifier: GPL-2.0
/* SWAP streams made by hand.  See common_swap.h. */
#include "common_swap.h"

#include <stdio.h>
#include <string.h>

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void add(struct stream *s, uint64_t v, size_t n)
{
	uint8_t b[8];

	put(b, v, n);
	bytes_add(&s->b, b, n);
}

size_t sw_begin(struct stream *s, uint32_t id)
{
	s->message = s->b.n;
	sw_u32(s, id);
	sw_u32(s, s->seq++);
	sw_u32(s, SWAP_T0 + s->nsec / 1000000000);
	sw_u32(s, s->nsec % 1000000000);
	sw_u32(s, 0);
	s->nsec += 1000000;
	return s->message;
}

void sw_end(struct stream *s)
{
	put((uint8_t *)s->b.data + s->message + 16, s->b.n - s->message - 20, 4);
}

void sw_u8(struct stream *s, uint8_t v)
{
	add(s, v, 1);
}

void sw_u16(struct stream *s, uint16_t v)
{
	add(s, v, 2);
}

void sw_u32(struct stream *s, uint32_t v)
{
	add(s, v, 4);
}

void sw_u64(struct stream *s, uint64_t v)
{
	add(s, v, 8);
}

void sw_f32(struct stream *s, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	sw_u32(s, bits);
}

void sw_f64(struct stream *s, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, 8);
	sw_u64(s, bits);
}

void sw_str(struct stream *s, const char *v)
{
	bytes_add(&s->b, v, strlen(v) + 1);
}

void sw_bytes(struct stream *s, const void *p, size_t n)
{
	bytes_add(&s->b, p, n);
}

size_t sw_sample(struct stream *s, uint32_t pid, uint64_t pc)
{
	sw_begin(s, 0x0004);
	sw_u32(s, pid);
	sw_u64(s, pc);
	sw_u32(s, pid);
	sw_u32(s, 0);
	sw_end(s);
	return s->message;
}

size_t sw_terminate(struct stream *s, uint32_t pid)
{
	sw_begin(s, 0x0002);
	sw_u32(s, pid);
	sw_end(s);
	return s->message;
}

size_t sw_process_info(struct stream *s, uint32_t pid, const char *name, uint32_t start)
{
	sw_begin(s, 0x0001);
	sw_u32(s, pid);
	sw_str(s, name);
	sw_u32(s, 1);
	sw_u32(s, start);
	sw_u32(s, 0);
	sw_u64(s, 0x8000);
	sw_u64(s, 0x9000);
	sw_str(s, "/bin/app");
	sw_u32(s, 1);
	sw_u64(s, 0x8000);
	sw_u64(s, 0x9000);
	sw_str(s, "/bin/app");
	sw_end(s);
	return s->message;
}

static void function_head(struct stream *s, uint32_t id, uint32_t pid, uint32_t tid, uint64_t pc)
{
	sw_begin(s, id);
	sw_u32(s, pid);
	sw_u32(s, tid);
	sw_u64(s, pc);
	sw_u64(s, 0x8100);
	sw_u32(s, 0);
}

size_t sw_entry(struct stream *s, uint32_t pid, uint32_t tid, uint64_t pc)
{
	function_head(s, 0x0008, pid, tid, pc);
	sw_u32(s, 0);
	sw_end(s);
	return s->message;
}

size_t sw_exit(struct stream *s, uint32_t pid, uint32_t tid, uint64_t pc)
{
	function_head(s, 0x0009, pid, tid, pc);
	sw_u8(s, 'v');
	sw_end(s);
	return s->message;
}

size_t sw_probe(struct stream *s, uint32_t id, uint32_t api, uint32_t pid, uint32_t tid)
{
	sw_begin(s, id);
	sw_u32(s, api);
	sw_u32(s, pid);
	sw_u32(s, tid);
	sw_u32(s, 0);
	sw_u8(s, 'v');
	sw_u64(s, 0);
	sw_u32(s, 1);
	sw_u64(s, 0xbadbeef);
	sw_u32(s, 0);
	sw_u32(s, 0);
	return s->message;
}

size_t sw_system(struct stream *s, const struct sw_system *y)
{
	unsigned int n = !y->zero;
	/* The length as the manager computes it: see Documentation/swap.md. */
	size_t d = 8 * y->devices;
	size_t fixed = y->i386 ? 120 + d : (124 + d + 7) / 8 * 8;
	size_t length = 256 + fixed - 8 + 8 * y->cpus + 8 * y->threads * y->processes +
			(y->i386 ? 52 : 56) * y->processes + 8 * y->others + (size_t)y->more;

	sw_begin(s, 0x0005);
	for (unsigned int i = 0; i < y->cpus; i++)
		sw_f32(s, (float)(n * (1000000 + i)));
	for (unsigned int i = 0; i < y->cpus; i++)
		sw_f32(s, (float)n * ((float)i + 0.5f));
	sw_u64(s, n * 500000000);
	sw_u32(s, y->processes);
	for (unsigned int p = 0; p < y->processes; p++) {
		sw_u32(s, 100 + p);
		sw_f32(s, 2.5f);
		for (unsigned int i = 0; i < 5; i++)
			sw_u64(s, 1000 + i);
		sw_u32(s, y->threads);
		for (unsigned int t = 0; t < y->threads; t++) {
			sw_u32(s, 100 + p + t);
			sw_f32(s, 1.25f);
		}
	}
	sw_u32(s, y->others);
	for (unsigned int i = 0; i < y->others; i++) {
		sw_u32(s, 1 + i);
		sw_f32(s, 0.5f);
	}
	for (unsigned int i = 0; i < 20; i++)
		sw_u32(s, n * (1000 + i));
	sw_u32(s, n * 77);
	for (unsigned int i = 0; i < y->devices; i++)
		sw_u32(s, n * (10 + i));
	for (unsigned int i = 0; i < y->devices; i++)
		sw_u32(s, n * (20 + i));
	/* The manager sends whatever its buffer held there. */
	while (s->b.n - s->message - 20 < length)
		sw_u8(s, y->zero ? 0 : 0xa5);
	sw_end(s);
	return s->message;
}

static void add_number(struct stream *s, enum swap_type type, uint64_t v)
{
	switch (type) {
	case SWAP_T_U8:
		sw_u8(s, (uint8_t)v);
		break;
	case SWAP_T_U16:
		sw_u16(s, (uint16_t)v);
		break;
	case SWAP_T_F32:
		sw_f32(s, (float)v + 0.5f);
		break;
	case SWAP_T_F64:
		sw_f64(s, (double)v + 0.25);
		break;
	case SWAP_T_U64:
	case SWAP_T_I64:
	case SWAP_T_ADDR:
		sw_u64(s, v);
		break;
	case SWAP_T_TIME:
		sw_u32(s, SWAP_T0);
		sw_u32(s, (uint32_t)v);
		break;
	default:
		sw_u32(s, (uint32_t)v);
		break;
	}
}

static void add_fields(struct stream *s, const struct swap_field *f, unsigned int v, unsigned int *n)
{
	uint32_t selected = 0;
	char text[20];

	for (; f->type != SWAP_T_END; f++) {
		if (f->when && !(f->when & selected))
			continue;
		snprintf(text, sizeof(text), "text %u", (*n)++ % 50);
		switch (f->type) {
		case SWAP_T_STR:
			sw_str(s, text);
			break;
		case SWAP_T_SIZED:
			sw_u32(s, v);
			sw_bytes(s, "0123456789abcdefghij", v);
			break;
		case SWAP_T_REST:
			sw_bytes(s, text, strlen(text));
			break;
		case SWAP_T_ARGS:
			sw_u32(s, 2);
			sw_u8(s, 'd');
			sw_u32(s, v);
			sw_u8(s, 's');
			sw_str(s, text);
			break;
		case SWAP_T_ITEM:
			sw_u8(s, 'x');
			sw_u64(s, v);
			break;
		case SWAP_T_LIST:
			sw_u32(s, v % 3);
			for (unsigned int i = 0; i < v % 3; i++)
				add_fields(s, f->sub, v, n);
			break;
		case SWAP_T_INCLUDE:
			add_fields(s, f->sub, v, n);
			break;
		default:
			if (f->selector)
				selected = v < 8 ? 1u << v : 0;
			add_number(s, f->type, !strcmp(f->name, "pid") ? 42 : !strcmp(f->name, "tid") ? 42 + v % 2 :
				   f->names || f->selector ? v : *n % 100);
			break;
		}
	}
}

void sw_message(struct stream *s, uint32_t id, const struct swap_field *layout, unsigned int v,
		unsigned int *n)
{
	sw_begin(s, id);
	add_fields(s, layout, v, n);
	sw_end(s);
}

void sw_free(struct stream *s)
{
	bytes_free(&s->b);
}
