/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes a file out to the disk in the background: a thread calls fdatasync(), which may
 * take long, so that the writer of the file does not wait for it.
 */
#ifndef ETRACE_DISK_H
#define ETRACE_DISK_H

struct disk;

/**
 * disk_new - start the thread; it waits for disk_sync()
 * @fd: the file; the caller keeps it open until disk_free()
 *
 * Return: NULL if no thread can be started.
 */
struct disk *disk_new(int fd);

/** disk_sync - let the thread write what is in the file now to the disk; does not wait */
void disk_sync(struct disk *d);

/**
 * disk_free - end the thread, after the fdatasync() that it is in
 *
 * Return: 0, or the first negative errno of fdatasync(); the kernel reports an error
 * only once, so a later call would not return it.
 */
int disk_free(struct disk *d);

#endif
