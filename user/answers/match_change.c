// SPDX-License-Identifier: LGPL-2.1
/* Decides whether a file is the same in two builds.  See match.h. */
#include "answers/match.h"

enum build_same match_content(const struct match *m, uint32_t first, uint32_t second)
{
	return build_same_content(m->side[0].b, first, m->side[1].b, second);
}

static enum match_change change_by_time(const struct build_version *was,
					const struct build_version *is)
{
	if (was->size != is->size)
		return MATCH_SIZE;
	if (was->mtime != is->mtime)
		return MATCH_TIME;
	return was->ino != is->ino ? MATCH_REPLACED : MATCH_SAME;
}

enum match_change match_change(const struct match *m, uint32_t first, uint32_t second, uint8_t *by)
{
	const struct build_version *was = &m->side[0].versions[first];
	const struct build_version *is = &m->side[1].versions[second];
	const bool identified = was->identified && is->identified;
	enum build_same same = match_content(m, first, second);

	if (by)
		*by = same != BUILD_SAME_UNKNOWN ? MATCH_BY_CONTENT : identified ? MATCH_BY_TIME : 0;
	if (same == BUILD_SAME)
		return MATCH_SAME;
	if (same == BUILD_DIFFERENT)
		return identified && was->size != is->size ? MATCH_SIZE : MATCH_CONTENT;
	return identified ? change_by_time(was, is) : MATCH_UNKNOWN;
}

const char *match_by_name(uint8_t by)
{
	static const char *const names[] = {
		NULL, "content", "time stamps", [MATCH_BY_CONTENT | MATCH_BY_TIME] = "both",
	};

	return names[by & (MATCH_BY_CONTENT | MATCH_BY_TIME)];
}

void match_put_by(const struct match *m, struct out *out)
{
	bool first = build_hashed(m->side[0].b), second = build_hashed(m->side[1].b);

	out_puts(out, "files are compared by size and time of last change");
	if (first && second)
		out_puts(out, " where no content was recorded\n");
	else
		out_printf(out, ": %s recorded no contents (etrace run --hash)\n",
			   first ? "the second build" : second ? "the first build" : "the builds");
}
