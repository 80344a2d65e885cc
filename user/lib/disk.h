/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files on their way to the disk: a thread that calls fdatasync(), which may
 * take long, so that who writes does not wait for it.
 */
#ifndef ETRACE_DISK_H
#define ETRACE_DISK_H

struct disk;

/** disk_new - a thread that does nothing yet; NULL if there can be none */
struct disk *disk_new(void);

/** disk_add - one more file; a descriptor of its own is made */
void disk_add(struct disk *d, int fd);

/** disk_sync - what was written until now is to reach the disk soon */
void disk_sync(struct disk *d);

/** disk_free - end the thread, behind the call that it is in */
void disk_free(struct disk *d);

#endif
