// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of rows that open (role=tree, with the keys that go with it).  A node is
 * {row: [content, ...], children: null or a function that returns nodes or a promise of
 * them, open: a link to go to, or null}.  Children are made when they are seen first, and
 * a hundred of them at a time.
 */
'use strict';

const branches = (() => {
	const AT_ONCE = 100;
	const nodes = new WeakMap();
	let serial = 0;

	function item(node, level, size, position) {
		const id = `row-${++serial}`;
		const row = dom.make('div', {class: 'row', id},
			dom.make('span', {class: 'twist', 'aria-hidden': 'true'}), ...node.row);
		const li = dom.make('li', {role: 'treeitem', tabindex: '-1', 'aria-labelledby': id,
			'aria-level': level, 'aria-setsize': size, 'aria-posinset': position,
			'aria-expanded': node.children ? 'false' : null}, row);

		row.style.paddingInlineStart = Math.min(level - 1, 24) + 'em';
		row.querySelectorAll('a').forEach(a => { a.tabIndex = -1; });
		nodes.set(li, {node, level});
		return li;
	}

	/* The next hundred of @list, and in their place, when it is reached, a row for more. */
	function append(group, list, level, from) {
		const end = Math.min(list.length, from + AT_ONCE);

		for (let i = from; i < end; i++)
			group.append(item(list[i], level, list.length, i + 1));
		if (end === list.length)
			return;
		group.append(item({
			row: [`show more: ${dom.number(list.length - end)} are left`],
			more: li => {
				append(group, list, level, end);
				const next = li.nextElementSibling;

				li.remove();
				return next;
			},
		}, level, list.length, end + 1));
	}

	async function expand(li) {
		const {node, level} = nodes.get(li);

		if (!node.children || li.getAttribute('aria-expanded') === 'true')
			return;
		li.setAttribute('aria-expanded', 'true');
		let group = li.querySelector(':scope > ul');
		if (!group) {
			group = dom.make('ul', {role: 'group'});
			li.append(group);
			append(group, await node.children(), level + 1, 0);
		}
		group.hidden = false;
	}

	function collapse(li) {
		if (li.getAttribute('aria-expanded') !== 'true')
			return;
		li.setAttribute('aria-expanded', 'false');
		const group = li.querySelector(':scope > ul');

		if (group)
			group.hidden = true;
	}

	function make(label, list) {
		const tree = dom.make('ul', {role: 'tree', 'aria-label': label, class: 'tree'});
		let current = null;

		append(tree, list, 1, 0);
		current = tree.firstElementChild;
		if (current)
			current.tabIndex = 0;

		function focus(li) {
			if (!li)
				return;
			current.tabIndex = -1;
			current = li;
			li.tabIndex = 0;
			li.focus({preventScroll: true});
			li.querySelector('.row').scrollIntoView({block: 'nearest'});
		}

		function seen() {
			return [...tree.querySelectorAll('[role=treeitem]')]
				.filter(li => !li.parentElement.closest('[hidden]'));
		}

		function beside(step) {
			const all = seen();

			return all[all.indexOf(current) + step];
		}

		function more(li) {
			const {node} = nodes.get(li);

			if (!node.more)
				return false;
			focus(node.more(li));
			return true;
		}

		const keys = {
			ArrowDown: () => focus(beside(1)),
			ArrowUp: () => focus(beside(-1)),
			Home: () => focus(tree.firstElementChild),
			End: () => focus(seen().pop()),
			ArrowRight: async () => {
				if (current.getAttribute('aria-expanded') === 'true')
					focus(current.querySelector(':scope > ul > li'));
				else
					await expand(current);
			},
			ArrowLeft: () => {
				if (current.getAttribute('aria-expanded') === 'true')
					collapse(current);
				else
					focus(current.parentElement.closest('[role=treeitem]'));
			},
			Enter: () => {
				const {node} = nodes.get(current);

				if (!more(current) && node.open)
					location.hash = node.open;
			},
			' ': () => more(current) || toggle(current),
			'*': async () => {
				for (const li of [...current.parentElement.children])
					await expand(li);
			},
		};

		function toggle(li) {
			return li.getAttribute('aria-expanded') === 'true' ? collapse(li) : expand(li);
		}

		tree.addEventListener('keydown', event => {
			if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
				return;
			event.preventDefault();
			keys[event.key]();
		});
		tree.addEventListener('click', event => {
			const li = event.target.closest('[role=treeitem]');

			if (!li || event.target.closest('a'))
				return;
			focus(li);
			if (!more(li))
				toggle(li);
		});
		return tree;
	}

	return {make, expand};
})();
