/* SPDX-License-Identifier: LGPL-2.1 */
/* Parses and prints points in time: "monday", "7d", "2026-11-23". */
#ifndef ETRACE_FLEET_WHEN_H
#define ETRACE_FLEET_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* Forms that when_read() accepts, for messages. */
#define WHEN_WORDS \
	"use 2026-11-23, 2026-11-23T14:30 (with Z: UTC), today, yesterday, monday, 12h, 7d or 2w"

/**
 * when_read - parse a time; it is local time ($TZ) unless it has a zone
 * @now: s since 1970
 * @end: for a day, return its end, not its beginning
 * @to: set to the time, s since 1970
 *
 * Accepts days: "2026-11-23", "today", "yesterday", a day of the week by name or its
 * first three letters (the last such day, today included); spans before @now: "90min", "12h",
 * "7d", "2w" (days of 24 hours); times: "2026-11-23T14:30", optionally with seconds, a
 * blank for the T, and a zone ("Z" or "+01:00"); and "@1795000000".
 *
 * Return: false if it has none of these forms.
 */
bool when_read(const char *text, int64_t now, bool end, int64_t *to);

/** when_text - format a time as "2026-11-23 14:30:05", in local time; @buf has WHEN_ROOM bytes */
const char *when_text(int64_t at, char *buf);

/** when_iso - format a time as "2026-11-23T13:30:05Z" */
const char *when_iso(int64_t at, char *buf);

/** when_day - format the day in UTC as "2026-11-23" */
const char *when_day(int64_t at, char *buf);
#define WHEN_ROOM 64

#endif
