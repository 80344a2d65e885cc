/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A file on its way to the disk: a thread that calls fdatasync(), which may
 * take long, so that the writer does not wait for it.
 */
#ifndef ETRACE_DISK_H
#define ETRACE_DISK_H

struct disk;

/**
 * disk_new - a thread that does nothing yet
 * @fd: the file; stays the caller's, and open until disk_free()
 *
 * Return: NULL if no thread can be started.
 */
struct disk *disk_new(int fd);

/** disk_sync - have the data written so far reach the disk soon */
void disk_sync(struct disk *d);

/**
 * disk_free - end the thread, behind the call that it is in
 *
 * Return: 0, or the first negative errno that fdatasync() gave; the kernel
 * tells each only once.
 */
int disk_free(struct disk *d);

#endif
