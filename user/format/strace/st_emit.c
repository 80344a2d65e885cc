// SPDX-License-Identifier: LGPL-2.1
/* Emits the events that the lines of a log make.  See st_state.h. */
#include "format/strace/st_state.h"

static const struct diag_kind incomplete = {
	"events with something missing", DIAG_DAMAGE };

struct et_event *st_event(struct st_log *log, const struct st_task *task, enum et_kind kind)
{
	et_reset(&log->ev, kind, task->upid, 0, log->at);
	log->ev.place = log->place.number;
	return &log->ev;
}

void st_damage(struct st_log *log, const struct diag_kind *kind)
{
	diag_report(log->diag, kind, log->place.file, DIAG_LINE, log->place.number, NULL);
}

void st_put(struct st_log *log)
{
	bool empty;

	et_end(&log->ev);
	/* a damaged line can lack the only thing that the event would record */
	empty = !et_count_lines(&log->ev);
	if (et_check(&log->ev) || empty) {
		log->incomplete++;
		st_damage(log, &incomplete);
	}
	if (empty)
		return;
	log->events++;
	log->joined += (unsigned int)__builtin_popcount(log->ev.marks[ET_JOINED]);
	if (!log->err)
		log->err = sink_item(log->sink, &log->ev);
}
