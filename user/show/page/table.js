// SPDX-License-Identifier: LGPL-2.1
/*
 * Tables that are sorted by a click on a column heading.  A column is {name, value(row),
 * show(row), number: true}: value() is what to sort by, show() returns the content of the cell.
 * Long tables show a part, and a button for more.
 */
'use strict';

const table = (() => {

const AT_ONCE = 100;

function compare(a, b) {
	if (a === b)
		return 0;
	if (typeof a === 'string')
		return a < b ? -1 : 1;
	return a - b;
}

/* @order: 1 + index of the column by which rows are already sorted; negative if descending */
function make(caption, columns, rows, order = 0) {
	const heads = dom.make('tr');
	const body = dom.make('tbody');
	const more = dom.make('button', {type: 'button', class: 'more'});
	let shown = 0;

	function row(r) {
		return dom.make('tr', {}, ...columns.map((c, i) => {
			const content = c.show ? c.show(r) : c.value(r);
			const cell = dom.make(i ? 'td' : 'th', {class: c.number ? 'number' : null,
				scope: i ? null : 'row'});

			/* a bar on one side, and the number on the other */
			if (c.number && Array.isArray(content))
				return dom.fill(cell, dom.make('div', {class: 'barred'}, ...content));
			return dom.fill(cell, ...(Array.isArray(content) ? content : [content]));
		}));
	}

	function showMore() {
		body.append(...rows.slice(shown, shown + AT_ONCE).map(row));
		shown = Math.min(rows.length, shown + AT_ONCE);
		more.hidden = shown === rows.length;
		dom.fill(more, `Show more (${dom.number(rows.length - shown)} left)`);
	}

	function sort(column, falling) {
		const keys = new Map(rows.map(r => [r, columns[column].value(r)]));

		rows.sort((a, b) => (falling ? -1 : 1) * compare(keys.get(a), keys.get(b)));
		order = (column + 1) * (falling ? -1 : 1);
		mark();
		body.replaceChildren();
		shown = 0;
		showMore();
	}

	function mark() {
		[...heads.children].forEach((head, i) => {
			if (Math.abs(order) === i + 1)
				head.setAttribute('aria-sort',
					order < 0 ? 'descending' : 'ascending');
			else
				head.removeAttribute('aria-sort');
		});
	}

	columns.forEach((c, i) => {
		const button = dom.make('button', {type: 'button'}, c.name);

		button.addEventListener('click',
			() => sort(i, Math.abs(order) === i + 1 ? order > 0 : Boolean(c.number)));
		heads.append(dom.make('th',
			{scope: 'col', class: c.number ? 'number' : null}, button));
	});
	mark();
	more.addEventListener('click', showMore);
	showMore();
	return dom.make('div', {class: 'scroll'},
		dom.make('table', {}, dom.make('caption', {}, caption),
			dom.make('thead', {}, heads), body), more);
}

return {make};
})();
