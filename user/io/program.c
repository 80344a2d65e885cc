// SPDX-License-Identifier: LGPL-2.1
/* Runs a program and reads its output.  See program.h. */
#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *program_start(char *const argv[], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	FILE *from;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	from = fdopen(ends[0], "r");
	err = errno;
	if (from) {
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		err = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
		if (err)
			fclose(from);
	} else {
		close(ends[0]);
	}
	close(ends[1]);
	errno = err;
	return err ? NULL : from;
}

int program_end(FILE *from, pid_t pid)
{
	int status = 0;

	fclose(from);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
