// SPDX-License-Identifier: GPL-2.0
/*
 * load SECONDS [CPU]: open and close a file as fast as possible, on one processor if given, and
 * print how often.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	unsigned long n = 0;
	cpu_set_t set;

	if (argc > 2) {
		CPU_ZERO(&set);
		CPU_SET(atoi(argv[2]), &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
	}
	while (time(NULL) < end) {
		int fd = open("/etc/hostname", O_RDONLY);

		if (fd < 0 || close(fd))
			return 1;
		n++;
	}
	printf("%lu\n", n);
	return 0;
}
