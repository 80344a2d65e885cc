// SPDX-License-Identifier: LGPL-2.1
/* Reads dependencies of packages (deb-control(5), deb-src-control(5)).  See packages.h. */
#include "answers/lists.h"
#include "answers/packages.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Whether a restriction like "[amd64 !i386 linux-any]" is true for an architecture. */
static bool for_arch(const char *s, const char *end, const char *arch)
{
	const char *open = memchr(s, '[', (size_t)(end - s));
	bool any = false, none = false;

	if (!open || !arch)
		return true;
	for (s = open + 1; s < end && *s != ']';) {
		size_t n = strcspn(s, BLANKS "]"), len = strlen(arch);
		bool not = *s == '!';
		const char *word = s + not;
		size_t word_len = n - not;
		bool same = (word_len == len && !memcmp(word, arch, len)) ||
			    (word_len == 3 && !memcmp(word, "any", 3)) ||
			    (word_len == 9 && !memcmp(word, "linux-any", 9)) ||
			    (word_len == len + 4 && !memcmp(word, "any-", 4) && !memcmp(word + 4, arch, len));

		if (not && same)
			return false;
		any |= same;
		none |= !not;
		s += n;
		s += strspn(s, BLANKS);
	}
	return any || !none;
}

static void take_need(struct packages_need *need, const char *s, const char *end, const char *arch)
{
	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s)) ?: end;
		const char *name = s + strspn(s, BLANKS);
		size_t n = strcspn(name, BLANKS ":(<[|,");

		if (name < bar && n && *name != '$' && for_arch(name, bar, arch)) {
			need->names = xrealloc(need->names, (need->n + 1) * sizeof(*need->names));
			need->names[need->n++] = xstrndup(name, n);
		}
		s = bar + 1;
	}
}

size_t packages_needs(const char *list, const char *arch, struct packages_need **to)
{
	size_t n = 0, cap = 0;

	*to = NULL;
	while (*list) {
		const char *end = list + strcspn(list, ",");
		struct packages_need need = { 0 };
		const char *s = list + strspn(list, BLANKS), *last = end;

		if (s < end)
			take_need(&need, s, end, arch);
		while (last > s && strchr(BLANKS, last[-1]))
			last--;
		if (need.n) {
			need.text = xstrndup(s, (size_t)(last - s));
			*to = xgrow(*to, &cap, n + 1, sizeof(**to));
			(*to)[n++] = need;
		}
		list = end + (*end == ',');
	}
	return n;
}

void packages_needs_free(struct packages_need *needs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < needs[i].n; k++)
			free(needs[i].names[k]);
		free(needs[i].names);
		free(needs[i].text);
	}
	free(needs);
}

char *packages_control(const char *path, struct diag *diag)
{
	static const char *const fields[] = { "Build-Depends:", "Build-Depends-Arch:",
					      "Build-Depends-Indep:", NULL };
	struct buf text = { 0 }, list = { 0 };
	bool in = false, source = false;
	char *save = NULL;

	if (!lists_text(path, &text)) {
		diag_fatal(diag, "%s: %s", path, strerror(errno));
		buf_free(&text);
		return NULL;
	}
	for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#')
			continue;
		source |= !strncasecmp(line, "Source:", 7);
		if (!strchr(BLANKS, *line)) {
			in = false;
			for (const char *const *f = fields; *f; f++) {
				size_t n = strlen(*f);

				if (strncasecmp(line, *f, n))
					continue;
				in = true;
				buf_adds(&list, ", ");
				line += n;
				break;
			}
		}
		if (in) {
			buf_adds(&list, line);
			buf_addc(&list, '\n');
		}
	}
	buf_addc(&list, 0);
	buf_free(&text);
	if (!source) {
		diag_fatal(diag, "%s: is not the debian/control of a source package", path);
		buf_free(&list);
		return NULL;
	}
	return list.s;
}

bool packages_are(const struct package *p, const char *name)
{
	size_t len = strlen(name), n;
	struct packages_need *needs;
	bool are = !strncmp(p->name, name, len) && (!p->name[len] || p->name[len] == ':');

	if (are || !p->provides)
		return are;
	n = packages_needs(p->provides, NULL, &needs);
	for (size_t i = 0; i < n && !are; i++)
		are = !strcmp(needs[i].names[0], name);
	packages_needs_free(needs, n);
	return are;
}
