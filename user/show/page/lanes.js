// SPDX-License-Identifier: LGPL-2.1
/*
 * Slices in lanes, as rectangles: what of them is seen between two times.  However many
 * slices there are, a lane has at most two rectangles for each pixel: a slice of a pixel or more
 * is always drawn at its place; of the shorter ones under a pixel only the first is drawn, and a
 * binary search for the next slice that ends behind that pixel skips the others.
 */
'use strict';

const lanes = (() => {

/* Slices of lanes, those that @wanted(slice) says: an index of what is drawn. */
function index(wanted) {
	const {slices, meta} = model;
	const keys = Int32Array.from(slices.lane);

	for (let i = 0; i < keys.length; i++)
		if (!wanted(i))
			keys[i] = -1;
	return model.groups(meta.counts.lanes, keys);
}

/* The first of rows[low..high[ for which array is > @value; in a lane both times rise. */
function above(rows, low, high, array, value) {
	while (low < high) {
		const middle = (low + high) >> 1;

		if (array[rows[middle]] > value)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The same where the answer is mostly near @low. */
function nearAbove(rows, low, high, array, value) {
	let step = 1;

	while (low + step < high && array[rows[low + step]] <= value)
		step *= 2;
	return above(rows, low + (step >> 1), Math.min(high, low + step), array, value);
}

/*
 * Calls put(slice, x, width, whole) for what is seen of a lane; whole: it is one slice.
 */
function visible(indexed, lane, view, put) {
	const {from, to} = model.slices;
	const {rows, begin} = indexed;
	const end = begin[lane + 1];
	const scale = view.width / (view.to - view.from);
	let free = 0;	/* the first pixel that no short slice has */

	for (let i = above(rows, begin[lane], end, to, view.from); i < end;) {
		const slice = rows[i];

		if (from[slice] >= view.to)
			break;
		const x = Math.max(0, (from[slice] - view.from) * scale);
		const right = Math.min(view.width, (to[slice] - view.from) * scale);

		if (right - x >= 1) {
			put(slice, x, right - x, true);
			i++;
			continue;
		}
		const pixel = Math.max(Math.floor(x), free);

		if (pixel >= view.width)
			break;
		put(slice, pixel, 1, false);
		free = pixel + 1;
		/* by its end: a long slice that begins under this pixel is no short one */
		i = nearAbove(rows, i + 1, end, to, view.from + free / scale);
	}
}

/* The slice of a lane at a time, or the nearest one; -1: the lane is empty. */
function at(indexed, lane, time) {
	const {from, to} = model.slices;
	const {rows, begin} = indexed;
	const i = above(rows, begin[lane], begin[lane + 1], to, time);
	const next = i < begin[lane + 1] ? rows[i] : -1;
	const last = i > begin[lane] ? rows[i - 1] : -1;

	if (next < 0 || last < 0 || from[next] <= time)
		return next < 0 ? last : next;
	return from[next] - time < time - to[last] ? next : last;
}

/* The slice beside one in its lane, -1: there is none. */
function beside(indexed, slice, step) {
	const lane = model.slices.lane[slice];
	const {rows, begin} = indexed;
	const i = above(rows, begin[lane], begin[lane + 1], model.slices.from,
		model.slices.from[slice]) - 1 + step;

	return i >= begin[lane] && i < begin[lane + 1] ? rows[i] : -1;
}

return {index, visible, at, beside};
})();
