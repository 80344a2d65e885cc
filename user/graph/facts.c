// SPDX-License-Identifier: LGPL-2.1
/*
 * Facts about an exec other than its files: its environment, its output, and what it asked the
 * kernel.
 */
#include "graph/state.h"

void add_variable(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	size_t len;
	const char *s = et_get_string(ev, ET_S_ENV_name, &len);
	uint32_t name = graph_string(g, s ? s : "", len), value;

	s = et_get_string(ev, ET_S_ENV_value, &len);
	(void)at;
	value = s ? graph_string(g, s, len) : 0;
	GRAPH_EMIT(g, env, exec_id(g, p), name, value, et_value(ev, ET_V_ENV_hidden, 0));
}

void add_printed(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	struct graph_printed row = {
		.exec = exec_id(g, p), .at = at,
		.fd = (int32_t)et_value(ev, ET_V_OUTPUT_fd, 0),
		.bytes = (uint64_t)et_value(ev, ET_V_OUTPUT_bytes, 0),
	};

	row.text = et_get_string(ev, ET_S_OUTPUT_text, &row.len);
	GRAPH_EMIT(g, printed, &row);
}

void add_ask(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	struct graph_ask row = {
		.call = (uint8_t)et_value(ev, ET_V_ASK_call, 0), .at = at,
		.value = et_value(ev, ET_V_ASK_value, 0), .flags = et_value(ev, ET_V_ASK_flags, 0),
	};
	size_t len;
	const char *s = et_get_string(ev, ET_S_ASK_name, &len);

	/* a newer etrace may record more calls */
	if (row.call >= GRAPH_NCALLS)
		return;
	if (s)
		row.name = graph_string(g, s, len);
	row.exec = exec_id(g, p);
	GRAPH_EMIT(g, ask, &row);
}
