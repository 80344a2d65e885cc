// SPDX-License-Identifier: LGPL-2.1
/* Draws the pages of a program and of help, and handles the keys.  See top_screen.h. */
#include "show/top_screen.h"
#include "base/text_num.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT	2u

/* ---- a program ---- */

static void put_field(struct top_frame *f, unsigned int *row, const char *name, const char *s,
		      size_t len)
{
	const unsigned int col = 13;

	if (!len)
		return;
	top_puts(f, *row, 0, col, TOP_DIM, name);
	top_put(f, (*row)++, col, f->cols > col ? f->cols - col : 0, TOP_PLAIN, s, len);
}

static void put_number(struct top_frame *f, unsigned int *row, const char *name, const char *text)
{
	put_field(f, row, name, text, strlen(text));
}

/* Draw a text on as many rows as it needs, up to @rows. */
static void put_paragraph(struct top_frame *f, unsigned int *row, unsigned int rows,
			  const char *name,
			  const struct buf *text)
{
	const unsigned int col = 13;
	unsigned int cols = f->cols > col ? f->cols - col : 0;
	size_t off = 0;

	top_puts(f, *row, 0, col, TOP_DIM, name);
	for (; off < text->len && rows && cols && *row + 1 < f->rows; rows--) {
		/* n bytes usually take at most n columns */
		size_t n = text->len - off < cols ? text->len - off : cols;

		while (n > 1 && n < text->len - off && (text->s[off + n] & 0xc0) == 0x80)
			n--;
		top_put(f, (*row)++, col, cols, TOP_PLAIN, text->s + off, n);
		off += n;
	}
}

static void draw_children(struct top_frame *f, unsigned int *row, unsigned int end,
			  const struct top_program *p, const struct top_model *m)
{
	uint64_t n = p->nchildren < TOP_CHILDREN ? p->nchildren : TOP_CHILDREN;
	char text[160], how[64];

	if (!n || *row >= end)
		return;
	snprintf(text, sizeof(text), "%s started, the latest first",
		 text_counted(p->nchildren, "process", "processes"));
	top_fill(f, (*row)++, 0, f->cols, TOP_HEAD, text, strlen(text));
	for (uint64_t i = 0; i < n && *row < end; i++) {
		const struct top_program *c =
			top_find(m, p->child[(p->nchildren - 1 - i) % TOP_CHILDREN]);
		struct buf b = { 0 };

		f->looked++;
		if (!c)
			continue;
		top_how_ended(c, how, sizeof(how));
		buf_add(&b, c->label.s, c->label.len);
		buf_adds(&b, "  ");
		buf_adds(&b, how);
		top_put(f, (*row)++, INDENT, f->cols, TOP_PLAIN, b.s, b.len);
		buf_free(&b);
	}
}

static void draw_files(struct top_frame *f, unsigned int *row, unsigned int end,
		       const struct top_program *p)
{
	uint64_t n = p->nfiles < TOP_FILES ? p->nfiles : TOP_FILES;
	char text[160];

	if (!n || *row >= end)
		return;
	snprintf(text, sizeof(text), "%s opened, the latest first",
		 text_counted(p->nfiles, "file", "files"));
	top_fill(f, (*row)++, 0, f->cols, TOP_HEAD, text, strlen(text));
	for (uint64_t i = 0; i < n && *row < end; i++) {
		const struct top_file *file = &p->file[(p->nfiles - 1 - i) % TOP_FILES];

		top_puts(f, *row, INDENT, f->cols, TOP_DIM, file->written ? "written  " : "read     ");
		top_put(f, (*row)++, INDENT + 9, f->cols, TOP_PLAIN, file->name, file->len);
	}
}

void top_draw_program(struct top_frame *f, const struct top_view *v, const struct top_model *m,
		      uint64_t now)
{
	const struct top_program *p = top_find(m, v->program), *parent;
	unsigned int row = 0, last = f->rows - 1, end;
	struct buf b = { 0 };
	char text[96];

	if (!p) {
		top_puts(f, 0, 0, f->cols, TOP_BOLD, "This program ended a while ago; its details are gone here.");
		top_puts(f, 1, 0, f->cols, TOP_PLAIN, "The trace still has them: etrace report.");
		return;
	}
	top_fill(f, row++, 0, f->cols, TOP_HEAD, p->label.s, p->label.len);
	snprintf(text, sizeof(text), "%" PRIu64, p->pid);
	put_number(f, &row, "process", text);
	top_how_ended(p, text, sizeof(text));
	put_number(f, &row, p->ended ? "ended" : "state", text);
	put_number(f, &row, "time", text_time((p->ended ? p->ended : now) - p->begun));
	if (p->cpu)
		put_number(f, &row, "CPU time", text_time(p->cpu));
	if (p->memory)
		put_number(f, &row, "memory", text_bytes(p->memory));
	put_field(f, &row, "directory", p->cwd.s, p->cwd.len);
	parent = top_find(m, p->parent);
	if (parent)
		put_field(f, &row, "started by", parent->label.s, parent->label.len);
	top_command(&p->args, &b);
	if (b.len)
		put_paragraph(f, &row, f->rows / 3, "command", &b);
	buf_free(&b);
	/* files get at least half of the rows, and those that children do not need */
	end = p->nchildren && row < last ? row + (last - row) / 2 : row;
	draw_children(f, &row, end, p, m);
	draw_files(f, &row, last, p);
}

/* ---- help ---- */

void top_draw_help(struct top_frame *f, const struct top_view *v)
{
	static const char *const lines[] = {
		"up, down, j, k    select a program",
		"PgUp, PgDn, Home  scroll the list",
		"Enter             its command, directory, files, children, and how it ended",
		"Esc               back; from the first page: no search",
		"/                 show only programs with that text in their names",
		"?                 this help",
		"",
		"A failure is shown while its caller may still fail because of it. What a configure",
		"script tries and answers of programs like grep count only if the caller fails.",
		"Time left is estimated from an earlier recording of the build: --before OLD.",
		"A program runs if it has no process below it; the others wait for these.",
	};
	unsigned int row = 0;
	char text[128];

	top_fill(f, row++, 0, f->cols, TOP_HEAD, "etrace top: keys", 16);
	snprintf(text, sizeof(text), "q                 %s", v->quit ? v->quit : "end the view");
	top_puts(f, row++, 0, f->cols, TOP_PLAIN, text);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && row + 1 < f->rows; i++)
		top_puts(f, row++, 0, f->cols, TOP_PLAIN, lines[i]);
}

/* ---- keys ---- */

static void search_for(struct top_view *v, struct top_model *m)
{
	v->first = 0;
	top_search(m, v->search.s, v->search.len);
}

static void type_key(struct top_view *v, struct top_model *m, unsigned int key)
{
	switch (key) {
	case TOP_KEY_ENTER:
		v->typing = false;
		return;
	case TOP_KEY_ESCAPE:
		v->typing = false;
		v->search.len = 0;
		break;
	case TOP_KEY_ERASE:
		v->search.len -= v->search.len != 0;
		break;
	default:
		/* a character that is not ASCII comes byte by byte, and is added that way */
		if (key < ' ' || key > 0xff)
			return;
		buf_addc(&v->search, (char)key);
		break;
	}
	search_for(v, m);
}

/* Select the next or previous row of the last frame; at an edge, scroll the list. */
static void move_selection(struct top_view *v, bool down)
{
	unsigned int i = 0;

	while (i < v->nrows && v->row[i] != v->selected)
		i++;
	if (i == v->nrows)
		v->selected = v->nrows ? v->row[0] : 0;
	else if (down && i + 1 < v->nrows)
		v->selected = v->row[i + 1];
	else if (down)
		v->first++;
	else if (i == v->list_row && v->first)
		v->first--;
	else if (i)
		v->selected = v->row[i - 1];
}

static void scroll_page(struct top_view *v, bool down)
{
	uint64_t page = v->nrows > v->list_row + 1 ? v->nrows - v->list_row - 1 : 1;

	if (down)
		v->first += page;
	else
		v->first -= v->first < page ? v->first : page;
}

static void leave_page(struct top_view *v, struct top_model *m)
{
	if (v->shown != TOP_MAIN) {
		v->shown = TOP_MAIN;
		return;
	}
	v->search.len = 0;
	search_for(v, m);
}

bool top_press(struct top_view *v, struct top_model *m, unsigned int key)
{
	if (v->typing) {
		type_key(v, m, key);
		return true;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case '?':
	case 'h':
		v->shown = v->shown == TOP_HELP ? TOP_MAIN : TOP_HELP;
		break;
	case '/':
		v->shown = TOP_MAIN;
		v->typing = true;
		break;
	case TOP_KEY_ENTER:
		if (v->shown != TOP_MAIN || !v->selected)
			break;
		v->program = v->selected;
		v->shown = TOP_PROGRAM;
		break;
	case TOP_KEY_ESCAPE:
	case TOP_KEY_ERASE:
		leave_page(v, m);
		break;
	case TOP_KEY_UP:
	case 'k':
		move_selection(v, false);
		break;
	case TOP_KEY_DOWN:
	case 'j':
		move_selection(v, true);
		break;
	case TOP_KEY_PAGE_UP:
		scroll_page(v, false);
		break;
	case TOP_KEY_PAGE_DOWN:
	case ' ':
		scroll_page(v, true);
		break;
	case TOP_KEY_HOME:
		v->first = 0;
		break;
	default:
		break;
	}
	return true;
}

void top_view_free(struct top_view *v)
{
	buf_free(&v->search);
}
