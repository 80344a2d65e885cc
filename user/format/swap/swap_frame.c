// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds messages in a SWAP stream.  Payloads are not interpreted, but whether a payload
 * can be read is evidence for or against its header.
 */
#include "format/swap/swap_frame.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Largest difference of neighbours: sequence numbers in messages, time in seconds. */
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

struct swap_frame {
	const struct swap_frame_ops *ops;
	void *ctx;
	uint8_t *buf;
	size_t size;		/* of buf */
	size_t start;		/* index in buf of the current message or damage */
	size_t fill;		/* bytes in buf */
	uint64_t offset;	/* of buf[start] in the stream */
	bool eof;
	bool scanning;		/* the header at start cannot be trusted */
	size_t scan;		/* next position to look at, relative to start */
	uint64_t dropped;	/* bytes before start that are garbage, not yet reported */
	bool near_known;	/* near_seq and near_sec are set */
	unsigned int near_misses;	/* headers in a row that were not neighbours */
	uint32_t near_seq;	/* of the last credible header */
	uint32_t near_sec;
	uint64_t wasted;	/* payload bytes read only to judge a header */
};

/* What was found at a position in the buffer. */
struct place {
	struct swap_message m;
	bool exact;	/* the fields fill the payload exactly, which is unlikely by chance */
};

struct swap_frame *swap_frame_new(const struct swap_frame_ops *ops, void *ctx)
{
	struct swap_frame *s = xcalloc(1, sizeof(*s));

	s->ops = ops;
	s->ctx = ctx;
	return s;
}

void swap_frame_free(struct swap_frame *s)
{
	if (!s)
		return;
	free(s->buf);
	free(s);
}

struct swap_message *swap_message_copy(const struct swap_message *m)
{
	struct swap_message *copy = xmalloc(sizeof(*copy) + m->len);
	uint8_t *payload = (uint8_t *)(copy + 1);

	*copy = *m;
	memcpy(payload, m->payload, m->len);
	copy->payload = payload;
	return copy;
}

static size_t frame_available(const struct swap_frame *s)
{
	return s->fill - s->start;
}

static void consume_bytes(struct swap_frame *s, size_t n)
{
	s->start += n;
	s->offset += n;
}

/* Can it be a header?  Also accepts ids that a later protocol may add. */
static bool header_possible(const struct swap_header *h)
{
	return h->id >= 1 && h->id <= 0xffff && h->len <= SWAP_MAX_PAYLOAD;
}

static bool header_plausible(const struct swap_header *h)
{
	return header_possible(h) && h->nsec < 1000000000u;
}

/* Can two messages with these numbers and times be neighbours? */
static bool are_neighbours(const struct swap_header *h, uint32_t near_seq, uint32_t near_sec)
{
	int64_t seq = (int32_t)(h->seq - near_seq);
	int64_t sec = (int64_t)h->sec - near_sec;

	return seq >= -SEQ_BEHIND && seq <= SEQ_AHEAD && sec >= -SEC_AWAY && sec <= SEC_AWAY;
}

/* Is @h near the last message, or if there was none, near the damaged one at start? */
static bool is_near(const struct swap_frame *s, const struct swap_header *h)
{
	struct swap_header damaged;

	if (s->near_known)
		return are_neighbours(h, s->near_seq, s->near_sec);
	swap_read_header(s->buf + s->start, &damaged);
	return header_plausible(&damaged) && are_neighbours(h, damaged.seq, damaged.sec);
}

/*
 * Remember sequence number and time for are_neighbours().  One odd header is taken for
 * damage, the second in a row for a new beginning.
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

static void read_payload(struct place *at, const uint8_t *payload, uint32_t len)
{
	at->m.payload = payload;
	at->m.len = len;
	if (!at->m.row || at->m.row->slack)
		return;
	at->m.layout = swap_choose(at->m.row, payload, len, NULL, &at->m.end);
	if (at->m.row->id == SWAP_PROBE && at->m.end.fault != SWAP_OK) {
		/* The id alone is no proof that it is a probe. */
		at->m.row = NULL;
		at->m.layout = NULL;
		at->m.end = (struct swap_end){ .fault = SWAP_OK };
	}
	at->exact = at->m.layout && at->m.end.fault == SWAP_OK && at->m.end.used == len &&
		    !at->m.end.open_end;
}

/* Read the header at @pos, without its payload. */
static void read_place(const struct swap_frame *s, size_t pos, struct place *at)
{
	const uint8_t *p = s->buf + s->start + pos;

	*at = (struct place){ .m.payload = p + SWAP_HEADER_SIZE };
	swap_read_header(p, &at->m.header);
	at->m.row = swap_row(at->m.header.id);
}

static void report_garbage(struct swap_frame *s)
{
	if (s->dropped)
		s->ops->garbage(s->ctx, s->offset - s->dropped, s->dropped);
	s->dropped = 0;
}

/* Emit the message at start; nothing is consumed. */
static int give_message(struct swap_frame *s, struct place *at, uint32_t damage)
{
	struct swap_message *m = &at->m;

	report_garbage(s);
	m->offset = s->offset;
	m->damage = damage;
	if (m->header.nsec >= 1000000000u)
		m->damage |= SWAP_DAMAGE_TIME;
	if (m->end.fault != SWAP_OK)
		m->damage |= SWAP_DAMAGE_FIELDS;
	remember_header(s, &m->header);
	return s->ops->message(s->ctx, m);
}

/* Emit and consume the whole message at start.  Return: 1, or the callback's error. */
static int accept_message(struct swap_frame *s, struct place *at, uint32_t damage)
{
	int ret = give_message(s, at, damage);

	consume_bytes(s, SWAP_HEADER_SIZE + at->m.len);
	return ret ? ret : 1;
}

/*
 * Count garbage up to @pos.  It is reported when the next message is found, so that
 * each damage is reported once.
 */
static void drop_bytes(struct swap_frame *s, size_t pos)
{
	consume_bytes(s, pos);
	s->dropped += pos;
}

static void distrust_bytes(struct swap_frame *s, size_t from)
{
	s->scanning = true;
	s->scan = from;
}

/* May the payload be read only to judge its header?  Keeps the total work linear. */
static bool may_waste(struct swap_frame *s, uint32_t len)
{
	if (s->wasted > WASTE_FREE + WASTE_FACTOR * s->offset)
		return false;
	s->wasted += len;
	return true;
}

/*
 * Does the payload contain the next message, because its length is wrong?  Then the
 * next header follows the last known field.
 */
static bool swallowed_next(const struct place *at)
{
	uint32_t extra = at->m.len - at->m.end.used;
	struct swap_header next;

	if (!at->m.layout || at->m.end.fault != SWAP_OK || extra < SWAP_HEADER_SIZE)
		return false;
	swap_read_header(at->m.payload + at->m.end.used, &next);
	return header_plausible(&next) && swap_row(next.id) && next.seq == at->m.header.seq + 1;
}

/*
 * Is there a header at @pos that can follow @h: with a sequence number and time near
 * to it, or with a payload that its fields fill exactly?
 * Return: 1 yes, 0 no, -1 more bytes are needed to tell.
 */
static int follows_at(struct swap_frame *s, size_t pos, const struct swap_header *h)
{
	struct place at;

	if (frame_available(s) - pos < SWAP_HEADER_SIZE)
		return s->eof ? frame_available(s) == pos : -1;
	read_place(s, pos, &at);
	if (!header_plausible(&at.m.header))
		return 0;
	if (are_neighbours(&at.m.header, h->seq, h->sec))
		return 1;
	if (!at.m.row)
		return 0;
	if (frame_available(s) - pos - SWAP_HEADER_SIZE < at.m.header.len)
		return s->eof ? 0 : -1;
	if (!may_waste(s, at.m.header.len))
		return 0;
	read_payload(&at, at.m.payload, at.m.header.len);
	return at.exact;
}

/* Is the message at @pos not the one after @h?  Then @h may have swallowed that one. */
static bool skips_a_number(const struct swap_frame *s, size_t pos, const struct swap_header *h)
{
	struct place at;

	if (frame_available(s) - pos < SWAP_HEADER_SIZE)
		return false;
	read_place(s, pos, &at);
	return at.m.header.seq != h->seq + 1;
}

/*
 * Read the message at start, if its position is certain.
 * Return: 1 on progress, 0 if more bytes are needed, or the callback's error.
 */
static int read_message(struct swap_frame *s)
{
	size_t have = frame_available(s), whole;
	struct place at;
	int next;

	if (have < SWAP_HEADER_SIZE) {
		if (s->eof)
			drop_bytes(s, have);
		return 0;
	}
	read_place(s, 0, &at);
	if (!header_possible(&at.m.header)) {
		distrust_bytes(s, 1);
		return 1;
	}
	whole = SWAP_HEADER_SIZE + (size_t)at.m.header.len;
	if (have < whole) {
		if (!s->eof)
			return 0;
		/* The message is cut off, its length is wrong, or it is no message. */
		distrust_bytes(s, at.m.row && header_plausible(&at.m.header) ? SWAP_HEADER_SIZE : 1);
		return 1;
	}
	next = follows_at(s, whole, &at.m.header);
	if (next > 0 || may_waste(s, at.m.header.len))
		read_payload(&at, at.m.payload, at.m.header.len);
	if (swallowed_next(&at)) {
		at.m.len = at.m.end.used;
		return accept_message(s, &at, SWAP_DAMAGE_LENGTH);
	}
	if (at.exact)
		return accept_message(s, &at, 0);
	if (next < 0)
		return 0;
	if (next && at.m.row && at.m.row->slack && skips_a_number(s, whole, &at.m.header)) {
		distrust_bytes(s, SWAP_HEADER_SIZE);
		return 1;
	}
	if (next && header_plausible(&at.m.header))
		return accept_message(s, &at, 0);
	distrust_bytes(s, 1);
	return 1;
}

/*
 * Does a message begin at @pos, after damage?
 * Return: 1 yes, 0 no, -1 more bytes are needed to tell.
 */
static int begins_at(struct swap_frame *s, size_t pos)
{
	struct swap_header next;
	struct place at;
	bool near;
	size_t end;

	read_place(s, pos, &at);
	if (!at.m.row || !header_plausible(&at.m.header))
		return 0;
	near = is_near(s, &at.m.header);
	end = pos + SWAP_HEADER_SIZE + at.m.header.len;
	if (end + SWAP_HEADER_SIZE > frame_available(s))
		return s->eof ? near : -1;
	swap_read_header(s->buf + s->start + end, &next);
	if (header_plausible(&next) && (near || next.seq == at.m.header.seq + 1))
		return 1;
	if (!near || !may_waste(s, at.m.header.len))
		return 0;
	read_payload(&at, at.m.payload, at.m.header.len);
	return at.exact;
}

/*
 * Damage ends at @pos.  Emit the rest of the message at start if its header is good
 * enough to identify it.
 */
static int end_of_damage(struct swap_frame *s, size_t pos, bool at_eof)
{
	struct place at;
	uint32_t body, damage = at_eof ? SWAP_DAMAGE_CUT : SWAP_DAMAGE_LENGTH;
	size_t used;
	int ret;

	s->scanning = false;
	if (pos < SWAP_HEADER_SIZE) {
		drop_bytes(s, pos);
		return 1;
	}
	read_place(s, 0, &at);
	body = (uint32_t)(pos - SWAP_HEADER_SIZE);
	read_payload(&at, at.m.payload, body);
	if (!at.exact && at.m.header.len < body) {
		body = at.m.header.len;
		damage = 0;
		read_payload(&at, at.m.payload, body);
	}
	if (body == at.m.header.len)
		damage = 0;
	if (!at.exact && (!header_plausible(&at.m.header) || !at.m.row)) {
		drop_bytes(s, pos);
		return 1;
	}
	ret = give_message(s, &at, damage);
	used = SWAP_HEADER_SIZE + (size_t)body;
	consume_bytes(s, used);
	drop_bytes(s, pos - used);
	return ret ? ret : 1;
}

/* Look for the next message after damage; returns as read_message(). */
static int scan_bytes(struct swap_frame *s)
{
	for (; s->scan + SWAP_HEADER_SIZE <= frame_available(s); s->scan++) {
		int found = begins_at(s, s->scan);

		if (found < 0)
			return 0;
		if (found)
			return end_of_damage(s, s->scan, false);
		if (s->scan >= SWAP_HEADER_SIZE + SWAP_MAX_PAYLOAD) {
			/* Longer than any message: the header at start is garbage. */
			drop_bytes(s, s->scan);
			s->scan = 1;
		}
	}
	return s->eof ? end_of_damage(s, frame_available(s), true) : 0;
}

static int run_frame(struct swap_frame *s)
{
	int ret;

	do {
		ret = s->scanning ? scan_bytes(s) : read_message(s);
	} while (ret > 0);
	return ret;
}

int swap_frame_feed(struct swap_frame *s, const uint8_t *p, size_t len)
{
	if (s->start && (s->start == s->fill || s->start > s->size / 2)) {
		memmove(s->buf, s->buf + s->start, frame_available(s));
		s->fill -= s->start;
		s->start = 0;
	}
	s->buf = xgrow(s->buf, &s->size, s->fill + len, 1);
	if (len)
		memcpy(s->buf + s->fill, p, len);
	s->fill += len;
	return run_frame(s);
}

int swap_frame_end(struct swap_frame *s)
{
	int ret;

	s->eof = true;
	ret = s->fill ? run_frame(s) : 0;
	if (!ret)
		report_garbage(s);
	return ret;
}

bool swap_detect(const uint8_t *p, size_t len)
{
	struct swap_header h, last = { 0 };
	unsigned int known = 0, read = 0;
	size_t pos = 0;

	for (unsigned int n = 0; n < DETECT_MESSAGES && pos + SWAP_HEADER_SIZE <= len; n++) {
		const struct swap_row *row;
		struct swap_end end;

		swap_read_header(p + pos, &h);
		if (!header_plausible(&h) || (n && !are_neighbours(&h, last.seq, last.sec)))
			return false;
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
	return read > 0 || known > 1;
}
