// SPDX-License-Identifier: LGPL-2.1
/* Lists of ids, each kind built on first use.  See build.h. */
#include "build/build.h"
#include "base/xalloc.h"

#include <stddef.h>
#include <stdlib.h>

static uint32_t copied_to(const struct build *b, uint32_t i)
{
	return b->copies[i - 1].output;
}

static uint32_t copied_from(const struct build *b, uint32_t i)
{
	return b->copies[i - 1].input;
}

static uint32_t held_by(const struct build *b, uint32_t file)
{
	return build_present(b, file);
}

static uint32_t began_as(const struct build *b, uint32_t version)
{
	return b->versions[version].file;
}

static uint32_t given_name(const struct build *b, uint32_t i)
{
	return b->names[i - 1].version ? b->names[i - 1].file : 0;
}

static uint32_t given_to(const struct build *b, uint32_t i)
{
	return b->names[i - 1].version;
}

static uint32_t forked_by(const struct build *b, uint32_t exec)
{
	return b->execs[exec].forked ? b->execs[exec].parent : 0;
}

/* The exec that made a version by truncating a file to which no exec then wrote; 0 if none. */
static uint32_t begun_by(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];

	return build_is_whole(v) && !v->writes ? v->exec : 0;
}

static uint32_t target_of(const struct build *b, uint32_t version)
{
	return b->versions[version].target;
}

static uint32_t base_of(const struct build *b, uint32_t version)
{
	return b->versions[version].base;
}

static uint32_t file_of_time(const struct build *b, uint32_t i)
{
	return b->times[i - 1].file;
}

static uint32_t version_of_time(const struct build *b, uint32_t i)
{
	return b->times[i - 1].version;
}

#define COUNT(member) offsetof(struct build, member)

static const struct kind {
	size_t lists, ids;	/* offsets in struct build of the number of lists, and of ids */
	/* 0 if @id is in no list */
	uint32_t (*list_of)(const struct build *b, uint32_t id);
} kinds[BUILD_NLISTS] = {
	[BUILD_COPIED_TO] = { COUNT(nversions), COUNT(ncopies), copied_to },
	[BUILD_COPIED_FROM] = { COUNT(nversions), COUNT(ncopies), copied_from },
	[BUILD_NAMES_OF] = { COUNT(nversions), COUNT(nfiles), held_by },
	[BUILD_BEGAN] = { COUNT(nfiles), COUNT(nversions), began_as },
	[BUILD_TOOK] = { COUNT(nfiles), COUNT(nnames), given_name },
	[BUILD_GIVEN] = { COUNT(nversions), COUNT(nnames), given_to },
	[BUILD_FORKS] = { COUNT(nexecs), COUNT(nexecs), forked_by },
	[BUILD_MADE_BY] = { COUNT(nexecs), COUNT(nversions), begun_by },
	[BUILD_LINKS] = { COUNT(nfiles), COUNT(nversions), target_of },
	[BUILD_BASED] = { COUNT(nversions), COUNT(nversions), base_of },
	[BUILD_TIMES_BY_FILE] = { COUNT(nfiles), COUNT(ntimes), file_of_time },
	[BUILD_TIMES_BY_VERSION] = { COUNT(nversions), COUNT(ntimes), version_of_time },
};

static uint32_t count_at(const struct build *b, size_t offset)
{
	return *(const uint32_t *)(const void *)((const char *)b + offset);
}

/* While the lists are filled, at[i + 1] is where the next id of list @i goes. */
void build_make_lists(struct build *b, enum build_list_kind kind)
{
	const struct kind *k = &kinds[kind];
	struct build_lists *l = &b->lists[kind];
	uint32_t lists = count_at(b, k->lists), n = count_at(b, k->ids), list;

	l->at = xcalloc(lists + 3ul, sizeof(*l->at));
	for (uint32_t i = 1; i <= n; i++) {
		list = k->list_of(b, i);
		l->at[list + 2] += list != 0;
	}
	for (uint32_t i = 1; i <= lists + 2; i++)
		l->at[i] += l->at[i - 1];
	l->ids = xcalloc(l->at[lists + 2] + 1ul, sizeof(*l->ids));
	for (uint32_t i = 1; i <= n; i++) {
		list = k->list_of(b, i);
		if (list)
			l->ids[l->at[list + 1]++] = i;
	}
}

void build_free_lists(struct build *b)
{
	for (int i = 0; i < BUILD_NLISTS; i++) {
		free(b->lists[i].at);
		free(b->lists[i].ids);
	}
}
