// SPDX-License-Identifier: LGPL-2.1
/* Parses and prints points in time.  See when.h. */
#include "fleet/when.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define DAY 86400

/* Range of the server's DateTime, s since 1970. */
#define FIRST 0
#define LAST UINT32_MAX

/* Local midnight that begins the day @days after that of @t, s since 1970; may be negative. */
static int64_t midnight_after(const struct tm *t, int days)
{
	struct tm day = {
		.tm_year = t->tm_year, .tm_mon = t->tm_mon, .tm_mday = t->tm_mday + days,
		.tm_isdst = -1,
	};

	return mktime(&day);
}

/* Beginning or end of the day @back days before @now. */
static int64_t day_back(int64_t now, int back, bool end)
{
	time_t at = now;
	struct tm t;

	localtime_r(&at, &t);
	return midnight_after(&t, (end ? 1 : 0) - back);
}

/* Days since the last day of the week with this name, 0 if today, -1 if there is none. */
static int since_weekday(const char *text, int64_t now)
{
	static const char *const names[] = {
		"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
	};
	time_t at = now;
	struct tm t;

	localtime_r(&at, &t);
	for (int i = 0; i < 7; i++)
		if (!strcasecmp(text, names[i]) || (strlen(text) == 3 && !strncasecmp(text, names[i], 3)))
			return (t.tm_wday - i + 7) % 7;
	return -1;
}

/* Parse a span like "7d".  Return: seconds, -1 if it is no span. */
static int64_t read_span(const char *text)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", DAY }, { "w", 7 * DAY } };
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 9)
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(text + digits, units[i].unit))
			return strtol(text, NULL, 10) * units[i].seconds;
	return -1;
}

/* Parse @n digits and move @s past them.  Return: the number, -1 if they are no digits. */
static int take_number(const char **s, int n)
{
	int v = 0;

	for (; n; n--, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		v = v * 10 + **s - '0';
	}
	return v;
}

static bool take_char(const char **s, const char *any)
{
	bool there = **s && strchr(any, **s);

	*s += there;
	return there;
}

/* Parse "2026-11-23".  Return: false also for days that do not exist (February 30). */
static bool read_day(const char **s, struct tm *t)
{
	struct tm same;

	*t = (struct tm){ .tm_isdst = -1 };
	t->tm_year = take_number(s, 4) - 1900;
	if (t->tm_year < 0 || !take_char(s, "-"))
		return false;
	t->tm_mon = take_number(s, 2) - 1;
	if (t->tm_mon < 0 || !take_char(s, "-"))
		return false;
	t->tm_mday = take_number(s, 2);
	same = *t;
	timegm(&same);
	return t->tm_mday > 0 && same.tm_mon == t->tm_mon && same.tm_mday == t->tm_mday;
}

/* Parse "14:30", "14:30:05" or "14:30:05.123". */
static bool read_clock(const char **s, struct tm *t)
{
	t->tm_hour = take_number(s, 2);
	if (t->tm_hour < 0 || t->tm_hour > 23 || !take_char(s, ":"))
		return false;
	t->tm_min = take_number(s, 2);
	if (t->tm_min < 0 || t->tm_min > 59)
		return false;
	if (take_char(s, ":")) {
		t->tm_sec = take_number(s, 2);
		if (t->tm_sec < 0 || t->tm_sec > 60)
			return false;
		if (take_char(s, "."))
			*s += strspn(*s, "0123456789");
	}
	return true;
}

/* Parse a zone, "Z", "+01:00", "+0100" or none (local time), and set @to to the time. */
static bool read_zone(const char *s, struct tm *t, int64_t *to)
{
	bool east = *s == '+';
	int hours, minutes;

	if (!*s) {
		*to = mktime(t);
		return true;
	}
	*to = timegm(t);
	if (!strcmp(s, "Z") || !strcmp(s, "z"))
		return true;
	if (!take_char(&s, "+-"))
		return false;
	hours = take_number(&s, 2);
	take_char(&s, ":");
	minutes = take_number(&s, 2);
	if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59 || *s)
		return false;
	*to += (east ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static bool read_date(const char *s, bool end, int64_t *to)
{
	struct tm t;

	if (!read_day(&s, &t))
		return false;
	if (!*s) {
		*to = midnight_after(&t, end);
		return true;
	}
	return take_char(&s, "Tt ") && read_clock(&s, &t) && read_zone(s, &t, to);
}

/* Parse "@1795000000". */
static bool read_seconds(const char *s, int64_t *to)
{
	size_t digits = *s == '@' ? strspn(s + 1, "0123456789") : 0;

	if (!digits || digits > 12 || s[1 + digits])
		return false;
	*to = strtoll(s + 1, NULL, 10);
	return true;
}

static bool read_any(const char *text, int64_t now, bool end, int64_t *to)
{
	int back = since_weekday(text, now);
	int64_t ago = read_span(text);

	if (!strcasecmp(text, "today"))
		back = 0;
	else if (!strcasecmp(text, "yesterday"))
		back = 1;
	if (back >= 0)
		*to = day_back(now, back, end);
	else if (ago >= 0)
		*to = now - ago;
	else
		return read_date(text, end, to) || read_seconds(text, to);
	return true;
}

bool when_read(const char *text, int64_t now, bool end, int64_t *to)
{
	int64_t at = 0;

	if (!read_any(text, now, end, &at))
		return false;
	*to = at < FIRST ? FIRST : at > LAST ? LAST : at;
	return true;
}

static const char *format_time(int64_t at, bool here, const char *how, char *buf)
{
	time_t time = at;
	struct tm t;

	if (!(here ? localtime_r(&time, &t) : gmtime_r(&time, &t)) ||
	    !strftime(buf, WHEN_ROOM, how, &t))
		snprintf(buf, WHEN_ROOM, "@%lld", (long long)at);
	return buf;
}

const char *when_text(int64_t at, char *buf)
{
	return format_time(at, true, "%Y-%m-%d %H:%M:%S", buf);
}

const char *when_iso(int64_t at, char *buf)
{
	return format_time(at, false, "%Y-%m-%dT%H:%M:%SZ", buf);
}

const char *when_day(int64_t at, char *buf)
{
	return format_time(at, false, "%Y-%m-%d", buf);
}
