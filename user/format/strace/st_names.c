// SPDX-License-Identifier: LGPL-2.1
/* Looks up the values of names that strace prints, from st_names.def. */
#include "format/strace/st_args.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by name, for bsearch(). */
static const struct name {
	const char *name;
	uint64_t value;
} names[] = {
#define ST_NAME(name, value) { #name, value },
#include "format/strace/st_names.def"
};

static int by_name(const void *key, const void *row)
{
	const struct st_text *t = key;
	const struct name *n = row;
	size_t len = strlen(n->name);
	int order = memcmp(t->s, n->name, t->len < len ? t->len : len);

	return order ? order : (t->len > len) - (t->len < len);
}

bool st_name_value(const char *name, size_t len, uint64_t *v)
{
	const struct st_text key = { name, len };
	const struct name *n = bsearch(&key, names, sizeof(names) / sizeof(names[0]),
				       sizeof(names[0]), by_name);

	*v = n ? n->value : 0;
	return n;
}
