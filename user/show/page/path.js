// SPDX-License-Identifier: LGPL-2.1
/* The view of the critical path, which decided how long the build took. */
'use strict';

const path = (() => {

const WHYS = {
	begin: 'the build began',
	started: 'started by the step before',
	ended: 'waited for the step before to end',
	needed: 'needed a file of the step before',
	place: 'waited for a free job slot, until the step before ended',
	order: 'ran after the step before, but read none of its files',
	pipe: 'waited for data from the step before',
};

function why(i, paths) {
	const {path: rows, meta} = model;
	const words = WHYS[meta.whys[rows.why[i]]] || meta.whys[rows.why[i]];

	return rows.file[i] < 0 ? words : [words + ': ', links.file(rows.file[i], paths)];
}

/* The share of each class in the path. */
function classes() {
	const {path: rows, meta, programs} = model;
	const sums = meta.classes.map((name, kind) => ({name, kind, length: 0}));

	for (let i = 0; i < rows.n; i++)
		if (rows.program[i] >= 0 && filter.passes(rows.program[i]))
			sums[programs.kind[rows.program[i]]].length += rows.to[i] - rows.from[i];
	return sums.filter(s => s.length).sort((a, b) => b.length - a.length);
}

function length(ns, longest) {
	return [dom.bar(ns / longest, ns / longest), dom.time(ns)];
}

/* Show the longest steps that together are 95 % of the path, at least 20; fold the others. */
const MOST = 0.95, LEAST = 20;

function longest(took) {
	const order = Array.from(took.keys()).filter(i => !filter.active() ||
		(model.path.program[i] >= 0 && filter.passes(model.path.program[i]))).sort((a, b) => took[b] - took[a] || a - b);
	const enough = MOST * order.reduce((all, i) => all + took[i], 0);
	let n = 0, sum = 0;

	while (n < order.length && (n < LEAST || sum < enough))
		sum += took[order[n++]];
	return {shown: order.slice(0, n), rest: order.slice(n)};
}

function steps(caption, list, order, took, paths) {
	const {path: rows, meta} = model;
	const most = Math.max(1, ...list.slice(0, 1).map(i => took[i]));

	return table.make(caption, [
		{name: 'Took', value: i => took[i], number: true, show: i => length(took[i], most)},
		{name: 'Of the build', value: i => took[i], number: true,
			show: i => dom.percent(took[i] / Math.max(1, meta.wall))},
		{name: 'Program',
			value: i => rows.program[i] < 0 ? '' : model.label(rows.program[i]),
			show: i => rows.program[i] < 0 ? 'not in the trace' :
				[links.colour(model.programs.kind[rows.program[i]]), ' ',
					links.program(rows.program[i])]},
		{name: 'Output of its job', value: i => paths[rows.output[i]] || '',
			show: i => links.file(rows.output[i], paths)},
		{name: 'From', value: i => rows.from[i], number: true,
			show: i => dom.moment(rows.from[i], 1e6)},
		{name: 'Why it started then', value: i => rows.why[i], show: i => why(i, paths)},
	], list, order);
}

function folded(rest, took, paths) {
	if (!rest.length)
		return null;
	const sum = rest.reduce((all, i) => all + took[i], 0);
	const box = dom.make('details', {class: 'listed'}, dom.make('summary', {},
		`${dom.plural(rest.length, 'step')} no longer than ${dom.time(took[rest[0]])}, ` +
		`together ${dom.time(sum)}`));

	box.addEventListener('toggle', () => {
		if (box.open && box.childElementCount === 1)
			box.append(steps('Short steps', rest, -1, took, paths));
	});
	return box;
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {path: rows, meta} = model;
	const paths = await model.files();
	const took = rows.to.map((to, i) => to - rows.from[i]);
	const sums = classes(), {shown, rest} = longest(took);
	const whole = Math.max(1, sums.reduce((all, s) => all + s.length, 0));

	dom.fill(section, dom.make('h2', {}, 'Critical path'),
		dom.make('p', {}, 'At every moment one of these was running, and each had to wait for ' +
			'the one before. Only making these faster makes the build faster. The build ' +
			`took ${dom.time(meta.wall)}; with unlimited CPUs it would take ` +
			`${dom.time(meta.endless)}.`),
		table.make('By class', [
			{name: 'Class', value: s => s.name,
				show: s => [links.colour(s.kind), ' ', s.name]},
			{name: 'Of the path', value: s => s.length, number: true,
				show: s => length(s.length, sums[0].length)},
			{name: 'Percent', value: s => s.length, number: true,
				show: s => dom.percent(s.length / whole)},
		], sums, -2),
		steps('Steps, the longest first', shown, -1, took, paths),
		folded(rest, took, paths));
}

return {show, classes};
})();
