// SPDX-License-Identifier: LGPL-2.1
/*
 * The timeline: visible range, selection and search, pointer and keys.  chart.js draws it.
 * For screen readers, what the canvas shows is also text: the selected program in a live region,
 * the visible ones in a table.
 */
'use strict';

const timeline = (() => {

const LISTED = 50;
const SETTLED = 250;	/* ms without a change, after which the address is updated */
const state = {indexed: null, found: null, wanted: null, chosen: -1};
const frames = {n: 0, rectangles: 0, ms: 0};
let parts = null, asked = false, listing = 0, noting = 0, fits = null;
let wanted = () => true;	/* whether a program passes filter and search */

/* ---- visible range ---- */

function redraw() {
	const start = performance.now();

	asked = false;
	if (!parts || !parts.chart.clientWidth)
		return;
	const seen = viewport.view();
	const upper = chart.drawTop(parts.top, seen);

	chart.drawCosts(parts.costs, seen);
	frames.rectangles = upper + chart.drawLanes(parts.lanes, seen, state);
	frames.n++;
	frames.ms = performance.now() - start;
	showBand(seen);
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

/* The visible range changed: hide the tip, draw, and update the address later. */
function moved() {
	hideTip();
	draw();
	clearTimeout(noting);
	noting = setTimeout(note, SETTLED);
}

/* Write the visible range to the address: once after many steps of a wheel, key or drag. */
function note() {
	const {from, to} = viewport.view();

	clearTimeout(noting);
	noting = 0;
	if (parts && parts.chart.clientWidth)
		address.change({v: from > 0 || to < viewport.whole() ? times(from, to) : null},
			{replace: true});
}

/* Done after the first frame, as it takes a while. */
function loadCosts() {
	if (costs.known() && !costs.loaded())
		model.idle().then(() => {
			costs.load();
			draw();
		});
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

/* Two times as in an address, in seconds. */
function times(from, to) {
	return `${Number((from / 1e9).toFixed(9))}-${Number((to / 1e9).toFixed(9))}`;
}

/* The inverse of times(); null if @text has another form. */
function readTimes(text) {
	const [, from, to] = (text || '').match(/^([\d.]+)-([\d.]+)$/) || [];

	return from !== undefined && Number(from) < Number(to) ?
		{from: from * 1e9, to: to * 1e9} : null;
}

/* ---- selected program ---- */

function choose(slice, {closer} = {}) {
	const {from, to} = model.slices;
	const seen = viewport.view(), replace = state.chosen >= 0;

	state.chosen = slice;
	dom.fill(parts.details);
	if (slice < 0) {
		dom.fill(parts.description, '');
		address.change({}, {argument: '', replace: true});
		return draw();
	}
	const p = model.slices.program[slice];

	if (closer)
		viewport.around(from[slice], to[slice]);
	else if (to[slice] <= seen.from || from[slice] >= seen.to)
		viewport.move((from[slice] + to[slice] - seen.from - seen.to) / 2 /
			(seen.to - seen.from));
	dom.fill(parts.description, program.line(p));
	address.change({}, {argument: String(p), replace});
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
	const seen = viewport.view();

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
	const seen = viewport.view();
	const time = (Math.max(seen.from, from[state.chosen]) +
		Math.min(seen.to, to[state.chosen])) / 2;
	for (let l = lane[state.chosen] + step; l >= 0 && l < model.meta.counts.lanes; l += step) {
		const slice = lanes.at(state.indexed, l, time);

		if (slice >= 0)
			return choose(slice);
	}
	return null;
}

/* ---- search and filter ---- */

/* Apply filter and search: programs that do not pass are drawn faintly. */
function leave() {
	const all = !fits && !filter.active();

	wanted = all ? () => true : p => filter.passes(p) && (!fits || fits[p] === 1);
	state.found = all ? null : lanes.index(i => wanted(model.slices.program[i]));
	draw();
}

function searchFor(text) {
	parts.hits.dataset.done = 'false';
	search.programs(text, (found, done) => {
		fits = found;
		leave();
		const counted = fits && model.count(null, wanted);

		dom.fill(parts.hits, !fits ? '' : done && !counted.programs && !counted.others ?
			'No program matches' :
			`${model.countText(counted)}${done ? '' : ', searching commands'}`);
		parts.hits.dataset.done = String(done);
		if (range.get())
			showRange();
	});
}

/* Select the next matching slice, by time. */
function next(step) {
	const {slices} = model;

	if (!state.found)
		return;
	for (let i = 1, at = state.chosen; i <= slices.n; i++) {
		at = (at + step + slices.n) % slices.n;
		if (wanted(slices.program[at])) {
			choose(at, {closer: true});
			return;
		}
	}
}

/* ---- table of visible programs ---- */

function list() {
	const {slices} = model;
	const times = new Map();

	if (!parts.listed.open)
		return;
	const seen = viewport.view();
	for (let i = 0; i < slices.n && slices.from[i] < seen.to; i++) {
		const time = Math.min(slices.to[i], seen.to) - Math.max(slices.from[i], seen.from);
		const p = slices.program[i];

		if (time > 0 && wanted(p))
			times.set(p, (times.get(p) || 0) + time);
	}
	const longest = [...times].sort((a, b) => b[1] - a[1]).slice(0, LISTED);

	parts.listed.lastElementChild.replaceWith(table.make(
		`The ${longest.length} that worked longest, of ` +
			`${model.countText(model.count([...times.keys()]))} in view`, [
			{name: 'Program', value: r => model.label(r[0]),
				show: r => links.program(r[0])},
			{name: 'Class', value: r => model.className(r[0]),
				show: r => [links.colour(model.programs.kind[r[0]]), ' ',
					model.className(r[0])]},
			{name: 'From', value: r => model.programs.at[r[0]], number: true,
				show: r => dom.time(model.programs.at[r[0]])},
			{name: 'Worked in view', value: r => r[1], number: true,
				show: r => dom.time(r[1])},
			{name: 'End', value: r => model.howItEnded(r[0])},
		], longest, -4));
}

/* ---- a selected range ---- */

function showBand(seen) {
	const band = range.get();
	const part = time => (Math.min(seen.to, Math.max(seen.from, time)) - seen.from) /
		(seen.to - seen.from);

	parts.band.hidden = !band || band.to <= seen.from || band.from >= seen.to;
	if (parts.band.hidden)
		return;
	parts.band.style.left = `${100 * part(band.from)}%`;
	parts.band.style.width = `${100 * (part(band.to) - part(band.from))}%`;
}

function showRange() {
	const band = range.get();

	dom.fill(parts.totals, ...band ? [
		dom.make('h3', {tabindex: '-1'}, 'Selected range'),
		dom.make('p', {class: 'tools'},
			dom.button('Zoom to it', () => viewport.set(band.from, band.to)),
			dom.button('Clear', () => select(0, 0, true))),
		...range.describe(wanted)] : []);
}

/* While the pointer is dragged, only the band is drawn. */
function select(a, b, ended) {
	const from = Math.max(0, Math.min(a, b)), to = Math.min(viewport.whole(), Math.max(a, b));

	range.set(from < to ? {from, to} : null);
	hideTip();
	draw();
	if (!ended)
		return;
	showRange();
	address.change({r: range.get() ? times(from, to) : null});
}

function selectView() {
	const {from, to} = viewport.view();

	select(from, to, true);
	parts.totals.querySelector('h3').focus();
}

/* ---- pointer and keys ---- */

function pointed(event) {
	const y = d3.clientPoint(parts.lanes, event)[1];
	const seen = viewport.view(), time = viewport.timeAt(event);
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
	const near = 2 * (seen.to - seen.from) / seen.width;

	return slice >= 0 && model.slices.from[slice] - near <= time &&
		model.slices.to[slice] + near >= time ? slice : -1;
}

function hideTip() {
	parts.tip.hidden = true;
}

function hover(event) {
	const slice = viewport.busy() || event.pointerType === 'touch' ? -1 : pointed(event);

	parts.tip.hidden = slice < 0;
	if (slice < 0)
		return;
	dom.fill(parts.tip, program.line(model.slices.program[slice]));
	const [x, y] = d3.clientPoint(parts.chart, event);
	const most = Math.max(0, parts.chart.clientWidth - parts.tip.offsetWidth);

	parts.tip.style.left = `${Math.min(x + 12, most)}px`;
	parts.tip.style.top = `${y + 16}px`;
}

function none() {
	hideTip();
	if (range.get())
		select(0, 0, true);
	else
		choose(-1);
}

async function enter() {
	await details();
	const head = parts.details.querySelector('h3');

	if (head)
		head.focus();
}

const keys = {
	ArrowRight: () => goBeside(1), ArrowLeft: () => goBeside(-1),
	ArrowDown: () => goLane(1), ArrowUp: () => goLane(-1),
	Home: viewport.showAll, Escape: none, Enter: enter, m: selectView, ...viewport.keys,
};
const shifted = {ArrowRight: () => viewport.move(0.2), ArrowLeft: () => viewport.move(-0.2),
	'+': viewport.keys['+']};
/* these work wherever the focus is, except in text fields */
const ANYWHERE = ['w', 'a', 's', 'd', 'm'];

/* Return: whether the key was handled. */
function key(event, inChart) {
	const action = event.shiftKey ? shifted[event.key] : keys[event.key];

	if (!action || !parts || !parts.chart.clientWidth ||
	    !(inChart || ANYWHERE.includes(event.key)))
		return false;
	event.preventDefault();
	hideTip();
	action();
	return true;
}

/* Return: false if the timeline is not visible. */
function focusSearch() {
	if (!parts || !parts.chart.clientWidth)
		return false;
	parts.input.focus();
	parts.input.select();
	return true;
}

function listen() {
	const {chart: box, input} = parts;

	address.settle(note);
	viewport.listen(box, moved, {select, click: event => {
		box.focus({preventScroll: true});
		choose(pointed(event));
		details();
	}});
	box.addEventListener('pointermove', hover);
	box.addEventListener('pointerleave', hideTip);
	for (const left of ['scroll', 'blur', 'hashchange'])
		window.addEventListener(left, hideTip);
	input.addEventListener('input', () => {
		address.change({q: input.value}, {replace: true});
		searchFor(input.value);
	});
	input.addEventListener('keydown', event => {
		if (event.key === 'Enter') {
			event.preventDefault();
			next(event.shiftKey ? -1 : 1);
		}
	});
	parts.listed.addEventListener('toggle', list);
	new ResizeObserver(draw).observe(box);
}

/* ---- the view ---- */

function legend() {
	const mark = (name, text) => dom.make('li', {}, dom.make('span',
		{class: `swatch ${name}`, 'aria-hidden': 'true'}), ` ${text}`);

	return dom.make('ul', {class: 'legend', 'aria-label': 'Classes of programs'},
		...model.meta.classes.map((name, i) => dom.make('li', {}, links.colour(i), ' ', name)),
		mark('path-mark', 'on the critical path'),
		...filter.failedSlices() ? [mark('first-mark', 'failed first'),
			mark('failed-mark', 'failed')] : []);
}

function build(section) {
	const make = dom.make;

	parts = {
		input: make('input', {type: 'search', id: 'search', autocomplete: 'off',
			spellcheck: 'false', 'aria-describedby': 'search-hint'}),
		hits: make('span', {role: 'status'}),
		range: make('span', {class: 'range'}),
		top: make('canvas', {'aria-hidden': 'true'}),
		costs: make('canvas', {'aria-hidden': 'true'}),
		lanes: make('canvas', {class: 'lanes', 'aria-hidden': 'true'}),
		band: make('div', {class: 'band', hidden: true, 'aria-hidden': 'true'}),
		tip: make('div', {class: 'tip', hidden: true, 'aria-hidden': 'true'}),
		description: make('p', {'aria-live': 'polite', class: 'description'}),
		totals: make('div', {class: 'totals'}),
		details: make('div', {class: 'details'}),
		listed: make('details', {class: 'listed'},
			make('summary', {}, 'Programs in view, as a table'), make('div')),
	};
	parts.chart = make('div', {class: 'chart', id: 'chart', tabindex: '0', role: 'application',
		'aria-label': 'Timeline: programs at work by class, critical path, CPU and ' +
			'memory, lanes', 'aria-describedby': 'chart-hint'},
	parts.top, parts.costs, parts.lanes, parts.band, parts.tip);
	dom.fill(section, make('h2', {}, 'Timeline'),
		make('div', {class: 'tools', role: 'search', 'aria-label': 'Programs'},
			make('label', {for: 'search'}, 'Search'), parts.input, parts.hits,
			dom.button('Zoom in', () => viewport.zoom(2)),
			dom.button('Zoom out', () => viewport.zoom(0.5)),
			dom.button('Show all', viewport.showAll),
			dom.button('Totals', selectView, {title: 'Totals of what is in view'}),
			parts.range),
		make('p', {class: 'hint', id: 'search-hint'},
			'Finds labels, commands, files, and terms such as status:1 or failed. Enter ' +
			'goes to the next match, Shift and Enter to the one before.'),
		legend(), parts.chart,
		make('p', {class: 'hint', id: 'chart-hint'}, 'Top: running programs by class. ' +
			'Then the critical path' + (costs.known() ? ', CPU and memory' : '') +
			'. Bottom: a bar for each program. Arrow keys go from program to ' +
			'program, w and s zoom, a and d move, a drag selects a range; ? lists ' +
			'all keys.' + (costs.known() ? ` ${costs.HINT}` : '')),
		parts.description, parts.totals, parts.details, parts.listed);
	state.indexed = model.lanes;
	chart.readColours();
	listen();
}

/* The program that an address names. */
function showProgram(argument, closer) {
	const p = Number(argument);

	if (!(p >= 0 && p < model.programs.n)) {
		dom.fill(parts.description, `There is no program ${argument} in this build.`);
		return undefined;
	}
	const slices = Array.from(model.slicesOf.of(p));
	if (!slices.length) {
		dom.fill(parts.description, `${program.line(p)}: too short to be drawn.`);
		return undefined;
	}
	const {from, to} = viewport.view();
	const seen = slices.find(i => model.slices.to[i] > from && model.slices.from[i] < to);

	choose(closer || seen === undefined ? slices[0] : seen, {closer});
	return details();
}

function show(section, argument, params) {
	const first = !parts;

	if (first)
		build(section);
	const seen = readTimes(params.get('v')), query = params.get('q') || '';
	const chosen = state.chosen < 0 ? '' : String(model.slices.program[state.chosen]);

	if (seen)
		viewport.set(seen.from, seen.to);
	else if (argument === '' || first)
		viewport.showAll();
	/* the address is already up to date */
	clearTimeout(noting);
	noting = 0;
	leave();
	if (query !== parts.input.value || first) {
		parts.input.value = query;
		searchFor(query);
	}
	if (range.set(readTimes(params.get('r'))) || range.get())
		showRange();
	redraw();
	list();
	loadCosts();
	if (argument === '') {
		if (chosen !== '')
			choose(-1);
		return undefined;
	}
	return argument === chosen ? undefined : showProgram(argument, !seen);
}

return {show, recolour, frames, state, view: viewport.view, idle: () => !asked,
	noting: () => noting > 0, key, focusSearch};
})();
