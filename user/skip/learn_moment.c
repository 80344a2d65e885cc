// SPDX-License-Identifier: GPL-2.0
/*
 * What outputs hold of the moment when they were made, which would differ another time: the time,
 * and names of temporary files, which programs choose at random.  See learning.h.
 */
#include "skip/learning.h"
#include "base/path.h"
#include "base/time_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LEAST 6		/* shorter names occur by chance */
/* Maximum lag of the kernel's time stamps behind the clock, ns: a tick. */
#define TICK 10000000

/* Find the name of a file of the step that is gone in the end. */
static bool has_name(struct learning *x, const struct buf *b, char which[PATH_MAX])
{
	struct stat st;

	for (size_t i = 0; i < x->ntouched; i++) {
		const char *name;
		size_t len;

		if (!learn_path(x, x->touched_list[i], which) || !lstat(which, &st))
			continue;
		name = path_base(which);
		len = strlen(name);
		if (len >= NAME_LEAST && memmem(b->s, b->len, name, len))
			return true;
	}
	return false;
}

bool learn_moment(struct learning *x, const char *path)
{
	const struct build_exec *end = &x->b->execs[x->end];
	const struct time_span when = {
		.from = (learn_begin(x) - TICK) / 1000000000, .to = (end->until + x->real) / 1000000000,
		.both = true,
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char which[PATH_MAX];
	struct stat st;
	struct buf b;
	size_t len;
	bool ok = true;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	b = (struct buf){ .len = (size_t)st.st_size };
	b.s = mmap(NULL, b.len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (b.s == MAP_FAILED)
		return learn_refuse(x, "an output cannot be read", path);
	if (time_in_text(&when, &b, &len) || time_in_numbers(&when, &b))
		ok = learn_refuse(x, "an output holds the time when it was made", path);
	else if (has_name(x, &b, which))
		ok = learn_refuse(x, "an output holds the name of a temporary file", which);
	munmap(b.s, b.len);
	return ok;
}
