// SPDX-License-Identifier: LGPL-2.1
/* Where the time went, by what was made, by what made it, and by directory. */
'use strict';

const slowest = (() => {

/* [name, file, runs, total, longest, program of the longest, processor time] */
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
		{name: 'Processor', value: r => r[6], number: true,
			show: r => r[6] < 0 ? 'not known' : dom.time(r[6])},
	], rows, -2);
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {outputs, programs, directories} = await model.slowest();

	dom.fill(section, dom.make('h2', {}, 'Slowest'),
		dom.make('p', {class: 'hint'}, 'The 200 slowest of each. Click a column heading to sort.'),
		one('By output', outputs), one('By program', programs),
		one('By directory', directories));
}

return {show};
})();
