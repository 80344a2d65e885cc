// SPDX-License-Identifier: LGPL-2.1
/*
 * Addresses of backtraces to names and source lines, by libdw.  See
 * sprt_resolve.h.
 *
 * A log says where the executable part of a file was mapped, not from which
 * offset of the file: that comes from the file's own program headers.
 */
#include "format/sprtrace/sprt_resolve.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/library.h"
#include "base/xalloc.h"

/* The demangler of the C++ runtime, Itanium C++ ABI 3.4. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *n, int *status);

#define CXX_FUNCTIONS(X) X(__cxa_, demangle)

static struct LIBRARY_POINTERS(CXX_FUNCTIONS) cxx = LIBRARY_INIT(CXX_FUNCTIONS);
static struct library libstdcxx = LIBRARY("libstdc++.so.6", "libstdc++6", CXX_FUNCTIONS, cxx);

static const struct diag_kind not_demangled = {
	"C++ names that stay mangled", DIAG_NOTE };

static const struct diag_kind no_file = {
	"mapped files without names: missing or not the ones traced",
	DIAG_DAMAGE };

/* A file that was mapped, once however often it is. */
struct object {
	const char *path;
	bool tried;
	Dwfl *dwfl;		/* NULL: there are no names to be had */
	Dwfl_Module *module;
	GElf_Addr bias;		/* of libdw's addresses to the file's */
};

/* A mapping: the file's address @vaddr was at @from. */
struct area {
	const struct sprt_map *map;
	const struct object *object;
	GElf_Addr vaddr;
	bool usable;
};

struct resolver {
	struct sprt_log *log;
	const char *sysroot;
	struct diag *diag;
	Dwfl_Callbacks callbacks;
	char *debuginfo_path;

	struct object *objects;
	size_t nobjects;
	struct area *areas;
	size_t nareas, areas_cap;

	/* Addresses between points[i] and points[i + 1] are in owner[i]. */
	uint64_t *points;
	size_t npoints;
	size_t *owner;		/* index of an area + 1, 0: none */
};

/* --- numbers ------------------------------------------------------------ */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t sort_unique(uint64_t *v, size_t n)
{
	size_t k = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_u64);
	for (size_t i = 0; i < n; i++)
		if (!k || v[k - 1] != v[i])
			v[k++] = v[i];
	return k;
}

/* --- files -------------------------------------------------------------- */

/*
 * Opens a regular file below the sysroot; links in there stay in there.  The
 * path comes from the log: it may name anything, also what blocks.
 */
static int open_below(const char *sysroot, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT,
	};
	struct stat st;
	int root, fd;

	if (*path != '/') {
		errno = ENOENT;
		return -1;
	}
	if (sysroot) {
		root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return -1;
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		close(root);
	} else {
		fd = open(path, (int)how.flags);
	}
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = ENOENT;
		return -1;
	}
	return fd;
}

static void load_object(struct resolver *r, struct object *o)
{
	int fd = open_below(r->sysroot, o->path);
	char shown[256], *where;

	sprt_shown(shown, sizeof(shown), o->path);
	if (fd < 0) {
		diag_report(r->diag, &no_file, NULL, DIAG_NOWHERE, 0,
			    "no names for %s: %s; --sysroot says where to look",
			    shown, strerror(errno));
		return;
	}
	if (asprintf(&where, "%s%s", r->sysroot ? r->sysroot : "", o->path) < 0)
		where = NULL;
	o->dwfl = dwfl_begin(&r->callbacks);
	if (o->dwfl) {
		dwfl_report_begin(o->dwfl);
		/* The descriptor is libdw's from here on. */
		o->module = dwfl_report_offline(o->dwfl, o->path, where, fd);
		dwfl_report_end(o->dwfl, NULL, NULL);
	}
	if (!o->module || !dwfl_module_getelf(o->module, &o->bias)) {
		diag_report(r->diag, &no_file, NULL, DIAG_NOWHERE, 0,
			    "no names for %s: %s", shown, dwfl_errmsg(-1));
		if (!o->module)
			close(fd);
		dwfl_end(o->dwfl);
		o->dwfl = NULL;
	}
	free(where);
}

/*
 * Which executable segment was mapped from @map->from to @map->to?  Sets the
 * address that it begins with.  The page size is that of the traced machine.
 */
static bool find_segment(Elf *elf, const struct sprt_map *map, GElf_Addr *vaddr)
{
	static const uint64_t pages[] = { 4096, 16384, 65536 };
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t p = 0; p < sizeof(pages) / sizeof(*pages); p++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t mask = ~(pages[p] - 1), from, to;
			GElf_Phdr ph;

			if (!gelf_getphdr(elf, (int)i, &ph) ||
			    ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
				continue;
			from = ph.p_vaddr & mask;
			to = (ph.p_vaddr + ph.p_filesz + ~mask) & mask;
			if (to - from == map->to - map->from) {
				*vaddr = from;
				return true;
			}
		}
	}
	return false;
}

/* The log keeps equal paths once: pointers to them tell files apart. */
static void list_objects(struct resolver *r)
{
	struct sprt_kept_item *kept;
	uint64_t *paths = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_MAP, &i));) {
		paths = xgrow(paths, &cap, n + 1, sizeof(*paths));
		paths[n++] = (uintptr_t)kept->item.map.path;
	}
	r->nobjects = sort_unique(paths, n);
	r->objects = xcalloc(r->nobjects, sizeof(*r->objects));
	for (size_t i = 0; i < r->nobjects; i++)
		r->objects[i].path = (const char *)(uintptr_t)paths[i];
	free(paths);
}

static int compare_object(const void *key, const void *element)
{
	uintptr_t x = (uintptr_t)key;
	uintptr_t y = (uintptr_t)((const struct object *)element)->path;

	return x < y ? -1 : x > y;
}

static void add_area(struct resolver *r, const struct sprt_map *map)
{
	struct object *o;
	struct area *a;
	GElf_Addr bias;
	char shown[256];

	if (map->from >= map->to)
		return;
	o = bsearch(map->path, r->objects, r->nobjects, sizeof(*o),
		    compare_object);
	if (!o->tried && *map->path == '/')
		load_object(r, o);
	o->tried = true;
	r->areas = xgrow(r->areas, &r->areas_cap, r->nareas + 1,
			 sizeof(*r->areas));
	a = &r->areas[r->nareas++];
	*a = (struct area){ .map = map, .object = o };
	if (!o->dwfl)
		return;
	a->usable = find_segment(dwfl_module_getelf(o->module, &bias), map,
				 &a->vaddr);
	if (!a->usable)
		diag_report(r->diag, &no_file, NULL, DIAG_NOWHERE, 0,
			    "no names for %s: it is not the file that was traced, no code in it has the size of 0x%llx-0x%llx",
			    sprt_shown(shown, sizeof(shown), map->path),
			    (unsigned long long)map->from,
			    (unsigned long long)map->to);
}

/* --- which mapping an address is in ------------------------------------- */

/* Index of the last point that is not above @v; there is one. */
static size_t point_of(const struct resolver *r, uint64_t v)
{
	size_t lo = 0, hi = r->npoints;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->points[mid] <= v)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Of mappings that overlap, the later one holds: they are laid out from the
 * last to the first, each taking what is still free; next[] leads past what
 * is taken.
 */
static void lay_out(struct resolver *r)
{
	size_t *next;

	r->points = xcalloc(r->nareas * 2, sizeof(*r->points));
	for (size_t i = 0; i < r->nareas; i++) {
		r->points[2 * i] = r->areas[i].map->from;
		r->points[2 * i + 1] = r->areas[i].map->to;
	}
	r->npoints = sort_unique(r->points, r->nareas * 2);
	r->owner = xcalloc(r->npoints, sizeof(*r->owner));
	next = xcalloc(r->npoints, sizeof(*next));
	for (size_t i = 0; i < r->npoints; i++)
		next[i] = i;
	for (size_t i = r->nareas; i-- > 0;) {
		size_t k = point_of(r, r->areas[i].map->from);
		size_t end = point_of(r, r->areas[i].map->to);

		while (k < end) {
			if (next[k] == k) {
				r->owner[k] = i + 1;
				next[k] = k + 1;
			} else {
				/* Shorten the way for the next one. */
				next[k] = next[next[k]];
			}
			k = next[k];
		}
	}
	free(next);
}

static const struct area *area_of(const struct resolver *r, uint64_t addr)
{
	size_t k;

	if (!r->npoints || addr < r->points[0])
		return NULL;
	k = r->owner[point_of(r, addr)];
	return k ? &r->areas[k - 1] : NULL;
}

/* --- names and lines ---------------------------------------------------- */

/*
 * Source file and line of @addr within the function that its symbol names:
 * for code that was inlined there, the line of the outermost inlined call.
 */
static const char *find_line(Dwfl_Module *module, Dwarf_Addr addr, int *line)
{
	const char *file = NULL;
	Dwarf_Addr bias;
	Dwarf_Die *cu, *scopes;
	Dwfl_Line *at;
	int n;

	at = dwfl_module_getsrc(module, addr);
	if (at)
		file = dwfl_lineinfo(at, NULL, line, NULL, NULL, NULL);
	cu = dwfl_module_addrdie(module, addr, &bias);
	if (!cu)
		return file;
	n = dwarf_getscopes(cu, addr - bias, &scopes);
	for (int i = 0; i < n; i++) {
		Dwarf_Attribute attr;
		Dwarf_Word call_file, call_line;
		Dwarf_Files *files;
		const char *name;

		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
		    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file,
					       &attr), &call_file) ||
		    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line,
					       &attr), &call_line) ||
		    dwarf_getsrcfiles(cu, &files, NULL))
			continue;
		name = dwarf_filesrc(files, call_file, NULL, NULL);
		if (name) {
			file = name;
			*line = (int)call_line;
		}
	}
	if (n > 0)
		free(scopes);
	return file;
}

/* Return: the C++ name of a symbol, to be freed; NULL if it has none or cannot be demangled. */
static char *demangle(struct resolver *r, const char *symbol)
{
	char why[256];
	int status;

	if (!symbol || strncmp(symbol, "_Z", 2))
		return NULL;
	if (library_load(&libstdcxx, why, sizeof(why)))
		return cxx.demangle(symbol, NULL, NULL, &status);
	diag_report(r->diag, &not_demangled, NULL, DIAG_NOWHERE, 0, "%s", why);
	return NULL;
}

/*
 * The text for one frame, kept by the log; *@named: it has more than the
 * mapping's path.  What is recorded is where a call returns to: the byte
 * before it belongs to the call.
 */
static const char *describe(struct resolver *r, uint64_t frame, bool *named)
{
	uint64_t addr = frame ? frame - 1 : 0;
	const struct area *a = area_of(r, addr);
	const char *symbol, *file, *base, *kept;
	char *demangled, *text = NULL;
	const struct object *o;
	GElf_Sym sym;
	GElf_Off offset;
	Dwarf_Addr at;
	int line = 0, len;

	*named = false;
	if (!a)
		return sprt_intern_str(&r->log->strings, "in ??");
	o = a->object;
	symbol = file = NULL;
	if (a->usable) {
		at = addr - a->map->from + a->vaddr + o->bias;
		symbol = dwfl_module_addrinfo(o->module, at, &offset, &sym,
					      NULL, NULL, NULL);
		file = find_line(o->module, at, &line);
	}
	*named = symbol || file;
	demangled = demangle(r, symbol);
	if (file) {
		base = strrchr(file, '/');
		len = asprintf(&text, "%s%s%sat %s:%d",
			       demangled ? demangled : symbol ? symbol : "",
			       demangled || !symbol ? "" : "()",
			       symbol ? " " : "", base ? base + 1 : file, line);
	} else {
		len = asprintf(&text, "%s%s%sfrom %s",
			       demangled ? demangled : symbol ? symbol : "",
			       demangled || !symbol ? "" : "()",
			       symbol ? " " : "", a->map->path);
	}
	kept = sprt_intern_str(&r->log->strings, len < 0 ? "" : text);
	free(demangled);
	free(text);
	return kept;
}

/* --- all frames of the log ---------------------------------------------- */

static void name_frames(struct resolver *r)
{
	struct sprt_log *log = r->log;
	const char **texts, **resolved = NULL;
	size_t n = 0, cap = 0, resolved_cap = 0;
	uint64_t *addrs = NULL;
	bool *named;

	for (size_t i = 0; i < log->ncalls; i++) {
		const struct sprt_call *call = &log->calls[i]->call;

		/* Most calls share the backtrace of the call before. */
		if (log->calls[i]->removed || !call->nframes ||
		    (i && call->frames == log->calls[i - 1]->call.frames &&
		     !log->calls[i - 1]->removed))
			continue;
		addrs = xgrow(addrs, &cap, n + call->nframes, sizeof(*addrs));
		memcpy(addrs + n, call->frames, call->nframes * sizeof(*addrs));
		n += call->nframes;
	}
	if (!addrs)
		return;
	n = sort_unique(addrs, n);
	texts = xcalloc(n, sizeof(*texts));
	named = xcalloc(n, sizeof(*named));
	for (size_t i = 0; i < n; i++)
		texts[i] = describe(r, addrs[i], &named[i]);

	for (size_t i = 0; i < log->ncalls; i++) {
		struct sprt_call *call = &log->calls[i]->call;

		if (log->calls[i]->removed || !call->nframes)
			continue;
		resolved = xgrow(resolved, &resolved_cap, call->nframes,
				 sizeof(*resolved));
		for (uint32_t k = 0; k < call->nframes; k++) {
			const uint64_t *found;
			size_t at;

			found = bsearch(&call->frames[k], addrs, n,
					sizeof(*addrs), compare_u64);
			at = (size_t)(found - addrs);
			resolved[k] = texts[at];
			if (!named[at] && call->resolved && call->resolved[k])
				resolved[k] = call->resolved[k];
		}
		sprt_log_set_trace(log, call, call->frames, resolved,
				   call->nframes);
	}
	free(resolved);
	free(named);
	free(texts);
	free(addrs);
}

void sprt_resolve(struct sprt_log *log, const char *sysroot, struct diag *diag)
{
	struct resolver r = { .log = log, .sysroot = sysroot, .diag = diag };
	struct sprt_kept_item *kept;
	size_t i = 0;

	if (asprintf(&r.debuginfo_path, ":.debug:%s/usr/lib/debug",
		     sysroot ? sysroot : "") < 0)
		r.debuginfo_path = NULL;
	r.callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	r.callbacks.section_address = dwfl_offline_section_address;
	r.callbacks.debuginfo_path = &r.debuginfo_path;

	list_objects(&r);
	while ((kept = sprt_log_find(log, SPRT_MAP, &i)))
		add_area(&r, &kept->item.map);
	lay_out(&r);
	name_frames(&r);

	for (i = 0; i < r.nobjects; i++)
		dwfl_end(r.objects[i].dwfl);
	free(r.objects);
	free(r.areas);
	free(r.points);
	free(r.owner);
	free(r.debuginfo_path);
}
