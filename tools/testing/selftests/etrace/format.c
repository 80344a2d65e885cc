// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of the trace events in tracefs match the table of events: each string, argument
 * list and value is a field with its name and type, and there are no unknown events or fields.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/etrace_test.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;

#define EVENTS	ET_TRACEFS "/events/etrace"

static const struct event {
	const char *ID, *name;
	int nr_str;
} events[] = {
#define EVENT(ID, id, name, category, where, doc) { #ID, "etrace_" #id, 0
#define STRING(ID, id, TAG, name) + 1
#define END_EVENT(ID, id) },
#include "../../../../kernel/etrace_events.def"
};

/* Events that only the module has: pieces of strings, lost records. */
static const char *const others[] = { "etrace_string", "etrace_args", "etrace_lost" };

/**
 * struct field - a field that a record must have
 * @ID: its event, NULL for all events
 * @type: as written in the format
 * @size: of the type, 0 if any
 * @is_signed: for a number
 * @may: it is optional
 */
struct field {
	const char *ID, *type, *name;
	int size;
	bool is_signed, may;
};

#define NUMBER(ID, type, name, may) \
	{ ID, #type, name, sizeof(type), (type)-1 < (type)1, may }
#define BYTES(ID, name)	{ ID, "__data_loc char[]", name, 0, false, false }

static const struct field fields[] = {
	NUMBER(NULL, u64, "upid", false),
	NUMBER(NULL, u64, "time", false),
#define STRING(ID, id, TAG, name) \
	NUMBER(#ID, s32, #id "_len", false), BYTES(#ID, #id),
#define ARGS(ID, id, TAG, name) \
	NUMBER(#ID, u32, #id "_len", false), BYTES(#ID, #id),
#define VALUE(ID, id, type, name, means, given) \
	NUMBER(#ID, type, #id, false), NUMBER(#ID, u16, "have", true),
#include "../../../../kernel/etrace_events.def"
};

/* The end of records of events with strings; optional in others. */
static const struct field tail[] = {
	NUMBER(NULL, s32, "error", true),
	NUMBER(NULL, u8, "inl", true),
	NUMBER(NULL, u8, "more", true),
	NUMBER(NULL, u8, "joined", true),
	NUMBER(NULL, u8, "unread", true),
	NUMBER(NULL, u8, "cut", true),
	NUMBER(NULL, u8, "untold", true),
	NUMBER(NULL, u8, "outside", true),
};

static bool is_of(const struct field *f, const struct event *ev)
{
	return !f->ID || !strcmp(f->ID, ev->ID);
}

static const struct field *find(const struct event *ev, const char *name)
{
	for (size_t i = 0; i < ET_NELEMS(fields); i++)
		if (is_of(&fields[i], ev) && !strcmp(fields[i].name, name))
			return &fields[i];
	for (size_t i = 0; i < ET_NELEMS(tail); i++)
		if (!strcmp(tail[i].name, name))
			return &tail[i];
	return NULL;
}

/* Check a line of the format. Set the element of @seen for its field: fields[], then tail[]. */
static void check_field(const struct event *ev, char *type, int size, int is_signed, bool *seen)
{
	char *name = strrchr(type, ' ');
	const struct field *f;

	if (!strncmp(name ? name + 1 : type, "common_", 7))
		return;
	if (!name) {
		FAIL("%s: a field without a type: '%s'", ev->name, type);
		return;
	}
	*name++ = 0;
	f = find(ev, name);
	if (!f) {
		FAIL("%s: the table does not have the field '%s'", ev->name, name);
		return;
	}
	if (strcmp(f->type, type))
		FAIL("%s: %s is %s, must be %s", ev->name, name, type, f->type);
	if (f->size && (f->size != size || f->is_signed != is_signed))
		FAIL("%s: %s has %d bytes, signed %d; must have %d, signed %d", ev->name,
		     name, size, is_signed, f->size, f->is_signed);
	seen[f >= tail && f < tail + ET_NELEMS(tail) ? (f - tail) + ET_NELEMS(fields) :
	     (size_t)(f - fields)] = true;
}

static void check_event(const struct event *ev)
{
	bool seen[ET_NELEMS(fields) + ET_NELEMS(tail)] = { false };
	char path[256], line[8192], type[256];
	int size, is_signed;
	FILE *f;

	snprintf(path, sizeof(path), EVENTS "/%s/format", ev->name);
	f = fopen(path, "re");
	if (!f) {
		FAIL("there is no trace event %s", ev->name);
		return;
	}
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " field:%255[^;]; offset:%*d; size:%d; signed:%d;", type,
			   &size, &is_signed) == 3)
			check_field(ev, type, size, is_signed, seen);
	fclose(f);
	for (size_t i = 0; i < ET_NELEMS(fields); i++)
		if (is_of(&fields[i], ev) && !fields[i].may && !seen[i])
			FAIL("%s: there is no field %s", ev->name, fields[i].name);
	for (size_t i = 0; ev->nr_str && i < ET_NELEMS(tail); i++)
		if (!seen[ET_NELEMS(fields) + i])
			FAIL("%s: there is no field %s", ev->name, tail[i].name);
}

TEST(fields)
{
	if (et_without_module())
		return;
	et_module_setup("", 64);
	for (size_t i = 0; i < ET_NELEMS(events); i++)
		check_event(&events[i]);
	et_module_teardown();
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < ET_NELEMS(events); i++)
		if (!strcmp(name, events[i].name))
			return true;
	for (size_t i = 0; i < ET_NELEMS(others); i++)
		if (!strcmp(name, others[i]))
			return true;
	return false;
}

TEST(all_events_are_known)
{
	const struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	if (et_without_module())
		return;
	et_module_setup("", 64);
	dir = opendir(EVENTS);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "etrace_", 7))
			continue;
		n++;
		if (!is_known(entry->d_name))
			FAIL("the table does not have the trace event %s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	EXPECT_EQ(n, ET_NELEMS(events) + ET_NELEMS(others));
	et_module_teardown();
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, NULL);
}
