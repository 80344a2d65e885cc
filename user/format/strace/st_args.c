// SPDX-License-Identifier: LGPL-2.1
/* Parses arguments as strace prints them.  See st_args.h. */
#include "format/strace/st_args.h"
#include "format/strace/st_scan.h"

#include <string.h>

static struct st_text trim_text(const char *s, const char *end)
{
	s = scan_blanks(s, end);
	while (s < end && end[-1] == ' ')
		end--;
	return (struct st_text){ s, (size_t)(end - s) };
}

/* Find the first @c outside of brackets, quotes and comments; @end if there is none. */
static const char *find_char(const char *s, const char *end, char c)
{
	const char *begin = s;

	while (s < end && *s != c) {
		if (*s == '"' || *s == '(' || *s == '[' || *s == '{' ||
		    (*s == '<' && s > begin && scan_is_word(s[-1]) && s + 1 < end && s[1] != '<'))
			s = st_skip(s, end);
		else if (*s == '/' && s + 1 < end && s[1] == '*') {
			s = memmem(s, (size_t)(end - s), "*/", 2);
			s = s ? s + 2 : end;
		} else
			s++;
	}
	return s;
}

bool st_next(struct st_text *rest, struct st_text *element)
{
	const char *end, *comma;

	if (!rest->len)
		return false;
	end = rest->s + rest->len;
	comma = find_char(rest->s, end, ',');
	*element = trim_text(rest->s, comma);
	if (comma < end)
		comma++;
	*rest = (struct st_text){ comma, (size_t)(end - comma) };
	return true;
}

void st_args_split(struct st_args *a, struct st_text text)
{
	a->n = 0;
	for (unsigned int i = 0; i < ST_MAX_ARGS; i++)
		a->arg[i] = (struct st_text){ "", 0 };
	while (a->n < ST_MAX_ARGS && st_next(&text, &a->arg[a->n]))
		a->n++;
}

/* Parse "name=value". */
static bool parse_named_value(struct st_text t, const char *name, struct st_text *value)
{
	size_t n = strlen(name);

	if (t.len <= n || memcmp(t.s, name, n) || t.s[n] != '=')
		return false;
	*value = (struct st_text){ t.s + n + 1, t.len - n - 1 };
	return true;
}

const struct st_text *st_args_named(const struct st_args *a, const char *name,
				    struct st_text *value)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (parse_named_value(a->arg[i], name, value))
			return value;
	return NULL;
}

bool st_inner(struct st_text t, struct st_text *inner)
{
	const char *close;

	if (!t.len || (*t.s != '{' && *t.s != '['))
		return false;
	close = st_skip(t.s, t.s + t.len);
	*inner = (struct st_text){ t.s + 1, (size_t)(close - t.s - 1) };
	if (inner->len && (close[-1] == '}' || close[-1] == ']'))
		inner->len--;
	return true;
}

bool st_field(struct st_text t, const char *name, struct st_text *value)
{
	struct st_text inner, element;

	if (!st_inner(t, &inner))
		return false;
	while (st_next(&inner, &element))
		if (parse_named_value(element, name, value))
			return true;
	return false;
}

/* ---- numbers ---- */

/* Parse a number like 10, 0x1f or 017.  Return: the text after it. */
static const char *read_number(const char *s, const char *end, uint64_t *v)
{
	uint64_t base = 10, digit;

	*v = 0;
	if (end - s > 1 && *s == '0') {
		base = s[1] == 'x' ? 16 : 8;
		s += s[1] == 'x' ? 2 : 1;
	}
	for (; s < end; s++) {
		if (*s >= '0' && *s <= '9')
			digit = (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			digit = (uint64_t)(*s - 'a') + 10;
		else
			break;
		if (digit >= base)
			break;
		*v = *v * base + digit;
	}
	return s;
}

/* Parse "makedev(0x8, 0x1)" into a device number as the kernel encodes it for 32-bit programs. */
static bool makedev(struct st_text t, uint64_t *v)
{
	struct st_text inner, one;
	uint64_t major = 0, minor = 0;

	if (t.len < 9 || memcmp(t.s, "makedev(", 8) || t.s[t.len - 1] != ')')
		return false;
	inner = (struct st_text){ t.s + 8, t.len - 9 };
	if (!st_next(&inner, &one) || !st_number(one, &major) ||
	    !st_next(&inner, &one) || !st_number(one, &minor))
		return false;
	*v = (minor & 0xff) | major << 8 | (minor & ~0xffull) << 12;
	return true;
}

/* Parse one term of an expression with "|".  Return: whether it is known. */
static bool read_term(struct st_text t, uint64_t *v)
{
	const char *end = t.s + t.len, *p;
	uint64_t shift;

	*v = 0;
	if (!t.len)
		return false;
	if (*t.s >= '0' && *t.s <= '9') {
		p = read_number(t.s, end, v);
		if (end - p > 2 && p[0] == '<' && p[1] == '<') {
			p = read_number(p + 2, end, &shift);
			*v = shift < 64 ? *v << shift : 0;
		}
		/* a comment may follow: "0x1 / * CLONE_X * /" */
		return p == end || *p == ' ';
	}
	if (*t.s == '-' && t.len > 1) {
		p = read_number(t.s + 1, end, v);
		*v = -*v;
		return p == end || *p == ' ';
	}
	if (makedev(t, v))
		return true;
	for (p = t.s; p < end && scan_is_word(*p); p++)
		;
	return st_name_value(t.s, (size_t)(p - t.s), v);
}

bool st_number(struct st_text t, uint64_t *v)
{
	const char *s, *end, *bar;
	bool known = true;
	uint64_t one;

	*v = 0;
	if (!t.len)
		return false;
	s = t.s;
	end = s + t.len;
	while (s < end) {
		bar = find_char(s, end, '|');
		known &= read_term(trim_text(s, bar), &one);
		*v |= one;
		s = bar + 1;
	}
	return known;
}

/* Parse the inodes in "UNIX-STREAM:[7->8,"/run/x"]". */
static void unix_socket(struct st_fd_arg *fd)
{
	const char *end = fd->path.s + fd->path.len, *p = memchr(fd->path.s, '[', fd->path.len);

	if (fd->path.len < 4 || memcmp(fd->path.s, "UNIX", 4) || !p)
		return;
	p = read_number(p + 1, end, &fd->ino);
	if (end - p > 2 && p[0] == '-' && p[1] == '>')
		read_number(p + 2, end, &fd->peer);
}

bool st_fd_arg(struct st_text t, struct st_fd_arg *fd)
{
	static const char cwd[] = "AT_FDCWD", deleted[] = "(deleted)";
	const char *end = t.s + t.len, *p = t.s, *close;
	uint64_t v;

	*fd = (struct st_fd_arg){ .fd = -1 };
	if (t.len >= sizeof(cwd) - 1 && !memcmp(p, cwd, sizeof(cwd) - 1)) {
		fd->fd = -100;
		p += sizeof(cwd) - 1;
	} else if (p < end && *p == '-') {
		p = read_number(p + 1, end, &v);
		fd->fd = -(int64_t)v;
	} else if (p < end && *p >= '0' && *p <= '9') {
		p = read_number(p, end, &v);
		/* a raw argument has 64 bits of a register: use the lower 32 */
		fd->fd = (int32_t)(uint32_t)v;
	} else {
		return false;
	}
	if (p == end || *p != '<')
		return true;
	close = st_skip(p, end);
	fd->has_path = true;
	fd->path = (struct st_text){ p + 1, (size_t)(close - p - 1) };
	if (fd->path.len && close[-1] == '>')
		fd->path.len--;
	fd->deleted = end - close >= (long)sizeof(deleted) - 1 &&
		      !memcmp(close, deleted, sizeof(deleted) - 1);
	unix_socket(fd);
	/* a device: "/dev/null<char 1:3>" */
	p = memchr(fd->path.s, '<', fd->path.len);
	if (p)
		fd->path.len = (size_t)(p - fd->path.s);
	return true;
}

/* ---- strings ---- */

/* Append the byte of the escape after a backslash.  Return: the text after it. */
static const char *add_escape(struct buf *to, const char *s, const char *end)
{
	static const char letters[] = "ntrvf", bytes[] = "\n\t\r\v\f";
	const char *letter = *s ? strchr(letters, *s) : NULL;
	unsigned int v = 0;
	int i;

	if (letter) {
		buf_addc(to, bytes[letter - letters]);
		return s + 1;
	}
	if (*s == 'x') {
		for (s++, i = 0; i < 2 && s < end; i++, s++) {
			if (*s >= '0' && *s <= '9')
				v = v * 16 + (unsigned int)(*s - '0');
			else if (*s >= 'a' && *s <= 'f')
				v = v * 16 + (unsigned int)(*s - 'a') + 10;
			else
				break;
		}
		buf_addc(to, (char)v);
		return s;
	}
	if (*s < '0' || *s > '7') {
		buf_addc(to, *s);
		return s + 1;
	}
	for (i = 0; i < 3 && s < end && *s >= '0' && *s <= '7'; i++, s++)
		v = v * 8 + (unsigned int)(*s - '0');
	buf_addc(to, (char)v);
	return s;
}

void st_unescape(struct buf *to, const char *s, size_t len)
{
	const char *end = s + len, *slash;

	while (s < end) {
		slash = memchr(s, '\\', (size_t)(end - s));
		if (!slash || slash + 1 == end)
			slash = end;
		buf_add(to, s, (size_t)(slash - s));
		if (slash == end)
			return;
		s = add_escape(to, slash + 1, end);
	}
}

void st_fd_path(const struct st_fd_arg *fd, struct buf *to)
{
	if (!fd->has_path)
		return;
	if (fd->ino) {
		buf_adds(to, "socket:[");
		buf_addu(to, fd->ino);
		buf_addc(to, ']');
		return;
	}
	st_unescape(to, fd->path.s, fd->path.len);
	if (fd->deleted)
		buf_adds(to, " (deleted)");
}

bool st_string(struct st_text t, struct buf *to, bool *cut)
{
	const char *end = t.s + t.len, *close;

	if (!t.len || *t.s != '"')
		return false;
	close = st_skip(t.s, end);
	st_unescape(to, t.s + 1, (size_t)(close - t.s - 2));
	*cut |= end - close >= 3 && !memcmp(close, "...", 3);
	return true;
}
