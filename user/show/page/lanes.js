// SPDX-License-Identifier: LGPL-2.1
/*
 * Turns the slices of lanes that are visible between two times into rectangles.  However many
 * slices there are, a lane has at most two rectangles per pixel: a slice of at least a pixel is
 * always drawn; of shorter ones in the same pixel, only the first is drawn, and a binary search
 * for the next slice that ends after the pixel skips the others.
 */
'use strict';

const lanes = (() => {

/* An index, by lane, of the slices to draw: those for which @wanted(slice) is true. */
function index(wanted) {
	const {slices, meta} = model;
	const keys = Int32Array.from(slices.lane);

	for (let i = 0; i < keys.length; i++)
		if (!wanted(i))
			keys[i] = -1;
	return model.groups(meta.counts.lanes, keys);
}

/* First index in [low, high) with array[rows[index]] > @value; both times ascend in a lane. */
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

/* As above(), but faster if the result is near @low. */
function nearAbove(rows, low, high, array, value) {
	let step = 1;

	while (low + step < high && array[rows[low + step]] <= value)
		step *= 2;
	return above(rows, low + (step >> 1), Math.min(high, low + step), array, value);
}

/*
 * Call put(slice, x, width, whole) for each rectangle of a lane; whole: it is a single slice.
 */
function visible(indexed, lane, view, put) {
	const {from, to} = model.slices;
	const {rows, begin} = indexed;
	const end = begin[lane + 1];
	const scale = view.width / (view.to - view.from);
	let free = 0;	/* first pixel without a short slice */

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
		/* search by ends: a long slice may begin in this pixel, and must not be skipped */
		i = nearAbove(rows, i + 1, end, to, view.from + free / scale);
	}
}

/* The slice of a lane at a time, or the nearest one; -1 if the lane is empty. */
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

/* The slice @step behind another in its lane; -1 if none. */
function beside(indexed, slice, step) {
	const lane = model.slices.lane[slice];
	const {rows, begin} = indexed;
	const i = above(rows, begin[lane], begin[lane + 1], model.slices.from,
		model.slices.from[slice]) - 1 + step;

	return i >= begin[lane] && i < begin[lane + 1] ? rows[i] : -1;
}

return {index, visible, at, beside};
})();
