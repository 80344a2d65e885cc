// SPDX-License-Identifier: LGPL-2.1
/* Compares the build with an earlier one: what is slower, faster, new, or gone. */
'use strict';

const compare = (() => {

/* "+3.2 s", "-12 ms"; empty if equal */
function change(ns) {
	return ns ? (ns < 0 ? '\u2212' : '+') + dom.time(Math.abs(ns)) : '0 s';
}

function relative(before, after) {
	return before > 0 && after !== before ? `${after < before ? '\u2212' : '+'}${
		dom.percent(Math.abs(after - before) / before)}` : '';
}

/* @r: [program, before, after]; if gone, [-1, before, 0, label, command, directory] */
function name(r) {
	return r[0] < 0 ? r[3] : model.label(r[0]);
}

function programs(title, list, columns) {
	const rows = list.rows.filter(r => r[0] < 0 || filter.passes(r[0]));

	return rows.length ? [table.make(title, [
		{name: 'Program', value: name, show: r => r[0] < 0 ? r[3] : [
			links.colour(model.programs.kind[r[0]]), ' ', links.program(r[0])]},
		...columns], rows, -2),
	list.n > list.rows.length ? dom.make('p', {class: 'hint'},
		`The ${dom.number(list.rows.length)} that differ most, of ${dom.number(list.n)}.`) : null] : [];
}

const BEFORE = {name: 'Before', value: r => r[1], number: true, show: r => dom.time(r[1])};
const NOW = {name: 'Now', value: r => r[2], number: true, show: r => dom.time(r[2])};
const CHANGE = {name: 'Change', value: r => Math.abs(r[2] - r[1]), number: true,
	show: r => change(r[2] - r[1])};
const RELATIVE = {name: 'Percent', value: r => r[2] / Math.max(1, r[1]), number: true,
	show: r => relative(r[1], r[2])};

function totals({before, after}) {
	const rows = [
		['Took', before.wall, after.wall], ['Work of all programs', before.worked, after.worked],
		...before.cpu >= 0 && after.cpu >= 0 ? [['CPU time', before.cpu, after.cpu]] : [],
	].map(([what, a, b]) => ({what, a: dom.time(a), b: dom.time(b), c: change(b - a), r: relative(a, b)}));

	rows.push({what: 'Programs', a: dom.number(before.programs), b: dom.number(after.programs),
		c: (after.programs < before.programs ? '\u2212' : '+') +
			dom.number(Math.abs(after.programs - before.programs)),
		r: relative(before.programs, after.programs)});
	return table.make('Totals', [
		{name: 'What', value: r => r.what}, {name: 'Before', value: r => r.a, number: true},
		{name: 'Now', value: r => r.b, number: true}, {name: 'Change', value: r => r.c, number: true},
		{name: 'Percent', value: r => r.r, number: true},
	], rows);
}

/* Summary in one line, also for the overview. */
function sum({before, after, slower, faster, added, gone}) {
	const ns = after.wall - before.wall;
	const counts = [[slower.n, 'slower'], [faster.n, 'faster'], [added.n, 'new'], [gone.n, 'gone']]
		.filter(c => c[0]).map(([n, word]) => `${dom.number(n)} ${word}`);

	return `This build took ${dom.time(after.wall)}, ${ns ? `${dom.time(Math.abs(ns))} ${
		ns < 0 ? 'less' : 'more'} than the earlier build` : 'as long as the earlier build'} (${
		dom.time(before.wall)}).` + (counts.length ? ` Programs: ${counts.join(', ')}.` : '');
}

/* What the comparison cannot know. */
function doubts({before, after}) {
	return [before.complete ? null : 'The trace of the earlier build is not complete: programs ' +
		'that are missing there are listed as new.',
	before.failed && !after.failed ? 'The earlier build failed: programs that it did not get to are listed as new.' : null,
	after.failed && !before.failed ? 'This build failed: programs that it did not get to are listed as gone.' : null]
		.filter(Boolean).map(text => dom.make('p', {class: 'failed'}, text));
}

async function show(section) {
	if (section.childElementCount)
		return;
	const c = await model.compare();

	dom.fill(section, dom.make('h2', {}, 'Compared with an earlier build'),
		dom.make('p', {}, sum(c), ' The earlier build: ', dom.make('span', {class: 'path'}, c.name)),
		...doubts(c), totals(c),
		dom.make('p', {class: 'hint'}, 'The lists compare each program with the one that did the same ' +
			'in the earlier build, by its own time, without the programs that it started. ' +
			'What ran at the same time can make the same program faster or slower.'),
		...programs('Slower', c.slower, [CHANGE, RELATIVE, BEFORE, NOW]),
		...programs('New', c.added, [NOW]),
		...programs('Gone', c.gone, [BEFORE,
			{name: 'Command', value: r => r[4], show: r => dom.make('code', {class: 'command'}, r[4])},
			{name: 'In', value: r => r[5], show: r => dom.make('span', {class: 'path'}, r[5])}]),
		...programs('Faster', c.faster, [CHANGE, RELATIVE, BEFORE, NOW]));
}

/* Summary for the overview; empty if there is no earlier build. */
async function summary() {
	if (!model.hasCompare())
		return [];
	const c = await model.compare();

	return [dom.make('h3', {}, 'Compared with an earlier build'), ...doubts(c),
		dom.make('p', {}, sum(c), ' ', dom.make('a', {href: '#compare'}, 'What got slower'))];
}

return {show, summary};
})();
