// SPDX-License-Identifier: LGPL-2.1
/* sp-rtrace as FXT: the fields of items that are not calls.  See sprt_fxt_fields.h. */
#include "format/sprtrace/sprt_fxt_fields.h"
#include "format/sprtrace/sprt_words.h"

#include <inttypes.h>

static void add_log(struct fxt_args *a, const struct sprt_log_start *log)
{
	fxt_args_cstr(a, "source", log->text ? "text" : "binary");
	fxt_args_cstr(a, "version", fxt_args_format(a, "%u.%u", log->major, log->minor));
	fxt_args_cstr(a, "arch", log->arch);
	if (!log->text) {
		fxt_args_cstr(a, "byte_order", log->big_endian ? "big" : "little");
		fxt_args_u64(a, "pointer_size", log->ptr_size);
	}
	for (unsigned int i = 0; i < 3; i++)
		if (log->filters >> i & 1)
			fxt_args_cstr(a, "filter", sprt_filter_names[i]);
	if (*log->origin)
		fxt_args_cstr(a, "origin", log->origin);
}

static void add_process(struct fxt_args *a, const struct sprt_process *p)
{
	fxt_args_u64(a, "pid", p->pid);
	fxt_args_cstr(a, "name", p->name);
	if (p->has_time)
		fxt_args_cstr(a, "time", fxt_args_format(a, "%" PRId64 ".%06" PRIu32, p->sec,
							 p->usec));
	if (p->has_depth)
		fxt_args_u64(a, "backtrace_depth", p->depth);
}

static void add_heap(struct fxt_args *a, const struct sprt_heap *heap)
{
	for (int i = SPRT_HEAP_BOTTOM; i <= SPRT_HEAP_TOP; i++)
		fxt_args_pointer(a, sprt_heap_words[i].label, heap->address[i]);
	if (heap->narrow)
		fxt_args_cstr(a, "pointers", "low 32 bits only");
	for (int i = 0; i < SPRT_HEAP_NUMBERS; i++)
		fxt_args_i64(a, sprt_heap_words[SPRT_HEAP_ADDRESSES + i].label, heap->number[i]);
}

static void add_field(struct fxt_args *a, const struct sprt_field *field, const void *at)
{
	const uint16_t *version = at;
	const uint32_t *number = at;
	const char *text;

	switch (field->type) {
	case SPRT_ID:
		fxt_args_u64(a, field->name, *number);
		break;
	case SPRT_MASK:
		fxt_args_cstr(a, field->name, fxt_args_format(a, "0x%" PRIx32, *number));
		break;
	case SPRT_POINTER:
		fxt_args_pointer(a, field->name, *(const uint64_t *)at);
		break;
	case SPRT_VERSION:
		fxt_args_cstr(a, field->name,
			      fxt_args_format(a, "%u.%u", version[0], version[1]));
		break;
	case SPRT_FLAGS:
		fxt_args_cstr(a, field->name,
			      fxt_args_format(a, "0x%" PRIx32 "%s", *number,
					      *number & SPRT_RES_REFCOUNT ? " refcount" : ""));
		break;
	default:
		text = *(const char *const *)at;
		if (text)
			fxt_args_cstr(a, field->name, text);
		break;
	}
}

static void add_fields(struct fxt_args *a, const struct sprt_item *item,
		       enum sprt_field_type first, enum sprt_field_type last)
{
	const struct sprt_field *field = sprt_kinds[item->kind].fields;

	for (; field->type; field++)
		if (field->type >= first && field->type <= last)
			add_field(a, field, (const char *)item + field->offset);
}

void sprt_fxt_fields(struct fxt_args *a, const struct sprt_item *item)
{
	switch (item->kind) {
	case SPRT_LOG:
		add_log(a, &item->log);
		break;
	case SPRT_PROCESS:
		add_process(a, &item->process);
		break;
	case SPRT_HEAP:
		add_heap(a, &item->heap);
		break;
	default:
		/* The fields of sprt_kinds: the id, then texts, then the rest. */
		add_fields(a, item, SPRT_ID, SPRT_MASK);
		add_fields(a, item, SPRT_TEXT, SPRT_OPTIONAL);
		add_fields(a, item, SPRT_POINTER, SPRT_FLAGS);
		break;
	}
}
