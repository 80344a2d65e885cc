// SPDX-License-Identifier: LGPL-2.1
/* Draws on a terminal with ncurses.  See top_terminal.h. */
#include "show/top_terminal.h"
#include "base/library.h"
#include "base/xalloc.h"

/* use functions, not macros, which would need variables of the library */
#define NCURSES_NOMACROS
#include <curses.h>
#include <term.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How long ncurses waits after an Esc for the rest of the sequence of a special key, in ms. */
#define ESCAPE_MS 25

#define CURSES_FUNCTIONS(X)						\
	X(, setupterm) X(, set_curterm) X(, del_curterm) X(, newterm)	\
	X(, delscreen) X(, endwin) X(, newwin) X(, delwin) X(, cbreak)	\
	X(, noecho) X(, nonl) X(, keypad) X(, nodelay) X(, wgetch) X(, werase) \
	X(, wmove) X(, waddnstr) X(, wattr_set) X(, wrefresh) X(, clearok) \
	X(, curs_set) X(, has_colors) X(, start_color) X(, use_default_colors) \
	X(, init_pair) X(, resizeterm) X(, wresize) X(, set_escdelay)

static struct LIBRARY_POINTERS(CURSES_FUNCTIONS) curses = LIBRARY_INIT(CURSES_FUNCTIONS);
static struct library ncurses = LIBRARY("libncursesw.so.6", "libncursesw6", CURSES_FUNCTIONS, curses);

struct top_terminal {
	FILE *in, *out;
	SCREEN *screen;
	WINDOW *win;
	int rows, cols;
	bool color, paused;
	struct top_frame frame;
};

/* Numbers of colour pairs. */
enum { PAIR_GOOD = 1, PAIR_BAD };

/* How each style looks, with colours and without. */
static const struct {
	attr_t plain;
	attr_t colored;
	short pair;
} styles[TOP_STYLES] = {
	[TOP_PLAIN] = { A_NORMAL, A_NORMAL, 0 },
	[TOP_DIM] = { A_NORMAL, A_DIM, 0 },
	[TOP_BOLD] = { A_BOLD, A_BOLD, 0 },
	[TOP_GOOD] = { A_NORMAL, A_NORMAL, PAIR_GOOD },
	[TOP_BAD] = { A_BOLD, A_BOLD, PAIR_BAD },
	[TOP_HEAD] = { A_BOLD | A_UNDERLINE, A_BOLD | A_UNDERLINE, 0 },
	[TOP_SELECTED] = { A_REVERSE, A_REVERSE, 0 },
};

static void begin_colors(struct top_terminal *t)
{
	t->color = t->color && curses.has_colors() && curses.start_color() != ERR;
	if (!t->color)
		return;
	curses.use_default_colors();
	curses.init_pair(PAIR_GOOD, COLOR_GREEN, -1);
	curses.init_pair(PAIR_BAD, COLOR_RED, -1);
}

static FILE *open_terminal(const char *mode)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

struct top_terminal *top_terminal_open(bool color, bool utf8, char *why, size_t size)
{
	const char *term = getenv("TERM");
	struct top_terminal *t;
	int known = 0;

	if (!library_load(&ncurses, why, size))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->color = color;
	t->paused = true;
	t->frame.utf8 = utf8;
	t->in = open_terminal("r");
	t->out = open_terminal("w");
	if (!t->in || !t->out) {
		snprintf(why, size, "no terminal (/dev/tty: %s): run it in one", strerror(errno));
		goto fail;
	}
	if (curses.setupterm(NULL, fileno(t->out), &known) != ERR) {
		/* this was only a test: newterm() looks the terminal up again */
		curses.del_curterm(curses.set_curterm(NULL));
		return t;
	}
	snprintf(why, size, "TERM=%s: ncurses cannot use this terminal: set TERM to what it is",
		 term ? term : "");
fail:
	top_terminal_close(t);
	return NULL;
}

/* Start ncurses.  Done only with the first frame, so that the terminal is not changed before. */
static bool begin_screen(struct top_terminal *t)
{
	if (t->screen)
		return true;
	setlocale(LC_CTYPE, "");
	t->screen = curses.newterm(NULL, t->out, t->in);
	if (!t->screen)
		return false;
	curses.set_escdelay(ESCAPE_MS);
	curses.cbreak();
	curses.noecho();
	curses.nonl();
	curses.curs_set(0);
	begin_colors(t);
	t->win = curses.newwin(0, 0, 0, 0);
	curses.keypad(t->win, TRUE);
	curses.nodelay(t->win, TRUE);
	return true;
}

void top_terminal_close(struct top_terminal *t)
{
	if (!t)
		return;
	if (t->screen) {
		if (!t->paused)
			curses.endwin();
		curses.delwin(t->win);
		curses.delscreen(t->screen);
	}
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	top_frame_free(&t->frame);
	free(t);
}

int top_terminal_fd(const struct top_terminal *t)
{
	return fileno(t->in);
}

struct top_frame *top_terminal_frame(struct top_terminal *t)
{
	struct winsize w = { 0 };

	if (ioctl(fileno(t->out), TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	if (begin_screen(t) && (w.ws_row != t->rows || w.ws_col != t->cols)) {
		t->rows = w.ws_row;
		t->cols = w.ws_col;
		curses.resizeterm(t->rows, t->cols);
		curses.wresize(t->win, t->rows, t->cols);
		curses.clearok(t->win, TRUE);
	}
	top_frame_begin(&t->frame, (unsigned int)t->rows, (unsigned int)t->cols);
	return &t->frame;
}

void top_terminal_draw(struct top_terminal *t)
{
	const struct top_frame *f = &t->frame;

	if (!t->screen)
		return;
	curses.werase(t->win);
	for (size_t i = 0; i < f->nspans; i++) {
		const struct top_span *s = &f->span[i];

		curses.wattr_set(t->win, t->color ? styles[s->style].colored : styles[s->style].plain,
				 t->color ? styles[s->style].pair : (short)0, NULL);
		if (curses.wmove(t->win, (int)s->row, (int)s->col) != ERR)
			curses.waddnstr(t->win, f->text.s + s->off, (int)s->len);
	}
	curses.wattr_set(t->win, A_NORMAL, 0, NULL);
	t->paused = false;
	curses.wrefresh(t->win);
}

void top_terminal_pause(struct top_terminal *t)
{
	if (!t->paused)
		curses.endwin();
	t->paused = true;
}

unsigned int top_terminal_key(struct top_terminal *t)
{
	static const struct {
		int code;
		unsigned int key;
	} keys[] = {
		{ KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN }, { KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN }, { KEY_HOME, TOP_KEY_HOME },
		{ KEY_ENTER, TOP_KEY_ENTER }, { '\r', TOP_KEY_ENTER }, { '\n', TOP_KEY_ENTER },
		{ 033, TOP_KEY_ESCAPE }, { KEY_BACKSPACE, TOP_KEY_ERASE }, { 0x7f, TOP_KEY_ERASE },
		{ '\b', TOP_KEY_ERASE },
	};
	int code = t->paused ? ERR : curses.wgetch(t->win);

	if (code == ERR)
		return 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return keys[i].key;
	/* other special keys do nothing, but must not look like "no key" to the caller */
	return code < KEY_MIN ? (unsigned int)code : TOP_KEY_OTHER;
}
