/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of processes: keeps the last bytes that a process writes to descriptors 1 and 2, and
 * sends them when the process ends.  Like the module's printed.c and calls_print.c, but if threads
 * write at the same moment, their kept bytes may be mixed; all bytes are counted.
 */
#ifndef ETRACE_PRINT_CALLS_BPF_H
#define ETRACE_PRINT_CALLS_BPF_H

#include "record/bpf/call.bpf.h"

#define PRINTED_FDS	2u	/* descriptors 1 and 2 */
#define PRINTED_MAX	4096u	/* bytes that are kept of each; a power of two */
#define PIECES_MAX	1024u	/* entries of a vector */
#define PIECES_MAX_OLD	64u	/* on old kernels, whose verifier checks each step */
#define SIGNAL_GROUP_EXIT 4u

/* Process and descriptor: a process keeps its struct signal_struct across execve. */
struct printed_key {
	u64 signal;
	u64 fd;
};

/**
 * struct printed - what a process has written to one descriptor
 * @bytes: number of bytes written, whether kept or not
 * @have: number of the last bytes that are in @text, a ring that ends at @bytes
 * @unread: not 0 if bytes that should be kept could not be read
 * @text: the upper half is never used: the verifier assumes that bytes may reach there
 */
struct printed {
	u64 bytes;
	u32 have;
	u32 unread;
	u8 text[2 * PRINTED_MAX];
};

/* If output is not recorded, the loader reduces this to one entry. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__type(key, struct printed_key);
	__type(value, struct printed);
} prints SEC(".maps");

/* The initial value of an entry: zeros, too large for the stack of a BPF program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct printed);
} prints_none SEC(".maps");

/* Where the written bytes are. */
enum print_how {
	PRINT_SEEN,	/* in the program's memory */
	PRINT_UNSEEN,	/* not in the program's memory: the call copied them */
	PRINT_UNREAD,	/* in the program's memory, but unreadable */
};

static __always_inline struct printed *print_at(struct task_struct *task, u32 fd)
{
	struct printed_key key = { .signal = (u64)GET(task, signal), .fd = fd };
	struct printed *p = bpf_map_lookup_elem(&prints, &key), *none;
	u32 zero = 0;

	if (p)
		return p;
	none = bpf_map_lookup_elem(&prints_none, &zero);
	if (!none)
		return NULL;
	/* Another thread may have just created it. */
	bpf_map_update_elem(&prints, &key, none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&prints, &key);
}

/* Copies the last of @bytes at a user address into the ring. Returns false if unreadable. */
static __always_inline bool print_keep(struct printed *p, u64 pos, u64 from, u64 bytes)
{
	u64 n = bytes < PRINTED_MAX ? bytes : PRINTED_MAX, first;

	pos = below(PRINTED_MAX, pos - n);
	from += bytes - n;
	first = n < PRINTED_MAX - pos ? n : PRINTED_MAX - pos;
	first = below(PRINTED_MAX, first - 1) + 1;
	if (bpf_probe_read_user(p->text + pos, first, (void *)from))
		return false;
	n = below(PRINTED_MAX, n - first);
	return !n || !bpf_probe_read_user(p->text, n, (void *)(from + first));
}

/* Adds bytes to the output. Global, so that the verifier checks it once. @how: enum print_how */
__attribute__((noinline)) int print_add(u32 fd, u64 from, u64 bytes, u32 how)
{
	struct printed *p;
	struct scratch *s;
	u64 have;

	if (!bytes)
		return 0;
	p = print_at(current_task(), fd);
	if (!p) {
		s = room_again(ROOM_USE);
		if (s)
			s->counts.strings_unread++;
		return 0;
	}
	have = p->have + bytes;
	if (how == PRINT_SEEN && !print_keep(p, p->bytes + bytes, from, bytes))
		how = PRINT_UNREAD;
	__sync_fetch_and_add(&p->bytes, bytes);
	p->have = how == PRINT_SEEN ? (have < PRINTED_MAX ? have : PRINTED_MAX) : 0;
	/* Earlier unreadable bytes do not matter if all kept bytes came after them. */
	if (how == PRINT_UNREAD || p->have == PRINTED_MAX)
		p->unread = how == PRINT_UNREAD;
	return 0;
}

static __always_inline bool print_is_of(u32 fd)
{
	return want_output && fd - 1 < PRINTED_FDS;
}

/* Counts written bytes that are not in the program's memory. */
static __always_inline void print_unseen(u32 fd, u64 bytes)
{
	if (print_is_of(fd))
		print_add(fd, 0, bytes, PRINT_UNSEEN);
}

/* Reads @n words of the program, at most 4. Returns false if that fails. */
static __always_inline bool print_words(u64 *to, u64 from, const u32 n, bool is_32)
{
	u32 half[4];
	u32 i;

	if (!is_32)
		return !bpf_probe_read_user(to, n * sizeof(*to), (void *)from);
	if (bpf_probe_read_user(half, n * sizeof(*half), (void *)from))
		return false;
#pragma clang loop unroll(full)
	for (i = 0; i < n; i++)
		to[i] = half[i];
	return true;
}

/* Adds the next entry of a vector. Returns 1 at the end. */
static __noinline long print_step(struct scratch *s)
{
	struct printing *w = &s->printing;
	u64 piece[2], n;

	if (!w->left || !w->pieces || !print_words(piece, w->at, 2, w->is_32))
		return 1;
	n = piece[1] < w->left ? piece[1] : w->left;
	print_add(w->fd, piece[0], n, PRINT_SEEN);
	w->at += 2 * (w->is_32 ? 4 : 8);
	w->left -= n;
	w->pieces--;
	return 0;
}

static long print_step_cb(u32 i, struct scratch **s)
{
	return print_step(*s);
}

/* For old kernels; not static for the same reason as walk_step_old(). */
__attribute__((noinline)) int print_step_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);

	return !s || print_step(s);
}

/* A call with the record write. Global, so that the verifier checks it once. */
__attribute__((noinline)) int print_call(u32 row, u64 bytes)
{
	struct task_struct *task = current_task();
	struct scratch *s = own_room(ROOM_SYS_EXIT), *ctx = s;
	bool narrow = is_narrow(task);
	struct printing *w;
	u64 message[4];

	if (!s)
		return 0;
	get_args(s, task, task_regs(task));
	w = &s->printing;
	w->fd = s->arg[0];
	w->left = bytes;
	w->is_32 = narrow;
	w->at = row_arg(s, row, EB_A_VECTOR, 0);
	w->pieces = row_arg(s, row, EB_A_COUNT, 0);
	if (has_arg(row, EB_A_BUFFER))
		return print_add(w->fd, row_arg(s, row, EB_A_BUFFER, 0), bytes, PRINT_SEEN);
	if (has_arg(row, EB_A_STRUCT)) {
		/* name, its length, the vector, its length */
		if (!print_words(message, row_arg(s, row, EB_A_STRUCT, 0), 4, narrow))
			return print_add(w->fd, 0, bytes, PRINT_UNREAD);
		w->at = message[2];
		w->pieces = message[3];
	}
	REPEAT(PIECES_MAX, PIECES_MAX_OLD, print_step, s, &ctx);
	return print_add(w->fd, 0, w->left, PRINT_UNREAD);
}

/* ---- at the end of a process ---- */

/* The exit status as wait() returns it. */
static __always_inline u32 process_code(struct task_struct *p)
{
	struct signal_struct *signal = BPF_CORE_READ(p, signal);

	if (BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(signal, group_exit_code);
	return BPF_CORE_READ(p, group_leader, exit_code);
}

static __always_inline void print_record(struct scratch *s, struct slot *t, struct printed *p,
					 u32 fd)
{
	u64 have = p->have, first;

	rec_init(s, t, EB_OUTPUT);
	s->rec.val[EB_V_OUTPUT_fd] = fd;
	s->rec.val[EB_V_OUTPUT_bytes] = p->bytes;
	s->rec.str[0].form = EB_S_BYTES;
	s->rec.str[0].mark = p->unread ? EB_UNREAD : 0;
	s->counts.strings_unread += !!p->unread;
	s->rec.str[0].text = have;
	s->rec.str[0].path = 0;
	s->fill = have;
	t->last += have;	/* each line gets its own time, and has at least a byte */
	if (have) {
		u64 at = below(PRINTED_MAX, p->bytes - have);

		first = have < PRINTED_MAX - at ? have : PRINTED_MAX - at;
		first = below(PRINTED_MAX, first - 1) + 1;
		bpf_probe_read_kernel(s->data, first, p->text + at);
		have = below(PRINTED_MAX, have - first);
		if (have)
			bpf_probe_read_kernel(s->data + first, have, p->text);
	}
	send_event(s, t);
}

#define PRINT_RECORD	4u	/* added to a descriptor: record its output */

/* Not inlined: one copy for both descriptors. */
static __noinline void print_end(struct scratch *s, struct slot *t, u64 signal, u64 fd)
{
	struct printed_key key = { .signal = signal, .fd = fd & 3 };
	struct printed *p = bpf_map_lookup_elem(&prints, &key);

	if (!p)
		return;
	if (fd & PRINT_RECORD)
		print_record(s, t, p, fd & 3);
	bpf_map_delete_elem(&prints, &key);
}

static __always_inline void print_over(struct scratch *s, struct slot *t, struct task_struct *p)
{
	u64 record = want_output > 1 || process_code(p) ? PRINT_RECORD : 0;
	u64 signal = (u64)GET(p, signal);

	print_end(s, t, signal, 1 | record);
	print_end(s, t, signal, 2 | record);
}

#endif
