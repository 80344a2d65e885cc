// SPDX-License-Identifier: GPL-2.0
/* Colours and the progress line on standard error.  See term.h. */
#include "cli/term.h"
#include "base/buf.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FD STDERR_FILENO
/* Columns of a line if there is no terminal. */
#define PLAIN_COLS 400u

/*
 * The command writes to the same terminal and does not know about us. So the terminal
 * is set to scroll all lines but the last (DECSTBM), and after writing there, the
 * cursor is restored (DECSC, DECRC).
 */
static struct {
	bool on;		/* a progress line is shown */
	bool terminal;		/* standard error is a terminal; else plain lines are printed */
	bool reserved;		/* the terminal's last line is ours */
	int rows, cols;
} progress;

static bool smart_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

struct term_colors term_colors(int fd)
{
	static const struct term_colors on = { "\033[32m", "\033[1;31m", "\033[1m", "\033[0m" };
	static const struct term_colors off = { "", "", "", "" };
	const char *no = getenv("NO_COLOR");

	return smart_terminal(fd) && !(no && *no) ? on : off;
}

/* Uses a separate locale object, so that the format of numbers does not change. */
bool term_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", 0);
	bool utf8;

	if (!locale)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

static struct winsize size_of(int fd)
{
	struct winsize w = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &w))
		w = (struct winsize){ 0 };
	return w;
}

bool term_blocks(int fd, unsigned int *cols)
{
	*cols = isatty(fd) ? size_of(fd).ws_col : 0;
	return smart_terminal(fd) && term_utf8();
}

static void put_text(const char *s, size_t len)
{
	/* one write, so that output of the command cannot come in between */
	if (write(FD, s, len) < 0)
		progress.on = false;
}

static void get_size(void)
{
	struct winsize w = size_of(FD);

	progress.rows = w.ws_row;
	progress.cols = w.ws_col;
}

/* Whether we may write: false in a background job, or if a shell below us has the terminal. */
static bool is_foreground(void)
{
	return tcgetpgrp(FD) == getpgrp();
}

static void reserve_line(void)
{
	char s[96];

	get_size();
	if (progress.rows < 4 || progress.cols < 20 || !is_foreground())
		return;
	/* scroll up if the cursor is in the last line; setting the margins moves it */
	snprintf(s, sizeof(s), "\n\0337\033[1;%dr\0338\033[1A", progress.rows - 1);
	put_text(s, strlen(s));
	progress.reserved = true;
}

static void release_line(void)
{
	char s[96];

	if (!progress.reserved)
		return;
	progress.reserved = false;
	snprintf(s, sizeof(s), "\0337\033[%d;1H\033[2K\033[r\0338", progress.rows);
	put_text(s, strlen(s));
}

void progress_begin(enum term_when when)
{
	progress.terminal = smart_terminal(FD);
	progress.on = when == TERM_ALWAYS || (when == TERM_AUTO && progress.terminal);
}

bool progress_on(void)
{
	return progress.on;
}

unsigned int progress_columns(void)
{
	if (!progress.terminal)
		return PLAIN_COLS;
	if (!progress.reserved)
		get_size();
	return progress.cols > 1 ? (unsigned int)progress.cols - 1 : 0;
}

void progress_show(const char *text, size_t len)
{
	struct buf b = { 0 };
	char place[32];

	if (!progress.on)
		return;
	if (progress.terminal && !progress.reserved)
		reserve_line();
	if (progress.terminal && (!progress.reserved || !is_foreground()))
		return;
	snprintf(place, sizeof(place), "\0337\033[%d;1H\033[2K", progress.rows);
	buf_adds(&b, progress.terminal ? place : "");
	buf_add(&b, text, len);
	buf_adds(&b, progress.terminal ? "\0338" : "\n");
	put_text(b.s, b.len);
	buf_free(&b);
}

void progress_hide(void)
{
	release_line();
}

void progress_resized(void)
{
	release_line();
}
