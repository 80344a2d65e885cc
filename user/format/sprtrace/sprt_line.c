// SPDX-License-Identifier: LGPL-2.1
/* Parses the lines of a text report.  See sprt_line.h. */
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool sprt_line_skip(char **p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*p, text, n))
		return false;
	*p += n;
	return true;
}

bool sprt_line_number(char **p, int base, uint64_t *v)
{
	char *end;

	if (!(base == 16 ? isxdigit((unsigned char)**p) :
			   isdigit((unsigned char)**p)))
		return false;
	errno = 0;
	*v = strtoull(*p, &end, base);
	if (errno || end == *p)
		return false;
	*p = end;
	return true;
}

bool sprt_line_hex(char **p, uint64_t *v)
{
	return sprt_line_skip(p, "0x") && sprt_line_number(p, 16, v);
}

bool sprt_line_number32(char **p, int base, uint32_t *v)
{
	uint64_t wide;

	if (!sprt_line_number(p, base, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

/* --- the first line ----------------------------------------------------- */

static const char *const header_keys[SPRT_KEY_COUNT] = {
	"version", "arch", "timestamp", "process", "pid", "filter",
	"backtrace depth", "origin",
	"time",		/* the timestamp in version 1.1 */
	"timestamps",	/* in the protocol document, but no program writes it */
};

bool sprt_line_is_header(const char *line)
{
	const char *version = line + strlen("version=");

	return !strncmp(line, "version=", strlen("version=")) &&
	       (strstr(line, "arch=") || strstr(line, "process=") ||
		!strncmp(version + strspn(version, "0123456789."), ", ", 2));
}

int sprt_text_detect(const uint8_t *data, size_t n)
{
	static const char begin[] = "version=";
	const uint8_t *end;

	if (n < strlen(begin) || memcmp(data, begin, strlen(begin)))
		return DETECT_NO;
	end = memchr(data, '\n', n);
	if (end)
		n = (size_t)(end - data);
	return memmem(data, n, "arch=", 5) || memmem(data, n, "process=", 8) ?
	       DETECT_SURE : DETECT_MAYBE;
}

void sprt_line_header(char *line, const char *value[SPRT_KEY_COUNT])
{
	char *p = line, *comma = NULL;

	memset(value, 0, SPRT_KEY_COUNT * sizeof(*value));
	for (;;) {
		for (int i = 0; i < SPRT_KEY_COUNT; i++) {
			size_t n = strlen(header_keys[i]);

			if (strncmp(p, header_keys[i], n) || p[n] != '=')
				continue;
			if (comma)
				*comma = '\0';
			p += n + 1;
			value[i] = p;
			break;
		}
		comma = strchr(p, ',');
		if (!comma)
			return;
		p = comma + 1 + strspn(comma + 1, " ");
		if (!*p) {
			*comma = '\0';
			return;
		}
	}
}

/*
 * Accepts "2026.11.20 08:27:00" as the post-processor writes it, and "20.11.2026
 * 08:27:00" as other users of the library do; local time.
 */
bool sprt_line_time(const char *s, int64_t *sec)
{
	struct tm tm = { .tm_isdst = -1 };
	time_t time;
	int n = 0;

	if (sscanf(s, "%d.%d.%d %d:%d:%d%n", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &n) != 6 ||
	    s[n])
		return false;
	if (tm.tm_mday > 31) {
		int year = tm.tm_mday;

		tm.tm_mday = tm.tm_year;
		tm.tm_year = year;
	}
	if (tm.tm_year < 1900 || tm.tm_year > 9999)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	errno = 0;
	time = mktime(&tm);
	if (time == (time_t)-1)
		return false;
	*sec = time;
	return true;
}

unsigned int sprt_line_filters(const char *s, bool *known)
{
	unsigned int filters = 0;

	*known = true;
	while (s && *s) {
		size_t n = strcspn(s, "|");
		unsigned int found = 0;

		for (unsigned int i = 0; i < 3; i++)
			if (strlen(sprt_filter_names[i]) == n &&
			    !memcmp(sprt_filter_names[i], s, n))
				found = 1u << i;
		*known = *known && found;
		filters |= found;
		s += n;
		s += *s == '|';
	}
	return filters;
}

/* --- calls -------------------------------------------------------------- */

/* Convert "hh:mm:ss.mmm]" to microseconds; the protocol document has six decimals. */
static bool clock_time(char **p, uint64_t *us)
{
	uint64_t h, m, s, scale = 1000000;

	if (!sprt_line_number(p, 10, &h) || !sprt_line_skip(p, ":") ||
	    !sprt_line_number(p, 10, &m) || !sprt_line_skip(p, ":") ||
	    !sprt_line_number(p, 10, &s) || h > 1u << 20 || m > 59 || s > 59)
		return false;
	*us = ((h * 60 + m) * 60 + s) * 1000000;
	if (sprt_line_skip(p, "."))
		for (; isdigit((unsigned char)**p); ++*p) {
			scale /= 10;
			*us += (uint64_t)(**p - '0') * scale;
		}
	return sprt_line_skip(p, "]");
}

bool sprt_line_call(char *line, struct sprt_call *call, char **name)
{
	char *p = line, *open, *close;
	uint64_t v;
	bool negative;

	memset(call, 0, sizeof(*call));
	if (!sprt_line_number(&p, 10, &call->number) || !sprt_line_skip(&p, ". "))
		return false;
	if (sprt_line_skip(&p, "@") &&
	    (!sprt_line_number32(&p, 16, &call->context) || !sprt_line_skip(&p, " ")))
		return false;
	if (sprt_line_skip(&p, "[") &&
	    (!clock_time(&p, &call->time_us) || !sprt_line_skip(&p, " ")))
		return false;
	*name = p;
	open = strrchr(p, '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close)
		return false;
	p = open + 1;
	if (sprt_line_hex(&p, &call->id)) {
		call->type = SPRT_CALL_FREE;
		if (p != close || p[1])
			return false;
	} else {
		call->type = SPRT_CALL_ALLOC;
		negative = sprt_line_skip(&p, "-");
		if (!sprt_line_number(&p, 10, &v) || p != close ||
		    v > (negative ? 0x80000000u : UINT32_MAX))
			return false;
		call->size = (int32_t)(uint32_t)(negative ? -v : v);
		p++;
		if (!sprt_line_skip(&p, " = ") || !sprt_line_hex(&p, &call->id) || *p)
			return false;
	}
	*open = '\0';
	return true;
}

bool sprt_line_has_block(const char *s)
{
	return strstr(s, "(0x") || strstr(s, ") = 0x");
}

bool sprt_line_like_call(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return (digits && line[digits] == '.') ||
	       (*line != '#' && sprt_line_has_block(line));
}

/* --- the other lines ---------------------------------------------------- */

static bool skip_label(char **p, const char *label)
{
	size_t n = strlen(label);

	if (strncmp(*p, label, n) || (*p)[n] != ' ')
		return false;
	*p += n;
	return true;
}

bool sprt_line_heap(char *p, struct sprt_heap *heap, unsigned int *seen)
{
	if (!sprt_line_skip(&p, "##   ") && !sprt_line_skip(&p, "#   "))
		return false;
	for (int i = 0; i < SPRT_HEAP_WORDS; i++) {
		char *v = p, *end;
		long long number;
		uint64_t address;

		if (!skip_label(&v, sprt_heap_words[i].label) &&
		    !skip_label(&v, sprt_heap_words[i].old))
			continue;
		v++;
		if (i < SPRT_HEAP_ADDRESSES) {
			if (!sprt_line_hex(&v, &address) || *v)
				return false;
			heap->address[i] = address;
		} else {
			number = strtoll(v, &end, 10);
			if (end == v || *end || number != (int32_t)number)
				return false;
			heap->number[i - SPRT_HEAP_ADDRESSES] = (int32_t)number;
		}
		*seen |= 1u << i;
		return true;
	}
	return false;
}

/* Parse ": path => 0xfrom-0xto". */
static bool map_line(char *line, struct sprt_item *item)
{
	char *p = line, *next;

	if (!sprt_line_skip(&p, ": "))
		return false;
	item->kind = SPRT_MAP;
	item->map.path = p;
	/* The path may contain arrows: the last one ends it. */
	for (next = strstr(p, " => "); next; next = strstr(next + 1, " => "))
		p = next;
	if (p == item->map.path && strncmp(p, " => ", 4))
		return false;
	*p = '\0';
	p += 4;
	return sprt_line_hex(&p, &item->map.from) && sprt_line_skip(&p, "-") &&
	       sprt_line_hex(&p, &item->map.to) && !*p;
}

/* Parse "@ id : name". */
static bool context_line(char *p, struct sprt_item *item)
{
	item->kind = SPRT_CONTEXT;
	if (!sprt_line_skip(&p, "@ ") || !sprt_line_number32(&p, 16, &item->context.id) ||
	    !sprt_line_skip(&p, " :"))
		return false;
	sprt_line_skip(&p, " ");
	item->context.name = p;
	return true;
}

/* Parse "<bit> : type (desc)[ [refcount]]". */
static bool resource_line(char *p, struct sprt_item *item)
{
	struct sprt_resource *res = &item->resource;
	static const char flag[] = " [refcount]";
	uint32_t bit;
	char *open;
	size_t n;

	item->kind = SPRT_RESOURCE;
	if (!sprt_line_skip(&p, "<") || !sprt_line_number32(&p, 16, &bit) || !bit ||
	    !sprt_line_skip(&p, "> : "))
		return false;
	res->id = (uint32_t)__builtin_ctz(bit) + 1;
	n = strlen(p);
	if (n > strlen(flag) && !strcmp(p + n - strlen(flag), flag)) {
		res->flags = SPRT_RES_REFCOUNT;
		n -= strlen(flag);
	}
	open = strstr(p, " (");
	if (!open || p[n - 1] != ')' || p + n - 1 < open + 2)
		return false;
	p[n - 1] = '\0';
	*open = '\0';
	res->type = p;
	res->desc = open + 2;
	return true;
}

/* Parse "& name : path". */
static bool file_line(char *p, struct sprt_item *item)
{
	char *colon;

	item->kind = SPRT_FILE;
	if (!sprt_line_skip(&p, "& "))
		return false;
	colon = strstr(p, " : ");
	if (!colon)
		return false;
	*colon = '\0';
	item->file.name = p;
	item->file.path = colon + 3;
	return true;
}

/* Parse "#[#] tracing module: [id] name (major.minor)". */
static bool module_line(char *p, struct sprt_item *item)
{
	uint32_t major, minor;
	char *open;

	item->kind = SPRT_MODULE;
	if ((!sprt_line_skip(&p, "## " SPRT_MODULE_TITLE) &&
	     !sprt_line_skip(&p, "# " SPRT_MODULE_TITLE)) ||
	    !sprt_line_number32(&p, 16, &item->module.id) || !sprt_line_skip(&p, "] "))
		return false;
	item->module.name = p;
	open = strrchr(p, '(');
	if (!open || open == p || open[-1] != ' ')
		return false;
	p = open + 1;
	if (!sprt_line_number32(&p, 10, &major) || !sprt_line_skip(&p, ".") ||
	    !sprt_line_number32(&p, 10, &minor) || strcmp(p, ")") ||
	    major > UINT16_MAX || minor > UINT16_MAX)
		return false;
	item->module.major = (uint16_t)major;
	item->module.minor = (uint16_t)minor;
	open[-1] = '\0';
	return true;
}

static const struct sprt_line_type types[] = {
	{ ": ", map_line, false },
	{ "@ ", context_line, false },
	{ "<", resource_line, false },
	{ "& ", file_line, false },
	{ "## " SPRT_MODULE_TITLE, module_line, true },
	{ "# " SPRT_MODULE_TITLE, module_line, true },
};

const struct sprt_line_type *sprt_line_type(const char *line)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strncmp(line, types[i].begin, strlen(types[i].begin)))
			return &types[i];
	return NULL;
}
