/* SPDX-License-Identifier: GPL-2.0 */
/* FXT files in tests: making records word by word, and reading a file's records. */
#ifndef COMMON_FXT_H
#define COMMON_FXT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "common_convert.h"
#include "format/fxt/fxt.h"

/*
 * A file being made.  Records consist of words in the chosen byte order and of streams;
 * raw_end() puts the size into the header.
 */
struct raw {
	struct bytes b;
	bool swapped;		/* the other byte order */
	size_t record;		/* offset of the record being made */
};

/** raw_begin - begin a record with this header, still without its size. Return: its offset */
size_t raw_begin(struct raw *r, uint64_t header);
void raw_word(struct raw *r, uint64_t word);
void raw_stream(struct raw *r, const void *data, size_t n);
/** raw_end - complete the record: put its size into its header */
void raw_end(struct raw *r);
/** raw_patch - replace a word; @offset is a multiple of 8 */
void raw_patch(struct raw *r, size_t offset, uint64_t word);
uint64_t raw_get(const struct raw *r, size_t offset);
void raw_free(struct raw *r);

/* Whole records; strings and threads by index. Return: the record's offset. */
size_t raw_magic(struct raw *r);
size_t raw_provider(struct raw *r, uint32_t id, const char *name);
size_t raw_init(struct raw *r, uint64_t ticks);
size_t raw_string(struct raw *r, unsigned int index, const char *s);
size_t raw_thread(struct raw *r, unsigned int index, uint64_t process, uint64_t thread);
/* An event without arguments; @value is only written for types that have one. */
size_t raw_event(struct raw *r, enum fxt_event_type type, uint64_t time, unsigned int thread,
		 unsigned int category, unsigned int name, uint64_t value);

/* The records of a file as json-c objects, made with --to json. */
struct records {
	json_object **r;
	size_t n;
	int status;
};

struct records fxt_records(const void *data, size_t n);
void records_free(struct records *rs);

/* Members of a record. */
const char *rec_text(json_object *rec, const char *key);
int64_t rec_number(json_object *rec, const char *key);
/* An argument's value by its name, NULL if none. */
json_object *rec_arg(json_object *rec, const char *name);
/* Whether it is an event of this kind, category and name; NULL matches any. */
bool is_event(json_object *rec, const char *event, const char *category, const char *name);
/* How many such events there are. */
size_t count_events(const struct records *rs, const char *event, const char *category,
		    const char *name);
/* Koids of an event's process and thread. */
int64_t rec_process(json_object *rec);
int64_t rec_thread(json_object *rec);

#endif
