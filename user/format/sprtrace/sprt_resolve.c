// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds names and source lines for the addresses of backtraces, in the symbols and the DWARF
 * of the files that were mapped there, with libdw.  See sprt_log.h.
 *
 * A log has the address where the executable part of a file was mapped, but not its
 * offset in the file, which is therefore found in the file's program headers.
 */
#include "format/sprtrace/sprt_log.h"

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

#include "base/buf.h"
#include "base/library.h"
#include "base/map64.h"
#include "base/ranges.h"
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

/* A mapped file, stored once even if mapped several times. */
struct object {
	const char *path;
	Dwfl *dwfl;		/* NULL if no names can be read from the file */
	Dwfl_Module *module;
	GElf_Addr bias;		/* libdw's addresses minus the file's */
};

/* A mapping: the file's address @vaddr was mapped at @map->from, if @usable. */
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

	struct map64 objects;	/* by pointer to the path: the log stores equal paths once */
	struct ranges owners;	/* areas by address: range.base is a struct area * */

	struct map64 by_frame;	/* address to struct name * */
	struct pool pool;	/* memory of objects, areas and names */
};

/* Text for an address; @named: it has a symbol or a source line, not only a path. */
struct name {
	const char *text;	/* owned by the log */
	bool named;
};

/* --- files -------------------------------------------------------------- */

/*
 * Open a regular file below the sysroot; symbolic links are resolved below it, too.
 * O_NONBLOCK: the path comes from the log and may name anything, such as a FIFO.
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

#define REPORT_NO_NAMES(r, path, fmt, ...) \
	diag_report((r)->diag, &no_file, NULL, DIAG_NOWHERE, 0, "no names for %s: " fmt, \
		    sprt_shown((char[256]) { 0 }, 256, path), __VA_ARGS__)

static void load_object(struct resolver *r, struct object *o)
{
	int fd = open_below(r->sysroot, o->path);
	char *where;

	if (fd < 0) {
		REPORT_NO_NAMES(r, o->path, "%s; --sysroot says where to look", strerror(errno));
		return;
	}
	if (asprintf(&where, "%s%s", r->sysroot ? r->sysroot : "", o->path) < 0)
		where = NULL;
	o->dwfl = dwfl_begin(&r->callbacks);
	if (o->dwfl) {
		dwfl_report_begin(o->dwfl);
		/* From here on, libdw owns the descriptor. */
		o->module = dwfl_report_offline(o->dwfl, o->path, where, fd);
		dwfl_report_end(o->dwfl, NULL, NULL);
	}
	if (!o->module || !dwfl_module_getelf(o->module, &o->bias)) {
		REPORT_NO_NAMES(r, o->path, "%s", dwfl_errmsg(-1));
		if (!o->module)
			close(fd);
		dwfl_end(o->dwfl);
		o->dwfl = NULL;
	}
	free(where);
}

/*
 * Find the executable segment that was mapped at @map, by its size in pages; the page
 * size of the traced machine is unknown.  @vaddr: set to the segment's first address
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

static struct object *object_of(struct resolver *r, const char *path)
{
	struct object *o = map64_pointer(&r->objects, (uintptr_t)path);

	if (o)
		return o;
	o = pool_keep(&r->pool, xcalloc(1, sizeof(*o)));
	o->path = path;
	map64_put(&r->objects, (uintptr_t)path, (uintptr_t)o);
	if (*path == '/')
		load_object(r, o);
	return o;
}

/* Add a mapping.  It replaces what it overlaps of earlier ones. */
static void add_area(struct resolver *r, const struct sprt_map *map)
{
	struct area *a = pool_keep(&r->pool, xcalloc(1, sizeof(*a)));
	struct range range = { map->from, map->to, (uintptr_t)a, NULL };
	GElf_Addr bias;

	if (map->from >= map->to)
		return;
	ranges_put(&r->owners, &range, 0);
	a->map = map;
	a->object = object_of(r, map->path);
	if (!a->object->dwfl)
		return;
	a->usable = find_segment(dwfl_module_getelf(a->object->module, &bias), map, &a->vaddr);
	if (!a->usable)
		REPORT_NO_NAMES(r, map->path,
				"it is not the file that was traced, no code in it has the size of 0x%llx-0x%llx",
				(unsigned long long)map->from, (unsigned long long)map->to);
}

/* --- names and lines ---------------------------------------------------- */

/*
 * Find source file and line of @addr in the function that its symbol names; for
 * inlined code, the line of the outermost inlined call.
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
static char *demangled_name(struct resolver *r, const char *symbol)
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
 * Find the text of a frame.  A frame is a return address, and the byte before it
 * belongs to the call.
 */
static struct name describe_frame(struct resolver *r, uint64_t frame)
{
	uint64_t addr = frame ? frame - 1 : 0;
	const struct range *range = ranges_at(&r->owners, addr);
	const char *symbol = NULL, *file = NULL;
	struct buf text = { 0 };
	char *demangled;
	const struct area *a;
	struct name name;
	const struct object *o;
	GElf_Sym sym;
	GElf_Off offset;
	Dwarf_Addr at;
	int line = 0;

	if (!range)
		return (struct name){ sprt_intern_str(&r->log->strings, "in ??"), false };
	a = (const struct area *)(uintptr_t)range->base;
	o = a->object;
	if (a->usable) {
		at = addr - a->map->from + a->vaddr + o->bias;
		symbol = dwfl_module_addrinfo(o->module, at, &offset, &sym,
					      NULL, NULL, NULL);
		file = find_line(o->module, at, &line);
	}
	demangled = demangled_name(r, symbol);
	if (demangled)
		buf_printf(&text, "%s ", demangled);
	else if (symbol)
		buf_printf(&text, "%s() ", symbol);
	if (file)
		buf_printf(&text, "at %s:%d", basename(file), line);
	else
		buf_printf(&text, "from %s", a->map->path);
	name.text = sprt_intern(&r->log->strings, text.s, text.len);
	name.named = symbol || file;
	free(demangled);
	buf_free(&text);
	return name;
}

/* Look up the text of a frame.  Calls describe_frame() only once per address. */
static const struct name *name_of(struct resolver *r, uint64_t frame)
{
	struct name *name = map64_pointer(&r->by_frame, frame);

	if (!name) {
		name = pool_keep(&r->pool, xmalloc(sizeof(*name)));
		*name = describe_frame(r, frame);
		map64_put(&r->by_frame, frame, (uintptr_t)name);
	}
	return name;
}

/* --- all frames of the log ---------------------------------------------- */

static void name_frames(struct resolver *r)
{
	struct sprt_log *log = r->log;
	const char **resolved = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < log->ncalls; i++) {
		struct sprt_call *call = &log->calls[i]->item.call;

		if (log->calls[i]->item.removed || !call->nframes)
			continue;
		resolved = xgrow(resolved, &cap, call->nframes, sizeof(*resolved));
		for (uint32_t k = 0; k < call->nframes; k++) {
			const struct name *name = name_of(r, call->frames[k]);

			resolved[k] = name->text;
			if (!name->named && call->resolved && call->resolved[k])
				resolved[k] = call->resolved[k];
		}
		sprt_log_set_trace(log, call, call->frames, resolved, call->nframes);
	}
	free(resolved);
}

void sprt_resolve(struct sprt_log *log, const char *sysroot, struct diag *diag)
{
	struct resolver r = { .log = log, .sysroot = sysroot, .diag = diag };
	const struct sprt_item *item;
	struct map64_slot *slot;
	struct sprt_kept *at = NULL;

	if (asprintf(&r.debuginfo_path, ":.debug:%s/usr/lib/debug",
		     sysroot ? sysroot : "") < 0)
		r.debuginfo_path = NULL;
	r.callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	r.callbacks.section_address = dwfl_offline_section_address;
	r.callbacks.debuginfo_path = &r.debuginfo_path;

	while ((item = sprt_log_find(log, SPRT_MAP, &at)))
		add_area(&r, &item->map);
	name_frames(&r);

	for (size_t i = 0; (slot = map64_each(&r.objects, &i));)
		dwfl_end(((const struct object *)(uintptr_t)slot->value)->dwfl);
	map64_clear(&r.objects);
	map64_clear(&r.by_frame);
	ranges_free(&r.owners);
	pool_free(&r.pool);
	free(r.debuginfo_path);
}
