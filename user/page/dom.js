// SPDX-License-Identifier: LGPL-2.1
/*
 * Elements are made here and nowhere else, and whatever a build says becomes text in them:
 * there is no HTML of a build's.  Also what numbers look like.
 */
'use strict';

const dom = (() => {

/* What is not seen, or turns others around, is written as its code. */
const UNSEEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f' +
	'\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');

function visible(text) {
	return String(text).replace(UNSEEN,
		c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/*
 * make('a', {href: '#x', class: 'y', hidden: true}, 'text', element, ...): attributes,
 * none for null and false; texts are made visible.
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
 * A bar as long as @part of 1, @own of it in a stronger colour, that begins at @from; the
 * number is said beside it.
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
const thousandths = new Intl.NumberFormat('en', {minimumFractionDigits: 3,
	maximumFractionDigits: 3});

function number(n) {
	return grouped.format(n);
}

/* Nanoseconds as seconds, as the answers of etrace have them. */
function seconds(ns) {
	return thousandths.format(ns / 1e9) + ' s';
}

/* With as many digits as @step, the distance of two of them, needs. */
function moment(ns, step) {
	const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));

	return (ns / 1e9).toFixed(digits) + ' s';
}

function memory(kib) {
	return kib < 1024 ? number(kib) + ' KiB' : number(Math.round(kib / 1024)) + ' MiB';
}

function plural(n, one, many) {
	return `${number(n)} ${n === 1 ? one : many || one + 's'}`;
}

/* Words of a command, as a shell would read them. */
function quoted(words) {
	return words.map(w => /^[\w@%+=:,./-]+$/.test(w) ? w :
		`'${w.replaceAll('\'', '\'\\\'\'')}'`).join(' ');
}

return {visible, make, fill, bar, number, seconds, moment, memory, plural, quoted};
})();
