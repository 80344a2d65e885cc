// SPDX-License-Identifier: GPL-2.0
/* In the place of bpf_session.c where there are no tools to build it. */
#include "bpf/bpf_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool bpf_available(char *why, size_t size)
{
	snprintf(why, size, "this etrace was built without the BPF backend");
	return false;
}

struct bpf_session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				     char *why, size_t size)
{
	(void)opt;
	(void)sink;
	bpf_available(why, size);
	return NULL;
}

/* There is no session to call these with. */

void bpf_session_close(struct bpf_session *s)
{
	(void)s;
}

int bpf_session_add(struct bpf_session *s, pid_t pid)
{
	(void)s;
	(void)pid;
	return -ENOSYS;
}

int bpf_session_release(struct bpf_session *s)
{
	(void)s;
	return -ENOSYS;
}

int bpf_session_fd(const struct bpf_session *s)
{
	(void)s;
	return -1;
}

bool bpf_session_idle(const struct bpf_session *s)
{
	(void)s;
	return true;
}

int bpf_session_tasks(struct bpf_session *s, struct eb_task **list)
{
	(void)s;
	(void)list;
	return -ENOSYS;
}

int bpf_session_pump(struct bpf_session *s)
{
	(void)s;
	return -ENOSYS;
}

int bpf_session_stop(struct bpf_session *s)
{
	(void)s;
	return -ENOSYS;
}

void bpf_session_account(struct bpf_session *s, struct bpf_account *a)
{
	(void)s;
	memset(a, 0, sizeof(*a));
}

const struct rec_tally *bpf_session_tally(const struct bpf_session *s)
{
	(void)s;
	return NULL;
}

void bpf_session_present(struct bpf_session *s, uint64_t upid, const char *program,
			 bool process)
{
	(void)s;
	(void)upid;
	(void)program;
	(void)process;
}

unsigned int bpf_session_level(const struct bpf_session *s)
{
	(void)s;
	return 0;
}

const char *bpf_session_about(const struct bpf_session *s)
{
	(void)s;
	return "";
}
