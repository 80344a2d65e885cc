// SPDX-License-Identifier: LGPL-2.1
/* Libraries that are loaded when they are first used.  See library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

static bool load_library(struct library *l, char *why, size_t size)
{
	void *handle = dlopen(l->file, RTLD_LAZY | RTLD_LOCAL);

	if (!handle) {
		snprintf(why, size, "%s: install it (apt-get install %s)", dlerror(), l->package);
		return false;
	}
	for (size_t i = 0; i < l->nfunctions; i++) {
		void *function = dlsym(handle, l->names[i]);

		if (!function) {
			snprintf(why, size, "%s is too old: it has no %s(): install a newer one (apt-get install %s)",
				 l->file, l->names[i], l->package);
			dlclose(handle);
			return false;
		}
		memcpy((char *)l->functions + i * sizeof(function), &function, sizeof(function));
	}
	return true;
}

bool library_load(struct library *library, char *why, size_t size)
{
	bool loaded;

	pthread_mutex_lock(&library_lock);
	library->loaded = library->loaded || load_library(library, why, size);
	loaded = library->loaded;
	pthread_mutex_unlock(&library_lock);
	return loaded;
}
