// SPDX-License-Identifier: LGPL-2.1
/*
 * The part of the address after "#": VIEW/ARGUMENT?q=SEARCH&class=...&v=FROM-TO.  The part
 * after "?" is the state of the page, which all views share and links keep, so that a copied
 * address shows the same again.  A choice adds an entry to the browser's history; changes that
 * come with each frame, such as zooming, replace the last entry.
 */
'use strict';

const address = (() => {

/* Return: {view, argument, params}; {fault: why} for an invalid address. */
function parse(hash) {
	const [place, ...query] = hash.replace(/^#/, '').split('?');
	const params = new URLSearchParams(query.join('?'));

	try {
		const [view, ...rest] = decodeURIComponent(place).split('/');

		return {view, argument: rest.join('/'), params};
	} catch (malformed) {
		return {view: '', argument: '', params, fault: `"${place}" is not a valid address`};
	}
}

function format({view, argument, params}) {
	const place = [view, ...argument ? argument.split('/') : []].map(encodeURIComponent)
		.join('/');
	/* people read the address: escape only what browsers require */
	const query = params.toString().replace(/%3A/g, ':').replace(/%2F/g, '/');

	return `#${place}${query ? `?${query}` : ''}`;
}

let shown = '';

/* Note that @view is shown, whatever the address says. */
function show(view) {
	shown = view;
}

function now() {
	return parse(location.hash);
}

/*
 * Set parts of the state; null removes one.  @argument: of the view.  Does not redraw the view.
 */
function change(values, {argument, replace = false} = {}) {
	const state = now(), before = format(state);
	const {params} = state;

	for (const [name, value] of Object.entries(values))
		if (value === null || value === '')
			params.delete(name);
		else
			params.set(name, value);
	if (argument !== undefined)
		state.argument = argument;
	if (format(state) === before)
		return;
	const hash = format({...state, view: state.view || shown});

	history[replace ? 'replaceState' : 'pushState'](null, '', hash);
}

let settled = () => {};

/* @note is called before the state is used, to write pending changes to the address. */
function settle(note) {
	settled = note;
}

/* The target of a link, together with the current state. */
function kept(hash) {
	settled();
	const wanted = parse(hash);

	for (const [name, value] of now().params)
		if (!wanted.params.has(name))
			wanted.params.set(name, value);
	return format(wanted);
}

/* Go to another address, and show it. */
function go(hash) {
	const next = kept(hash);

	if (next === location.hash)
		window.dispatchEvent(new HashChangeEvent('hashchange'));
	else
		location.hash = next;
}

function followLinks() {
	document.addEventListener('click', event => {
		const link = event.target.closest && event.target.closest('a[href^="#"]');

		if (!link || event.defaultPrevented || event.button || event.ctrlKey ||
		    event.metaKey || event.shiftKey)
			return;
		event.preventDefault();
		go(link.hash);
	});
}

return {parse, now, show, change, settle, go, followLinks};
})();
