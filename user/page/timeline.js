// SPDX-License-Identifier: LGPL-2.1
/*
 * The timeline: what is seen, chosen and searched for; pointer and keys.  Painting is chart.js.
 * Whatever the canvas shows is told in words, too: the chosen program in a live region, those
 * in view in a table.
 */
'use strict';

const timeline = (() => {

const LISTED = 50;
const CLOSEST = 1e4;	/* ns in the width of the page */
const KEYS = 'Arrow keys go from program to program, Enter shows what is known of it, ' +
	'+ and - zoom, Shift with an arrow key moves, Home shows all.';
const state = {indexed: null, found: null, fits: null, chosen: -1};
const frames = {n: 0, rectangles: 0, ms: 0};
let parts = null, zoom = null, asked = false, listing = 0;

/* ---- what is seen ---- */

function whole() {
	return Math.max(model.meta.wall, 1);
}

function width() {
	return Math.max(50, parts.chart.clientWidth);
}

function view() {
	const x = d3.zoomTransform(parts.chart)
		.rescaleX(d3.scaleLinear([0, whole()], [0, width()]));
	const [from, to] = x.domain();

	return {from, to, width: width()};
}

function redraw() {
	const start = performance.now();

	asked = false;
	if (!parts || !parts.chart.clientWidth)
		return;
	const seen = view();
	const upper = chart.drawTop(parts.top, seen);
	const lower = chart.drawLanes(parts.lanes, seen, state);

	frames.n++;
	frames.rectangles = upper + lower;
	frames.ms = performance.now() - start;
	dom.fill(parts.range, `${dom.moment(seen.from, seen.to - seen.from)} to ` +
		`${dom.moment(seen.to, (seen.to - seen.from) / 100)}`);
	clearTimeout(listing);
	listing = setTimeout(list, 200);
}

function draw() {
	if (!asked)
		requestAnimationFrame(redraw);
	asked = true;
}

function recolour(now) {
	if (!parts)
		return;
	chart.readColours();
	if (now)
		redraw();
	else
		draw();
}

function zoomBy(factor) {
	d3.select(parts.chart).call(zoom.scaleBy, factor);
}

function move(share) {
	const seen = view();

	d3.select(parts.chart).call(zoom.translateBy,
		-share * width() / d3.zoomTransform(parts.chart).k, 0);
	return seen;
}

function showAll() {
	d3.select(parts.chart).call(zoom.transform, d3.zoomIdentity);
}

/* @from..@to in the middle, with room at both sides. */
function showTimes(from, to) {
	const k = Math.min(whole() / CLOSEST, Math.max(1, whole() / (4 * (to - from) || 1)));
	const centre = (from + to) / 2 / whole() * width();
	const left = Math.min(0, Math.max(width() * (1 - k), width() / 2 - centre * k));

	d3.select(parts.chart).call(zoom.transform, d3.zoomIdentity.translate(left, 0).scale(k));
}

/* ---- the chosen one ---- */

function choose(slice, {closer} = {}) {
	const {from, to} = model.slices;
	const seen = view();

	state.chosen = slice;
	if (slice < 0) {
		dom.fill(parts.said, '');
		return draw();
	}
	const p = model.slices.program[slice];

	if (closer)
		showTimes(from[slice], to[slice]);
	else if (to[slice] <= seen.from || from[slice] >= seen.to)
		move((from[slice] + to[slice] - seen.from - seen.to) / 2 / (seen.to - seen.from));
	dom.fill(parts.said, program.line(p));
	dom.fill(parts.details);
	return draw();
}

async function details() {
	const slice = state.chosen;

	if (slice < 0)
		return;
	const p = model.slices.program[slice];
	const facts = await program.facts(p);

	if (slice !== state.chosen)
		return;
	dom.fill(parts.details, dom.make('h3', {tabindex: '-1'}, links.program(p)), facts);
}

function first() {
	const seen = view();

	for (let lane = 0; lane < model.meta.counts.lanes; lane++) {
		const slice = lanes.at(state.indexed, lane, seen.from);

		if (slice >= 0)
			return slice;
	}
	return -1;
}

function goBeside(step) {
	const next = state.chosen < 0 ? first() : lanes.beside(state.indexed, state.chosen, step);

	if (next >= 0)
		choose(next);
}

function goLane(step) {
	const {from, to, lane} = model.slices;

	if (state.chosen < 0)
		return choose(first());
	const seen = view();
	const time = (Math.max(seen.from, from[state.chosen]) +
		Math.min(seen.to, to[state.chosen])) / 2;
	for (let l = lane[state.chosen] + step; l >= 0 && l < model.meta.counts.lanes; l += step) {
		const slice = lanes.at(state.indexed, l, time);

		if (slice >= 0)
			return choose(slice);
	}
	return null;
}

/* ---- search ---- */

function searchFor(text) {
	search.programs(text, (fits, n, done) => {
		state.fits = fits;
		state.found = fits && lanes.index(i => fits[model.slices.program[i]]);
		dom.fill(parts.hits, !fits ? '' : done && !n ? 'No program fits' :
			`${dom.plural(n, 'program')}${done ? '' : ', searching commands'}`);
		parts.hits.dataset.done = String(done);
		draw();
	});
}

/* The next slice, by time, of a program that fits. */
function next(step) {
	const {slices} = model;

	if (!state.fits)
		return;
	for (let i = 1, at = state.chosen; i <= slices.n; i++) {
		at = (at + step + slices.n) % slices.n;
		if (state.fits[slices.program[at]]) {
			choose(at, {closer: true});
			return;
		}
	}
}

/* ---- in words ---- */

function list() {
	const {slices} = model;
	const times = new Map();

	if (!parts.listed.open)
		return;
	const seen = view();
	for (let i = 0; i < slices.n; i++) {
		const time = Math.min(slices.to[i], seen.to) - Math.max(slices.from[i], seen.from);
		const p = slices.program[i];

		if (time > 0 && (!state.fits || state.fits[p]))
			times.set(p, (times.get(p) || 0) + time);
	}
	const longest = [...times].sort((a, b) => b[1] - a[1]).slice(0, LISTED);

	parts.listed.lastElementChild.replaceWith(table.make(
		`The ${longest.length} that worked longest, of ` +
			`${dom.plural(times.size, 'program')} in view`, [
			{name: 'Program', value: r => model.label(r[0]),
				show: r => links.program(r[0])},
			{name: 'Class', value: r => model.className(r[0]),
				show: r => [links.colour(model.programs.kind[r[0]]), ' ',
					model.className(r[0])]},
			{name: 'From', value: r => model.programs.at[r[0]], number: true,
				show: r => dom.seconds(model.programs.at[r[0]])},
			{name: 'Worked in view', value: r => r[1], number: true,
				show: r => dom.seconds(r[1])},
			{name: 'End', value: r => model.howItEnded(r[0])},
		], longest, -4));
}

/* ---- pointer and keys ---- */

function pointed(event) {
	const [x, y] = d3.clientPoint(parts.lanes, event);
	const seen = view();
	const time = seen.from + x / width() * (seen.to - seen.from);
	const upper = d3.clientPoint(parts.top, event)[1];

	if (chart.isPath(upper)) {
		const i = d3.bisectRight(model.path.to, time);
		const p = i < model.path.n ? model.path.program[i] : -1;
		const slice = p < 0 ? -1 : Array.from(model.slicesOf.of(p))
			.find(s => model.slices.to[s] > time && model.slices.from[s] <= time);

		return slice === undefined ? -1 : slice;
	}
	const lane = Math.floor(y / chart.laneHeight());

	if (lane < 0 || lane >= model.meta.counts.lanes)
		return -1;
	const slice = lanes.at(state.indexed, lane, time);
	const near = 2 * (seen.to - seen.from) / width();

	return slice >= 0 && model.slices.from[slice] - near <= time &&
		model.slices.to[slice] + near >= time ? slice : -1;
}

function hover(event) {
	const slice = pointed(event);

	parts.tip.hidden = slice < 0;
	if (slice < 0)
		return;
	dom.fill(parts.tip, program.line(model.slices.program[slice]));
	const [x, y] = d3.clientPoint(parts.chart, event);

	const most = Math.max(0, width() - parts.tip.offsetWidth);

	parts.tip.style.left = `${Math.min(x + 12, most)}px`;
	parts.tip.style.top = `${y + 16}px`;
}

const keys = {
	ArrowRight: () => goBeside(1), ArrowLeft: () => goBeside(-1),
	ArrowDown: () => goLane(1), ArrowUp: () => goLane(-1),
	'+': () => zoomBy(1.5), '=': () => zoomBy(1.5), '-': () => zoomBy(1 / 1.5),
	Home: showAll, Escape: () => choose(-1),
	Enter: async () => {
		await details();
		const head = parts.details.querySelector('h3');

		if (head)
			head.focus();
	},
};
const shifted = {ArrowRight: () => move(0.2), ArrowLeft: () => move(-0.2)};

function listen() {
	const {chart: box, input} = parts;

	zoom = d3.zoom().on('zoom', draw);
	resize();
	d3.select(box).call(zoom).on('dblclick.zoom', null);
	box.addEventListener('mousemove', hover);
	box.addEventListener('mouseleave', () => { parts.tip.hidden = true; });
	box.addEventListener('click', event => {
		box.focus({preventScroll: true});
		choose(pointed(event));
		details();
	});
	box.addEventListener('keydown', event => {
		const key = (event.shiftKey && shifted[event.key]) || keys[event.key];

		if (!key || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		key();
	});
	input.addEventListener('input', () => searchFor(input.value));
	input.addEventListener('keydown', event => {
		if (event.key === 'Enter') {
			event.preventDefault();
			next(event.shiftKey ? -1 : 1);
		}
	});
	parts.listed.addEventListener('toggle', list);
	new ResizeObserver(() => { resize(); draw(); }).observe(box);
}

function resize() {
	const extent = [[0, 0], [width(), 1]];

	zoom.extent(extent).translateExtent(extent)
		.scaleExtent([1, Math.max(1, whole() / CLOSEST)]);
}

/* ---- the view ---- */

function build(section) {
	const make = dom.make;

	parts = {
		input: make('input', {type: 'search', id: 'search', autocomplete: 'off',
			spellcheck: 'false', 'aria-describedby': 'search-hint'}),
		hits: make('span', {role: 'status'}),
		range: make('span', {class: 'range'}),
		top: make('canvas', {'aria-hidden': 'true'}),
		lanes: make('canvas', {class: 'lanes', 'aria-hidden': 'true'}),
		tip: make('div', {class: 'tip', hidden: true, 'aria-hidden': 'true'}),
		said: make('p', {'aria-live': 'polite', class: 'said'}),
		details: make('div', {class: 'details'}),
		listed: make('details', {class: 'listed'},
			make('summary', {}, 'Programs in view, as a table'), make('div')),
	};
	parts.chart = make('div', {class: 'chart', id: 'chart', tabindex: '0', role: 'application',
		'aria-label': 'Timeline: programs at work by class, critical path, lanes',
		'aria-describedby': 'chart-hint'}, parts.top, parts.lanes, parts.tip);
	dom.fill(section, make('h2', {}, 'Timeline'),
		make('div', {class: 'tools', role: 'search', 'aria-label': 'Programs'},
			make('label', {for: 'search'}, 'Search'), parts.input, parts.hits,
			dom.button('Zoom in', () => zoomBy(2)), dom.button('Zoom out', () => zoomBy(0.5)),
			dom.button('All', showAll), parts.range),
		make('p', {class: 'hint', id: 'search-hint'},
			'By label, command or file; Enter goes to the next one, Shift and Enter ' +
			'back.'),
		make('ul', {class: 'legend', 'aria-label': 'Classes of programs'},
			...model.meta.classes.map((name, i) =>
				make('li', {}, links.colour(i), ' ', name)),
			make('li', {}, make('span',
				{class: 'swatch path-mark', 'aria-hidden': 'true'}),
			' on the critical path')),
		parts.chart,
		make('p', {class: 'hint', id: 'chart-hint'}, 'Above, how many programs of each ' +
			'class worked; then the critical path; below, each program where it ' +
			`worked. ${KEYS}`),
		parts.said, parts.details, parts.listed);
	state.indexed = model.lanes;
	chart.readColours();
	listen();
}

function show(section, argument) {
	if (!parts)
		build(section);
	redraw();
	if (argument === '')
		return undefined;
	const p = Number(argument);

	if (!(p >= 0 && p < model.programs.n)) {
		dom.fill(parts.said, `There is no program ${argument} in this build.`);
		return undefined;
	}
	const slices = model.slicesOf.of(p);
	if (!slices.length) {
		dom.fill(parts.said, `${program.line(p)}: too short to be seen.`);
		return undefined;
	}
	choose(slices[0], {closer: true});
	return details();
}

/* Whether all that was asked for is drawn. */
function idle() {
	return !asked;
}

return {show, recolour, frames, view, idle};
})();
