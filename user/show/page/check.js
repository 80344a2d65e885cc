// SPDX-License-Identifier: LGPL-2.1
/* The views of the results of etrace check and etrace used. */
'use strict';

const check = (() => {

const SHOWN = 200;
/* texts as in etrace-check(1) */
const KINDS = {
	undeclared: 'Read, but not declared',
	race: 'Read while nothing made the reader wait for the writer',
	early: 'Looked for and made later, in no defined order',
	listing: 'A directory was listed',
	environment: 'Environment variables',
	writers: 'Written by two steps, in no defined order',
	overwritten: 'A source was changed',
	'own-input': 'Written by the step that needs it',
	'by-product': 'Read, but made by a rule that does not name it',
	'not-made': 'Declared, but not made',
	outside: 'Outside the source and build trees',
	network: 'Network access',
	clock: 'Newer than the program that wrote it, or than the build',
	changed: 'An input whose content changed during the build, but not by it',
};

async function fileLinks() {
	const paths = await model.files();
	const ids = new Map(paths.map((path, i) => [path, i]));

	return name => ids.has(name) ? links.file(ids.get(name), paths) :
		dom.make('span', {class: 'path'}, name);
}

/* Answers count programs from 1, this page from 0. */
function who(by) {
	return [links.program(by.exec - 1), dom.make('code', {class: 'command'},
		by.arguments ? ` ${dom.quoted(by.arguments)}` : ''),
	by.cwd ? dom.make('small', {}, ` in ${by.cwd}`) : null];
}

function byKind(list) {
	const kinds = new Map();

	for (const f of list) {
		if (!kinds.has(f.finding))
			kinds.set(f.finding, []);
		kinds.get(f.finding).push(f);
	}
	return kinds;
}

/* Whether the filter selects a program of the finding. */
function passes(finding) {
	return !filter.active() || [finding.by, finding.first].some(by => by && filter.passes(by.exec - 1));
}

async function findings(section) {
	if (section.childElementCount)
		return;
	const list = (await model.findings()).filter(passes);
	const link = await fileLinks();

	dom.fill(section, dom.make('h2', {}, 'Findings'), dom.make('p', {},
		list.length ?
			`${dom.plural(list.length, 'thing')} that could make the next build wrong.` :
			'Nothing was found that could make the next build wrong' +
				`${filter.active() ? ' in what the filter shows' : ''}.`));
	for (const [kind, rows] of byKind(list)) {
		const caption = `${KINDS[kind] || kind} (${kind}): ${dom.number(rows.length)}`;

		section.append(table.make(caption, [
			{name: 'What', value: f => f.path || f.address || f.variable,
				show: f => f.path ? link(f.path) : f.address || f.variable},
			{name: 'How', value: f => (f.members ? `${f.members.length} files ` : '') +
				f.what + (f.class ? `, ${f.class}` : '') +
				(f.more ? `, and ${f.more} more` : '')},
			{name: 'By', value: f => f.by ? f.by.program : '',
				show: f => f.by ? who(f.by) : ''},
			{name: 'Before that, by', value: f => f.first ? f.first.program : '',
				show: f => f.first ? who(f.first) : ''},
		].filter((c, i) => i < 3 || rows.some(f => f.first)), rows));
	}
}

/* Links to files, created when opened: "no package" can have very many. */
function filesOf(p, link) {
	const files = p.files || [], list = dom.make('ul');
	const details = dom.make('details', {},
		dom.make('summary', {}, dom.plural(files.length, 'file')), list);
	let shown = 0;

	function more() {
		const next = files.slice(shown, shown += SHOWN);
		const button = dom.make('button', {type: 'button'}, 'Show more');

		list.append(...next.map(f => dom.make('li', {}, link(f))));
		if (shown >= files.length)
			return;
		list.append(dom.make('li', {}, button));
		button.addEventListener('click', () => {
			button.parentElement.remove();
			more();
		});
	}

	details.addEventListener('toggle', more, {once: true});
	return details;
}

async function packages(section) {
	if (section.childElementCount)
		return;
	const list = await model.packages();
	const link = await fileLinks();

	dom.fill(section, dom.make('h2', {}, 'Packages'), list && list.length ?
		table.make(`The build used files of ${dom.plural(list.length, 'package')}`, [
			{name: 'Package', value: p => p.package || '(in no package)'},
			{name: 'Version', value: p => p.version || ''},
			{name: 'Used as', value: p => (p.classes || []).join(', ')},
			{name: 'Files', value: p => (p.files || []).length,
				show: p => filesOf(p, link)},
		], list, 1) :
		dom.make('p', {}, list ? 'The build used no files of packages.' :
			'Which packages the build used is not known, because this page was made on ' +
			'another machine. Make it on the machine where the build ran.'));
}

return {findings, packages};
})();
