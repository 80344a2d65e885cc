// SPDX-License-Identifier: LGPL-2.1
/* Divides a build into steps.  See match.h. */
#include "answers/match.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(uint64_t name, const char *const *names)
{
	for (; *names; names++)
		if (name == hash_bytes(*names, strlen(*names)))
			return true;
	return false;
}

void match_classify(struct match_unit *u, uint64_t name)
{
	static const char *const schedulers[] = {
		"make", "gmake", "ninja", "samu", "bazel", "scons", NULL
	};
	static const char *const makes[] = { "make", "gmake", NULL };
	static const char *const shells[] = { "sh", "dash", "bash", "zsh", "ksh", "busybox", NULL };

	u->make = is_one_of(name, makes);
	u->schedules = is_one_of(name, schedulers);
	u->shell = is_one_of(name, shells);
}

/* Units above make or ninja, and scripts that no rule runs, belong to no step. */
uint32_t *match_steps(const struct match_side *s)
{
	uint32_t *step = xcalloc(s->nunits + 1ul, sizeof(*step));
	uint32_t *calls = xcalloc(s->nunits + 1ul, sizeof(*calls));
	bool *holds = xcalloc(s->nunits + 1ul, sizeof(*holds));

	for (uint32_t i = s->nunits; i; i--) {
		holds[i] |= match_schedules(s, i);
		holds[s->units[i].caller] |= holds[i];
		calls[s->units[i].caller]++;
	}
	for (uint32_t i = 1; i <= s->nunits; i++) {
		uint32_t up = s->units[i].caller;
		bool script = calls[i] > 1 && match_is_shell(s, i) && !match_schedules(s, up);

		step[i] = step[up] ? step[up] : holds[i] || script ? 0 : i;
	}
	free(calls);
	free(holds);
	return step;
}

uint32_t *match_step_next(const struct match_side *s, const uint32_t *step)
{
	uint32_t *next = xcalloc(s->nunits + 1ul, sizeof(*next));
	uint32_t *last = xcalloc(s->nunits + 1ul, sizeof(*last));

	for (uint32_t i = 1; i <= s->nunits; i++) {
		if (!step[i])
			continue;
		if (last[step[i]])
			next[last[step[i]]] = i;
		last[step[i]] = i;
	}
	free(last);
	return next;
}
