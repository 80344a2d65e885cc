// SPDX-License-Identifier: LGPL-2.1
/* The tree of processes, where the most time went first. */
'use strict';

const tree = (() => {

/* "gcc main.c, then cc1 main.c": what a process ran, one after the other. */
function names(process) {
	const list = [...model.programsOf().of(process)].map(model.label)
		.filter((label, i, all) => label !== all[i - 1]);

	return list.length ? list.join(', then ') : '(ran no program of its own)';
}

function sorted(processes) {
	const {all} = model.times();

	return [...processes].sort((a, b) => all[b] - all[a] || a - b).map(node);
}

function node(process) {
	const {own, all, below} = model.times();
	const programs = model.programsOf().of(process);
	const first = programs.length ? programs[programs.length - 1] : -1;
	const children = model.childrenOf().of(process);

	return {
		row: [
			dom.bar(all[process] / total(), own[process] / total()),
			dom.make('span', {class: 'time'}, dom.time(all[process])),
			' ', first < 0 ? names(process) : links.program(first, names(process)),
			dom.make('small', {}, children.length ?
				`, ${dom.time(own[process])} of it itself, ` +
				dom.plural(below[process], 'process', 'processes') + ' below' : '',
			`, pid ${model.processes.pid[process]}`),
		],
		children: children.length ? () => sorted(children) : null,
		open: first < 0 ? null : `#program/${first}`,
	};
}

const total = () => total.sum = total.sum ||
	model.rootsOf().reduce((sum, i) => sum + model.times().all[i], 0) || 1;

async function show(section) {
	if (section.childElementCount)
		return;
	const list = branches.make('Processes, by time', sorted(model.rootsOf()));

	dom.fill(section, dom.make('h2', {}, 'Processes, by time'),
		dom.make('p', {class: 'hint'}, 'How long each process worked together with all ' +
			'that it started; the dark part of a bar is its own. Waiting for others ' +
			'is no work. Arrow keys move and open, * opens all beside, Enter shows ' +
			'the program.'),
		list);
	await branches.openFirst(list);
}

return {show};
})();
