// SPDX-License-Identifier: LGPL-2.1
/* The rows of execs, and the numbers of their strings and files.  See state.h. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "graph/state.h"

uint32_t graph_string(struct graph *g, const char *s, size_t len)
{
	uint64_t *id = map64_at(&g->strings, hash_bytes(s, len));

	if (!*id) {
		*id = g->strings.n;
		GRAPH_EMIT(g, string, (uint32_t)*id, s, len);
	}
	return (uint32_t)*id;
}

uint32_t graph_path(struct graph *g, const struct et_event *ev, unsigned int i)
{
	size_t len;
	const char *s = et_get_string(ev, i, &len);

	return len ? files_name(g, s, len) : 0;
}

static void emit_exec(struct graph *g, const struct process *p, const uint32_t *args, uint32_t n)
{
	const struct execution *e = &p->exec;
	const struct graph_exec row = {
		.id = e->id, .process = p->id, .parent = e->parent, .before = e->before,
		.forked = e->forked, .begun = e->begun, .program = e->program,
		.interp = e->interp, .cwd = e->cwd, .args = args, .nargs = n,
		.has_args = args != NULL, .upid = p->upid, .at = e->at,
	};

	GRAPH_EMIT(g, exec, &row);
}

uint32_t exec_id(struct graph *g, struct process *p)
{
	if (!p->exec.id) {
		p->exec.id = ++g->execs;
		emit_exec(g, p, NULL, 0);
	}
	return p->exec.id;
}

void exec_run(struct graph *g, const struct process *p, const struct et_event *ev)
{
	if (!et_has_string(ev, ET_ARGS)) {
		emit_exec(g, p, NULL, 0);
		return;
	}
	g->args = xgrow(g->args, &g->args_cap, ev->nargs + 1, sizeof(*g->args));
	for (uint32_t i = 0; i < ev->nargs; i++)
		g->args[i] = graph_string(g, et_text(ev, &ev->args[i]), ev->args[i].len);
	emit_exec(g, p, g->args, ev->nargs);
}

void exec_end(struct graph *g, struct process *p, enum graph_ended how, int64_t at)
{
	struct graph_exec_end end = p->end;

	p->end = (struct graph_exec_end){ 0 };
	/* a fork that did nothing before its execve does not count as an exec */
	if (!p->exec.id && how == GRAPH_ENDED_EXEC)
		return;
	end.id = exec_id(g, p);
	end.ended = (uint8_t)how;
	end.unseen = p->exec.unseen;
	end.until = at;
	GRAPH_EMIT(g, exec_end, &end);
}
