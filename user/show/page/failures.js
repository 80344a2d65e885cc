// SPDX-License-Identifier: LGPL-2.1
/* The view of all failed programs, those that matter first; meta.failure_words has the kinds. */
'use strict';

const failures = (() => {

/* Maximum number of rows of each kind. */
const MOST = 1000;

/* kind: [title, what it means]; FOLDED: failures that are expected, shown on a click */
const KINDS = {
	first: ['Failed first', 'The failure of the build began here.'],
	real: ['Other failures', 'The build failed because of these, too.'],
	followed: ['Followed', 'They failed or were stopped because of an earlier failure.'],
	'passed on': ['Passed on', 'They failed because a program that they called failed.'],
};
const FOLDED = {
	ignored: ['Ignored', 'Their callers went on and did not fail because of them.'],
	answer: ['Answers', 'Their status is an answer and no failure, as with test or grep.'],
	probe: ['Probes', 'What configure, CMake and the like tried, to find out about the system.'],
};

const REASONS = {
	input: '', missing: 'not found: ', tool: 'no such program: ',
	interpreter: 'no such program, or no interpreter of it: ',
	'not permitted': 'not permitted: ', timeout: 'took too long: ', error: 'cannot be used: ',
};

function programsOf(kind) {
	const number = model.meta.failure_words.indexOf(kind), list = [];

	for (let p = 0; number > 0 && p < model.programs.n; p++)
		if (model.programs.failure[p] === number && filter.passes(p))
			list.push(p);
	return list;
}

function on(detail) {
	return detail && detail.path ? (REASONS[detail.reason] || '') + detail.path : '';
}

function printed({detail}) {
	return detail && detail.printed ? dom.make('pre', {class: 'printed', tabindex: 0, role: 'region',
		'aria-label': 'What it printed last'}, detail.printed) : '';
}

async function list(title, hint, programs, details) {
	const rows = [];

	for (const p of programs.slice(0, MOST)) {
		const detail = details.get(p);
		const typed = detail && detail.command >= 0 ? detail.command : model.driver(p);

		rows.push({p, detail, command: await model.command(typed)});
	}
	const some = (name, value, more) => rows.some(value) ? [{name, value, ...more}] : [];

	return [table.make(title, [
		{name: 'Program', value: r => model.label(r.p), show: r => links.program(r.p)},
		{name: 'How it ended', value: r => model.howItEnded(r.p)},
		{name: 'Ended at', value: r => model.programs.until[r.p], number: true,
			show: r => dom.time(model.programs.until[r.p])},
		...some('On', r => on(r.detail)),
		...some('Because of it', r => r.detail ? r.detail.after : 0, {number: true,
			show: r => r.detail && r.detail.after ? `${dom.number(r.detail.after)} more failed` : ''}),
		...some('It printed', r => r.detail ? r.detail.printed : '', {show: printed}),
		{name: 'Command', value: r => r.command ? dom.quoted(r.command.words) : '',
			show: r => r.command ? dom.make('code', {class: 'command'},
				dom.quoted(r.command.words)) : 'not known'},
		{name: 'In', value: r => r.command ? r.command.directory : '',
			show: r => dom.make('span', {class: 'path'}, r.command ? r.command.directory : '')},
	], rows, 3), dom.make('p', {class: 'hint'}, hint, programs.length > MOST ?
		` These are the first ${dom.number(MOST)} of ${dom.number(programs.length)}.` : '')];
}

/* The table is created when it is opened, as it can have thousands of rows. */
function folded(title, hint, programs) {
	const box = dom.make('details', {class: 'listed'},
		dom.make('summary', {}, `${title} (${dom.number(programs.length)})`));

	box.addEventListener('toggle', async () => {
		if (box.open && box.childElementCount === 1)
			box.append(...await list(title, hint, programs, new Map()));
	});
	return box;
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {failure, failures: known} = await model.overview();
	const details = new Map(known.map(f => [f.program, f]));
	const parts = [];

	for (const [kind, [title, hint]] of Object.entries(KINDS)) {
		const programs = programsOf(kind);

		if (programs.length)
			parts.push(...await list(title, hint, programs, details));
	}
	for (const [kind, [title, hint]] of Object.entries(FOLDED)) {
		const programs = programsOf(kind);

		if (programs.length)
			parts.push(folded(title, hint, programs));
	}
	dom.fill(section, dom.make('h2', {}, 'Failures'),
		dom.make('p', {class: failure ? 'failed' : null}, failure ||
			(model.meta.failed ? 'The build failed; which program failed first is not known.' :
				'The build did not fail.')),
		...parts);
}

return {show};
})();
