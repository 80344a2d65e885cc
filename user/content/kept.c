// SPDX-License-Identifier: GPL-2.0
/* Files that are kept open until they are hashed.  See kept.h. */
#include "content/kept.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kept *kept_by_object(struct kept_files *k, uint32_t object)
{
	for (unsigned int i = 0; i < k->n; i++)
		if (k->of[i].object == object)
			return &k->of[i];
	return NULL;
}

static struct kept *kept_by_id(struct kept_files *k, uint32_t id)
{
	for (unsigned int i = 0; id && i < k->n; i++)
		if (k->of[i].id == id)
			return &k->of[i];
	return NULL;
}

static void kept_remove(struct kept_files *k, struct kept *it)
{
	if (it->fd >= 0) {
		close(it->fd);
		graph_drop(k->graph, it->object);
	}
	k->n--;
	memmove(it, it + 1, (size_t)(k->of + k->n - it) * sizeof(*it));
}

/* Close a file that needs no hashing unless a process opens it for writing again. */
static void kept_remove_unused(struct kept_files *k, struct kept *it)
{
	if (it->fd >= 0 && !it->jobs && !graph_may_change(k->graph, it->object))
		kept_remove(k, it);
}

/* Make room by closing the oldest files. */
static bool kept_make_room(struct kept_files *k)
{
	for (unsigned int i = 0; k->n == KEPT_MAX && i < KEPT_MAX; i++)
		if (k->of[i].fd >= 0 && !k->of[i].jobs)
			kept_remove(k, &k->of[i]);
	return k->n < KEPT_MAX;
}

bool kept_begin(struct kept_files *k, const struct graph_settled *of)
{
	if (!of->identified || !of->file || kept_by_object(k, of->object) || !kept_make_room(k))
		return false;
	k->of[k->n++] = (struct kept){ .id = ++k->last, .object = of->object, .fd = -1 };
	return true;
}

void kept_opened(struct kept_files *k, const struct graph_settled *of, int fd)
{
	struct kept *it = kept_by_object(k, of->object);

	if (fd >= 0 && graph_keep(k->graph, of)) {
		it->fd = fd;
		kept_remove_unused(k, it);
		return;
	}
	if (fd >= 0)
		close(fd);
	kept_remove(k, it);
}

void kept_job_begin(struct kept_files *k, struct file_job *job)
{
	struct kept *it = kept_by_object(k, job->of.object);
	struct stat st;

	job->kept = -1;
	job->kept_id = 0;
	job->kept_size = 0;
	if (!it)
		return;
	if (it->fd >= 0) {
		if (fstat(it->fd, &st) || (uint64_t)st.st_size > KEPT_BYTES - k->bytes) {
			/* too large to keep: hash it by its name */
			if (!it->jobs)
				kept_remove(k, it);
			return;
		}
		job->kept = it->fd;
		job->kept_size = (uint64_t)st.st_size;
		k->bytes += job->kept_size;
	}
	job->kept_id = it->id;
	it->jobs++;
}

void kept_job_end(struct kept_files *k, const struct file_job *job)
{
	struct kept *it = kept_by_id(k, job->kept_id);

	if (!it)
		return;
	k->bytes -= job->kept_size;
	it->jobs--;
	kept_remove_unused(k, it);
}

void kept_end(struct kept_files *k)
{
	while (k->n)
		kept_remove(k, k->of);
}
