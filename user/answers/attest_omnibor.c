// SPDX-License-Identifier: LGPL-2.1
/*
 * Input manifests of OmniBOR, specification 0.2: lists, for each output, what it was made from, by
 * git's object ids. See attest.h.
 *
 * The inputs of an output are files that the build did not make, and files that it made that still
 * exist at its end, which have their own manifests. Other files that it made are replaced with
 * their inputs: reach.h, REACH_KEPT. A manifest contains the ids of others, which must be made
 * first.
 */
#include "answers/attest.h"
#include "answers/print_names.h"
#include "base/map64.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "build/build.h"
#include "build/reach.h"
#include "io/out_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <nettle/sha2.h>

#define PREFIX "gitoid:blob:sha256"
/* Manifests are stored below this directory, in one named by the first two digits of their id. */
#define STORE "/manifests/gitoid_blob_sha256"

static const struct diag_kind lacking = {
	"outputs without a manifest", DIAG_EACH
};

enum bor_state {
	BOR_NEW,
	BOR_OPEN,		/* its inputs are known, and their manifests are being made */
	BOR_DONE,
};

/* A version that the build made and that still exists at its end. */
struct bor_node {
	uint32_t version, file;	/* @file: one of its names */
	uint8_t state;		/* enum bor_state */
	bool has_manifest;
	uint8_t manifest[BUILD_HASH];
	char *why;		/* why it cannot have a manifest; NULL so far */
	uint32_t *inputs;	/* @n versions; freed when the node is done */
	size_t n, cap, next;	/* inputs before @next are done */
};

/* A line of a manifest. */
struct bor_line {
	uint8_t id[BUILD_HASH], manifest[BUILD_HASH];
	bool has_manifest;
};

struct bor {
	struct attest *a;
	const struct build *b;
	const char *dir;
	struct bor_node *nodes;
	size_t n, cap;
	struct map64 of;	/* by version: index of its node */
	bool failed;		/* diag_fatal() was called */
};

/* ---- nodes ---- */

static size_t node_of(struct bor *o, uint32_t version)
{
	const uint64_t *there = map64_get(&o->of, version);
	size_t n;

	if (there)
		return *there;
	o->nodes = xgrow(o->nodes, &o->cap, o->n + 1, sizeof(*o->nodes));
	o->nodes[o->n] = (struct bor_node){
		.version = version, .file = build_list(o->b, BUILD_NAMES_OF, version, &n)[0],
	};
	map64_put(&o->of, version, o->n);
	return o->n++;
}

/* Set why there is no manifest: "PATH: REASON". Keeps the first reason. */
static void node_lacks(struct bor *o, struct bor_node *node, uint32_t file, const char *why)
{
	struct buf text = { 0 };

	if (node->why)
		return;
	answers_file_path(o->a->db, file, &text);
	buf_adds(&text, ": ");
	buf_adds(&text, why);
	buf_addc(&text, '\0');
	node->why = text.s;
}

static void add_input(struct bor *o, struct bor_node *node, const struct reach_node *r)
{
	const struct build_version *v = &o->b->versions[r->version];
	int64_t since;

	/* skip pipes, temporary files and links: their own inputs are in the list, too */
	if (!r->version || v->target || (build_is_made(v) && !build_is_kept(o->b, r->version)))
		return;
	if (!build_content(o->b, r->version))
		node_lacks(o, node, r->file ? r->file : v->file,
			   build_content_why(o->b, r->version));
	if (build_changed(o->b, r->version, &since))
		node_lacks(o, node, r->file ? r->file : v->file,
			   GRAPH_WHY_FOREIGN ", between two reads");
	node->inputs = xgrow(node->inputs, &node->cap, node->n + 1, sizeof(*node->inputs));
	node->inputs[node->n++] = r->version;
}

/* Refuse a manifest if an input is unknown, which it could not express. */
static void look_for_unseen(struct bor *o, struct bor_node *node, const struct reach *r)
{
	for (size_t i = 0; i < r->nexecs; i++) {
		const struct build_exec *e = &o->b->execs[r->execs[i]];

		if (e->unseen & ATTEST_UNSEEN)
			node_lacks(o, node, o->b->execs[build_with_command(o->b, r->execs[i])].program,
				   "read from outside the trace: a socket, a descriptor of unknown origin, or an io_uring");
	}
}

static void find_inputs(struct bor *o, struct bor_node *node)
{
	struct reach r;

	reach_inputs(o->b, node->version, node->file, REACH_KEPT, REACH_DEFAULT_CLASSES, &r);
	for (size_t i = 1; i < r.n; i++)
		add_input(o, node, &r.nodes[i]);
	look_for_unseen(o, node, &r);
	if (!build_content(o->b, node->version))
		node_lacks(o, node, node->file, build_content_why(o->b, node->version));
	reach_free(&r);
}

/* ---- manifests ---- */

static int by_line(const void *x, const void *y)
{
	const struct bor_line *a = x, *b = y;
	int order = memcmp(a->id, b->id, BUILD_HASH);

	order = order ? order : a->has_manifest - b->has_manifest;
	return order ? order : memcmp(a->manifest, b->manifest, BUILD_HASH);
}

static void add_hex(struct buf *to, const uint8_t *hash)
{
	char *text = utf8_hex((const char *)hash, BUILD_HASH);

	buf_add(to, text, 2ul * BUILD_HASH);
	free(text);
}

static void add_lines(struct buf *to, struct bor_line *lines, size_t n)
{
	buf_adds(to, PREFIX "\n");
	if (n)
		qsort(lines, n, sizeof(*lines), by_line);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_line(&lines[i - 1], &lines[i]))
			continue;
		add_hex(to, lines[i].id);
		if (lines[i].has_manifest) {
			buf_adds(to, " manifest ");
			add_hex(to, lines[i].manifest);
		}
		buf_addc(to, '\n');
	}
}

/* Compute git's id of a blob. */
static void hash_blob(const struct buf *text, uint8_t *hash)
{
	struct sha256_ctx sha;
	char head[32];
	int n = snprintf(head, sizeof(head), "blob %zu", text->len);

	sha256_init(&sha);
	sha256_update(&sha, (size_t)n + 1, (const uint8_t *)head);
	sha256_update(&sha, text->len, (const uint8_t *)text->s);
	sha256_digest(&sha, BUILD_HASH, hash);
}

/* Create the directories of a path, up to its last slash. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int e;

		*slash = '\0';
		e = mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (e)
			return e;
	}
	return 0;
}

static void store_manifest(struct bor *o, const struct buf *text, const uint8_t *hash)
{
	struct buf path = { 0 }, hex = { 0 };
	struct out *out;
	int e;

	add_hex(&hex, hash);
	buf_adds(&path, o->dir);
	buf_adds(&path, STORE "/");
	buf_add(&path, hex.s, 2);
	buf_addc(&path, '/');
	buf_add(&path, hex.s + 2, hex.len - 2);
	buf_addc(&path, '\0');
	e = make_directories(path.s);
	out = e ? NULL : out_create(path.s, &e);
	if (out) {
		out_write(out, text->s, text->len);
		e = out_close(out);
	}
	if (e) {
		diag_fatal(o->a->db->diag, "%s: %s", path.s, out_place_error(e));
		o->failed = true;
	}
	buf_free(&path);
	buf_free(&hex);
}

static void make_manifest(struct bor *o, struct bor_node *node)
{
	struct bor_line *lines = xcalloc(node->n + 1, sizeof(*lines));
	struct buf text = { 0 };

	for (size_t i = 0; i < node->n; i++) {
		const struct build_content *c = build_content(o->b, node->inputs[i]);
		const uint64_t *of = map64_get(&o->of, node->inputs[i]);
		const struct bor_node *input = of ? &o->nodes[*of] : NULL;

		memcpy(lines[i].id, c->gitoid, BUILD_HASH);
		lines[i].has_manifest = input;
		if (input)
			memcpy(lines[i].manifest, input->manifest, BUILD_HASH);
	}
	add_lines(&text, lines, node->n);
	hash_blob(&text, node->manifest);
	store_manifest(o, &text, node->manifest);
	node->has_manifest = !o->failed;
	buf_free(&text);
	free(lines);
}

static void finish_node(struct bor *o, struct bor_node *node)
{
	for (size_t i = 0; i < node->n; i++) {
		const uint64_t *of = map64_get(&o->of, node->inputs[i]);

		if (of && !o->nodes[*of].has_manifest)
			node_lacks(o, node, o->nodes[*of].file, "has no manifest itself");
	}
	if (!node->why && !o->failed)
		make_manifest(o, node);
	free(node->inputs);
	node->inputs = NULL;
	node->state = BOR_DONE;
}

/*
 * Find the next input whose manifest must be made before the node's.
 *
 * Return: false if all are made.
 */
static bool next_input(struct bor *o, size_t at, size_t *input)
{
	for (; o->nodes[at].next < o->nodes[at].n; o->nodes[at].next++) {
		uint32_t version = o->nodes[at].inputs[o->nodes[at].next];

		if (!build_is_made(&o->b->versions[version]))
			continue;
		*input = node_of(o, version);
		if (o->nodes[*input].state == BOR_NEW)
			return true;
		/* a program can read and write two files, so that each depends on the other */
		if (o->nodes[*input].state == BOR_OPEN)
			node_lacks(o, &o->nodes[at], o->nodes[*input].file,
				   "was made from it, too, so neither can have the id of the other's manifest");
	}
	return false;
}

/* Make the manifests depth first, without recursion: chains of files can be long. */
static void work_out(struct bor *o, uint32_t version)
{
	size_t *stack = NULL, n = 0, cap = 0, next = node_of(o, version);

	if (o->nodes[next].state != BOR_NEW)
		return;
	do {
		stack = xgrow(stack, &cap, n + 1, sizeof(*stack));
		stack[n++] = next;
		o->nodes[next].state = BOR_OPEN;
		find_inputs(o, &o->nodes[next]);
		while (n && !next_input(o, stack[n - 1], &next))
			finish_node(o, &o->nodes[stack[--n]]);
	} while (n);
	free(stack);
}

/* ---- the list ---- */

static int by_path(const void *x, const void *y, void *ctx)
{
	size_t n[2];
	const char *s = build_path(ctx, *(const uint32_t *)x, &n[0]);
	const char *t = build_path(ctx, *(const uint32_t *)y, &n[1]);
	int order = memcmp(s, t, n[0] < n[1] ? n[0] : n[1]);

	return order ? order : (n[0] > n[1]) - (n[0] < n[1]);
}

/* The outputs except links, by path.  Return: an array of @n files, freed by the caller. */
static uint32_t *list_outputs(const struct build *b, size_t *n)
{
	uint32_t *files = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		if (!build_is_output(b, i) || b->versions[build_present(b, i)].target)
			continue;
		files = xgrow(files, &cap, *n + 1, sizeof(*files));
		files[(*n)++] = i;
	}
	if (*n)
		qsort_r(files, *n, sizeof(*files), by_path, (void *)(uintptr_t)b);
	return files;
}

static void put_id(struct out *out, const uint8_t *hash)
{
	char id[ATTEST_GITOID];

	out_puts(out, "\t");
	out_puts(out, hash ? attest_gitoid(hash, id) : "-");
}

/* Print the line of an output. Return: whether it lacks a manifest. */
static bool put_output(struct bor *o, uint32_t file)
{
	uint32_t version = build_present(o->b, file);
	const struct build_content *c = build_content(o->b, version);
	const uint64_t *of = map64_get(&o->of, version);
	const struct bor_node *node = of ? &o->nodes[*of] : NULL;
	struct buf path = { 0 };

	put_file(o->a->out, o->a->db, file);
	put_id(o->a->out, c ? c->gitoid : NULL);
	put_id(o->a->out, node && node->has_manifest ? node->manifest : NULL);
	out_puts(o->a->out, "\n");
	if (!node || node->has_manifest)
		return false;
	answers_file_path(o->a->db, file, &path);
	diag_report(o->a->db->diag, &lacking, NULL, DIAG_NOWHERE, 0, "%.*s: no manifest: %s",
		    (int)path.len, path.s, node->why);
	buf_free(&path);
	return true;
}

bool attest_omnibor(struct attest *a, const char *dir, bool *lacks)
{
	struct bor o = { .a = a, .b = build_of(a->db), .dir = dir };
	uint32_t *files;
	size_t n;

	*lacks = false;
	if (!build_hashed(o.b)) {
		diag_fatal(a->db->diag, "%s has no hashes, but manifests need them; record with etrace run --hash",
			   a->db->name);
		return false;
	}
	if (!a->db->complete) {
		diag_fatal(a->db->diag, "%s is incomplete, and a manifest cannot say so: none was written",
			   a->db->name);
		return false;
	}
	files = list_outputs(o.b, &n);
	/* a file that existed before and was only renamed is not an artifact of the build */
	for (size_t i = 0; i < n && !o.failed; i++)
		if (build_is_made(&o.b->versions[build_present(o.b, files[i])]))
			work_out(&o, build_present(o.b, files[i]));
	for (size_t i = 0; i < n && !o.failed; i++)
		*lacks |= put_output(&o, files[i]);
	for (size_t i = 0; i < o.n; i++)
		free(o.nodes[i].why);
	free(o.nodes);
	map64_clear(&o.of);
	free(files);
	return !o.failed;
}
