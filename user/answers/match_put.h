/* SPDX-License-Identifier: LGPL-2.1 */
/* Programs and files of two builds, as they are shown. */
#ifndef ETRACE_MATCH_PUT_H
#define ETRACE_MATCH_PUT_H

#include "answers/match.h"
#include "io/json_out.h"

/** match_put_file - a path, quoted for a shell */
void match_put_file(struct out *out, const struct match_side *s, uint32_t file);

/** match_put_unit - a command, shortened in the middle, on one line */
void match_put_unit(struct out *out, const struct match_side *s, uint32_t unit);

/** match_json_file - a member, a path */
void match_json_file(struct json *j, const char *name, const struct match_side *s, uint32_t file);

/** match_json_unit - a member, a program; nothing of unit 0 */
void match_json_unit(struct json *j, const char *name, const struct match_side *s, uint32_t unit);

/** match_other_args - the words that one's arguments have and the other's have not; each with a NUL */
size_t match_other_args(const struct match_side *of, uint32_t unit,
			const struct match_side *than, uint32_t other, struct buf *to);

/** match_put_words - those, in a line behind a sign; nothing if there are none */
void match_put_words(struct out *out, char sign, const struct match_side *of, uint32_t unit,
		     const struct match_side *than, uint32_t other);

#endif
