// SPDX-License-Identifier: LGPL-2.1
/* The view of where the time went: by output, by program, and by directory. */
'use strict';

const slowest = (() => {

const MOST = 200;

/* @rows: [name, file, runs, total, longest, program of the longest, processor time] */
function one(caption, rows) {
	const most = Math.max(1, ...rows.map(r => r[3]));

	return table.make(caption, [
		{name: 'Name', value: r => r[0],
			show: r => r[1] < 0 ? r[0] || '(not known)' :
				dom.make('a', {href: `#file/${r[1]}`, class: 'path'}, r[0])},
		{name: 'Total', value: r => r[3], number: true,
			show: r => [dom.bar(r[3] / most, r[3] / most), dom.time(r[3])]},
		{name: 'Runs', value: r => r[2], show: r => dom.number(r[2]), number: true},
		{name: 'Longest', value: r => r[4], number: true,
			show: r => r[5] < 0 ? dom.time(r[4]) :
				links.program(r[5], dom.time(r[4]))},
		{name: 'CPU time', value: r => r[6], number: true,
			show: r => r[6] < 0 ? 'not known' : dom.time(r[6])},
	], rows, -2);
}

/*
 * Compute rows for one() from programs for which @wanted(program) is true; @files: by program,
 * the file that it counts for.
 */
function sums(files, wanted, paths) {
	const {programs, work} = model, rows = new Map();

	for (let p = 0; p < programs.n; p++) {
		/* work of a child before it runs a program counts for that program */
		if ((programs.forked[p] && !work[p]) || !wanted(p))
			continue;
		const file = files[p], cpu = programs.cpu[p] * 1000;
		const row = rows.get(file) || [paths[file] || '', file, 0, 0, -1, -1, -1];

		rows.set(file, row);
		row[2]++;
		row[3] += work[p];
		if (work[p] > row[4])
			[row[4], row[5]] = [work[p], p];
		if (cpu >= 0)
			row[6] = Math.max(0, row[6]) + cpu;
	}
	return [...rows.values()].sort((a, b) => b[3] - a[3] || a[1] - b[1]).slice(0, MOST);
}

/* The lists of etrace time; with a filter, they are computed here. */
async function lists() {
	const {output, file, directory} = model.programs;

	if (!filter.active())
		return model.slowest();
	const paths = await model.files();
	const of = (files, wanted = filter.passes) => sums(files, wanted, paths);

	return {outputs: of(output, p => output[p] >= 0 && filter.passes(p)), programs: of(file),
		directories: of(directory)};
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {outputs, programs, directories} = await lists();

	dom.fill(section, dom.make('h2', {}, 'Slowest'),
		dom.make('p', {class: 'hint'}, `The ${MOST} slowest of each. Click a column heading to ` +
			`sort. By output: ${filter.active() ? 'how long the programs that the filter ' +
			'leaves worked for it.' : 'how long its job took, from beginning to end.'}`),
		one('By output', outputs), one('By program', programs),
		one('By directory', directories));
}

return {show, sums};
})();
