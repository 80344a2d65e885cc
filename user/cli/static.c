// SPDX-License-Identifier: GPL-2.0
/*
 * For the static program: replaces functions of the C library that would load the
 * machine's shared libraries, which need another C library than the one linked in. So
 * only users and groups in /etc/passwd and /etc/group are known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* Only plugins of libtraceevent, extensions of SQLite, and debuginfod would be loaded. */

void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *dlerror(void)
{
	static char why[] = "a static program loads no libraries";

	return why;
}

static struct passwd *find_user(const char *name, uid_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	if (!f)
		return NULL;
	while ((pw = fgetpwent(f)))
		if (name ? !strcmp(pw->pw_name, name) : pw->pw_uid == uid)
			break;
	fclose(f);
	return pw;
}

struct passwd *getpwnam(const char *name)
{
	return find_user(name, 0);
}

struct passwd *getpwuid(uid_t uid)
{
	return find_user(NULL, uid);
}

/* glob() uses these for "~" and "~user", which our patterns do not contain. */

int __getlogin_r(char *name, size_t size);
int __getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t size, struct passwd **found);

int __getlogin_r(char *name, size_t size)
{
	(void)name;
	(void)size;
	return ENOENT;
}

int __getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t size, struct passwd **found)
{
	(void)name;
	(void)pw;
	(void)buf;
	(void)size;
	*found = NULL;
	return 0;
}

static void add_group(gid_t *groups, int room, int *n, gid_t gid)
{
	if (*n < room)
		groups[*n] = gid;
	++*n;
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *ngroups)
{
	FILE *f = fopen("/etc/group", "re");
	struct group *gr;
	int n = 0;

	add_group(groups, *ngroups, &n, group);
	while (f && (gr = fgetgrent(f))) {
		if (gr->gr_gid == group)
			continue;
		for (char **member = gr->gr_mem; *member; member++)
			if (!strcmp(*member, user)) {
				add_group(groups, *ngroups, &n, gr->gr_gid);
				break;
			}
	}
	if (f)
		fclose(f);
	if (n > *ngroups) {
		*ngroups = n;
		return -1;
	}
	*ngroups = n;
	return n;
}
