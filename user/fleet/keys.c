// SPDX-License-Identifier: LGPL-2.1
/*
 * Computes two hashes for each step, of its command and of its inputs.  Builds with the same
 * command or inputs have the same hash (etrace-push(1), "Equal steps").
 *
 * An input is identified by its content, if that was hashed.  Else, if it existed before the
 * build, by its size and time; if the build made it, by the commands and inputs of the steps
 * that wrote it.  A step that may depend on anything unknown has the reason instead of a
 * hash of its inputs.
 */
#include "fleet/facts.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <string.h>

const char *const facts_unknown_names[FACTS_NUNKNOWN] = {
	[FACTS_KNOWN] = "",
	[FACTS_INCOMPLETE] = "incomplete",
	[FACTS_COMMAND] = "command",
	[FACTS_NETWORK] = "network",
	[FACTS_SOCKET] = "socket",
	[FACTS_URING] = "io_uring",
	[FACTS_DESCRIPTOR] = "descriptor",
	[FACTS_PIPE] = "pipe",
	[FACTS_DEVICE] = "device",
	[FACTS_OUTSIDE] = "outside",
	[FACTS_UNFINISHED] = "unfinished",
	[FACTS_UNIDENTIFIED] = "unidentified",
	[FACTS_INPUT] = "input",
};

/* Key of a step or a version. */
struct key {
	bool known;
	uint8_t why;		/* enum facts_unknown, for a step */
	uint8_t sha[FACTS_HASH];
};

struct input {
	uint64_t name;
	uint32_t file, version;
	uint8_t class;
};

struct facts_keys {
	struct key *steps;	/* by unit */
	struct key *versions;
	struct input *inputs;	/* inputs of the current step */
	size_t n, cap;
	uint32_t *followed;	/* by step: the last step that follow_version() paired with it */
	uint32_t loader_cache;	/* file: /etc/ld.so.cache, which lists libraries of all packages */
	struct buf args;
};

void keys_new(struct facts *f)
{
	static const char cache[] = "SELECT id FROM file WHERE path = CAST('/etc/ld.so.cache' AS BLOB)";
	struct facts_keys *k = xcalloc(1, sizeof(*k));

	k->steps = xcalloc(f->s.nunits + 1ul, sizeof(*k->steps));
	k->versions = xcalloc(f->s.nversions + 1ul, sizeof(*k->versions));
	k->followed = xcalloc(f->s.nunits + 1ul, sizeof(*k->followed));
	k->loader_cache = (uint32_t)db_one(f->s.db, cache, "");
	f->keys = k;
}

void keys_free(struct facts *f)
{
	struct facts_keys *k = f->keys;

	f->keys = NULL;
	if (!k)
		return;
	free(k->steps);
	free(k->versions);
	free(k->inputs);
	free(k->followed);
	buf_free(&k->args);
	free(k);
}

void keys_why(struct facts *f, uint32_t head, enum facts_unknown why)
{
	struct key *key = &f->keys->steps[head];

	if (head && (!key->why || why < key->why))
		key->why = (uint8_t)why;
}

/* ---- inputs ---- */

static void add_input(struct facts *f, uint32_t file, uint32_t version, uint8_t class)
{
	struct facts_keys *k = f->keys;

	k->inputs = xgrow(k->inputs, &k->cap, k->n + 1, sizeof(*k->inputs));
	k->inputs[k->n++] = (struct input){
		f->s.names[file], file, version, class,
	};
}

/* Did the step itself write all that was written to a pipe? */
static bool is_own_pipe(struct facts *f, uint32_t head, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(&f->s, version, &n);

	for (size_t i = 0; i < n; i++)
		if (f->step[w[i].unit] != head)
			return false;
	return n || f->step[f->s.unit_of[f->s.versions[version].exec]] == head;
}

/* Does a device always return the same data, or is it a file of /proc or /sys? */
static bool is_plain_device(struct facts *f, uint32_t file)
{
	static const char *const plain[] = { "/dev/null", "/dev/zero", "/dev/full" };
	struct buf b = { 0 };
	const char *path;
	size_t len;
	bool good;

	answers_file_path(f->s.db, file, &b);
	len = b.len;
	buf_addc(&b, '\0');
	path = build_inner(f->s.b, b.s, &len);
	good = strncmp(path, "/dev/", 5);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		good |= !strcmp(path, plain[i]);
	buf_free(&b);
	return good;
}

static bool file_counts(const struct facts *f, uint32_t file, uint8_t class)
{
	return class == GRAPH_DATA || class == GRAPH_PROGRAM ||
	       (class == GRAPH_LOADER && file != f->keys->loader_cache);
}

void keys_input(struct facts *f, uint32_t head, uint32_t file, uint32_t version, uint8_t how,
		uint8_t class)
{
	const struct build_version *v = &f->s.versions[version];

	/* a write that keeps old content in the file also has that as input */
	if (how == GRAPH_WRITE) {
		if (v->made != GRAPH_CHANGED || !v->base)
			return;
		version = v->base;
		v = &f->s.versions[version];
		class = GRAPH_DATA;
	}
	switch (v->made) {
	case GRAPH_PIPE:
	case GRAPH_FIFO:
	case GRAPH_MEMORY:
		if (!is_own_pipe(f, head, version))
			keys_why(f, head, FACTS_PIPE);
		break;
	case GRAPH_SPECIAL:
		if (!is_plain_device(f, file))
			keys_why(f, head, FACTS_DEVICE);
		break;
	case GRAPH_DIR:
		break;
	default:
		if (file_counts(f, file, class))
			add_input(f, file ? file : v->file, f->s.versions[version].holds, class);
	}
}

/* ---- keys of versions ---- */

void keys_hash_number(struct sha256_ctx *sha, uint64_t v)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	sha256_update(sha, sizeof(bytes), bytes);
}

bool keys_stat(const struct facts *f, uint32_t file, uint32_t version, int64_t *size,
	       int64_t *mtime)
{
	const struct build_version *v = &f->s.versions[version];

	if (!version)
		return false;
	if (v->identified) {
		*size = (int64_t)v->size;
		*mtime = v->mtime;
		return true;
	}
	/* executing a file does not record its size and time */
	return v->made == GRAPH_EXISTED && file && f->look && f->look(f->ctx, file, size, mtime);
}

/* Identify an input by size and time.  Return: FACTS_KNOWN, or why it is unknown. */
static enum facts_unknown by_stat(struct facts *f, const struct input *in, struct sha256_ctx *sha)
{
	int64_t size, mtime;

	if (keys_stat(f, in->file, in->version, &size, &mtime)) {
		sha256_update(sha, 4, (const uint8_t *)"stat");
		keys_hash_number(sha, (uint64_t)size);
		keys_hash_number(sha, (uint64_t)mtime);
		return FACTS_KNOWN;
	}
	/* hash_inputs() adds the name, which is enough for a program if by_name */
	return f->by_name && in->class == GRAPH_PROGRAM ? FACTS_KNOWN : FACTS_UNIDENTIFIED;
}

/* Identify a version by the steps that wrote it.  @base: key of its old content, NULL if none. */
static enum facts_unknown by_makers(struct facts *f, uint32_t version, const struct key *base,
				    struct sha256_ctx *sha)
{
	size_t n;
	const struct match_write *w = match_writes(&f->s, version, &n);
	uint32_t before = 0;

	sha256_update(sha, 4, (const uint8_t *)"made");
	keys_hash_number(sha, f->s.names[f->s.versions[version].file]);
	for (size_t i = 0; i < n; i++) {
		uint32_t head = f->step[w[i].unit];
		const struct key *key = &f->keys->steps[head];

		if (!head)
			return FACTS_OUTSIDE;
		if (!key->known)
			return key->why ? FACTS_INPUT : FACTS_UNFINISHED;
		if (head != before)
			sha256_update(sha, sizeof(key->sha), key->sha);
		before = head;
	}
	if (base)
		sha256_update(sha, sizeof(base->sha), base->sha);
	return n ? FACTS_KNOWN : FACTS_UNIDENTIFIED;
}

static uint32_t base_of(const struct facts *f, uint32_t version)
{
	const struct build_version *v = &f->s.versions[version];

	return v->made == GRAPH_CHANGED && v->base ? f->s.versions[v->base].holds : 0;
}

static enum facts_unknown identify_one(struct facts *f, const struct input *in)
{
	struct key *key = &f->keys->versions[in->version];
	uint32_t base = base_of(f, in->version);
	enum facts_unknown why;
	struct sha256_ctx sha;

	sha256_init(&sha);
	if (f->hash && f->hash(f->ctx, in->file, in->version, key->sha)) {
		sha256_update(&sha, 4, (const uint8_t *)"data");
		sha256_update(&sha, sizeof(key->sha), key->sha);
		why = FACTS_KNOWN;
	} else if (f->s.versions[in->version].made == GRAPH_EXISTED) {
		why = by_stat(f, in, &sha);
	} else {
		why = by_makers(f, in->version, base ? &f->keys->versions[base] : NULL, &sha);
	}
	if (why == FACTS_KNOWN) {
		sha256_digest(&sha, sizeof(key->sha), key->sha);
		key->known = true;
	}
	return why;
}

/* Identify a version, and before it those that it was derived from, the oldest first. */
static enum facts_unknown identify_input(struct facts *f, const struct input *in)
{
	while (!f->keys->versions[in->version].known) {
		struct input oldest = *in;
		enum facts_unknown why;
		uint32_t base;

		while ((base = base_of(f, oldest.version)) && !f->keys->versions[base].known) {
			oldest.version = base;
			oldest.file = f->s.versions[base].file;
		}
		why = identify_one(f, &oldest);
		if (why != FACTS_KNOWN)
			return why;
	}
	return FACTS_KNOWN;
}

/* ---- steps ---- */

static int by_name(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->name != y->name)
		return (x->name > y->name) - (x->name < y->name);
	return (x->version > y->version) - (x->version < y->version);
}

/* Whether no unit of the step wrote the version.  @shared: set if it and others did. */
static bool is_input(struct facts *f, uint32_t head, uint32_t version, bool *shared)
{
	size_t n, own = 0;
	const struct match_write *w = match_writes(&f->s, version, &n);

	for (size_t i = 0; i < n; i++)
		own += f->step[w[i].unit] == head;
	*shared = own && own < n;
	return !own;
}

static void add_pair(struct facts_pair **to, size_t *n, size_t *cap, uint32_t of, uint32_t step)
{
	*to = xgrow(*to, cap, *n + 1, sizeof(**to));
	(*to)[(*n)++] = (struct facts_pair){ of, step };
}

/* Add pairs of each step that wrote a version and the step that read it, for costs.c. */
static void follow_version(struct facts *f, uint32_t head, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(&f->s, version, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t maker = f->step[w[i].unit];

		if (!maker || f->keys->followed[maker] == head)
			continue;
		f->keys->followed[maker] = head;
		add_pair(&f->follows, &f->nfollows, &f->follows_cap, maker, head);
	}
}

static uint64_t short_hash(const uint8_t *sha)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 8; i++)
		v |= (uint64_t)sha[i] << 8 * i;
	return v ? v : 1;
}

/* Set @to to the hash of a step's command.  Return: false if the trace lacks parts of it. */
static bool hash_command(struct facts *f, uint32_t head, uint8_t *to)
{
	struct buf *args = &f->keys->args;
	struct sha256_ctx sha;
	size_t n;

	args->len = 0;
	match_args(&f->s, head, args, &n);
	sha256_init(&sha);
	keys_hash_number(&sha, match_program(&f->s, head));
	keys_hash_number(&sha, match_cwd(&f->s, head));
	sha256_update(&sha, args->len, (const uint8_t *)(args->s ? args->s : ""));
	sha256_digest(&sha, FACTS_HASH, to);
	return n && match_cwd(&f->s, head);
}

static void hash_inputs(struct facts *f, uint32_t head, uint8_t *to)
{
	struct facts_keys *k = f->keys;
	const struct input *last = NULL;
	struct sha256_ctx sha;

	if (k->n)
		qsort(k->inputs, k->n, sizeof(*k->inputs), by_name);
	sha256_init(&sha);
	for (size_t i = 0; i < k->n; i++) {
		const struct input *in = &k->inputs[i];
		enum facts_unknown why;
		bool shared;

		if (last && last->name == in->name && last->version == in->version)
			continue;
		if (!is_input(f, head, in->version, &shared)) {
			if (shared)
				keys_why(f, head, FACTS_UNFINISHED);
			continue;
		}
		if (!last || last->name != in->name) {
			f->steps[head].inputs++;
			add_pair(&f->reads, &f->nreads, &f->reads_cap, in->file, head);
		}
		last = in;
		follow_version(f, head, in->version);
		why = identify_input(f, in);
		if (why != FACTS_KNOWN)
			keys_why(f, head, why);
		keys_hash_number(&sha, in->name);
		sha256_update(&sha, FACTS_HASH, k->versions[in->version].sha);
	}
	sha256_digest(&sha, FACTS_HASH, to);
	k->n = 0;
}

void keys_step(struct facts *f, uint32_t head)
{
	struct key *key = &f->keys->steps[head];
	struct facts_step *step = &f->steps[head];
	uint8_t both[2][FACTS_HASH];
	struct sha256_ctx sha;

	if (hash_command(f, head, both[0]))
		step->command_hash = short_hash(both[0]);
	else
		keys_why(f, head, FACTS_COMMAND);
	hash_inputs(f, head, both[1]);
	step->unknown = key->why;
	if (key->why)
		return;
	step->inputs_hash = short_hash(both[1]);
	sha256_init(&sha);
	sha256_update(&sha, sizeof(both), both[0]);
	sha256_digest(&sha, sizeof(key->sha), key->sha);
	key->known = true;
}
