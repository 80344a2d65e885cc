/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the user who ran sudo, or whom -u names, and takes on their rights, temporarily
 * or permanently.
 */
#ifndef ETRACE_CALLER_H
#define ETRACE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

struct user {
	uid_t uid;
	gid_t gid;
	gid_t *groups;		/* all groups of the user */
	int ngroups;
	char *name;		/* NULL if the uid has none */
	char *home, *shell;	/* NULL if unknown */
};

/**
 * user_of_sudo - the user who started this program with sudo
 *
 * Return: the user, for user_free(); NULL if not started with sudo, or if root ran sudo.
 */
struct user *user_of_sudo(void);

/** user_by_name - a user by name or number. Return: NULL if none. */
struct user *user_by_name(const char *name);
void user_free(struct user *u);

/**
 * user_become - permanently become a user, with the user's groups and variables HOME,
 * SHELL, USER and LOGNAME
 *
 * Return: 0 or -errno.
 */
int user_become(const struct user *u);

/** user_enter - use a user's rights to files until user_leave(); if NULL, keep
 * our own. Return: 0 or -errno.
 */
int user_enter(const struct user *u);
void user_leave(const struct user *u);

#endif
