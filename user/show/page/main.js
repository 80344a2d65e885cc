// SPDX-License-Identifier: LGPL-2.1
/*
 * Sets up the page: verdict and figures, the views and their addresses, light and dark mode, and
 * error messages.
 */
'use strict';

const main = (() => {

/*
 * name: {title, show(section, argument, params), when(), whole}.  A view without a title, or for
 * which when() is false, is not in the list; whole: the filter does not apply to it
 */
const views = {
	overview: {title: 'Overview', show: overview.show},
	timeline: {title: 'Timeline', show: timeline.show},
	tree: {title: 'Processes', show: tree.show},
	failures: {title: 'Failures', show: failures.show},
	slowest: {title: 'Slowest', show: slowest.show},
	path: {title: 'Critical path', show: path.show},
	where: {title: 'Where', show: where.show},
	compare: {title: 'Compare', show: compare.show, when: () => model.hasCompare()},
	file: {title: 'Files', show: file.show},
	findings: {title: 'Findings', show: check.findings},
	packages: {title: 'Packages', show: check.packages, whole: true},
	program: {show: program.show, whole: true},
};
const FIRST = Object.keys(views)[0];
const THEMES = {light: 'dark', dark: 'light'};
const $ = id => document.getElementById(id);
const content = $('content'), loading = $('loading');
let serial = 0, searching = false;

function say(text) {
	loading.hidden = !text;
	dom.fill(loading, text);
}

function fault(error) {
	say('');
	content.append(dom.make('p', {role: 'alert', class: 'fault'},
		`This page cannot be shown: ${error.message || error}. ` +
		'Make it again with etrace report --html.'));
}

function progress(done, all) {
	say(done < all ? `Loading what programs read and wrote: ${Math.floor(100 * done / all)} %` : '');
}

/* ---- the head ---- */

function figures() {
	const {meta} = model, counts = meta.counts;

	return [
		['Programs', dom.number(counts.run)],
		['Processes', dom.number(counts.processes)],
		['Took', dom.time(meta.wall)],
		['CPU time', meta.cpu === null ? null : dom.time(meta.cpu)],
		['Average parallelism',
			meta.average === null ? null : meta.average.toFixed(2)],
		['With unlimited CPUs', dom.time(meta.endless)],
		['Began', meta.begin === null ? null : new Date(meta.begin).toLocaleString()],
	].filter(f => f[1] !== null).map(([name, value]) =>
		dom.make('div', {}, dom.make('dt', {}, name), dom.make('dd', {}, value)));
}

function head() {
	const {meta} = model;
	const ended = meta.status === null || meta.status === undefined ? '' :
		`; the command ended with status ${meta.status}`;
	const missing = [...meta.missing,
		...meta.left_out.map(text => `Left out of this page: ${text}`),
		...(meta.compiler_traces || []).filter(t => t.fault)
			.map(t => `${t.path || model.label(t.program)}: ${t.fault}`)];

	document.title = dom.visible(meta.title);
	dom.fill($('title'), meta.title);
	dom.fill($('verdict'),
		meta.failed ? dom.make('strong', {class: 'failure'}, '\u2718 The build failed') : null,
		meta.failed ? '. ' : null, dom.make('strong', {}, meta.complete ?
			'\u2714 The trace is complete' : '\u2718 The trace is NOT complete'), ended,
	meta.command && meta.command !== meta.title ?
		dom.make('code', {class: 'command'}, meta.command) : null);
	$('verdict').classList.add(meta.complete ? 'good' : 'bad');
	dom.fill($('missing'), ...missing.map(m => dom.make('li', {}, m)));
	$('missing').hidden = !missing.length;
	dom.fill($('figures'), ...figures());
	dom.fill($('made'), `Made by etrace ${meta.etrace}. Everything is in this file: nothing ` +
		'is sent or fetched.');
	dom.fill($('licences'), dom.make('summary', {}, 'Licence of D3, which draws the charts'),
		...$('licence').textContent.trim().split('\n').map(l => dom.make('div', {}, l)));
}

/* ---- light and dark ---- */

function theme() {
	const root = document.documentElement, button = $('theme');
	const system = matchMedia('(prefers-color-scheme: dark)');
	const now = () => root.dataset.theme || (system.matches ? 'dark' : 'light');
	const changed = () => {
		dom.fill(button, now() === 'dark' ? 'Light colours' : 'Dark colours');
		timeline.recolour();
	};
	let before;

	button.hidden = false;
	button.addEventListener('click', () => {
		root.dataset.theme = THEMES[now()];
		changed();
	});
	system.addEventListener('change', changed);
	/* paper is white: print with light colours */
	window.addEventListener('beforeprint', () => {
		before = root.dataset.theme;
		root.dataset.theme = 'light';
		timeline.recolour(true);
	});
	window.addEventListener('afterprint', () => {
		if (before)
			root.dataset.theme = before;
		else
			delete root.dataset.theme;
		timeline.recolour();
	});
	changed();
}

/* ---- views ---- */

function section(name) {
	const id = `view-${name}`;

	if (!$(id))
		content.append(dom.make('section', {id, hidden: true,
			'aria-label': views[name].title || 'Program'}));
	return $(id);
}

function shown(view) {
	return !view.when || view.when();
}

/* Parse the address; an invalid one is reported, and leads to the first view. */
function place() {
	const {view, argument, params, fault: malformed} = address.now();
	const known = view === '' || (Object.hasOwn(views, view) && shown(views[view]));
	const why = malformed || (known ? '' : `there is no view "${view}"`);

	dom.fill($('astray'), why ? `This address is wrong: ${why}. Here is the ` +
		'overview.' : '');
	$('astray').hidden = !why;
	return known && view && !malformed ? {view, argument, params} :
		{view: FIRST, argument: '', params};
}

async function route() {
	const mine = ++serial, {view, argument, params} = place();
	const part = section(view), hash = location.hash;

	address.show(view);
	document.querySelectorAll('#views a').forEach(a => {
		if (a.hash === `#${view}`) {
			a.setAttribute('aria-current', 'page');
			/* on a phone, the list of views is wider than the window */
			$('views').scrollLeft = a.offsetLeft - a.offsetWidth;
		} else
			a.removeAttribute('aria-current');
	});
	for (const other of content.querySelectorAll(':scope > section'))
		other.hidden = other !== part;
	say('Loading');
	try {
		await filter.set(params, views[view].whole);
		if (view !== FIRST)
			await model.loadTimes();
		/* rebuild a view that was built for another filter */
		if (view !== 'timeline' && part.dataset.filter !== filter.key())
			part.replaceChildren();
		part.dataset.filter = filter.key();
		await views[view].show(part, argument, params);
	} catch (error) {
		fault(error);
		return;
	}
	/* the user may have chosen another view meanwhile */
	if (mine !== serial)
		return;
	say('');
	part.dataset.shown = hash;
	if (searching)
		searching = !timeline.focusSearch();
}

/* ---- keys of all views ---- */

function goToSearch() {
	searching = !timeline.focusSearch();
	if (searching)
		address.go('#timeline');
}

const KEYS = {'?': help.open, '/': goToSearch};

function key(event) {
	const {target} = event;

	if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey ||
	    target.closest('input, select, textarea, dialog'))
		return;
	if (timeline.key(event, target.id === 'chart') || !KEYS[event.key])
		return;
	event.preventDefault();
	KEYS[event.key]();
}

/* Prepare what the user will probably need next, in idle time. */
async function prepare() {
	try {
		await model.idle();
		await model.loadTimes();
		await search.prepare();
	} catch (error) {
		/* errors are reported when it is really needed */
	}
}

async function begin() {
	say('Loading the build');
	try {
		await model.load();
	} catch (error) {
		fault(error);
		return;
	}
	head();
	dom.fill($('views'), ...Object.entries(views).filter(([, view]) => view.title && shown(view))
		.map(([name, view]) => dom.make('li', {},
			dom.make('a', {href: `#${name}`}, view.title))));
	theme();
	$('skip').addEventListener('click', event => {
		event.preventDefault();
		content.focus();
	});
	address.followLinks();
	document.addEventListener('keydown', key);
	$('help').addEventListener('click', help.open);
	$('help').hidden = false;
	window.addEventListener('hashchange', () => {
		route();
		content.focus({preventScroll: true});
	});
	await route();
	performance.mark('usable');
	prepare();
}

return {begin, progress, route};
})();

main.begin();
