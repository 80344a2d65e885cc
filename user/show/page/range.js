// SPDX-License-Identifier: LGPL-2.1
/*
 * The selected range of the timeline: which programs worked in it, in sum, by class and by tool.
 */
'use strict';

const range = (() => {

const TOOLS = 20;
let selected = null;

function get() {
	return selected;
}

/* Set the range, null for none.  Return: whether it changed */
function set(next) {
	const same = next === selected || (next && selected && next.from === selected.from &&
		next.to === selected.to);

	selected = next;
	return !same;
}

/* Sums of the work between two times of programs that @wanted selects. */
function totals(from, to, wanted) {
	const {slices, programs, meta} = model;
	const rows = new Set(), tools = new Map();
	const classes = meta.classes.map((name, kind) => ({name, kind, work: 0, rows: new Set()}));
	let work = 0;

	for (let i = 0; i < slices.n && slices.from[i] < to; i++) {
		const part = Math.min(to, slices.to[i]) - Math.max(from, slices.from[i]);
		const p = slices.program[i];

		if (part <= 0 || !wanted(p))
			continue;
		const name = filter.toolOf(p);
		const tool = tools.get(name) || {name, kind: programs.kind[p], work: 0,
			rows: new Set()};

		tools.set(name, tool);
		for (const sum of [classes[programs.kind[p]], tool]) {
			sum.work += part;
			sum.rows.add(p);
		}
		rows.add(p);
		work += part;
	}
	const byWork = list => list.filter(s => s.work).sort((a, b) => b.work - a.work);

	return {rows, work, length: to - from, cpu: costs.cpuWithin(from, to, wanted),
		classes: byWork(classes), tools: byWork([...tools.values()])};
}

function sums(caption, name, list, work) {
	return table.make(caption, [
		{name, value: s => s.name, show: s => [links.colour(s.kind), ' ', s.name]},
		{name: 'Worked', value: s => s.work, number: true, show: s =>
			[dom.bar(s.work / work, s.work / work), dom.time(s.work)]},
		{name: 'Share', value: s => s.work / work, number: true,
			show: s => dom.percent(s.work / work)},
		{name: 'Programs', value: s => s.rows.size, number: true,
			show: s => dom.number(model.count(s.rows).programs)},
	], list, -2);
}

/* Text and tables about the range. */
function describe(wanted) {
	const {from, to} = selected;
	const t = totals(from, to, wanted);
	const fact = (name, value) => [dom.make('dt', {}, name), dom.make('dd', {}, value)];

	return [
		dom.make('dl', {class: 'facts'},
			...fact('From, to', `${dom.moment(from, t.length / 100)}, ` +
				dom.moment(to, t.length / 100)),
			...fact('Length', dom.time(t.length)),
			...fact('Programs', model.countText(model.count(t.rows))),
			...fact('Work in all', dom.time(t.work)),
			...fact('Average parallelism', (t.work / t.length).toFixed(2)),
			...t.cpu < 0 ? [] : fact('CPU time', `${dom.time(t.cpu)} (estimate: spread ` +
				'evenly over the life of each process)')),
		...t.work ? [sums('By class', 'Class', t.classes, t.work),
			sums(t.tools.length > TOOLS ?
				`By tool: the first ${TOOLS} of ${t.tools.length}` : 'By tool', 'Tool',
			t.tools.slice(0, TOOLS), t.work)] : [],
	];
}

return {get, set, totals, describe};
})();
