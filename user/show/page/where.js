// SPDX-License-Identifier: LGPL-2.1
/*
 * The view of where the time went: a treemap of directories or tools with areas proportional to
 * their time, a table of the same data, and the costs of headers.
 */
'use strict';

const where = (() => {

const HEIGHT = 360, MOST = 300;
const WAYS = {
	directory: {name: 'By directory', keys: directories},
	tool: {name: 'By tool', keys: tools},
};
const PARTS_OF_JOB = ['compile', 'assemble', 'link', 'archive', 'shell'];

/*
 * The directory that a program counts for is that of its job's output.  A program whose job made
 * nothing counts for the compiler or script that called it; if these made nothing either, for the
 * directory in which it ran.
 */
function directories(paths) {
	const {programs, meta} = model, {output, parent, directory} = programs;
	const within = meta.classes.map(name => PARTS_OF_JOB.includes(name));
	const known = new Map();
	const split = (file, end) => {
		const key = end ? -file - 1 : file;

		if (!known.has(key))
			known.set(key, (paths[file] || '').split('/').slice(1, end)
				.filter(Boolean));
		return known.get(key);
	};

	return p => {
		let q = p;

		while (output[q] < 0 && parent[q] >= 0 && within[programs.kind[parent[q]]])
			q = parent[q];
		if (output[q] >= 0)
			return split(output[q], -1);
		/* a process before its first program: the directory of that program */
		q = directory[p] >= 0 ? p : model.programsOf().of(programs.process[p])
			.find(i => directory[i] >= 0);
		return q === undefined ? ['(not known)'] : split(directory[q]);
	};
}

function tools() {
	return p => [model.className(p), filter.toolOf(p) || '(not known)'];
}

/* A tree of names with the time of each: {name, path, time, programs, children: Map}. */
function tree(key) {
	const make = (name, path) => ({name, path, time: 0, programs: 0, own: 0, ownPrograms: 0,
		children: new Map()});
	const root = make('', []);

	for (let p = 0; p < model.programs.n; p++) {
		let node = root;

		if (!model.work[p] || !filter.passes(p))
			continue;
		node.time += model.work[p];
		node.programs++;
		for (const name of key(p)) {
			let next = node.children.get(name);

			if (!next) {
				next = make(name, [...node.path, name]);
				node.children.set(name, next);
			}
			node = next;
			node.time += model.work[p];
			node.programs++;
		}
		node.own += model.work[p];
		node.ownPrograms++;
	}
	return root;
}

/* Go down to the first node with a choice: "/build/linux" offers none. */
function trunk(node) {
	while (node.children.size === 1 && node.own === 0)
		[node] = node.children.values();
	return node;
}

function find(root, path) {
	return path.reduce((node, name) => node && node.children.get(name), root) || trunk(root);
}

/* Parts of a node, the largest first: its children, and its own time. */
function parts(node) {
	const list = [...node.children.values()];

	if (node.own && list.length)
		list.push({name: '(here)', path: node.path, time: node.own, programs: node.ownPrograms, own: node.own,
			children: new Map()});
	return list.sort((a, b) => b.time - a.time);
}

function nameOf(node, way) {
	return way === 'directory' ? '/' + node.path.join('/') : node.path.join(' / ') || 'all';
}

/* The part of @node that a click on a leaf opens; null if it has no parts. */
function target(leaf) {
	const top = leaf.ancestors().at(-2).data;

	return top.children.size ? top : null;
}

function place(leaf, whole, go) {
	const part = leaf.data, w = leaf.x1 - leaf.x0, h = leaf.y1 - leaf.y0, top = target(leaf);
	const names = leaf.ancestors().slice(0, -1).reverse().map(n => n.data.name).join('/');
	const took = `${dom.time(part.time)}, ${dom.percent(part.time / whole)}`;
	const text = `${names}: ${took}`;
	/* all leaves of a part do the same: the tab key stops at only one of them */
	const first = leaf.ancestors().at(-2).leaves()[0] === leaf;
	const cell = top ? dom.button('', () => go(top.path), {title: text, tabindex: first ? null : -1}) :
		dom.make('div', {title: text});
	const kind = model.meta.classes.indexOf(part.path[0]);

	/* text that does not fit is in the tip, and for screen readers */
	dom.fill(cell, dom.make('span', {class: w > 60 && h > 18 ? null : 'unseen'},
		dom.make('span', {}, names, dom.make('span', {class: 'unseen'}, ': ')), h > 36 ? dom.make('span', {}, took) :
			dom.make('span', {class: 'unseen'}, took)));
	cell.classList.add('place', ...kind < 0 ? [] : [`class-${kind}`, `ink-${kind}`]);
	Object.assign(cell.style, {left: `${leaf.x0}px`, top: `${leaf.y0}px`, width: `${w}px`,
		height: `${h}px`});
	return cell;
}

/* The treemap, with as many levels as are visible; tiny parts are only in the table. */
function map(node, whole, width, go) {
	const root = d3.hierarchy(node, n => n.children.size ? parts(n) : null)
		.sum(n => n.children.size ? 0 : n.time);
	const box = dom.make('div', {class: 'map'});

	d3.treemap().size([width, HEIGHT]).paddingInner(1).round(true)(root);
	box.style.height = `${HEIGHT}px`;
	box.append(...root.leaves().filter(n => n.depth && n.x1 - n.x0 > 3 && n.y1 - n.y0 > 3)
		.sort((a, b) => b.value - a.value).slice(0, MOST).map(n => place(n, whole, go)));
	return box;
}

function listed(node, whole, way, go) {
	return table.make(`${nameOf(node, way)}: ${dom.time(node.time)}`, [
		{name: 'Name', value: n => n.name, show: n => n.children.size ?
			dom.button(n.name, () => go(n.path), {class: 'plain path'}) :
			dom.make('span', {class: 'path'}, n.name)},
		{name: 'Time', value: n => n.time, number: true, show: n =>
			[dom.bar(n.time / whole, n.time / whole), dom.time(n.time)]},
		{name: 'Percent', value: n => n.time, number: true, show: n => dom.percent(n.time / whole)},
		{name: 'Programs', value: n => n.programs, number: true,
			show: n => n.programs ? dom.number(n.programs) : ''},
	], parts(node), -2);
}

/* One way to explore: buttons for the current place in the tree, the map, and the table. */
function explorer(way, paths, width) {
	const root = tree(WAYS[way].keys(paths)), whole = Math.max(1, root.time);
	const box = dom.make('div', {});
	const summary = dom.make('p', {role: 'status', class: 'hint'});

	function go(path) {
		const node = find(root, path), top = trunk(root);
		const up = node !== top ? dom.button('One level up', () => go(node.path.slice(0, -1)),
			{class: 'up'}) : null;

		dom.fill(summary, `${nameOf(node, way)}: ${dom.time(node.time)}, ` +
			`${dom.percent(node.time / whole)}of the work ${filter.active() ? 'that the filter shows' : 'in all'}`);
		dom.fill(box, summary, up, map(node, whole, width, to => {
			go(to);
			(box.querySelector('.up') || box.querySelector('button') || box).focus();
		}), listed(node, whole, way, go));
	}
	go(trunk(root).path);
	return [dom.make('h3', {}, WAYS[way].name), box];
}

async function headers(paths) {
	const {n, rows} = await model.headers();

	return n ? [table.make('Headers', [
		{name: 'Header', value: r => paths[r[0]], show: r => links.file(r[0], paths)},
		{name: 'Compilers that read it', value: r => r[1], number: true, show: r => dom.number(r[1])},
		{name: 'Their time', value: r => r[2], number: true, show: r =>
			[dom.bar(r[2] / Math.max(1, rows[0][2]), r[2] / Math.max(1, rows[0][2])), dom.time(r[2])]},
	], rows, -3),
	dom.make('p', {class: 'hint'}, 'The total time of all compilers that read it. This is an upper limit: ' +
		'they did more than read this header. ' + (n > rows.length ?
		`The ${dom.number(rows.length)} that cost most, of ${dom.number(n)}.` : '') +
	(filter.active() ? ' Of all compilers, whatever the filter says.' : ''))] :
		[dom.make('p', {}, 'No compiler is known to have read a header.')];
}

async function show(section) {
	if (section.childElementCount)
		return;
	const paths = await model.files();
	const width = Math.max(240, section.clientWidth || 800);

	dom.fill(section, dom.make('h2', {}, 'Where the time went'),
		dom.make('p', {class: 'hint'}, 'The larger a rectangle, the longer programs worked there. ' +
			'Select one to look inside; the table lists the same. A program counts ' +
			'for the directory of the file that its job made. If its job made ' +
			'nothing, it counts for that of the compiler or script that called it, ' +
			'or else for the directory in which it ran.'),
		...Object.keys(WAYS).flatMap(way => explorer(way, paths, width)),
		dom.make('h3', {}, 'What headers cost'), ...await headers(paths));
}

return {show};
})();
