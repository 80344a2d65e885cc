// SPDX-License-Identifier: LGPL-2.1
/*
 * Restores an event from the arguments of its records in etrace's Fuchsia traces, unless
 * the event is known to be complete.  See etrace_fxt_in.h.
 */
#include "format/fxt_events/etrace_fxt_in.h"
#include "base/shquote.h"
#include "base/utf8.h"
#include "format/lines/event_lines.h"

static bool add_argv(struct fxt_in *f)
{
	const char *s = f->argv.s;
	size_t len = f->argv.len;

	while (sh_unquote(&s, &len, &f->word))
		et_add_arg(&f->ev, f->word.s, f->word.len);
	return !len;
}

/* Reads the places and times of later records: "item,byte,cpu,ns;..." */
static bool add_stamps(struct et_event *ev, const struct buf *text)
{
	const char *s = text->s, *end = text->s + text->len;

	while (s < end) {
		uint64_t v[4];

		for (unsigned int i = 0; i < 4; i++) {
			v[i] = 0;
			while (s < end && *s >= '0' && *s <= '9') {
				if (v[i] > UINT64_MAX / 10 - 1)
					return false;
				v[i] = v[i] * 10 + (uint64_t)(*s++ - '0');
			}
			if (s == end || *s++ != (i < 3 ? ',' : ';'))
				return false;
		}
		if (v[0] >= et_count_lines(ev) || v[1] > UINT32_MAX || v[2] > UINT32_MAX ||
		    v[3] > INT64_MAX)
			return false;
		*et_add_mark(ev) = (struct et_mark){
			ET_M_STAMP, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], v[3], 0
		};
	}
	return true;
}

static bool read_raw(struct fxt_in *f)
{
	if (has_word(f, W_EXTRA)) {
		if (!utf8_unhex(f->lines.s ? f->lines.s : "", f->lines.len, f->lines.s))
			return false;
		f->lines.len /= 2;
	}
	return et_read_lines(&f->ev, f->lines.s, f->lines.len);
}

/* Checks an event that may be incomplete. Return: false if it is empty. */
static bool check_event(struct et_event *ev)
{
	if (et_lacks_begin(ev))
		ev->flags |= ET_F_NO_BEGIN;
	/* without the first line of its kind, it must have another line */
	if ((!et_kinds[ev->kind].begins || ev->flags & ET_F_NO_BEGIN) && !et_count_lines(ev))
		return false;
	et_check(ev);
	return true;
}

bool fxt_in_make_event(struct fxt_in *f)
{
	bool good = !f->broken;

	if (has_word(f, W_LINES)) {
		good = good && read_raw(f);
	} else {
		if (has_word(f, W_FAILED))
			f->ev.flags |= ET_F_FAILED;
		good = good && (!f->argv.len || add_argv(f));
		if (f->ev.nextras)
			et_absorb_extras(&f->ev);
		good = good && (!f->stamps.len || add_stamps(&f->ev, &f->stamps));
		good = good && (et_is_whole(&f->ev) || check_event(&f->ev));
	}
	if (has_word(f, W_LATE))
		f->ev.flags |= ET_F_LATE;
	return good;
}
