// SPDX-License-Identifier: LGPL-2.1
/* A dialog that lists the keys of the page. */
'use strict';

const help = (() => {

const ABOUT = [
	['Timeline', [
		['w, s', 'zoom in and out at the pointer (also + and -)'],
		['a, d', 'move (also Shift with an arrow key)'],
		['Ctrl and wheel', 'zoom at the pointer; Shift and wheel move'],
		['Drag', 'select a range, for its totals; with Shift: move'],
		['Arrow keys', 'from program to program'],
		['Enter', 'details of the chosen program'],
		['m', 'totals of the times in view'],
		['Home', 'show all'],
		['Escape', 'clear the selection'],
	]],
	['Everywhere', [
		['/', 'search'],
		['?', 'this help'],
		['Tab', 'to the next link or field'],
	]],
	['Trees', [
		['Arrow keys', 'move, open and close'],
		['*', 'open all on the same level'],
		['Enter', 'show the program or file'],
	]],
	['Search', [
		['words', 'in this order in a label, command or file'],
		['status:1', 'exit status 1; also status:signal, status:nonzero'],
		['failed', 'what failed with the build'],
		['class:link', 'a class of programs'],
		['tool:cc1', 'a tool'],
		['dir:/home/me/lib', 'programs whose job made a file in this directory'],
	]],
];
let dialog = null;

function build() {
	const close = dom.button('Close', () => dialog.close());

	dialog = dom.make('dialog', {class: 'help', 'aria-labelledby': 'help-title'},
		dom.make('div', {class: 'title'}, dom.make('h2', {id: 'help-title'}, 'Help'), close),
		...ABOUT.map(([title, rows]) => dom.make('div', {},
			dom.make('h3', {}, title), dom.make('dl', {class: 'facts'},
				...rows.map(([key, does]) => [dom.make('dt', {},
					dom.make('kbd', {}, key)), dom.make('dd', {}, does)]).flat()))));
	/* a click outside the dialog also closes it */
	dialog.addEventListener('click', event => {
		if (event.target === dialog)
			dialog.close();
	});
	document.body.append(dialog);
}

/* The browser closes a dialog with Escape, and restores the focus. */
function open() {
	if (!dialog)
		build();
	if (!dialog.open)
		dialog.showModal();
}

return {open};
})();
