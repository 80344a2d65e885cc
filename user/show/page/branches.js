// SPDX-License-Identifier: LGPL-2.1
/*
 * A tree of rows that can be opened (role=tree, and its keys).  A node is
 * {row: [content, ...], children: null or a function that returns nodes or a promise of
 * them, open: a link to go to, or null}.  Elements of children are created when they become
 * visible, a hundred at a time.
 */
'use strict';

const branches = (() => {

const AT_ONCE = 100;
const nodes = new WeakMap();
let serial = 0;

/* The row is the treeitem; its children are next to it, in the same element of the list. */
function item(node, level, size, position) {
	const row = dom.make('div', {role: 'treeitem', class: 'row', tabindex: '-1',
		'aria-level': level, 'aria-setsize': size, 'aria-posinset': position,
		'aria-expanded': node.children ? 'false' : null},
	dom.make('span', {class: 'twist', 'aria-hidden': 'true'}), ...node.row);

	row.style.paddingInlineStart = Math.min(level - 1, 24) + 'em';
	row.querySelectorAll('a').forEach(a => { a.tabIndex = -1; });
	nodes.set(row, {node, level});
	return dom.make('li', {role: 'none'}, row);
}

function rowOf(li) {
	return li && li.firstElementChild;
}

function groupOf(row) {
	return row.nextElementSibling;
}

/* Append the next hundred of @list, and a row that is replaced by more when it is reached. */
function append(group, list, level, from) {
	const end = Math.min(list.length, from + AT_ONCE);

	for (let i = from; i < end; i++)
		group.append(item(list[i], level, list.length, i + 1));
	if (end === list.length)
		return;
	group.append(item({
		row: [`Show more (${dom.number(list.length - end)} left)`],
		more: row => {
			const li = row.parentElement;

			append(group, list, level, end);
			const next = li.nextElementSibling;

			li.remove();
			return rowOf(next);
		},
	}, level, list.length, end + 1));
}

async function expand(row) {
	const {node, level} = nodes.get(row);

	if (!node.children || row.getAttribute('aria-expanded') === 'true')
		return;
	row.setAttribute('aria-expanded', 'true');
	if (!groupOf(row)) {
		const group = dom.make('ul', {role: 'group', id: `group-${++serial}`});

		row.after(group);
		row.setAttribute('aria-owns', group.id);
		append(group, await node.children(), level + 1, 0);
	}
	groupOf(row).hidden = false;
}

function collapse(row) {
	row.setAttribute('aria-expanded', 'false');
	groupOf(row).hidden = true;
}

function isOpen(row) {
	return row.getAttribute('aria-expanded') === 'true';
}

function make(label, list) {
	const tree = dom.make('ul', {role: 'tree', 'aria-label': label, class: 'tree'});
	let current = null;

	append(tree, list, 1, 0);
	current = rowOf(tree.firstElementChild);
	if (current)
		current.tabIndex = 0;

	function focus(row) {
		if (!row)
			return;
		current.tabIndex = -1;
		current = row;
		row.tabIndex = 0;
		row.focus({preventScroll: true});
		row.scrollIntoView({block: 'nearest'});
	}

	function seen() {
		return [...tree.querySelectorAll('[role=treeitem]')]
			.filter(row => !row.closest('[hidden]'));
	}

	function beside(step) {
		const all = seen();

		return all[all.indexOf(current) + step];
	}

	function more(row) {
		const {node} = nodes.get(row);

		if (!node.more)
			return false;
		focus(node.more(row));
		return true;
	}

	function toggle(row) {
		return isOpen(row) ? collapse(row) : expand(row);
	}

	const keys = {
		ArrowDown: () => focus(beside(1)),
		ArrowUp: () => focus(beside(-1)),
		Home: () => focus(rowOf(tree.firstElementChild)),
		End: () => focus(seen().pop()),
		ArrowRight: () => isOpen(current) ?
			focus(rowOf(groupOf(current).firstElementChild)) : expand(current),
		ArrowLeft: () => isOpen(current) ? collapse(current) :
			focus(rowOf(current.parentElement.parentElement.closest('li'))),
		Enter: () => {
			const {node} = nodes.get(current);

			if (!more(current) && node.open)
				address.go(node.open);
		},
		' ': () => more(current) || toggle(current),
		'*': () => {
			for (const li of [...current.parentElement.parentElement.children])
				expand(rowOf(li));
		},
	};

	tree.addEventListener('keydown', event => {
		if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	});
	tree.addEventListener('click', event => {
		const row = event.target.closest('[role=treeitem]');

		if (!row || event.target.closest('a'))
			return;
		focus(row);
		if (!more(row))
			toggle(row);
	});
	return tree;
}

/* Open a tree down to the first level with more than one row. */
async function openFirst(tree) {
	for (let li = tree.firstElementChild; li && !li.nextElementSibling;) {
		await expand(rowOf(li));
		const group = groupOf(rowOf(li));

		li = group && group.firstElementChild;
	}
}

return {make, openFirst};
})();
