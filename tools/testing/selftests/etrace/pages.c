// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of a session's ring buffer contain records, and nothing else that was in their memory
 * before: each byte that belongs to no field is 0. Here the previous content is records, since a
 * small buffer is filled and read many times.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"
#include "../../../../kernel/etrace_ioctl.h"

#define EVENTS		ET_TRACEFS "/events/"
#define FIELDS_MAX	48
#define EVENTS_MAX	128
#define PAGE_MAX	65536
#define ROUNDS		400

/* ---- formats ------------------------------------------------------------------ */

struct field {
	unsigned int offset, size;
	bool is_array;	/* the field is the offset and size of an array in the record */
};

struct format {
	char name[64];
	unsigned int id, nr;
	struct field field[FIELDS_MAX];
};

static struct format formats[EVENTS_MAX];
static unsigned int nr_formats;

/* Read the fields of a format file, in the order of their offsets. */
static bool read_format(const char *path, struct format *f)
{
	char line[8192], type[256];
	struct field *to;
	FILE *file = fopen(path, "re");

	f->nr = 0;
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "ID: %u", &f->id);
		to = &f->field[f->nr];
		if (f->nr == FIELDS_MAX)
			DIE("%s: too many fields", path);
		if (sscanf(line, " field:%255[^;]; offset:%u; size:%u;", type, &to->offset,
			   &to->size) == 3) {
			to->is_array = !!strstr(type, "__data_loc");
			f->nr++;
		}
	}
	fclose(file);
	return f->nr;
}

static void read_formats(void)
{
	DIR *dir = opendir(EVENTS "etrace");
	const struct dirent *entry;
	struct format *f;
	char path[512];

	for (nr_formats = 0; dir && (entry = readdir(dir));) {
		f = &formats[nr_formats];
		if (nr_formats == EVENTS_MAX)
			DIE("too many events");
		snprintf(path, sizeof(path), EVENTS "etrace/%s/format", entry->d_name);
		if (entry->d_name[0] == '.' || !read_format(path, f))
			continue;
		snprintf(f->name, sizeof(f->name), "%.63s", entry->d_name);
		nr_formats++;
	}
	if (dir)
		closedir(dir);
	EXPECT(nr_formats);
}

static const struct format *format_of(unsigned int id)
{
	for (unsigned int i = 0; i < nr_formats; i++)
		if (formats[i].id == id)
			return &formats[i];
	return NULL;
}

/* Each field begins where the one before it ends. */
TEST(no_padding_between_fields)
{
	unsigned int i, k, at;

	et_module_setup("", 64);
	read_formats();
	for (i = 0; i < nr_formats; i++) {
		const struct format *f = &formats[i];

		for (at = 0, k = 0; k < f->nr; k++) {
			if (f->field[k].offset != at)
				FAIL("%s: padding at byte %u", f->name, at);
			at = f->field[k].offset + f->field[k].size;
		}
	}
	et_module_teardown();
}

/* ---- records ------------------------------------------------------------------ */

static unsigned int records, unset, paddings, padded;

static unsigned int u16_at(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32_at(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Mark the bytes of a field and of its array. */
static void mark(bool *is_set, const unsigned char *rec, unsigned int size, const struct field *f)
{
	unsigned int i, at = f->offset, n = f->size;

	for (i = at; i < at + n && i < size; i++)
		is_set[i] = true;
	if (!f->is_array)
		return;
	at = u16_at(rec + f->offset);
	n = u16_at(rec + f->offset + 2);
	for (i = at; i < at + n && i < size; i++)
		is_set[i] = true;
}

static void check_record(const unsigned char *rec, unsigned int size)
{
	bool is_set[PAGE_MAX] = { false };
	const struct format *f = format_of(u16_at(rec));
	unsigned int i;

	if (!f) {
		FAIL("a record of the unknown event %u", u16_at(rec));
		return;
	}
	records++;
	for (i = 0; i < f->nr; i++)
		mark(is_set, rec, size, &f->field[i]);
	for (i = 0; i < size; i++) {
		unset += !is_set[i];
		if (!is_set[i] && rec[i])
			FAIL("%s of %u bytes: byte %u belongs to no field and is %#x",
			     f->name, size, i, rec[i]);
	}
}

static void check_padding(const unsigned char *at, unsigned int size)
{
	unsigned int i;

	paddings++;
	padded += size;
	for (i = 0; i < size; i++)
		if (at[i]) {
			FAIL("byte %u of %u bytes of padding is %#x", i, size, at[i]);
			return;
		}
}

/* Record types as in include/linux/ring_buffer.h. */
static void check_page(const unsigned char *data, unsigned int bytes, unsigned int page_bytes)
{
	unsigned int at = 0, type, words;

	while (at + 8 <= bytes) {
		type = u32_at(data + at) & 31;
		words = u32_at(data + at + 4);
		if (type == 0) {
			check_record(data + at + 8, words - 4);
			at += 4 + words;
		} else if (type == 29) {
			check_padding(data + at + 8, words - 4);
			at += 4 + words;
		} else if (type > 29) {
			at += 8;
		} else {
			check_record(data + at + 4, 4 * type);
			at += 4 + 4 * type;
		}
	}
	EXPECT_EQ(at, bytes);
	check_padding(data + bytes, page_bytes - bytes);
	paddings--;
}

/* Read the buffer page by page. */
static void check_all(int pipe, const struct format *header)
{
	static unsigned char page[PAGE_MAX];
	unsigned int data = header->field[header->nr - 1].offset;
	unsigned int commit = header->field[1].offset;
	ssize_t got;

	while ((got = read(pipe, page, sizeof(page))) > 0)
		check_page(page + data, u32_at(page + commit) & 0xfffff, got - data);
}

/* ---- a session ------------------------------------------------------------------ */

/* Make a few records with strings of many lengths, and stop; again and again. */
static void work(void)
{
	char name[64];
	int i, len;

	et_on_cpu(0);
	for (i = 0; i < ROUNDS; i++) {
		raise(SIGSTOP);
		len = 1 + i * 7 % 61;
		memset(name, 'a' + i % 26, len);
		name[0] = '/';
		name[len] = '\0';
		syscall(SYS_mkdir, name, 0700);
		syscall(SYS_rmdir, name);
		syscall(SYS_close, syscall(SYS_dup, 0));
		syscall(SYS_chdir, "/");
	}
	raise(SIGSTOP);
	_exit(0);
}

TEST(no_stale_bytes_in_pages)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION, .buffer = 2 * sysconf(_SC_PAGESIZE) };
	struct etrace_open open_pipe = { .what = ETRACE_OPEN_PIPE };
	static struct format header;
	int dev, pipe, status;
	pid_t pid;

	et_module_setup("", 64);
	read_formats();
	EXPECT(read_format(EVENTS "header_page", &header));
	dev = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
	MUST(ioctl(dev, ETRACE_IOC_CREATE, &create));
	pipe = MUST(ioctl(dev, ETRACE_IOC_OPEN, &open_pipe));
	fflush(stdout);
	pid = MUST(fork());
	if (!pid)
		work();
	MUST(waitpid(pid, &status, WUNTRACED));
	MUST(ioctl(dev, ETRACE_IOC_ADD, &pid));
	records = unset = paddings = padded = 0;
	/* Each time, a partly filled page is read. */
	while (WIFSTOPPED(status)) {
		MUST(kill(pid, SIGCONT));
		MUST(waitpid(pid, &status, WUNTRACED));
		check_all(pipe, &header);
	}
	et_note("%u records with %u bytes outside fields; %u gaps within pages", records, unset,
		paddings);
	EXPECT(records >= 3 * ROUNDS);
	EXPECT(unset);
	EXPECT(paddings);
	close(pipe);
	close(dev);
	et_module_teardown();
}

int main(int argc, char **argv)
{
	if (et_bpf())
		et_skip_all("this tests the module's pages");
	return et_main(argc, argv, NULL);
}
