// SPDX-License-Identifier: LGPL-2.1
/* Parses lines of strace.  See st_line.h. */
#include "format/strace/st_line.h"
#include "format/strace/st_scan.h"
#include "base/errname.h"
#include "base/signame.h"

#include <string.h>

/* Ends of incomplete lines: another task's line follows, strace detaches, a message follows. */
static const char unfinished[] = "<unfinished ...>", detached[] = "<detached ...>";
static const char message[] = "strace: ";

/* Begin of the names of kernel-internal errors, which no program sees. */
#define RESTART "ERESTART"
/* First real-time signal of the kernel. */
#define REALTIME_SIGNAL 32

/* ---- quotes and brackets ---- */

static const char *skip_string(const char *s, const char *end)
{
	for (s++; s < end; s++) {
		if (*s == '\\')
			s++;
		else if (*s == '"')
			return s + 1;
	}
	return end;
}

/*
 * Skip "<...>": a descriptor's path, in which strace escapes angle brackets and quotes, or
 * a socket with its name in quotes, and with "->" between its two ends.
 */
static const char *skip_angle(const char *s, const char *end)
{
	bool path = s + 1 < end && (s[1] == '/' || s[1] == '(');	/* "(unreachable)/x" */
	int depth = 0;

	while (s < end) {
		if (*s == '"') {
			s = skip_string(s, end);
			continue;
		}
		if (*s == '<')
			depth++;
		else if (*s == '>' && (path || s[-1] != '-') && !--depth)
			return s + 1;
		s += *s == '\\' && s + 1 < end ? 2 : 1;
	}
	return end;
}

static const char *skip_comment(const char *s, const char *end)
{
	const char *close = memmem(s, (size_t)(end - s), "*/", 2);

	return close ? close + 2 : end;
}

/* Does a "<" begin a path: after a number or a name, and not an operator like "<<"? */
static bool opens_angle(const char *begin, const char *s, const char *end)
{
	return s > begin && scan_is_word(s[-1]) && s + 1 < end && s[1] != '<' && s[1] != ' ';
}

const char *st_skip(const char *s, const char *end)
{
	const char *begin = s;
	int depth = 0;

	if (*s == '"')
		return skip_string(s, end);
	if (*s == '<')
		return skip_angle(s, end);
	while (s < end) {
		switch (*s) {
		case '"':
			s = skip_string(s, end);
			continue;
		case '/':
			if (scan_begins(s, end, "/*")) {
				s = skip_comment(s, end);
				continue;
			}
			break;
		case '<':
			if (opens_angle(begin, s, end)) {
				s = skip_angle(s, end);
				continue;
			}
			break;
		case '(':
		case '[':
		case '{':
			depth++;
			break;
		case ')':
		case ']':
		case '}':
			if (!--depth)
				return s + 1;
			break;
		default:
			break;
		}
		s++;
	}
	return end;
}

/* ---- before the call ---- */

/* Parse "12:34:56", "12:34:56.789012", "1700000000.123456" or "     0.000123 ". */
static const char *parse_time(struct st_line *line, const char *s, const char *end)
{
	uint64_t h, m, ns;
	const char *p = scan_digits(s, end, &h), *q;

	if (p == s)
		return s;
	if (p < end && *p == ':') {
		q = scan_digits(p + 1, end, &m);
		if (q != p + 3 || q == end || *q != ':')
			return s;
		p = scan_seconds(q + 1, end, &ns);
		if (p == q + 1 || p == end || *p != ' ')
			return s;
		line->clock = ST_DAY;
		line->time = (h * 60 + m) * 60000000000 + ns;
		return scan_blanks(p, end);
	}
	q = scan_seconds(s, end, &ns);
	if (q == s || q == end || *q != ' ' || (q == p && h < 100000000))
		return s;
	line->clock = h < 100000000 ? ST_RELATIVE : ST_EPOCH;
	line->time = ns;
	return scan_blanks(q, end);
}

/* Parse "[pid  123] ", "123 " or "123<make> ". */
static const char *parse_pid(struct st_line *line, const char *s, const char *end)
{
	static const char tag[] = "[pid ";
	bool tagged = scan_begins(s, end, tag);
	const char *begin = tagged ? scan_blanks(s + sizeof(tag) - 1, end) : s, *p;
	uint64_t pid;

	p = scan_digits(begin, end, &pid);
	if (p == begin || pid > INT32_MAX)
		return s;
	if (p < end && *p == '<')
		p = skip_angle(p, end);
	if (p == end || *p != (tagged ? ']' : ' '))
		return s;
	line->pid = (int64_t)pid;
	return scan_blanks(p + 1, end);
}

/* Skip what -r with -t, -n and -i print before the call. */
static const char *parse_more(const char *s, const char *end)
{
	uint64_t ns;

	if (scan_begins(s, end, "(+")) {
		const char *p = scan_blanks(s + 2, end), *q = scan_seconds(p, end, &ns);

		if (q > p && q < end && *q == ')')
			s = scan_blanks(q + 1, end);
	}
	while (s < end && *s == '[') {
		const char *p = s + 1;

		p = scan_blanks(p, end);
		while (p < end && (scan_is_digit(*p) || (*p >= 'a' && *p <= 'f') || *p == '?'))
			p++;
		if (p == end || *p != ']')
			break;
		s = scan_blanks(p + 1, end);
	}
	return s;
}

/* Parse pid and time.  A single number is a pid, unless it looks like a time. */
static const char *parse_head(struct st_line *line, const char *s, const char *end)
{
	const char *p = scan_blanks(s, end), *q;

	q = parse_time(line, p, end);
	if (q == p) {
		q = parse_pid(line, p, end);
		if (q > p)
			q = parse_time(line, q, end);
	}
	return parse_more(q, end);
}

/* ---- results ---- */

/* Take a pid as strace sees it from the comment after it: "1234 in strace's PID NS". */
static bool parse_translated(struct st_line *line, const char *s, const char *end)
{
	static const char open[] = "/* ", ours[] = " in strace's PID NS */";
	uint64_t pid;
	const char *p;

	if (!scan_begins(s, end, open))
		return false;
	s += sizeof(open) - 1;
	p = scan_digits(s, end, &pid);
	if (p == s || pid > INT32_MAX)
		return false;
	if (p < end && *p == '<')
		p = skip_angle(p, end);
	if (!scan_begins(p, end, ours))
		return false;
	line->value = (int64_t)pid;
	return true;
}

/* Parse "ENOENT (No such file or directory)" or "(errno 524)". */
static void parse_error(struct st_line *line, const char *s, const char *end)
{
	static const char number[] = "(errno ";
	const char *p = s;
	uint64_t v;

	while (p < end && scan_is_word(*p))
		p++;
	if (p > s && *s == 'E') {
		line->restarts = scan_begins(s, p, RESTART);
		line->error = error_number(s, (size_t)(p - s));
	} else if (scan_begins(s, end, number)) {
		scan_digits(s + sizeof(number) - 1, end, &v);
		line->error = v <= INT32_MAX ? (int)v : 0;
	}
	/* failed with an unknown error */
	if (line->has_value && line->value < 0 && !line->error)
		line->error = -1;
}

/* Parse "-1 ENOENT (No such file or directory)", "3</etc/passwd>", "0x10" or "?". */
static void parse_value(struct st_line *line)
{
	const char *s = line->ret.s, *end = s + line->ret.len, *p;
	bool minus = s < end && *s == '-';
	uint64_t v = 0;

	if (scan_begins(s, end, "0x")) {
		for (p = s + 2; p < end; p++) {
			if (scan_hex_digit(*p) < 0)
				break;
			v = v << 4 | (uint64_t)scan_hex_digit(*p);
		}
		line->has_value = p > s + 2;
	} else {
		p = scan_digits(s + minus, end, &v);
		line->has_value = p > s + minus;
	}
	line->value = minus ? -(int64_t)v : (int64_t)v;
	if (s < end && *s == '?')
		p = s + 1;
	if (p < end && *p == '<')
		p = skip_angle(p, end);
	p = scan_blanks(p, end);
	line->translated = line->has_value && parse_translated(line, p, end);
	parse_error(line, p, end);
}

/* Parse " <0.000123>" at the end.  Return: the end of the text before it. */
static const char *parse_took(struct st_line *line, const char *s, const char *end)
{
	const char *p = end, *q;

	if (end - s < 4 || end[-1] != '>')
		return end;
	for (p = end - 2; p > s && (scan_is_digit(*p) || *p == '.'); p--)
		;
	if (*p != '<' || p == s || p[-1] != ' ')
		return end;
	q = scan_seconds(p + 1, end - 1, &line->took);
	line->has_took = q == end - 1;
	return line->has_took ? p - 1 : end;
}

bool st_line_result(struct st_line *line, const char *args, size_t len)
{
	const char *end, *close = args, *p;
	int depth = 1;

	if (!len)
		return false;
	end = args + len;
	while (close < end && depth) {
		if (*close == ')') {
			close++;
			depth--;
			continue;
		}
		if (*close == '(' || *close == '[' || *close == '{' || *close == '"' ||
		    scan_begins(close, end, "/*") ||
		    (*close == '<' && opens_angle(args, close, end)))
			close = *close == '/' ? skip_comment(close, end) : st_skip(close, end);
		else
			close++;
	}
	p = scan_blanks(close, end);
	if (depth || p == end || *p != '=')
		return false;
	p = scan_blanks(p + 1, end);
	line->args = (struct st_text){ args, (size_t)(close - 1 - args) };
	end = parse_took(line, p, end);
	line->ret = (struct st_text){ p, (size_t)(end - p) };
	parse_value(line);
	return true;
}

/* ---- the kinds of lines ---- */

/* Number of a signal.  strace's real-time signals: SIGRTMIN is 32, SIGRT_1 is 33. */
static int signal_of(const char *s, const char *end)
{
	static const char first[] = "SIGRTMIN", other[] = "SIGRT_";
	uint64_t n = 0;

	if ((size_t)(end - s) == sizeof(first) - 1 && scan_begins(s, end, first))
		return REALTIME_SIGNAL;
	if (scan_begins(s, end, other) && scan_digits(s + sizeof(other) - 1, end, &n) == end &&
	    n <= 32)
		return REALTIME_SIGNAL + (int)n;
	return signal_number(s, (size_t)(end - s));
}

static void parse_end(struct st_line *line, const char *s, const char *end)
{
	static const char exited[] = "+++ exited with ", killed[] = "+++ killed by ";
	static const char superseded[] = "+++ superseded by execve in pid ";
	uint64_t v;
	const char *p;

	line->class = ST_NOTHING;
	if (scan_begins(s, end, exited)) {
		if (scan_digits(s + sizeof(exited) - 1, end, &v) == s + sizeof(exited) - 1)
			return;
		line->class = ST_EXITED;
	} else if (scan_begins(s, end, superseded)) {
		if (scan_digits(s + sizeof(superseded) - 1, end, &v) == s + sizeof(superseded) - 1)
			return;
		line->class = ST_SUPERSEDED;
	} else if (scan_begins(s, end, killed)) {
		s += sizeof(killed) - 1;
		for (p = s; p < end && scan_is_word(*p); p++)
			;
		v = (uint64_t)signal_of(s, p);
		line->core = memmem(p, (size_t)(end - p), "core dumped", 11);
		line->class = ST_KILLED;
	} else {
		return;
	}
	line->end = (int64_t)v;
}

static void parse_continued(struct st_line *line, const char *s, const char *end)
{
	line->class = ST_CONTINUED;
	line->args = (struct st_text){ s, (size_t)(end - s) };
}

static void parse_resumed(struct st_line *line, const char *s, const char *end)
{
	static const char resumed[] = " resumed>";
	const char *p = s += strlen("<... ");

	line->class = ST_FOREIGN;
	while (p < end && scan_is_word(*p))
		p++;
	if (!scan_begins(p, end, resumed))
		return;
	line->class = scan_ends(p, end, detached) ? ST_DETACHED : ST_RESUMED;
	line->name = (struct st_text){ s, (size_t)(p - s) };
	p += sizeof(resumed) - 1;
	line->args = (struct st_text){ p, (size_t)(end - p) };
}

/* "Process 12 attached", of strace before 4.9 on a terminal.  Return: after the pid, or NULL. */
static const char *old_message(const char *s, const char *end, uint64_t *pid)
{
	static const char process[] = "Process ";
	const char *p, *q;

	if (!scan_begins(s, end, process))
		return NULL;
	p = s + sizeof(process) - 1;
	q = scan_digits(p, end, pid);
	if (q == p || *pid > INT32_MAX ||
	    !(scan_begins(q, end, " attached") || scan_begins(q, end, " detached") ||
	      scan_begins(q, end, " suspended") || scan_begins(q, end, " resumed")))
		return NULL;
	return q;
}

/*
 * On a terminal, strace's messages can break a line: "vfork(strace: Process 12 attached".
 * Return: where the message begins, NULL if there is none.
 */
static const char *broken_at(const char *s, const char *end)
{
	uint64_t pid;

	while (s < end && !scan_begins(s, end, message) && !old_message(s, end, &pid))
		s = *s == '"' ? skip_string(s, end) : s + 1;
	return s < end ? s : NULL;
}

/*
 * Find where a line breaks off for another task's line: at "<unfinished ...>", or for a
 * thread that execve makes the first of its process, "<pid changed to 12 ...>".
 * Return: NULL if it does not.
 */
static const char *unfinished_at(const char *s, const char *end)
{
	static const char changed[] = "<pid changed to ", more[] = " ...>";
	const size_t m = sizeof(more) - 1;
	const char *p;

	if (scan_ends(s, end, unfinished))
		return end - (sizeof(unfinished) - 1);
	if (end - s < (long)m || !scan_begins(end - m, end, more))
		return NULL;
	for (p = end - m; p > s && scan_is_digit(p[-1]); p--)
		;
	if (p == end - m || p - s < (long)sizeof(changed) - 1)
		return NULL;
	p -= sizeof(changed) - 1;
	return scan_begins(p, end, changed) ? p : NULL;
}

static void parse_call(struct st_line *line, const char *s, const char *end)
{
	const char *p = s, *at;

	line->class = ST_FOREIGN;
	while (p < end && scan_is_word(*p))
		p++;
	if (p == s || p == end || *p != '(' || scan_is_digit(*s))
		return;
	line->name = (struct st_text){ s, (size_t)(p - s) };
	p++;
	at = unfinished_at(p, end);
	if (!at && scan_ends(p, end, detached)) {
		line->class = ST_DETACHED;
		return;
	}
	if (!at && st_line_result(line, p, (size_t)(end - p))) {
		line->class = ST_CALL;
		return;
	}
	if (!at) {
		at = broken_at(p, end);
		line->broken = at;
	}
	line->class = at ? ST_UNFINISHED : ST_CUT;
	if (at)
		line->args = (struct st_text){ p, (size_t)(at - p) };
}

/* Is it a message of strace?  Only those about a detached task are used. */
static bool parse_note(struct st_line *line, const char *s, const char *end)
{
	static const char *const notes[] = {
		"--- ", message, " > ", "[ Process PID=", unfinished,
	};
	const char *said = scan_begins(s, end, message) ? s + sizeof(message) - 1 : s, *p;
	uint64_t pid;

	p = old_message(said, end, &pid);
	if (p && scan_begins(p, end, " detached")) {
		line->class = ST_DETACHED;
		line->pid = (int64_t)pid;
		return true;
	}
	for (size_t i = 0; !p && i < sizeof(notes) / sizeof(notes[0]); i++)
		if (scan_begins(s, end, notes[i]))
			return true;
	return p;
}

/* Is it " | 00010  68 69 0a ...", or before one of several buffers " * 3 bytes in buffer 0"? */
static bool is_dump(const char *s, const char *end)
{
	static const char head[] = " | ", part[] = " * ", bytes[] = " bytes in buffer ";
	uint64_t n;
	const char *p;

	if (scan_begins(s, end, part)) {
		p = scan_digits(s + sizeof(part) - 1, end, &n);
		return p > s + sizeof(part) - 1 && scan_begins(p, end, bytes);
	}
	if (!scan_begins(s, end, head))
		return false;
	for (p = s + sizeof(head) - 1; p < end && scan_hex_digit(*p) >= 0; p++)
		;
	return p - s >= (long)sizeof(head) - 1 + 5 && scan_begins(p, end, "  ");
}

/* A dump has two groups of 8 bytes, with two blanks between the groups. */
size_t st_line_dump(const struct st_line *line, uint8_t *to)
{
	const char *end = line->whole.s + line->whole.len, *s = line->whole.s + 3;
	size_t n = 0;

	if (!scan_begins(line->whole.s, end, " | "))
		return 0;
	while (s < end && *s != ' ')
		s++;
	for (s += 2; n < ST_DUMP_MAX && end - s > 2; s += 3) {
		s += n == ST_DUMP_MAX / 2;
		if (scan_hex_digit(s[0]) < 0 || scan_hex_digit(s[1]) < 0)
			break;
		to[n++] = (uint8_t)(scan_hex_digit(s[0]) << 4 | scan_hex_digit(s[1]));
	}
	return n;
}

void st_line_parse(struct st_line *line, const char *s, size_t len)
{
	const char *end, *p;

	/* the log was copied with CRLF line ends */
	if (len && s[len - 1] == '\r')
		len--;
	end = s + len;
	*line = (struct st_line){ .class = ST_NOTHING, .whole = { s, len }, .pid = -1 };
	if (!len || parse_note(line, s, end))
		return;
	if (is_dump(s, end)) {
		line->class = ST_DUMP;
		return;
	}
	p = parse_head(line, s, end);
	if (p == end)
		line->class = ST_FOREIGN;
	else if (parse_note(line, p, end))
		return;
	else if (scan_begins(p, end, "+++ "))
		parse_end(line, p, end);
	else if (scan_begins(p, end, "<... "))
		parse_resumed(line, p, end);
	else if (p == s && (scan_begins(s, end, ", ") || scan_begins(s, end, ")")) &&
		 memmem(s, len, ") = ", 4))
		parse_continued(line, s, end);
	else
		parse_call(line, p, end);
}
