// SPDX-License-Identifier: LGPL-2.1
/* Reads and locks an existing compile_commands.json.  See compdb_old.h. */
#include "answers/compdb_old.h"
#include "answers/compdb_parts.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

/* Whether @path still names the open file @fd: an update by another process replaces the file. */
static bool is_there(int fd, const char *path)
{
	struct stat st, now;

	return !fstat(fd, &st) && !stat(path, &now) && st.st_dev == now.st_dev &&
	       st.st_ino == now.st_ino;
}

/* Return: a descriptor, or a negative errno. */
static int open_file(const char *path, bool create, bool *made)
{
	const int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(path, O_RDWR | flags);

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | flags);
	*made = fd < 0 && errno == ENOENT && create;
	if (*made)
		fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	return fd < 0 ? -errno : fd;
}

/* Return: 0, or a negative errno: -ENOENT if there is none. */
static int lock_file(struct compdb_old *old, const char *path, bool create)
{
	struct stat st;
	bool made;

	for (;;) {
		old->fd = open_file(path, create, &made);
		if (old->fd < 0)
			return old->fd;
		if (made && !old->made)
			old->made = xstrdup(path);
		if (fstat(old->fd, &st))
			return -errno;
		if (!S_ISREG(st.st_mode))
			return -EINVAL;
		/* some file systems have no locks: continue without one */
		while (flock(old->fd, LOCK_EX) && errno == EINTR)
			;
		if (is_there(old->fd, path))
			return 0;
		close(old->fd);
	}
}

static bool read_file(int fd, struct buf *text)
{
	ssize_t n;

	do {
		n = read(fd, buf_room(text, 65536), 65536);
		text->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return !n && text->len < INT_MAX;
}

/* ---- JSON ---- */

static char *string_member(json_object *o, const char *name)
{
	json_object *v;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, name, &v) ||
	    !json_object_is_type(v, json_type_string))
		return NULL;
	return xstrdup(json_object_get_string(v));
}

/* A member that is a path, made absolute. */
static char *path_member(json_object *o, const char *directory, const char *name)
{
	char *said = string_member(o, name), *path = NULL;

	if (said && directory)
		path = compdb_absolute(directory, said);
	free(said);
	return path;
}

/* Return: false if it is not an entry. */
static bool take_entry(struct compdb_old *old, json_object *o)
{
	struct compdb_old_entry *e;

	old->rows = xgrow(old->rows, &old->cap, old->n + 1, sizeof(*old->rows));
	e = &old->rows[old->n++];
	e->directory = string_member(o, "directory");
	e->file = path_member(o, e->directory, "file");
	e->output = path_member(o, e->directory, "output");
	e->text = xstrdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE));
	return e->directory && e->file;
}

static size_t count_spaces(const struct buf *text, size_t from)
{
	size_t i = from;

	while (i < text->len && isspace((unsigned char)text->s[i]))
		i++;
	return i - from;
}

static size_t line_of(const struct buf *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < text->len; i++)
		line += text->s[i] == '\n';
	return line;
}

/* Return: NULL after diag_fatal(). */
static json_object *parse_json(const char *path, const struct buf *text, struct diag *diag)
{
	json_tokener *t = json_tokener_new();
	json_object *list = json_tokener_parse_ex(t, text->s, (int)text->len);
	enum json_tokener_error error = json_tokener_get_error(t);
	size_t end = json_tokener_get_parse_end(t);
	const char *wrong = NULL;

	if (error == json_tokener_continue)
		wrong = "it ends early";
	else if (error != json_tokener_success)
		wrong = json_tokener_error_desc(error);
	else if (end + count_spaces(text, end) < text->len)
		wrong = "more text follows its end";
	else if (!json_object_is_type(list, json_type_array))
		wrong = "it is not a list";
	if (wrong) {
		diag_fatal(diag, "%s: line %zu, byte %zu: not a list of compile commands: %s", path,
			   line_of(text, end), end, wrong);
		json_object_put(list);
		list = NULL;
	}
	json_tokener_free(t);
	return list;
}

static bool take_all(struct compdb_old *old, const char *path, const struct buf *text,
		     struct diag *diag)
{
	json_object *list = parse_json(path, text, diag);
	size_t n = list ? json_object_array_length(list) : 0;
	bool ok = list;

	for (size_t i = 0; ok && i < n; i++) {
		ok = take_entry(old, json_object_array_get_idx(list, i));
		if (!ok)
			diag_fatal(diag, "%s: entry %zu has no directory or no file", path, i + 1);
	}
	json_object_put(list);
	return ok;
}

bool compdb_old_read(struct compdb_old *old, const char *path, bool create, struct diag *diag)
{
	int err = lock_file(old, path, create);
	struct buf text = { 0 };
	bool ok;

	if (err == -ENOENT && !create)
		return true;
	if (err || !read_file(old->fd, &text)) {
		diag_fatal(diag, "%s: %s", path, err == -EINVAL ? "is not a regular file" :
			   err ? strerror(-err) : "cannot be read, or is too large");
		buf_free(&text);
		return false;
	}
	ok = count_spaces(&text, 0) == text.len || take_all(old, path, &text, diag);
	buf_free(&text);
	return ok;
}

void compdb_old_free(struct compdb_old *old)
{
	struct stat st;

	for (size_t i = 0; i < old->n; i++) {
		free(old->rows[i].directory);
		free(old->rows[i].file);
		free(old->rows[i].output);
		free(old->rows[i].text);
	}
	free(old->rows);
	/* remove the empty file that was created for the lock, unless it was replaced */
	if (old->made && is_there(old->fd, old->made) && !fstat(old->fd, &st) && !st.st_size)
		unlink(old->made);
	free(old->made);
	if (old->fd >= 0)
		close(old->fd);
	*old = (struct compdb_old){ .fd = -1 };
}
