// SPDX-License-Identifier: LGPL-2.1
/* A compile_commands.json that is there already.  See compdb_old.h. */
#include "answers/compdb_old.h"
#include "base/xalloc.h"

#include <json-c/json.h>
#include <stdlib.h>

static char *member(json_object *o, const char *name)
{
	json_object *v;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, name, &v) ||
	    !json_object_is_type(v, json_type_string))
		return NULL;
	return xstrdup(json_object_get_string(v));
}

/* Return: false: it is no entry. */
static bool take(struct compdb_old *old, json_object *o)
{
	struct compdb_old_entry *e;

	old->rows = xgrow(old->rows, &old->cap, old->n + 1, sizeof(*old->rows));
	e = &old->rows[old->n++];
	e->directory = member(o, "directory");
	e->file = member(o, "file");
	e->output = member(o, "output");
	e->text = xstrdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE));
	return e->directory && e->file;
}

bool compdb_old_read(const char *path, struct compdb_old *old, struct diag *diag)
{
	json_object *list = json_object_from_file(path);
	bool ok = list && json_object_is_type(list, json_type_array);

	*old = (struct compdb_old){ 0 };
	if (!ok)
		diag_fatal(diag, "%s: %s", path, list ? "is no list of compile commands" :
			   json_util_get_last_err());
	for (size_t i = 0; ok && i < json_object_array_length(list); i++) {
		ok = take(old, json_object_array_get_idx(list, i));
		if (!ok)
			diag_fatal(diag, "%s: entry %zu has no directory or no file", path, i + 1);
	}
	json_object_put(list);
	return ok;
}

void compdb_old_free(struct compdb_old *old)
{
	for (size_t i = 0; i < old->n; i++) {
		free(old->rows[i].directory);
		free(old->rows[i].file);
		free(old->rows[i].output);
		free(old->rows[i].text);
	}
	free(old->rows);
	*old = (struct compdb_old){ 0 };
}
