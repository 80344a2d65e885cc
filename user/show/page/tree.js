// SPDX-License-Identifier: LGPL-2.1
/* The view of the process tree, processes with the most time first. */
'use strict';

const tree = (() => {

/* "gcc main.c, then cc1 main.c": what a process ran, one after the other. */
function names(process) {
	const list = [...model.programsOf().of(process)].map(model.label)
		.filter((label, i, all) => label !== all[i - 1]);

	return list.length ? list.join(', then ') : '(ran no program of its own)';
}

/* Those of @processes that pass the filter, the most time first. */
function sorted(processes, times) {
	return [...processes].filter(i => !filter.active() || times.counted[i])
		.sort((a, b) => times.all[b] - times.all[a] || a - b).map(i => node(i, times));
}

function node(process, times) {
	const {own, all, below, counted, total} = times;
	const programs = model.programsOf().of(process);
	const first = [...programs].reverse().find(filter.passes) ?? programs.at(-1) ?? -1;
	const children = Array.from(model.childrenOf().of(process))
		.filter(i => !filter.active() || counted[i]);

	return {
		row: [
			dom.bar(all[process] / total, own[process] / total),
			dom.make('span', {class: 'time'}, dom.time(all[process])),
			' ', first < 0 ? names(process) : links.program(first, names(process)),
			dom.make('small', {}, children.length ? `${dom.time(own[process])} itself, ` +
				`${filter.active() ? dom.plural(counted[process], 'program') + ' of the filter' :
					dom.plural(below[process], 'process', 'processes') + ' below'}, ` : '',
			`pid ${model.processes.pid[process]}`),
		],
		children: children.length ? () => sorted(children, times) : null,
		open: first < 0 ? null : `#program/${first}`,
	};
}

async function show(section) {
	if (section.childElementCount)
		return;
	const times = model.times(filter.passes), roots = model.rootsOf();

	times.total = roots.reduce((sum, i) => sum + times.all[i], 0) || 1;
	const list = branches.make('Processes, by time', sorted(roots, times));

	dom.fill(section, dom.make('h2', {}, 'Processes, by time'),
		dom.make('p', {class: 'hint'}, 'Time of each process including everything it started; ' +
			'waiting for children is not counted. The dark part of a bar is its own. ' +
			(filter.active() ? 'Only the programs that match the filter count; what ' +
			'started them is shown, too. ' : '') + 'Arrow keys move and open, * opens ' +
			'all on the same level, Enter shows the program.'),
		list);
	await branches.openFirst(list);
}

return {show};
})();
