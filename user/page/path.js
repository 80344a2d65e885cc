// SPDX-License-Identifier: LGPL-2.1
/* The critical path: what the build could not have ended before. */
'use strict';

const path = (() => {

const WHYS = {
	begin: 'the build began',
	started: 'it was started by the one before',
	ended: 'it went on when the one before had ended',
	needed: 'it needed a file that the one before made',
	place: 'it waited for a free job slot, which the one before had',
	order: 'it came after the one before, of which it needed no file',
	pipe: 'it waited for the one before at a pipe',
};

function why(i, paths) {
	const {path: rows, meta} = model;
	const words = WHYS[meta.whys[rows.why[i]]] || meta.whys[rows.why[i]];

	return rows.file[i] < 0 ? words : [words + ': ', links.file(rows.file[i], paths)];
}

/* How much of the path each class is. */
function classes() {
	const {path: rows, meta, programs} = model;
	const sums = meta.classes.map((name, kind) => ({name, kind, length: 0}));

	for (let i = 0; i < rows.n; i++)
		if (rows.program[i] >= 0)
			sums[programs.kind[rows.program[i]]].length += rows.to[i] - rows.from[i];
	return sums.filter(s => s.length).sort((a, b) => b.length - a.length);
}

function length(ns, longest) {
	return [dom.bar(ns / longest, ns / longest), dom.seconds(ns)];
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {path: rows, meta} = model;
	const paths = await model.files();
	const longest = rows.to.reduce((most, to, i) => Math.max(most, to - rows.from[i]), 1);
	const sums = classes();

	dom.fill(section, dom.make('h2', {}, 'Critical path'),
		dom.make('p', {}, `The build took ${dom.seconds(meta.wall)}. One of these worked ` +
			'at each moment of it, and each waited for the one before: to make the ' +
			'build shorter, make these shorter. With unlimited processors it would ' +
			`take ${dom.seconds(meta.endless)}.`),
		table.make('By class', [
			{name: 'Class', value: s => s.name,
				show: s => [links.colour(s.kind), ' ', s.name]},
			{name: 'Of the path', value: s => s.length, number: true,
				show: s => length(s.length, sums[0].length)},
		], sums, -2),
		table.make('Step by step', [
			{name: 'From', value: i => rows.from[i], number: true,
				show: i => dom.seconds(rows.from[i])},
			{name: 'Took', value: i => rows.to[i] - rows.from[i], number: true,
				show: i => length(rows.to[i] - rows.from[i], longest)},
			{name: 'Program',
				value: i => rows.program[i] < 0 ? '' : model.label(rows.program[i]),
				show: i => rows.program[i] < 0 ? 'not in the trace' :
					[links.colour(model.programs.kind[rows.program[i]]), ' ',
						links.program(rows.program[i])]},
			{name: 'Why then', value: i => rows.why[i], show: i => why(i, paths)},
			{name: 'Its job made', value: i => paths[rows.output[i]] || '',
				show: i => links.file(rows.output[i], paths)},
		], Array.from(rows.from.keys()), 1));
}

return {show};
})();
