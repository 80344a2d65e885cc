// SPDX-License-Identifier: GPL-2.0
/*
 * What outputs hold of the moment when they were made, which would differ another time: the time,
 * and names of temporary files, which programs choose at random.  See learning.h.
 */
#include "skip/learning.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LEAST 6		/* shorter names occur by chance */
/* Maximum lag of the kernel's time stamps behind the clock, ns: a tick. */
#define TICK 10000000
#define HALF_HOUR 1800		/* time zones differ by a multiple of this, s */

struct moment {
	int64_t from, to;	/* when the step ran, s since 1970 */
	const uint8_t *s;	/* content of the output */
	size_t len;
};

static bool is_then(const struct moment *m, uint64_t seconds)
{
	return (int64_t)seconds >= m->from && (int64_t)seconds <= m->to;
}

/* Whether there are digits for s, ms, us or ns since 1970, or a minute and a second. */
static bool is_text(const struct moment *m, size_t at)
{
	const uint8_t *s = m->s + at;
	uint64_t v = 0;
	size_t n = 0;

	while (at + n < m->len && n < 19 && isdigit(s[n]))
		v = v * 10 + (s[n++] - '0');
	for (size_t more = n; more > 10; more--)
		v /= 10;
	if (n >= 10)
		return is_then(m, v);
	/* 12:05:31 */
	if (n != 2 || at + 8 > m->len || s[2] != ':' || s[5] != ':' || !isdigit(s[3]) || !isdigit(s[4]) ||
	    !isdigit(s[6]) || !isdigit(s[7]))
		return false;
	v = (uint64_t)(((s[3] - '0') * 10 + s[4] - '0') * 60 + (s[6] - '0') * 10 + s[7] - '0');
	for (int64_t t = m->from; t <= m->to && t < m->from + HALF_HOUR; t++)
		if ((uint64_t)(t % HALF_HOUR) == v % HALF_HOUR)
			return true;
	return false;
}

static bool has_time(const struct moment *m)
{
	for (size_t i = 0; i < m->len; i++) {
		const uint8_t *s = m->s + i;

		if (isdigit(s[0]) && (!i || !isdigit(s[-1])) && is_text(m, i))
			return true;
		if (i + 4 <= m->len &&
		    (is_then(m, s[0] | s[1] << 8 | s[2] << 16 | (uint64_t)s[3] << 24) ||
		     is_then(m, s[3] | s[2] << 8 | s[1] << 16 | (uint64_t)s[0] << 24)))
			return true;
	}
	return false;
}

/* Find the name of a file of the step that is gone in the end. */
static bool has_name(struct learning *x, const struct moment *m, char which[PATH_MAX])
{
	struct stat st;

	for (size_t i = 0; i < x->ntouched; i++) {
		const char *name;
		size_t len;

		if (!learn_path(x, x->touched_list[i], which) || !lstat(which, &st))
			continue;
		name = strrchr(which, '/') + 1;
		len = strlen(name);
		if (len >= NAME_LEAST && memmem(m->s, m->len, name, len))
			return true;
	}
	return false;
}

bool learn_moment(struct learning *x, const char *path)
{
	const struct build_exec *end = &x->b->execs[x->end];
	struct moment m = {
		.from = (learn_begin(x) - TICK) / 1000000000, .to = (end->until + x->real) / 1000000000,
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char which[PATH_MAX];
	struct stat st;
	void *map;
	bool ok = true;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return learn_refuse(x, "an output cannot be read", path);
	m.s = map;
	m.len = (size_t)st.st_size;
	if (has_time(&m))
		ok = learn_refuse(x, "an output holds the time when it was made", path);
	else if (has_name(x, &m, which))
		ok = learn_refuse(x, "an output holds the name of a temporary file", which);
	munmap(map, (size_t)st.st_size);
	return ok;
}
