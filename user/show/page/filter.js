// SPDX-License-Identifier: LGPL-2.1
/*
 * Selects the programs that all views show, by class, tool, status and directory.  The filter is
 * part of the address (address.js), and shown above the views, which call filter.passes(program).
 * A search accepts the same terms: "status:1 tool:cc1".
 */
'use strict';

const filter = (() => {

/* Kinds of failures that led to the failure of the build; words as in answers/failures.c. */
const FAILED = ['first', 'real', 'passed on', 'followed'];
const STATUSES = {
	failed: 'Failed with the build',
	nonzero: 'Any status except 0',
	signal: 'Killed by a signal',
	0: 'Status 0',
	first: 'Failed first',
	real: 'Failed by itself',
	'passed on': 'Passed a failure on',
	followed: 'Failed because of another',
	probe: 'Probe that failed',
	answer: 'Status is an answer',
	ignored: 'Failure that was ignored',
};
const STATUS = 1, SIGNAL = 2;	/* of programs.ended */
let mask = null, key = '', paths = null, parts = null;

const base = text => text.split(' ')[0];

/* The tool of each label: "cc1" of "cc1 main.c". */
function tools() {
	tools.list = tools.list || model.labels.map(base);
	return tools.list;
}

function failureOf(p) {
	return model.meta.failure_words[model.programs.failure[p]];
}

/* Whether a failure matters: the build failed because of it, or it followed from one that did. */
function failed(p) {
	failed.kinds = failed.kinds || model.meta.failure_words.map(word => FAILED.includes(word));
	return failed.kinds[model.programs.failure[p]];
}

/*
 * Slices of programs whose failure matters, as indexes for lanes.visible(): all slices; the last
 * slice of the program that failed first; the last slices of the others.  null if none failed.
 */
function failedSlices() {
	const {slices, slicesOf} = model;

	if (failedSlices.index !== undefined)
		return failedSlices.index;
	const of = slices.program, first = model.meta.failure_words.indexOf('first');
	const isLast = i => failed(of[i]) && slicesOf.of(of[i]).at(-1) === i;
	const isFirst = i => model.programs.failure[of[i]] === first;

	failedSlices.index = of.some(failed) ? {all: lanes.index(i => failed(of[i])),
		first: lanes.index(i => isFirst(i) && isLast(i)),
		others: lanes.index(i => !isFirst(i) && isLast(i))} : null;
	return failedSlices.index;
}

function hasStatus(value) {
	const {ended, status} = model.programs;

	switch (value) {
	case 'failed':
		return failed;
	case 'nonzero':
		return p => (ended[p] === STATUS && status[p] !== 0) || ended[p] === SIGNAL;
	case 'signal':
		return p => ended[p] === SIGNAL;
	default:
		return /^\d+$/.test(value) ?
			p => ended[p] === STATUS && status[p] === Number(value) :
			p => failureOf(p) === value;
	}
}

/* Whether the output of a program's job is below @directory. */
function within(directory) {
	const prefix = directory.endsWith('/') ? directory : `${directory}/`;
	const known = new Map();

	return p => {
		const file = model.programs.output[p];

		if (!known.has(file))
			known.set(file, file >= 0 && paths[file].startsWith(prefix));
		return known.get(file);
	};
}

/* name: {title, test: returns for a value a function that tests a program} */
const TERMS = {
	class: {title: 'Class', test: value => {
		const kind = model.meta.classes.indexOf(value);

		return p => model.programs.kind[p] === kind;
	}},
	tool: {title: 'Tool', test: value => {
		const fits = tools().map(tool => tool === value);

		return p => fits[model.programs.label[p]];
	}},
	status: {title: 'Status', test: hasStatus},
	dir: {title: 'Directory', test: within},
};

/* Split a search into terms, as tests, and the remaining text. */
async function terms(text) {
	const tests = [], words = [];

	for (const word of text.split(/\s+/)) {
		const [, name, value] = word.match(/^(class|tool|status|dir):(.+)$/) ||
			(word === 'failed' ? [word, 'status', 'failed'] : []);

		if (name === 'dir')
			paths = await model.files();
		if (name)
			tests.push(TERMS[name].test(value));
		else if (word)
			words.push(word);
	}
	return {tests, text: words.join(' ')};
}

/* Set the filter from an address; @whole: the view shows everything regardless of it. */
async function set(params, whole) {
	const values = Object.keys(TERMS).map(name => [name, params.get(name)])
		.filter(([, value]) => value);
	const wanted = JSON.stringify(values);

	if (wanted !== key) {
		if (params.get('dir'))
			paths = await model.files();
		const tests = values.map(([name, value]) => TERMS[name].test(value));

		key = wanted;
		mask = tests.length ? Uint8Array.from({length: model.programs.n},
			(unused, p) => tests.every(test => test(p))) : null;
	}
	show(values, whole);
}

function passes(p) {
	return !mask || mask[p] === 1;
}

/* ---- above the views ---- */

function change(name, value) {
	address.change({[name]: value});
	main.route();
}

/* Tools and their numbers of programs, the largest first. */
function toolCounts() {
	const counts = new Map();

	for (let p = 0; p < model.programs.n; p++)
		if (model.isRun[p]) {
			const tool = tools()[model.programs.label[p]];

			counts.set(tool, (counts.get(tool) || 0) + 1);
		}
	return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 200);
}

function select(name, options) {
	const list = dom.make('select', {id: `filter-${name}`},
		dom.make('option', {value: ''}, 'all'),
		...options.map(([value, text]) => dom.make('option', {value}, text)));

	list.addEventListener('change', () => change(name, list.value || null));
	return list;
}

function directory() {
	const input = dom.make('input', {id: 'filter-dir', spellcheck: 'false',
		autocomplete: 'off', placeholder: '/absolute/path'});

	input.addEventListener('change', () => change('dir', input.value.trim() || null));
	return input;
}

/* Lists are filled when they are first opened. */
function build() {
	const {meta, programs} = model;
	const kinds = new Set(programs.failure);
	const statuses = Object.entries(STATUSES).filter(([value]) =>
		!meta.failure_words.includes(value) ||
		kinds.has(meta.failure_words.indexOf(value)));
	const inputs = {
		class: select('class', meta.classes.map(name => [name, name])),
		tool: select('tool', toolCounts().map(([name, n]) =>
			[name, `${name} (${dom.number(n)})`])),
		status: select('status', statuses),
		dir: directory(),
	};

	parts.inputs = inputs;
	parts.panel.append(...Object.entries(inputs).map(([name, input]) =>
		dom.make('div', {}, dom.make('label', {for: `filter-${name}`}, TERMS[name].title),
			input)),
	dom.make('p', {class: 'hint'}, 'Directory: of the files that the programs\' jobs made.'));
}

function showInputs(values) {
	const by = new Map(values);

	for (const [name, input] of Object.entries(parts.inputs || {}))
		input.value = by.get(name) || '';
}

function words([name, value]) {
	return `${TERMS[name].title}: ${name === 'status' && STATUSES[value] || value}`;
}

function show(values, whole) {
	const place = document.getElementById('filters');

	if (!parts) {
		parts = {chips: dom.make('ul', {class: 'chips', 'aria-label': 'Filters'}),
			count: dom.make('span', {role: 'status', class: 'hint'}),
			panel: dom.make('details', {class: 'filter'},
				dom.make('summary', {}, 'Filter')), inputs: null};
		parts.panel.addEventListener('toggle', () => {
			if (!parts.inputs) {
				build();
				showInputs(parts.values);
			}
		});
		dom.fill(place, parts.panel, parts.chips, parts.count);
		place.hidden = false;
	}
	parts.values = values;
	showInputs(values);
	dom.fill(parts.chips, ...values.map(v => dom.make('li', {},
		dom.button(`${words(v)} \u2715`, () => change(v[0], null),
			{'aria-label': `Remove filter ${words(v)}`}))));
	parts.chips.hidden = !values.length;
	dom.fill(parts.count, !values.length ? '' : whole ? 'This view shows everything.' :
		model.countText(model.count(null, passes), model.count(null, () => true)));
}

/* Text about the failure of a program: "failed first"; "" if it did not fail. */
function failureText(p) {
	return (STATUSES[failureOf(p)] || '').toLowerCase();
}

return {set, passes, terms, failed, failureOf, failureText, failedSlices,
	toolOf: p => tools()[model.programs.label[p]], active: () => mask !== null,
	key: () => key};
})();
