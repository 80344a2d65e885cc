// SPDX-License-Identifier: LGPL-2.1
/*
 * The visible range of the timeline, and how wheel, pointers and keys change it.  As in Perfetto:
 * w, s and the wheel with Ctrl zoom at the pointer; a, d and the wheel with Shift move; dragging
 * selects a range, and with Shift moves.  Two fingers zoom, one moves.
 */
'use strict';

const viewport = (() => {

const CLOSEST = 1e4;	/* smallest visible range, ns */
const CLICK = 4;	/* pixels; a pointer that moves less is a click */
const seen = {from: 0, to: 1};
let box = null, changed = null, pointer = 0.5;

function whole() {
	return Math.max(model.meta.wall, 1);
}

function width() {
	return Math.max(50, box.clientWidth);
}

function view() {
	return {from: seen.from, to: seen.to, width: width()};
}

/* Show @from to @to, or the nearest possible range. */
function set(from, to) {
	const length = Math.min(whole(), Math.max(CLOSEST, to - from));
	const middle = (from + to) / 2;
	const first = Math.min(whole() - length, Math.max(0, middle - length / 2));

	if (!(first >= 0) || (first === seen.from && first + length === seen.to))
		return;
	seen.from = first;
	seen.to = first + length;
	changed();
}

function showAll() {
	set(0, whole());
}

/* @at: the point that stays in place, as a fraction of the width. */
function zoom(factor, at = 0.5) {
	const length = Math.min(whole(), Math.max(CLOSEST, (seen.to - seen.from) / factor));
	const fixed = seen.from + at * (seen.to - seen.from);

	set(fixed - at * length, fixed + (1 - at) * length);
}

/* @part: fraction of the width. */
function move(part) {
	const by = part * (seen.to - seen.from);
	const step = Math.max(-seen.from, Math.min(whole() - seen.to, by));

	set(seen.from + step, seen.to + step);
}

/* Show @from to @to in the middle, with room on both sides. */
function around(from, to) {
	const room = 1.5 * Math.max(to - from, CLOSEST / 4);

	set(from - room, to + room);
}

function partAt(event) {
	const {left} = box.getBoundingClientRect();

	return Math.min(1, Math.max(0, (event.clientX - left) / width()));
}

function timeAt(event) {
	return seen.from + partAt(event) * (seen.to - seen.from);
}

/* ---- wheel ---- */

const LINE = 16;	/* pixels */

function wheel(event) {
	const unit = event.deltaMode ? LINE : 1;

	if (event.ctrlKey || event.metaKey) {
		/* two fingers on a touchpad give wheel events with small steps */
		const step = -event.deltaY * unit * (Math.abs(event.deltaY) < 10 ? 0.02 : 0.003);

		event.preventDefault();
		zoom(2 ** step, partAt(event));
	} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		event.preventDefault();
		move((event.deltaX || event.deltaY) * unit / width());
	}
}

/* ---- pointers ---- */

const down = new Map();	/* by pointer id: its position */
let drag = null;

/* @on: {select(from, to, ended), click(event)} */
function listen(element, onChange, on) {
	box = element;
	changed = onChange;

	const begin = event => {
		if (event.button)
			return;
		down.set(event.pointerId, event.clientX);
		drag = {x: event.clientX, time: timeAt(event), moved: down.size > 1,
			moves: event.shiftKey || event.pointerType === 'touch'};
	};
	const pinch = (event, before) => {
		const other = [...down].find(([id]) => id !== event.pointerId)[1];

		zoom(Math.max(10, Math.abs(event.clientX - other)) /
			Math.max(10, Math.abs(before - other)), partAt({clientX: other}));
	};
	const follow = event => {
		const before = down.get(event.pointerId);

		pointer = partAt(event);
		if (before === undefined || !drag)
			return;
		if (!drag.moved && Math.abs(event.clientX - drag.x) < CLICK)
			return;
		if (!drag.moved)
			box.setPointerCapture(event.pointerId);
		drag.moved = true;
		down.set(event.pointerId, event.clientX);
		if (down.size > 1)
			pinch(event, before);
		else if (drag.moves)
			move((before - event.clientX) / width());
		else
			on.select(drag.time, timeAt(event), false);
	};
	const end = event => {
		if (!down.delete(event.pointerId) || !drag)
			return;
		if (drag.moved && !drag.moves && !down.size && event.type === 'pointerup')
			on.select(drag.time, timeAt(event), true);
		else if (!drag.moved && event.type === 'pointerup')
			on.click(event);
		if (!down.size)
			drag = null;
	};

	box.addEventListener('wheel', wheel, {passive: false});
	box.addEventListener('pointerdown', begin);
	box.addEventListener('pointermove', follow);
	box.addEventListener('pointerup', end);
	box.addEventListener('pointercancel', end);
}

/* Whether a button or finger is down. */
function busy() {
	return down.size > 0;
}

const keys = {
	w: () => zoom(1.5, pointer), s: () => zoom(1 / 1.5, pointer),
	a: () => move(-0.2), d: () => move(0.2),
	'+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5),
};

return {listen, view, set, showAll, zoom, move, around, timeAt, busy, whole, keys};
})();
