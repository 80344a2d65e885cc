// SPDX-License-Identifier: GPL-2.0
/* Arbitrary bytes as a configuration for compile commands, and as a list of them to be updated. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "answers/compdb_old.h"
#include "command/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct diag *diag = diag_new(NULL, "fuzz");
	struct compdb_old old = { .fd = -1 };
	struct config config;
	char path[32];
	int fd = memfd_create("config", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, n) == (ssize_t)n) {
		config_init(&config);
		config_read(&config, path, diag);
		config_free(&config);
		compdb_old_read(&old, path, false, diag);
		compdb_old_free(&old);
	}
	close(fd);
	diag_free(diag);
	return 0;
}
