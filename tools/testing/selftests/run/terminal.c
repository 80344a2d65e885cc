// SPDX-License-Identifier: GPL-2.0
// description: etrace on a terminal: progress line, Ctrl-C, Ctrl-Z, fg, and the view of a build
/*
 * An interactive shell in a pseudo-terminal: the tests type like a user, and read its screen.
 * Results are KTAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROWS 24
#define COLS 100

static char seen[1 << 20];	/* output of the terminal since the last type_in() */
static size_t len;
static int tty;
static pid_t shell;
static char etrace[4096];
static unsigned int failures, number;

static void fail(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n#   the screen got: ");
	for (size_t i = len > 600 ? len - 600 : 0; i < len; i++)
		printf(seen[i] < ' ' || seen[i] > '~' ? "\\%03o" : "%c", (unsigned char)seen[i]);
	printf("\n");
	failures++;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void take(double seconds)
{
	double end = now() + seconds;

	while (now() < end) {
		struct pollfd p = { tty, POLLIN, 0 };
		ssize_t n;

		if (poll(&p, 1, 20) <= 0)
			continue;
		n = read(tty, seen + len, sizeof(seen) - 1 - len);
		if (n <= 0)
			return;
		len += (size_t)n;
		seen[len] = 0;
	}
}

/* Wait until the terminal has printed @text @times times, for at most two minutes. */
static bool expect(const char *text, int times)
{
	double end = now() + 120;

	while (now() < end) {
		const char *s = seen;
		int n = 0;

		while ((s = strstr(s, text))) {
			s += strlen(text);
			if (++n == times)
				return true;
		}
		take(0.05);
	}
	return false;
}

static void type_in(const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* Take what is left: at most a prompt, which no test looks for. */
	take(0.1);
	len = 0;
	seen[0] = 0;
	if (write(tty, text, (size_t)n) != n)
		fail("cannot type: %s", strerror(errno));
}

/* Wait until the file has a matching line, for at most two minutes. */
static bool appears(const char *pattern, const char *file)
{
	char command[200];
	int i;

	snprintf(command, sizeof(command), "grep -qs '%s' %s", pattern, file);
	for (i = 0; i < 1200 && system(command); i++)
		usleep(100000);
	return i < 1200;
}

static void result(const char *name)
{
	printf("%sok %u %s\n", failures ? "not " : "", ++number, name);
	fflush(stdout);
}

/* Commands of the tests run "cat FIFO", which let_end() ends. */
static void make_fifo(const char *name)
{
	if (mkfifo(name, 0600))
		fail("%s: %s", name, strerror(errno));
}

/* Wait until a process reads the FIFO, for at most two minutes, and let it end. */
static void let_end(const char *fifo)
{
	int fd = -1;

	for (int i = 0; i < 1200 && fd < 0; i++) {
		fd = open(fifo, O_WRONLY | O_NONBLOCK);
		if (fd < 0)
			usleep(100000);
	}
	if (fd < 0 || close(fd))
		fail("%s: %s", fifo, strerror(errno));
}

/*
 * The progress line is updated twice a second, unless the machine is busy. Return: whether it was
 * updated twice in one of the seconds after the first, according to the times in it.
 */
static bool renewed_twice(void)
{
	int minutes, seconds, last = 0;

	for (const char *s = seen; (s = strstr(s, "etrace: ")); s++) {
		if (sscanf(s, "etrace: %d:%2d", &minutes, &seconds) != 2)
			continue;
		seconds += 60 * minutes;
		if (seconds > 0 && seconds == last)
			return true;
		last = seconds;
	}
	return false;
}

/* Wait for that, for at most two minutes. */
static bool expect_renewals(void)
{
	double end = now() + 120;

	while (!renewed_twice()) {
		if (now() > end)
			return false;
		take(0.05);
	}
	return true;
}

static void progress_line(void)
{
	make_fifo("p.end");
	type_in("%s run -o p.fxt -- sh -c '/bin/true; cat p.end; echo com\"\"mand says hello'; "
		"echo stat\"\"us=$?\n", etrace);
	if (!expect_renewals())
		fail("the progress line is not renewed twice a second, with the time");
	if (!expect("slowest cat ", 1))
		fail("the progress line does not show the slowest program");
	let_end("p.end");
	if (!strstr(seen, "processes") || !strstr(seen, "lost 0"))
		fail("the progress line lacks the number of processes or of losses");
	/* programs that are running, and the last one that ended */
	if (!strstr(seen, "1 running") || !strstr(seen, "slowest cat ") || !strstr(seen, "last true"))
		fail("the progress line lacks the running or the last program");
	/* the last line of the screen, and the scroll region above it */
	if (!strstr(seen, "\033[1;23r") || !strstr(seen, "\033[24;1H"))
		fail("the progress line is not in the last line of the screen");
	if (!expect("command says hello", 1) || !expect("status=0", 1))
		fail("the command's output is missing");
	if (!strstr(seen, "\033[r"))
		fail("the scroll region is not reset at the end");
	if (!strstr(seen, "complete"))
		fail("there is no summary");
	result("progress_line");
}

static void no_progress(void)
{
	failures = 0;
	/* The absence of lines cannot be waited for: the command leaves time for two. */
	type_in("%s run --progress=never -o p.fxt -- sleep 1.2; echo stat\"\"us=$?\n", etrace);
	if (!expect("status=0", 1))
		fail("etrace run does not end");
	if (strstr(seen, " running") || strstr(seen, "\0337"))
		fail("there is a progress line with --progress=never");
	type_in("NO_COLOR=1 %s run --progress=never -o p.fxt -- true; echo stat\"\"us=$?\n", etrace);
	if (!expect("status=0", 1) || strstr(seen, "\033[32m"))
		fail("there are colours in spite of NO_COLOR");
	type_in("%s run --progress=never -o p.fxt -- true; echo stat\"\"us=$?\n", etrace);
	if (!expect("status=0", 1) || !strstr(seen, "\033[32mcomplete"))
		fail("there are no colours on a terminal");
	result("no_progress");
}

static void ctrl_c(void)
{
	failures = 0;
	type_in("%s run -o c.fxt -- sh -c 'trap \"echo got\"\"-int; exit 9\" INT; echo rea\"\"dy; while :; do sleep 0.1; done'; echo stat\"\"us=$?\n", etrace);
	if (!expect("ready", 1))
		fail("the command does not start");
	type_in("\003");
	if (!expect("status=9", 1))
		fail("Ctrl-C does not end the command");
	if (!strstr(seen, "got-int"))
		fail("the command did not get SIGINT");
	if (strstr(strstr(seen, "got-int") ? strstr(seen, "got-int") + 1 : seen, "got-int"))
		fail("the command got SIGINT twice");
	type_in("%s run -o c.fxt -- sh -c 'echo rea\"\"dy; exec sleep 1000'; echo stat\"\"us=$?\n", etrace);
	if (!expect("ready", 1))
		fail("the command does not start");
	type_in("\003");
	if (!expect("status=130", 1))
		fail("the status of a command that Ctrl-C ended is not 130");
	type_in("%s run -o c.fxt -- sh -c 'ulimit -c 0; echo rea\"\"dy; exec sleep 1000'; echo stat\"\"us=$?\n", etrace);
	if (!expect("ready", 1))
		fail("the command does not start");
	type_in("\034");
	if (!expect("status=131", 1))
		fail("the status after Ctrl-\\ is not 131");
	result("ctrl_c");
}

static void ctrl_z(void)
{
	failures = 0;
	/*
	 * The command waits without starting programs: dash would use vfork(), and a child that
	 * stops before its execve keeps dash from stopping, traced or not.
	 */
	type_in("%s run -o z.etrace -- sh -c 'cat /etc/hostname; echo rea\"\"dy; "
		"until [ -e z.on ]; do :; done; echo goes o\"\"n; "
		"cat /etc/hostname /etc/hostname; exit 8'; echo stat\"\"us=$?\n", etrace);
	if (!expect("ready", 1))
		fail("the command does not start");
	type_in("\032");
	if (!expect("Stopped", 1))
		fail("Ctrl-Z does not stop the command");
	type_in("jobs; echo do\"\"ne\n");
	if (!expect("done", 1) || !strstr(seen, "Stopped"))
		fail("the shell does not see a stopped job");
	/* Nothing reports that the command stays stopped; otherwise it would go on within 0.1 s. */
	make_fifo("z.on");
	take(0.5);
	if (strstr(seen, "goes on"))
		fail("the command runs on after Ctrl-Z");
	type_in("fg; echo stat\"\"us=$?\n");
	if (!expect("status=8", 1) || !strstr(seen, "goes on"))
		fail("fg does not continue the command");
	type_in("grep -c '!FN|/etc/hostname' z.etrace; echo do\"\"ne\n");
	if (!expect("done", 1) || !strstr(seen, "3\r\ndone"))
		fail("events of the command are missing in the trace");
	/* in the background and back */
	make_fifo("b.end");
	type_in("%s run -o b.etrace -- cat b.end & echo do\"\"ne\n", etrace);
	if (!expect("done", 1) || !appears("!PP|.*/cat", "b.etrace"))
		fail("etrace run cannot be started in the background");
	type_in("fg; echo stat\"\"us=$?\n");
	/* in the foreground it shows its progress */
	if (!expect(" running", 1))
		fail("there is no progress line in the foreground");
	let_end("b.end");
	if (!expect("status=0", 1))
		fail("etrace run cannot be brought to the foreground");
	result("ctrl_z");
}

/*
 * Wait until a view shows the text. A view sends only changes, which may be half a word; after a
 * change of size it sends the whole screen.
 */
static bool shows(const char *text)
{
	struct winsize size = { ROWS, COLS, 0, 0 };
	bool found = false;

	for (int i = 0; i < 120 && !found; i++) {
		double end = now() + 1;

		size.ws_col = (unsigned short)(COLS + i % 2);
		len = 0;
		seen[0] = 0;
		if (ioctl(tty, TIOCSWINSZ, &size))
			fail("cannot change the terminal's size: %s", strerror(errno));
		while (!found && now() < end) {
			take(0.05);
			found = strstr(seen, text);
		}
	}
	if (!found)
		fail("the view does not show '%s'", text);
	return found;
}

/* The end of a command line: "; echo status=$?". */
#define DONE "; echo stat\"\"us=$?\n"

static void ends_with(const char *status)
{
	if (!expect(status, 1))
		fail("the command does not end with %s", status);
}

static void is_whole(const char *trace)
{
	type_in("%s report %s > report; grep -c 'NOT complete\\|cut off' report" DONE, etrace, trace);
	if (!expect("status=1", 1) || !strstr(seen, "0\r\n"))
		fail("%s is not complete", trace);
}

/* Kill only the view of a process; a variable of the shell contains its pid. */
static void kill_view(const char *variable)
{
	int pid = 0;
	FILE *f;

	type_in("sh -c 'echo $$ > view.pid; exec %s top '$%s" DONE, etrace, variable);
	shows("1 running");
	f = fopen("view.pid", "r");
	if (!f || fscanf(f, "%d", &pid) != 1 || kill(pid, SIGKILL))
		fail("there is no view to kill");
	if (f)
		fclose(f);
	ends_with("status=137");
	type_in("stty sane; kill -0 $%s" DONE, variable);
	ends_with("status=0");
}

/* A recording by etrace run, in its own view and in that of etrace top. */
static void view_of_run(const char *backend)
{
	make_fifo("v.end");
	type_in("%s run --backend=%s --top -o v.fxt cat v.end" DONE, etrace, backend);
	shows("cat v.end");
	type_in("q");
	if (!expect(" running", 1))
		fail("there is no progress line after the view");
	let_end("v.end");
	ends_with("status=0");
	is_whole("v.fxt");

	type_in("%s run --backend=%s --top -o v.fxt sh -c 'cat v.end; exit 3'" DONE, etrace, backend);
	shows("cat v.end");
	let_end("v.end");
	ends_with("status=3");
	is_whole("v.fxt");

	/* the file exists once recording has begun */
	unlink("w.fxt");
	type_in("%s run -q --backend=%s -o w.fxt cat v.end &\n", etrace, backend);
	type_in("w=$!; until [ -s w.fxt ]; do sleep 0.1; done; %s top $w" DONE, etrace);
	shows("1 running");
	type_in("q");
	ends_with("status=0");
	kill_view("w");
	type_in("%s top $w" DONE, etrace);
	shows("1 running");
	let_end("v.end");
	shows("the build has succeeded");
	type_in("q");
	ends_with("status=0");
	type_in("wait $w" DONE);
	ends_with("status=0");
	is_whole("w.fxt");
}

/* A process that is not recorded yet. */
static void view_of_process(const char *backend)
{
	type_in("cat v.end & v=$!\n");
	type_in("%s attach --backend=%s --top -o a.fxt $v" DONE, etrace, backend);
	shows("1 running");
	type_in("q");
	if (!expect(" running", 1))
		fail("there is no progress line after the view");
	let_end("v.end");
	ends_with("status=0");
	is_whole("a.fxt");

	type_in("cat v.end & v=$!\n");
	type_in("%s top $v" DONE, etrace);
	shows("1 running");
	type_in("q");
	ends_with("status=0");
	type_in("kill -0 $v" DONE);
	ends_with("status=0");
	kill_view("v");
	type_in("%s top $v" DONE, etrace);
	shows("1 running");
	let_end("v.end");
	shows("has ended");
	type_in("q");
	ends_with("status=0");
	type_in("rm v.end" DONE);
	ends_with("status=0");
}

static void view(const char *backend)
{
	char own[sizeof(etrace)], name[40];
	struct utsname kernel;

	failures = 0;
	snprintf(name, sizeof(name), "view_%s", backend);
	uname(&kernel);
	if (!strcmp(backend, "bpf") && !strncmp(kernel.release, "5.10.", 5) && !getenv("LONG")) {
		printf("ok %u %s # SKIP the verifier takes minutes here; LONG=y\n", ++number, name);
		return;
	}
	/* without the module in its directory, etrace top uses BPF */
	strcpy(own, etrace);
	if (!strcmp(backend, "bpf")) {
		type_in("cp %s here" DONE, own);
		ends_with("status=0");
		strcpy(etrace, "./here");
	}
	view_of_run(backend);
	view_of_process(backend);
	strcpy(etrace, own);
	result(name);
}

static void view_module(void)
{
	view("module");
}

static void view_bpf(void)
{
	view("bpf");
}

/* Whether a process is asleep at 20 looks in a row, within two minutes. */
static bool sleeps(pid_t pid)
{
	char path[40], state;
	int asleep = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 6000 && asleep < 20; i++) {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (f)
			fclose(f);
		asleep = state == 'S' ? asleep + 1 : 0;
		usleep(20000);
	}
	return asleep == 20;
}

/* A command that outlives its terminal is still recorded, and the recorder does not busy-wait. */
static void hang_up_view(void)
{
	struct winsize size = { ROWS, COLS, 0, 0 };
	char command[8192];
	int status = 0;
	pid_t child;

	failures = 0;
	make_fifo("o.end");
	snprintf(command, sizeof(command),
		 "exec %s run -q --top -o o.etrace sh -c 'trap \"\" HUP; cat o.end; cat /etc/hostname'",
		 etrace);
	close(tty);
	child = forkpty(&tty, NULL, NULL, &size);
	if (!child) {
		setenv("TERM", "xterm", 1);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	shows("cat o.end");
	close(tty);
	if (!sleeps(child))
		fail("the command does not wait");
	let_end("o.end");
	if (waitpid(child, &status, 0) != child || status)
		fail("status %x of a run that outlives its terminal", (unsigned int)status);
	if (!appears("!FN|/etc/hostname", "o.etrace") || !appears("!VT|", "o.etrace"))
		fail("events of the command are missing in the trace");
	result("hang_up_view");
}

static void hang_up(void)
{
	int status;

	failures = 0;
	type_in("%s run -q -o h.etrace -- sh -c 'echo rea\"\"dy; exec sleep 1000'\n", etrace);
	if (!expect("ready", 1))
		fail("the command does not start");
	close(tty);
	for (int i = 0; i < 1200 && waitpid(shell, &status, WNOHANG) != shell; i++)
		usleep(100000);
	if (!appears("!VT|", "h.etrace"))
		fail("the trace has no end after the terminal hung up");
	result("hang_up");
}

int main(int argc, char **argv)
{
	struct winsize size = { ROWS, COLS, 0, 0 };
	char dir[] = "/tmp/etrace-term.XXXXXX", *slash;
	/* the last ones end the shell */
	static void (*const tests[])(void) = {
		progress_line, no_progress, ctrl_c, ctrl_z, view_module, view_bpf, hang_up,
		hang_up_view,
	};
	unsigned int bad = 0;

	(void)argc;
	if (!realpath(argv[0], etrace))
		return 1;
	slash = strrchr(etrace, '/');
	strcpy(slash + 1, "etrace");
	if (getuid() || access(etrace, X_OK)) {
		printf("1..0 # SKIP needs root, and etrace beside it\n");
		return 4;
	}
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	printf("TAP version 13\n1..%zu\n", sizeof(tests) / sizeof(tests[0]));
	fflush(stdout);
	shell = forkpty(&tty, NULL, NULL, &size);
	if (shell < 0)
		return 1;
	if (!shell) {
		setenv("TERM", "xterm", 1);
		setenv("PS1", "$ ", 1);
		execl("/bin/bash", "bash", "--norc", "--noprofile", "-i", NULL);
		_exit(127);
	}
	if (!expect("$ ", 1))
		fail("the shell has no prompt");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		tests[i]();
		bad += failures;
	}
	return bad != 0;
}
