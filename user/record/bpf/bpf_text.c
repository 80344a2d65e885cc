// SPDX-License-Identifier: LGPL-2.1
/* The strings of the BPF programs' records.  See bpf_text.h and bpf_abi.h. */
#include "record/bpf/bpf_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel/etrace_address.h"

/* Appends a path; @s has its components, the last one first, each followed by a '/'. */
static void add_path(struct buf *to, const char *s, size_t len)
{
	size_t end = len;

	if (!len)
		buf_addc(to, '/');
	while (end) {
		size_t start = --end;	/* at the '/' */

		while (start && s[start - 1] != '/')
			start--;
		buf_addc(to, '/');
		buf_add(to, s + start, end - start);
		end = start;
	}
}

/* Makes a file's synthetic name, as the kernel's d_dname functions do. */
static void add_special(struct text *t, const char *s, size_t len)
{
	struct eb_special sp;
	char text[64];
	const char *name;

	if (len < sizeof(sp)) {
		t->mark |= EB_CUT;
		return;
	}
	memcpy(&sp, s, sizeof(sp));
	name = s + sizeof(sp);
	len -= sizeof(sp);
	if (len)
		len--;		/* the '/' after it */
	sp.ns[sizeof(sp.ns) - 1] = 0;
	switch (sp.magic) {
	case 0x50495045:	/* PIPEFS_MAGIC */
		snprintf(text, sizeof(text), "pipe:[%" PRIu64 "]", (uint64_t)sp.ino);
		break;
	case 0x534f434b:	/* SOCKFS_MAGIC */
		snprintf(text, sizeof(text), "socket:[%" PRIu64 "]", (uint64_t)sp.ino);
		break;
	case 0x6e736673:	/* NSFS_MAGIC */
		snprintf(text, sizeof(text), "%s:[%" PRIu64 "]", sp.ns, (uint64_t)sp.ino);
		break;
	case 0x50494446:	/* PID_FS_MAGIC */
		snprintf(text, sizeof(text), "anon_inode:[pidfd]");
		break;
	case 0x09041934:	/* ANON_INODE_FS_MAGIC */
		buf_adds(&t->b, "anon_inode:");
		buf_add(&t->b, name, len);
		return;
	default:		/* shared memory, and other files without a path */
		buf_addc(&t->b, '/');
		buf_add(&t->b, name, len);
		buf_adds(&t->b, " (deleted)");
		return;
	}
	buf_adds(&t->b, text);
}

static bool add_address(struct text *t, const char *sockaddr, size_t len)
{
	char text[ETRACE_ADDRESS_MAX];

	if (len > EB_SOCKADDR_MAX)
		return false;
	buf_add(&t->b, text, etrace_address(text, (const unsigned char *)sockaddr, (unsigned int)len));
	return true;
}

static void copy_text(struct text *to, const struct text *from)
{
	to->there = from->there;
	to->mark = from->mark;
	buf_add(&to->b, from->b.s, from->b.len);
}

/* Takes string @i of texts_take(). */
static bool take_text(struct text *texts, int i, const struct eb_str *str,
		      const struct text *held, const char **s, size_t *left)
{
	const char *text = *s, *path;
	struct text *t = &texts[i];

	t->b.len = 0;
	t->there = str->form != EB_S_NONE;
	t->mark = t->there ? str->mark : 0;
	if (!t->there)
		return true;
	if (str->text > *left || str->path > *left - str->text)
		return false;
	path = text + str->text;
	*s += str->text + str->path;
	*left -= str->text + str->path;

	switch (str->form) {
	case EB_S_TEXT:
		/* another thread may have put a NUL there */
		buf_add(&t->b, text, strnlen(text, str->text));
		return true;
	case EB_S_BYTES:
		buf_add(&t->b, text, str->text);
		return true;
	case EB_S_HELD:
		if (str->arg >= EB_NR_STR)
			return false;
		if (held)
			copy_text(t, &held[str->arg]);
		else
			t->mark |= EB_UNREAD;
		return true;
	case EB_S_SAME:
		copy_text(t, &texts[0]);
		return true;
	case EB_S_ADDRESS:
		return add_address(t, text, str->text);
	case EB_S_SPECIAL:
		add_special(t, path, str->path);
		return true;
	}
	/* A path that could not be read at all is empty. */
	if (str->path || !(str->mark & EB_UNREAD))
		add_path(&t->b, path, str->path);
	if (str->mark & EB_DELETED)
		buf_adds(&t->b, " (deleted)");
	switch (str->form) {
	case EB_S_PATH:
		return true;
	case EB_S_CHILD:
		if (t->b.len > 1)
			buf_addc(&t->b, '/');
		break;
	case EB_S_JOIN:
		buf_addc(&t->b, '/');
		break;
	default:
		return false;
	}
	buf_add(&t->b, text, str->text);
	return true;
}

bool texts_take(struct text *texts, const struct eb_rec *r, const struct text *held,
		const char **s, size_t *left)
{
	for (int i = 0; i < EB_NR_STR; i++)
		if (!take_text(texts, i, &r->str[i], held, s, left))
			return false;
	return true;
}
