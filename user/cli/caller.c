// SPDX-License-Identifier: GPL-2.0
/* Finds users, and becomes one of them.  See caller.h. */
#include "cli/caller.h"
#include "base/xalloc.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_groups(struct user *u)
{
	int n = 0;

	if (!u->name) {
		u->groups = xmalloc(sizeof(gid_t));
		u->groups[0] = u->gid;
		u->ngroups = 1;
		return;
	}
	/* the first call only asks for the number */
	getgrouplist(u->name, u->gid, NULL, &n);
	do {
		u->ngroups = n + 16;
		free(u->groups);
		u->groups = xcalloc((size_t)u->ngroups, sizeof(gid_t));
		n = u->ngroups;
	} while (getgrouplist(u->name, u->gid, u->groups, &n) < 0);
	u->ngroups = n;
}

static struct user *user_of(const struct passwd *pw, uid_t uid, gid_t gid)
{
	struct user *u = xcalloc(1, sizeof(*u));

	u->uid = uid;
	u->gid = gid;
	if (pw) {
		u->name = xstrdup(pw->pw_name);
		u->home = xstrdup(pw->pw_dir);
		u->shell = xstrdup(*pw->pw_shell ? pw->pw_shell : "/bin/sh");
	}
	set_groups(u);
	return u;
}

static bool parse_number(const char *s, unsigned long *v)
{
	char *end;

	if (!s || *s < '0' || *s > '9')
		return false;
	errno = 0;
	*v = strtoul(s, &end, 10);
	return !errno && !*end && *v < (uid_t)-1;
}

struct user *user_of_sudo(void)
{
	const struct passwd *pw;
	unsigned long uid, gid;

	if (geteuid() || !parse_number(getenv("SUDO_UID"), &uid) || !uid)
		return NULL;
	pw = getpwuid((uid_t)uid);
	if (!parse_number(getenv("SUDO_GID"), &gid)) {
		if (!pw)
			return NULL;
		gid = pw->pw_gid;
	}
	return user_of(pw, (uid_t)uid, (gid_t)gid);
}

struct user *user_by_name(const char *name)
{
	const struct passwd *pw = getpwnam(name);
	unsigned long uid;

	if (!pw && parse_number(name, &uid))
		pw = getpwuid((uid_t)uid);
	return pw ? user_of(pw, pw->pw_uid, pw->pw_gid) : NULL;
}

void user_free(struct user *u)
{
	if (!u)
		return;
	free(u->groups);
	free(u->name);
	free(u->home);
	free(u->shell);
	free(u);
}

int user_become(const struct user *u)
{
	if (setgroups((size_t)u->ngroups, u->groups) ||
	    setresgid(u->gid, u->gid, u->gid) || setresuid(u->uid, u->uid, u->uid))
		return -errno;
	if (u->name) {
		setenv("USER", u->name, 1);
		setenv("LOGNAME", u->name, 1);
		setenv("HOME", u->home, 1);
		setenv("SHELL", u->shell, 1);
	}
	return 0;
}

int user_enter(const struct user *u)
{
	if (u && (setgroups((size_t)u->ngroups, u->groups) || setegid(u->gid) ||
		  seteuid(u->uid))) {
		int err = -errno;

		user_leave(u);
		return err;
	}
	return 0;
}

void user_leave(const struct user *u)
{
	gid_t none = 0;

	if (!u)
		return;
	/* the saved ids are still root's */
	if (seteuid(0) || setegid(0) || setgroups(1, &none)) {
		perror("etrace: cannot become root again");
		_exit(125);
	}
}
