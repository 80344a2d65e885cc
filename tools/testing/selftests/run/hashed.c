// SPDX-License-Identifier: GPL-2.0
/*
 * Changes and reads files in all ways that could make a hash wrong, and stores their contents.
 *
 *	hashed all DIR ROUNDS SEED	several processes at once, with a separate process for each
 *					change and read (hashed OP FILE ID)
 *	hashed outside DIR		change DIR/outside-* until DIR/stop exists, not recorded
 *	hashed stop FILE		stop the process whose number is in FILE again and again until it
 *					has ended: a recorder that looks at files too late
 *
 * DIR/truth/ID.N is the content of the file when the process with that ID had closed it for the
 * Nth time; for a reader, the content that it has read.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS	4
#define FILES	6
#define SIZE	9000u

static const char *id;
static unsigned int stage;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void nap(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

/* Content that no other stage of any process has. */
static void fill(char *to, size_t n, unsigned int salt)
{
	int len = snprintf(to, n, "%s.%u.%u.", id, stage, salt);

	for (size_t i = (size_t)len; i < n; i++)
		to[i] = (char)('a' + (i * 7 + salt + stage) % 26);
}

static void keep(const char *bytes, size_t n)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "truth/%s.%u", id, stage++);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd))
		fail(name);
}

static size_t read_whole(const char *file, char *buf, size_t max, long pause)
{
	int fd = open(file, O_RDONLY);
	size_t have = 0;
	ssize_t n;

	if (fd < 0)
		return (size_t)-1;
	nap(pause);
	while ((n = read(fd, buf + have, max - have)) > 0) {
		have += (size_t)n;
		nap(pause);
	}
	close(fd);
	return have;
}

/* Store the content, while no other process changes the file. */
static void keep_file(const char *file)
{
	static char buf[1 << 18];
	size_t n = read_whole(file, buf, sizeof(buf), 0);

	if (n != (size_t)-1)
		keep(buf, n);
}

static void put(int fd, size_t n, off_t at, unsigned int salt)
{
	static char buf[1 << 16];

	fill(buf, n, salt);
	if (pwrite(fd, buf, n, at) != (ssize_t)n)
		fail("pwrite");
}

static int opened(const char *file, int flags)
{
	int fd = open(file, flags | O_CREAT, 0644);

	if (fd < 0)
		fail(file);
	return fd;
}

/* ---- changes; @file is locked ---- */

static void op_write(const char *file)
{
	int fd = opened(file, O_WRONLY | O_TRUNC);

	put(fd, SIZE, 0, 0);
	close(fd);
	keep_file(file);
}

static void op_inplace(const char *file)
{
	int fd = opened(file, O_WRONLY);

	put(fd, 100, 50, 0);
	nap(2);
	put(fd, 100, 50, 1);
	close(fd);
	keep_file(file);
}

static void op_map(const char *file)
{
	int fd = opened(file, O_RDWR);
	char *at;

	if (ftruncate(fd, SIZE))
		fail("ftruncate");
	at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		fail("mmap");
	fill(at, SIZE, 0);
	close(fd);
	/* ctime does not change, because the page is dirty already */
	nap(30);
	fill(at, SIZE, 1);
	munmap(at, SIZE);
	keep_file(file);
}

static void op_rename(const char *file)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "new.%s", id);
	fd = opened(name, O_WRONLY | O_EXCL);
	put(fd, SIZE, 0, 0);
	close(fd);
	keep_file(name);
	if (rename(name, file))
		fail("rename");
}

static void op_size(const char *file)
{
	int fd = opened(file, O_WRONLY);

	if (ftruncate(fd, 300))
		fail("ftruncate");
	put(fd, 200, 5000, 0);
	close(fd);
	keep_file(file);
}

static void op_link(const char *file)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "link.%s", id);
	close(opened(file, O_WRONLY));
	keep_file(file);
	if (link(file, name))
		fail("link");
	fd = opened(name, O_WRONLY);
	put(fd, 77, 10, 0);
	close(fd);
	keep_file(name);
	unlink(name);
}

static void op_gone(const char *file)
{
	char name[64];
	int fd;

	(void)file;
	snprintf(name, sizeof(name), "gone.%s", id);
	fd = opened(name, O_WRONLY);
	put(fd, SIZE, 0, 0);
	close(fd);
	unlink(name);
}

static void op_two(const char *file)
{
	int fd = opened(file, O_WRONLY | O_TRUNC);
	pid_t child = fork();

	for (int i = 0; i < 5; i++) {
		put(fd, 2000, child ? 0 : 4000, (unsigned int)i);
		nap(1);
	}
	if (!child)
		_exit(0);
	close(fd);
	waitpid(child, NULL, 0);
	keep_file(file);
}

/* Change the content, but restore size and time stamp. */
static void put_stamped(const char *file)
{
	int fd = opened(file, O_WRONLY);
	struct stat st;
	struct timespec times[2];

	fstat(fd, &st);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	put(fd, 100, 20, 0);
	futimens(fd, times);
	close(fd);
}

static void op_stamp(const char *file)
{
	put_stamped(file);
	keep_file(file);
}

static void op_read(const char *file)
{
	static char buf[1 << 18];
	size_t n = read_whole(file, buf, sizeof(buf), strstr(file, "outside") ? 3 : 0);

	if (n != (size_t)-1)
		keep(buf, n);
}

static const struct op {
	const char *name;
	void (*run)(const char *file);
	int reads;		/* needs no lock, because any content that it reads is right */
} ops[] = {
	{ "write", op_write, 0 }, { "inplace", op_inplace, 0 }, { "map", op_map, 0 },
	{ "rename", op_rename, 0 }, { "size", op_size, 0 }, { "link", op_link, 0 },
	{ "gone", op_gone, 0 }, { "two", op_two, 0 }, { "stamp", op_stamp, 0 },
	{ "read", op_read, 1 }, { "read", op_read, 1 }, { "read", op_read, 1 },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

/* ---- processes ---- */

static void run_op(const struct op *op, const char *file, int worker, int round)
{
	char name[32], lock[64];
	int fd, status;
	pid_t pid;

	snprintf(name, sizeof(name), "%d-%d", worker, round);
	snprintf(lock, sizeof(lock), "locks/%s", file);
	fd = op->reads ? -1 : open(lock, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		flock(fd, LOCK_EX);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "hashed", op->name, file, name, NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		fprintf(stderr, "%s %s %s: status %d\n", op->name, file, name, status);
	if (fd >= 0)
		close(fd);
}

static void work(int worker, int rounds, unsigned int seed)
{
	char file[32];

	srand(seed + (unsigned int)worker);
	for (int i = 0; i < rounds; i++) {
		const struct op *op = &ops[(unsigned int)rand() % NOPS];

		if (op->reads && rand() % 2)
			snprintf(file, sizeof(file), "outside-%d", rand() % 3);
		else
			snprintf(file, sizeof(file), "file-%d", rand() % FILES);
		run_op(op, file, worker, i);
		/* sometimes make several changes within one clock tick */
		if (rand() % 3 == 0)
			nap(rand() % 20);
	}
}

static int all(const char *dir, int rounds, unsigned int seed)
{
	int status, bad = 0;

	if (chdir(dir))
		fail(dir);
	for (int w = 0; w < WORKERS; w++)
		if (!fork()) {
			work(w, rounds, seed);
			exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}

/* Waits for @file.  Never stops the recorder for long: strace and the build would wait for it. */
static int stop(const char *file)
{
	FILE *f;
	int pid = 0;

	for (; pid <= 0; nap(20)) {
		f = fopen(file, "r");
		if (f && fscanf(f, "%d", &pid) != 1)
			pid = 0;
		if (f)
			fclose(f);
	}
	for (; !kill(pid, SIGSTOP); nap(30)) {
		nap(100);
		kill(pid, SIGCONT);
	}
	return 0;
}

static int outside(const char *dir)
{
	char file[32];
	int n = 0;

	if (chdir(dir))
		fail(dir);
	id = "outside";
	for (; access("stop", F_OK); n++) {
		snprintf(file, sizeof(file), "outside-%d", n % 2);
		stage = (unsigned int)n;
		put_stamped(file);
		nap(n % 40);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "all"))
		return all(argv[2], atoi(argv[3]), (unsigned int)atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "outside"))
		return outside(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "stop"))
		return stop(argv[2]);
	for (size_t i = 0; argc == 4 && i < NOPS; i++)
		if (!strcmp(argv[1], ops[i].name)) {
			id = argv[3];
			ops[i].run(argv[2]);
			return 0;
		}
	fprintf(stderr, "usage: hashed all DIR ROUNDS SEED | outside DIR | stop FILE | OP FILE ID\n");
	return 2;
}
