// SPDX-License-Identifier: LGPL-2.1
/* Built instead of bpf_session.c if the tools for the BPF backend are missing. */
#include "record/bpf/bpf_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool bpf_available(char *why, size_t size)
{
	snprintf(why, size, "this etrace was built without the BPF backend");
	return false;
}

struct session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				 char *why, size_t size)
{
	(void)opt;
	(void)sink;
	bpf_available(why, size);
	return NULL;
}

/* Never called, since no session can be opened. */

int bpf_session_release(struct session *s)
{
	(void)s;
	return -ENOSYS;
}

void bpf_session_account(struct session *s, struct bpf_account *a)
{
	(void)s;
	memset(a, 0, sizeof(*a));
}
