// SPDX-License-Identifier: LGPL-2.1
/*
 * Creates all elements of the page, and formats numbers.  Strings from a build only ever become
 * text, never HTML.
 */
'use strict';

const dom = (() => {

/* Characters that are invisible, or change the direction of text, are shown as their code. */
const UNSEEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f' +
	'\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');

function visible(text) {
	return String(text).replace(UNSEEN,
		c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/*
 * make('a', {href: '#x', class: 'y', hidden: true}, 'text', element, ...): attributes that are
 * null or false are left out; invisible characters of texts are shown.
 */
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? '' : visible(value));
	fill(element, ...children);
	return element;
}

function fill(element, ...children) {
	element.replaceChildren(...children.filter(c => c !== null && c !== undefined)
		.map(c => c instanceof Node ? c : document.createTextNode(visible(c))));
	return element;
}

/*
 * A bar from @from to @from + @part (0 to 1), @own of it in a stronger colour.  The caller shows
 * the number beside it.
 */
function bar(part, own, from = 0) {
	const inner = make('span', {class: 'bar-own'});
	const outer = make('span', {class: 'bar-all'}, inner);

	outer.style.width = 100 * Math.min(1, part || 0) + '%';
	outer.style.marginInlineStart = 100 * from + '%';
	inner.style.width = (part ? 100 * Math.min(1, own / part) : 0) + '%';
	return make('span', {class: 'bar', 'aria-hidden': 'true'}, outer);
}

const grouped = new Intl.NumberFormat('en');

function number(n) {
	return grouped.format(n);
}

/*
 * Times below a limit, in ns: how many ns the last digit stands for, the number of decimal places,
 * and the unit.  base/text_num.c has the same.
 */
const TIMES = [
	[1e3, 1, 0, 'ns'], [999.5e3, 1e3, 0, '\u00b5s'], [9.95e6, 1e5, 1, 'ms'],
	[999.5e6, 1e6, 0, 'ms'], [9.995e9, 1e7, 2, 's'], [59.95e9, 1e8, 1, 's'],
];

/* At least two digits, for the number after a larger unit. */
function two(n) {
	return String(n).padStart(2, '0');
}

/* Nanoseconds: "12 ms", "35.9 s", "3 min 02 s", "2 h 14 min". */
function time(ns) {
	const row = TIMES.find(r => ns < r[0]);
	const s = Math.round(ns / 1e9), min = Math.round(s / 60);

	if (!ns)
		return '0 s';
	if (row) {
		const [, digit, decimals, unit] = row;

		return `${(Math.round(ns / digit) / 10 ** decimals).toFixed(decimals)} ${unit}`;
	}
	return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s` :
		`${Math.floor(min / 60)} h ${two(min % 60)} min`;
}

/* A point in time; @step: distance of ticks in ns, which decides the precision. */
function moment(ns, step) {
	const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
	const all = (ns / 1e9).toFixed(digits), min = Math.floor(all / 60);
	const s = (all - 60 * min).toFixed(digits);

	if (!min)
		return `${all} s`;
	return (min < 60 ? `${min} min` : `${Math.floor(min / 60)} h ${two(min % 60)} min`) +
		(step % 60e9 ? ` ${s.padStart(digits ? digits + 3 : 2, '0')} s` : '');
}

const BYTES = [[1e3, 1, 'B', 0], [1e6, 1e3, 'kB', 1], [1e9, 1e6, 'MB', 1], [1e12, 1e9, 'GB', 1],
	[Infinity, 1e12, 'TB', 1]];

/* "999 B", "4.1 MB": units of 1,000. */
function bytes(n) {
	const [, unit, name, digits] = BYTES.find(r => n < r[0]);

	return `${(n / unit).toFixed(digits)} ${name}`;
}

/* A part of 1: "81 %", "6.4 %". */
function percent(part) {
	const p = 100 * part;

	return `${p.toFixed(p < 9.95 && p > 0 ? 1 : 0)} %`;
}

function plural(n, one, many) {
	return `${number(n)} ${n === 1 ? one : many || one + 's'}`;
}

/* Words of a command, quoted for a shell. */
function quoted(words) {
	return words.map(w => /^[\w@%+=:,./-]+$/.test(w) ? w :
		`'${w.replaceAll('\'', '\'\\\'\'')}'`).join(' ');
}

function button(text, action, attributes) {
	const b = make('button', {type: 'button', ...attributes}, text);

	b.addEventListener('click', action);
	return b;
}

/* Without clipboard API, as may be for a page from disk, copy from an invisible text area. */
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (refused) {
		const area = make('textarea', {class: 'unseen', readonly: true});
		const focused = document.activeElement;

		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		if (focused)
			focused.focus({preventScroll: true});
		return done;
	}
}

/* A button that copies @text, and says whether it did. */
function copyButton(text, what) {
	const b = button('Copy', async () => {
		fill(b, await copy(text) ? 'Copied' : 'Cannot be copied here');
		setTimeout(() => fill(b, 'Copy'), 2000);
	}, {class: 'copy', 'aria-label': `Copy ${what}`, title: `Copy ${what}`});

	return b;
}

return {visible, make, fill, bar, button, copyButton, number, time, moment, bytes,
	percent, plural, quoted};
})();
