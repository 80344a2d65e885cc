// SPDX-License-Identifier: LGPL-2.1
/*
 * The page of a file: which program made it, from what and by which command; which programs used
 * it, and what for.  Also the field that finds a file by a part of its path.
 */
'use strict';

const file = (() => {

const SHOWN = 50;

/* ---- search ---- */

function find(paths, text) {
	const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	const pattern = new RegExp(escaped, 'i');
	const found = [];

	for (let i = 0; i < paths.length && found.length <= SHOWN; i++)
		if (pattern.test(paths[i]))
			found.push(i);
	return found;
}

/* A field with a list of matching paths (role=combobox). */
function field(paths) {
	const input = dom.make('input', {type: 'search', id: 'file-search', role: 'combobox',
		autocomplete: 'off', spellcheck: 'false', 'aria-expanded': 'false',
		'aria-controls': 'file-found', 'aria-autocomplete': 'list'});
	const list = dom.make('ul', {id: 'file-found', role: 'listbox', hidden: true,
		'aria-label': 'Matching files'});
	const says = dom.make('p', {role: 'status', class: 'hint'});
	let current = -1;

	function mark(next) {
		const options = list.children;

		if (options[current])
			options[current].setAttribute('aria-selected', 'false');
		current = options.length ? (next + options.length) % options.length : -1;
		if (current < 0)
			return input.removeAttribute('aria-activedescendant');
		options[current].setAttribute('aria-selected', 'true');
		options[current].scrollIntoView({block: 'nearest'});
		return input.setAttribute('aria-activedescendant', options[current].id);
	}

	function close() {
		list.hidden = true;
		input.setAttribute('aria-expanded', 'false');
		input.removeAttribute('aria-activedescendant');
		current = -1;
	}

	function look() {
		const found = input.value ? find(paths, input.value) : [];

		current = -1;
		dom.fill(list, ...found.slice(0, SHOWN).map(id => dom.make('li', {role: 'option',
			id: `found-${id}`, 'aria-selected': 'false', class: 'path'}, paths[id])));
		list.hidden = !found.length;
		input.setAttribute('aria-expanded', String(!list.hidden));
		dom.fill(says, !input.value ? '' : !found.length ? 'No file matches' :
			found.length > SHOWN ? `The first ${SHOWN} matches` :
				dom.plural(found.length, 'file'));
	}

	function go(option) {
		close();
		address.go(`#file/${option.id.slice('found-'.length)}`);
	}

	const keys = {
		ArrowDown: () => mark(current + 1),
		ArrowUp: () => mark(current - 1),
		Enter: () => list.children.length && go(list.children[Math.max(0, current)]),
		Escape: close,
	};

	input.addEventListener('input', look);
	input.addEventListener('keydown', event => {
		if (!keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	});
	list.addEventListener('click', event => {
		const option = event.target.closest('[role=option]');

		if (option)
			go(option);
	});
	return dom.make('div', {class: 'finder', role: 'search', 'aria-label': 'Files'},
		dom.make('label', {for: 'file-search'}, 'Part of a path'), input, list, says);
}

/* ---- one file ---- */

/* @made: programs that wrote it */
function whatItIs(g, id, made) {
	const flags = g.files.flags[id];
	const begin = flags & 2 ? 'It existed before the build' :
		flags & 1 || made.length ? 'The build made it' : 'What made it is not known';

	return begin + (flags & 2 && (flags & 1 || made.length) ? ', which wrote it again' : '') +
		(graph.isThere(g, id) ? '.' : '; at the end it was gone.');
}

function way(g, near, paths) {
	const parts = [];

	if (near.program >= 0)
		parts.push(' by ', links.program(near.program));
	near.through.forEach((v, i) => {
		const temporary = g.versions.file[v];

		parts.push(i ? ', ' : ' through ',
			temporary < 0 ? 'a pipe' : links.file(temporary, paths));
	});
	return parts.length ? dom.make('small', {}, ...parts) : null;
}

/* @list: graph.inputs or graph.outputs */
function node(g, list, near, paths) {
	const further = list(g, near);

	return {
		row: [links.file(near.file, paths), way(g, near, paths)].filter(Boolean),
		children: further.length ? () => nodes(g, list, further, paths) : null,
		open: `#file/${near.file}`,
	};
}

function nodes(g, list, found, paths) {
	return found.sort((a, b) => paths[a.file] < paths[b.file] ? -1 : 1)
		.map(near => node(g, list, near, paths));
}

function direction(title, nothing, g, list, of, paths) {
	const found = of.version < 0 ? [] : list(g, of);

	return [dom.make('h3', {}, `${title} (${found.length})`), found.length ?
		branches.make(title, nodes(g, list, found, paths)) : dom.make('p', {}, nothing)];
}

async function maker(g, v, p) {
	/* gcc -c, not only "as /tmp/cc1.s" */
	const driver = model.driver(p), command = await model.command(driver);

	return dom.make('li', {}, links.colour(model.programs.kind[p]), ' ', links.program(p),
		` (${model.meta.made[g.versions.made[v]] || 'made'})`,
		...driver === p ? [] : [' for ', links.program(driver)],
		command ? dom.make('code', {class: 'command'}, dom.quoted(command.words)) : null,
		command ? dom.make('small', {}, `in ${command.directory}`) : null);
}

function users(caption, programs) {
	return programs.length ? table.make(caption, [
		{name: 'Program', value: p => model.label(p),
			show: p => [links.colour(model.programs.kind[p]), ' ', links.program(p)]},
		{name: 'From', value: p => model.programs.at[p],
			show: p => dom.time(model.programs.at[p]), number: true},
	], programs, 2) : null;
}

async function page(id, paths) {
	const g = await model.graph(main.progress);
	const v = graph.last(g, id);
	const versions = [...g.versionsOf.of(id)];
	const made = v < 0 ? [] : graph.makers(g, v);
	const all = versions.includes(v) || v < 0 ? versions : [...versions, v];
	const unique = list => [...new Set(list)].filter(filter.passes).sort((a, b) => a - b);

	return [
		dom.make('h2', {class: 'path'}, paths[id]),
		dom.make('p', {}, whatItIs(g, id, made),
			all.length > 1 ?
				` It had ${all.length} versions; this page is about the last one.` : ''),
		dom.make('h3', {}, 'Made by'),
		made.length ? dom.make('ul', {class: 'makers'},
			...await Promise.all(made.map(p => maker(g, v, p)))) :
			dom.make('p', {}, 'No program of the build wrote it.'),
		...direction('Made from', 'No file is known from which it was made.', g,
			graph.inputs, {version: v, file: id}, paths),
		...direction('Used for', 'Nothing was made from it.', g, graph.outputs,
			{version: v, file: id}, paths),
		users('Programs that read it', unique(all.flatMap(i => g.dataReadersOf(i)))),
		users('Programs that ran it, loaded it, or read it as settings',
			unique(all.flatMap(i => g.otherReadersOf(i)))),
	];
}

async function show(section, argument) {
	const paths = await model.files();
	const id = Number(argument);
	const known = argument !== '' && Number.isInteger(id) && id >= 0 && id < paths.length;
	const content = known ? await page(id, paths) : [dom.make('h2', {}, 'Files'),
		dom.make('p', {}, argument === '' ?
			`The page lists ${dom.plural(paths.length, 'file')}. ` +
			'Type a part of a path to find one.' :
			`There is no file ${argument} in this build.`)];

	dom.fill(section, field(paths), ...content);
}

return {show};
})();
