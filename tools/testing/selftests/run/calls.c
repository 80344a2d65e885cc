// SPDX-License-Identifier: GPL-2.0
/*
 * A workload whose calls can be counted: opens and closes a file N times, or for
 * some seconds, and prints how many times it did.
 *
 *	calls N | calls -s SECONDS
 *
 * Or sets up an io_uring and prints its descriptor:
 *
 *	calls -u
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = 0, max = argc > 1 ? atol(argv[argc - 1]) : 0;
	int timed = argc > 2 && !strcmp(argv[1], "-s");
	time_t end = time(NULL) + max;
	char params[256] = { 0 };	/* larger than struct io_uring_params */

	if (argc == 2 && !strcmp(argv[1], "-u")) {
		n = syscall(SYS_io_uring_setup, 1, params);
		printf("%ld\n", n);
		return n < 0;
	}
	while (timed ? (n & 1023 || time(NULL) < end) : n < max) {
		int fd = open("/etc/hostname", O_RDONLY);

		if (fd < 0 || close(fd))
			return 1;
		n++;
	}
	printf("%ld\n", n);
	return 0;
}
