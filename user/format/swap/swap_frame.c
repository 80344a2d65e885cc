// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds messages in a SWAP stream.  Payloads are not interpreted, but whether a payload
 * can be read is evidence for or against its header.
 */
#include "format/swap/swap_formats.h"
#include "format/swap/swap_frame.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Largest differences between neighbours: in sequence numbers, and in seconds. */
#define SEQ_BEHIND	1024
#define SEQ_AHEAD	(1 << 20)
#define SEC_AWAY	86400

/* Number of messages that are read to find out whether an input is SWAP. */
#define DETECT_MESSAGES	32

/*
 * Limit for payload bytes read only to judge a header: WASTE_FREE plus WASTE_FACTOR for
 * each byte of input.
 */
#define WASTE_FREE	(1u << 24)
#define WASTE_FACTOR	8

/* ---- queued items ---- */

struct swap_message *swap_message_copy(const struct swap_message *m)
{
	struct swap_message *copy = xmalloc(sizeof(*copy) + m->len);
	uint8_t *payload = (uint8_t *)(copy + 1);

	*copy = *m;
	memcpy(payload, m->payload, m->len);
	copy->payload = payload;
	return copy;
}

void swap_queue_add(struct swap_queue *q, const struct swap_item *item)
{
	q->items = xgrow(q->items, &q->cap, q->n + 1, sizeof(*q->items));
	q->items[q->n] = *item;
	q->items[q->n++].message = swap_message_copy(item->message);
	q->bytes += item->message->len;
}

void swap_queue_free(struct swap_queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		free((struct swap_message *)(uintptr_t)q->items[i].message);
	free(q->items);
	*q = (struct swap_queue){ 0 };
}

/* ---- headers ---- */

/* Whether it can be a header.  Accepts ids that a later protocol may add. */
static bool header_possible(const struct swap_header *h)
{
	return h->id >= 1 && h->id <= 0xffff && h->len <= SWAP_MAX_PAYLOAD;
}

static bool header_plausible(const struct swap_header *h)
{
	return header_possible(h) && h->nsec < 1000000000u;
}

/* Whether two messages with these numbers and times can be neighbours. */
static bool are_neighbours(const struct swap_header *h, uint32_t near_seq, uint32_t near_sec)
{
	int64_t seq = (int32_t)(h->seq - near_seq);
	int64_t sec = (int64_t)h->sec - near_sec;

	return seq >= -SEQ_BEHIND && seq <= SEQ_AHEAD && sec >= -SEC_AWAY && sec <= SEC_AWAY;
}

/* Whether @h is near the last message; if there was none, near the damaged one at the position. */
static bool is_near(const struct swap_frame *s, const struct swap_header *h)
{
	struct swap_header damaged;

	if (s->near_known)
		return are_neighbours(h, s->near_seq, s->near_sec);
	swap_read_header(in_look(s->in, 0, SWAP_HEADER_SIZE), &damaged);
	return header_plausible(&damaged) && are_neighbours(h, damaged.seq, damaged.sec);
}

/*
 * Remember sequence number and time for are_neighbours().  A header that does not fit is
 * taken for damage, but a second one in a row for a new beginning.
 */
static void remember_header(struct swap_frame *s, const struct swap_header *h)
{
	if (s->near_known && !are_neighbours(h, s->near_seq, s->near_sec) && !s->near_misses++)
		return;
	s->near_known = true;
	s->near_misses = 0;
	s->near_seq = h->seq;
	s->near_sec = h->sec;
}

/* Read the header @pos bytes ahead, without its payload.  Return: false at the end. */
static bool read_header(const struct swap_frame *s, size_t pos, struct swap_message *m)
{
	const uint8_t *p = in_look(s->in, pos, SWAP_HEADER_SIZE);

	if (!p)
		return false;
	*m = (struct swap_message){ 0 };
	swap_read_header(p, &m->header);
	m->row = swap_row(m->header.id);
	return true;
}

/* Read @len bytes, which the input must have, as the payload of the header @pos bytes ahead. */
static void read_payload(const struct swap_frame *s, size_t pos, struct swap_message *m,
			 uint32_t len)
{
	m->payload = in_look(s->in, pos + SWAP_HEADER_SIZE, len);
	m->len = len;
	if (!m->row || m->row->slack)
		return;
	m->layout = swap_choose(m->row, m->payload, len, NULL, &m->end);
	if (m->row->id == SWAP_PROBE && m->end.fault != SWAP_OK) {
		/* The id alone is no proof that it is a probe. */
		m->row = NULL;
		m->layout = NULL;
		m->end = (struct swap_end){ .fault = SWAP_OK };
	}
}

/* Whether the fields fill the payload exactly, which is unlikely by chance. */
static bool is_exact(const struct swap_message *m)
{
	return m->layout && m->end.fault == SWAP_OK && m->end.used == m->len &&
	       !m->end.open_end;
}

/* ---- from message to message ---- */

/* Complete @m, the message at the position.  Return: true. */
static bool give_message(struct swap_frame *s, struct swap_message *m, uint32_t damage)
{
	m->offset = in_offset(s->in);
	/* Looking ahead may have moved the buffer. */
	m->payload = in_look(s->in, SWAP_HEADER_SIZE, m->len);
	m->damage = damage;
	if (m->header.nsec >= 1000000000u)
		m->damage |= SWAP_DAMAGE_TIME;
	if (m->end.fault != SWAP_OK)
		m->damage |= SWAP_DAMAGE_FIELDS;
	remember_header(s, &m->header);
	s->used = SWAP_HEADER_SIZE + m->len;
	return true;
}

/*
 * Skip garbage.  It is added up until the next message is found, so that it is reported
 * only once.
 */
static void drop_bytes(struct swap_frame *s, size_t n)
{
	in_skip(s->in, n);
	s->garbage += n;
}

/* Whether a payload may be read only to judge its header.  Keeps the total work linear. */
static bool may_waste(struct swap_frame *s, uint32_t len)
{
	if (s->wasted > WASTE_FREE + WASTE_FACTOR * in_offset(s->in))
		return false;
	s->wasted += len;
	return true;
}

/*
 * Whether the payload contains the next message, because the length is wrong: then the
 * next header follows the last known field.
 */
static bool swallowed_next(const struct swap_message *m)
{
	uint32_t extra = m->len - m->end.used;
	struct swap_header next;

	if (!m->layout || m->end.fault != SWAP_OK || extra < SWAP_HEADER_SIZE)
		return false;
	swap_read_header(m->payload + m->end.used, &next);
	return header_plausible(&next) && swap_row(next.id) && next.seq == m->header.seq + 1;
}

/*
 * Whether the input ends @pos bytes ahead, or a header is there that can follow @h: its
 * sequence number and time are near those of @h, or its payload is_exact().
 */
static bool follows_at(struct swap_frame *s, size_t pos, const struct swap_header *h)
{
	struct swap_message m;
	size_t have;

	if (!read_header(s, pos, &m)) {
		in_peek(s->in, pos + 1, &have);
		return have == pos;
	}
	if (!header_plausible(&m.header))
		return false;
	if (are_neighbours(&m.header, h->seq, h->sec))
		return true;
	if (!m.row || !in_look(s->in, pos + SWAP_HEADER_SIZE, m.header.len) ||
	    !may_waste(s, m.header.len))
		return false;
	read_payload(s, pos, &m, m.header.len);
	return is_exact(&m);
}

/* Whether the message at @pos lacks @h's next number: @h may have swallowed that message. */
static bool skips_a_number(const struct swap_frame *s, size_t pos, const struct swap_header *h)
{
	struct swap_message m;

	return read_header(s, pos, &m) && m.header.seq != h->seq + 1;
}

/*
 * Read the message at the position, if it certainly is one.
 * Return: 0 if so, else how many bytes ahead the next one could begin.
 */
static size_t read_message(struct swap_frame *s, struct swap_message *m)
{
	const struct swap_header *h = &m->header;
	size_t whole = SWAP_HEADER_SIZE + (size_t)h->len;
	bool next;

	if (!header_possible(h))
		return 1;
	/* The message is cut off, its length is wrong, or it is no message. */
	if (!in_look(s->in, 0, whole))
		return m->row && header_plausible(h) ? SWAP_HEADER_SIZE : 1;
	next = follows_at(s, whole, h);
	if (next || may_waste(s, h->len))
		read_payload(s, 0, m, h->len);
	m->len = h->len;
	if (swallowed_next(m)) {
		m->len = m->end.used;
		return !give_message(s, m, SWAP_DAMAGE_LENGTH);
	}
	if (is_exact(m))
		return !give_message(s, m, 0);
	if (next && m->row && m->row->slack && skips_a_number(s, whole, h))
		return SWAP_HEADER_SIZE;
	if (next && header_plausible(h))
		return !give_message(s, m, 0);
	return 1;
}

/* Whether a message begins @pos bytes ahead, after damage. */
static bool begins_at(struct swap_frame *s, size_t pos)
{
	struct swap_header next;
	struct swap_message m;
	const uint8_t *p;
	bool near;

	if (!read_header(s, pos, &m) || !m.row || !header_plausible(&m.header))
		return false;
	near = is_near(s, &m.header);
	p = in_look(s->in, pos + SWAP_HEADER_SIZE + m.header.len, SWAP_HEADER_SIZE);
	if (!p)
		return near;
	swap_read_header(p, &next);
	if (header_plausible(&next) && (near || next.seq == m.header.seq + 1))
		return true;
	if (!near || !may_waste(s, m.header.len))
		return false;
	read_payload(s, pos, &m, m.header.len);
	return is_exact(&m);
}

/*
 * Handle damage that ends @pos bytes ahead: read what is left of the message at the position,
 * if its header can identify it.  Return: whether it can.
 */
static bool end_of_damage(struct swap_frame *s, size_t pos, uint32_t damage,
			  struct swap_message *m)
{
	uint32_t body = (uint32_t)(pos - SWAP_HEADER_SIZE);

	if (pos >= SWAP_HEADER_SIZE) {
		read_header(s, 0, m);
		read_payload(s, 0, m, body);
		if (!is_exact(m) && m->header.len < body) {
			body = m->header.len;
			read_payload(s, 0, m, body);
		}
		if (is_exact(m) || (header_plausible(&m->header) && m->row)) {
			s->unused = pos - SWAP_HEADER_SIZE - body;
			return give_message(s, m, body == m->header.len ? 0 : damage);
		}
	}
	drop_bytes(s, pos);
	return false;
}

/* Search for the next message after damage, from @at on.  Return: as end_of_damage(). */
static bool scan_bytes(struct swap_frame *s, size_t at, struct swap_message *m)
{
	size_t have;

	for (; in_look(s->in, at, SWAP_HEADER_SIZE); at++) {
		if (begins_at(s, at))
			return end_of_damage(s, at, SWAP_DAMAGE_LENGTH, m);
		if (at >= SWAP_HEADER_SIZE + SWAP_MAX_PAYLOAD) {
			/* Longer than any message: the header at the position is garbage. */
			drop_bytes(s, at);
			at = 1;
		}
	}
	in_peek(s->in, at + SWAP_HEADER_SIZE, &have);
	return end_of_damage(s, have, SWAP_DAMAGE_CUT, m);
}

bool swap_frame_next(struct swap_frame *s, struct swap_message *m)
{
	size_t at, have;

	s->garbage = 0;
	in_skip(s->in, s->used);
	drop_bytes(s, s->unused);
	s->used = s->unused = 0;
	while (read_header(s, 0, m)) {
		at = read_message(s, m);
		if (!at || scan_bytes(s, at, m))
			return true;
	}
	in_peek(s->in, SWAP_HEADER_SIZE, &have);
	drop_bytes(s, have);
	return false;
}

/*
 * The data is likely SWAP if it begins with messages whose headers fit each other, and enough
 * of them are of known kinds and can be read to their ends.
 */
int swap_source_detect(const uint8_t *p, size_t len)
{
	struct swap_header h, last = { 0 };
	unsigned int known = 0, read = 0;
	size_t pos = 0;

	for (unsigned int n = 0; n < DETECT_MESSAGES && pos + SWAP_HEADER_SIZE <= len; n++) {
		const struct swap_row *row;
		struct swap_end end;

		swap_read_header(p + pos, &h);
		if (!header_plausible(&h) || (n && !are_neighbours(&h, last.seq, last.sec)))
			return DETECT_NO;
		last = h;
		pos += SWAP_HEADER_SIZE;
		if (h.len > len - pos)
			break;
		row = swap_row(h.id);
		end = (struct swap_end){ .fault = SWAP_OK };
		if (row && !row->slack && row->layouts[0])
			swap_choose(row, p + pos, h.len, NULL, &end);
		/* A message of unknown type or with damage is evidence for nothing. */
		known += row && end.fault == SWAP_OK;
		read += row && end.fault == SWAP_OK && end.used && end.used == h.len;
		pos += h.len;
	}
	/* Need one message that its fields fill exactly, or a chain of at least 2 headers. */
	return read > 0 || known > 1 ? DETECT_LIKELY : DETECT_NO;
}
