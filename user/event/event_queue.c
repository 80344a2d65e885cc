// SPDX-License-Identifier: LGPL-2.1
/* Events that wait to be sent in time order.  See event_queue.h. */
#include "event/event_queue.h"

#include <stdlib.h>

void evq_free_event(struct event_queue *q, void *event)
{
	if (q->fini)
		q->fini(event);
	et_fini(event);
	free(event);
}

void evq_free(struct event_queue *q)
{
	while (q->order.n)
		evq_free_event(q, order_take(&q->order));
	while (q->nspare)
		evq_free_event(q, q->spare[--q->nspare]);
	order_free(&q->order);
}
