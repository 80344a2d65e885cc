/* SPDX-License-Identifier: GPL-2.0 */
/* Capturing strings: paths, and strings in a program's memory. */
#ifndef ETRACE_CAPTURE_H
#define ETRACE_CAPTURE_H

#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "etrace.h"

struct dentry;
struct file;
struct path;

#define ETRACE_PATH_BUF	(32 * 1024)	/* longest path in bytes, for any depth seen in practice */

/**
 * struct etrace_scratch - per-CPU buffers for the strings of one record
 * @path: buffer of each string: a directory's path, '/', and a user's string
 * @argv: buffer for a piece of an argument list
 */
struct etrace_scratch {
	char path[ETRACE_NR_STR][ETRACE_PATH_BUF + PATH_MAX + 1];
	char argv[2048];
};

DECLARE_PER_CPU(struct etrace_scratch *, etrace_scratch);

int etrace_scratch_init(void);
void etrace_scratch_exit(void);

/**
 * etrace_scratch_get - get this CPU's scratch buffers
 *
 * Preemption is off until etrace_scratch_put(), which is thus also an RCU
 * read-side section.  Users do not nest: no probe fires while another one captures
 * strings.
 *
 * Return: the buffers.
 */
static inline struct etrace_scratch *etrace_scratch_get(void)
{
	preempt_disable();
	return __this_cpu_read(etrace_scratch);
}

static inline void etrace_scratch_put(void)
{
	preempt_enable();
}

void etrace_capture_path(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 const struct path *path);
void etrace_capture_child(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *dir, const struct dentry *dentry);
void etrace_capture_fd(struct etrace_rec *r, int i, struct etrace_scratch *sc,
		       int fd);
void etrace_capture_opened(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			   int fd);
void etrace_capture_found(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *path);
void etrace_capture_program(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			    const struct file *file);
long etrace_fd_flags(int fd);
bool etrace_fds_are_pipe(const int fd[2]);
void etrace_capture_cwd(struct etrace_rec *r, int i, struct etrace_scratch *sc);
void etrace_capture_user(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 unsigned long uaddr);
void etrace_capture_bytes(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  unsigned long uaddr, unsigned long len);
void etrace_capture_joined(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd,
			   unsigned long uaddr);
void etrace_capture_kernel(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd, const char *name);

#endif /* ETRACE_CAPTURE_H */
