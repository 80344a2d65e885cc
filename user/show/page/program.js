// SPDX-License-Identifier: LGPL-2.1
/* All facts about one program, for its page and for the details of the timeline. */
'use strict';

const program = (() => {

function line(p) {
	const {programs} = model, failure = filter.failureText(p);

	return `${model.label(p)}, ${model.className(p)}, ` +
		`worked ${dom.time(model.work[p])} from ${dom.time(programs.at[p])}, ` +
		`${model.howItEnded(p)}${failure ? ` (${failure})` : ''}`;
}

/* An entry of a list of facts; nothing if the fact is unknown. */
function fact(name, ...content) {
	return content[0] === null || content[0] === undefined ? [] :
		[dom.make('dt', {}, name), dom.make('dd', {}, ...content)];
}

async function facts(p) {
	const {programs, processes} = model;
	const [paths, command] = await Promise.all([model.files(), model.command(p)]);
	const cpu = programs.cpu[p], memory = programs.memory[p];

	return dom.make('dl', {class: 'facts'},
		...fact('Class', links.colour(programs.kind[p]), ' ', model.className(p),
			model.onPath[p] ? ', on the critical path' : ''),
		...fact('Command', command &&
			dom.make('code', {class: 'command'}, dom.quoted(command.words)),
			' ', command && dom.copyButton(dom.quoted(command.words), 'the command')),
		...fact('Directory', command && dom.make('code', {class: 'path'}, command.directory)),
		...fact('Program', links.file(programs.file[p], paths)),
		...fact('From, to',
			`${dom.time(programs.at[p])}, ${dom.time(programs.until[p])}`),
		...fact('Worked', dom.time(model.work[p])),
		...fact('CPU time', cpu < 0 ? null : dom.time(cpu * 1000)),
		...fact('Memory', memory < 0 ? null : `${dom.bytes(memory * 1024)} at most`),
		...fact('Ended', model.howItEnded(p)),
		...fact('Process ID', `${processes.pid[programs.process[p]]}`),
		...fact('Started by', links.program(programs.parent[p])),
		...fact('Output of its job', links.file(programs.output[p], paths)));
}

/* Rows are indented by depth, and their bars are at the time when they ran. */
function inside(rows) {
	if (!rows.length)
		return null;
	const begin = d3.min(rows, r => r[2]);
	const whole = Math.max(1, d3.max(rows, r => r[2] + r[3] - begin));

	return table.make('Inside, as the compiler reported it', [
		{name: 'What', value: r => r[0], show: r => '\u00a0'.repeat(2 * r[4]) + r[0]},
		{name: 'Of', value: r => r[1], show: r => dom.make('span', {class: 'path'}, r[1])},
		{name: 'From', value: r => r[2], number: true, show: r => dom.time(r[2])},
		{name: 'Took', value: r => r[3], number: true, show: r =>
			[dom.bar(r[3] / whole, r[3] / whole, (r[2] - begin) / whole),
				dom.time(r[3])]},
	], rows);
}

function children(p) {
	const list = [];

	for (let i = p + 1; i < model.programs.n; i++)
		if (model.programs.parent[i] === p)
			list.push(i);
	return list;
}

/* Files by their versions, each once, in the order of their paths. */
function filesOf(graph, versions, paths) {
	return [...new Set(Array.from(versions, v => graph.versions.file[v]))].filter(f => f >= 0)
		.sort((a, b) => paths[a] < paths[b] ? -1 : 1);
}

function fileTable(caption, files, paths) {
	return files.length ? table.make(caption, [
		{name: 'File', value: f => paths[f], show: f => links.file(f, paths)},
	], files, 1) : null;
}

async function show(section, argument) {
	const p = Number(argument);

	if (!Number.isInteger(p) || p < 0 || p >= model.programs.n || argument === '')
		return dom.fill(section, dom.make('h2', {}, 'Program'),
			dom.make('p', {}, `There is no program ${argument} in this build.`));
	const [list, rows, paths, graph] = await Promise.all([facts(p), model.inside(p),
		model.files(), model.graph(main.progress)]);
	const started = children(p);

	return dom.fill(section,
		dom.make('h2', {}, model.label(p)),
		dom.make('p', {}, dom.make('a', {href: `#timeline/${p}`}, 'Show in the timeline')),
		list, inside(rows),
		started.length ? table.make('Programs that it started', [
			{name: 'Program', value: i => model.label(i), show: i => links.program(i)},
			{name: 'From', value: i => model.programs.at[i],
				show: i => dom.time(model.programs.at[i]), number: true},
			{name: 'Worked', value: i => model.work[i],
				show: i => dom.time(model.work[i]), number: true},
		], started, 2) : null,
		fileTable('Files that it wrote', filesOf(graph, graph.writes.of(p), paths), paths),
		fileTable('Files that it read', filesOf(graph, graph.dataOf(p), paths), paths),
		fileTable('Programs, libraries and settings that it used',
			filesOf(graph, graph.othersOf(p), paths), paths));
}

return {line, facts, show};
})();
