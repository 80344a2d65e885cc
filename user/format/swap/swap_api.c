// SPDX-License-Identifier: LGPL-2.1
/* The file of function names for SWAP's probe messages.  See swap_api.h. */
#include "format/swap/swap_api.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint32_t id;
	size_t line;
	char *name;
};

struct swap_api {
	struct entry *entries;	/* by id, then by line */
	size_t n, cap;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void swap_api_free(struct swap_api *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		free(a->entries[i].name);
	free(a->entries);
	free(a);
}

/* One line without its end. Return: whether it is well formed. */
static bool add_line(struct swap_api *a, char *text, size_t line)
{
	unsigned long long id;
	char *end;

	text += strspn(text, " \t");
	if (!*text || *text == '#')
		return true;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	id = strtoull(text, &end, 0);
	if (errno || id > UINT32_MAX || (*end != ' ' && *end != '\t'))
		return false;
	end += strspn(end, " \t");
	if (!*end)
		return false;
	a->entries = xgrow(a->entries, &a->cap, a->n + 1, sizeof(*a->entries));
	a->entries[a->n++] = (struct entry){ (uint32_t)id, line, xstrdup(end) };
	return true;
}

struct swap_api *swap_api_read(const char *path, struct diag *diag)
{
	struct swap_api *a = NULL;
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0, line = 0;
	ssize_t len;

	if (!f) {
		diag_fatal(diag, "%s: cannot read the names of functions: %s", path,
			   strerror(errno));
		return NULL;
	}
	a = xcalloc(1, sizeof(*a));
	while ((len = getline(&text, &size, f)) >= 0) {
		line++;
		while (len && strchr(" \t\r\n", text[len - 1]))
			text[--len] = 0;
		if (strlen(text) != (size_t)len || !add_line(a, text, line)) {
			diag_fatal(diag, "%s: line %zu: not of the form NUMBER NAME", path, line);
			goto fail;
		}
	}
	if (ferror(f)) {
		diag_fatal(diag, "%s: cannot read the names of functions: %s", path,
			   strerror(errno));
		goto fail;
	}
	if (a->n)
		qsort(a->entries, a->n, sizeof(*a->entries), compare);
	free(text);
	fclose(f);
	return a;
fail:
	swap_api_free(a);
	free(text);
	fclose(f);
	return NULL;
}

const char *swap_api_name(const struct swap_api *a, uint32_t id)
{
	size_t low = 0, high = a ? a->n : 0;

	/* Behind the last entry of this id. */
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (a->entries[mid].id <= id)
			low = mid + 1;
		else
			high = mid;
	}
	return low && a->entries[low - 1].id == id ? a->entries[low - 1].name : NULL;
}
