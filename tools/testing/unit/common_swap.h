/* SPDX-License-Identifier: GPL-2.0 */
/* SWAP streams made by hand. */
#ifndef COMMON_SWAP_H
#define COMMON_SWAP_H

#include "common_convert.h"
#include "format/swap/swap_walk.h"

#define SWAP_T0 1500000000u	/* seconds of the first message */

/* A stream being made; sequence numbers and times advance by themselves. */
struct stream {
	struct bytes b;
	uint32_t seq;
	uint32_t nsec;
	size_t message;		/* offset of the message being made */
};

/** begin - begin a message with the next number, a millisecond after the last one */
size_t sw_begin(struct stream *s, uint32_t id);
/** end - complete a message: put its length into its header */
void sw_end(struct stream *s);

void sw_u8(struct stream *s, uint8_t v);
void sw_u16(struct stream *s, uint16_t v);
void sw_u32(struct stream *s, uint32_t v);
void sw_u64(struct stream *s, uint64_t v);
void sw_f32(struct stream *s, float v);
void sw_f64(struct stream *s, double v);
void sw_str(struct stream *s, const char *v);
void sw_bytes(struct stream *s, const void *p, size_t n);

/* Complete messages. Return: the offset. */
size_t sw_sample(struct stream *s, uint32_t pid, uint64_t pc);
size_t sw_terminate(struct stream *s, uint32_t pid);
size_t sw_process_info(struct stream *s, uint32_t pid, const char *name, uint32_t start);
/* Without arguments; @pc is the function's address. */
size_t sw_entry(struct stream *s, uint32_t pid, uint32_t tid, uint64_t pc);
size_t sw_exit(struct stream *s, uint32_t pid, uint32_t tid, uint64_t pc);
/* The common beginning of all probe messages: no arguments, returns void. */
size_t sw_probe(struct stream *s, uint32_t id, uint32_t api, uint32_t pid, uint32_t tid);

/* A SYSTEM message of a target, with the length that its manager computes. */
struct sw_system {
	unsigned int cpus, devices, processes, threads, others;
	bool i386;
	bool zero;		/* every number is 0, as when every feature is off */
	int more;		/* bytes added to the right length */
};
size_t sw_system(struct stream *s, const struct sw_system *y);

/**
 * sw_message - make a message by its layout: fields that have a name or that other fields
 * depend on are @v, the rest counts up from @n
 */
void sw_message(struct stream *s, uint32_t id, const struct swap_field *layout, unsigned int v,
		unsigned int *n);

void sw_free(struct stream *s);

#endif
