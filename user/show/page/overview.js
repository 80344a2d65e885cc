// SPDX-License-Identifier: LGPL-2.1
/* The first view: how the build ended, what failed first, and what to make faster first. */
'use strict';

const overview = (() => {

/* The first failure of the build, and links to more about it. */
function failure({failure: text, failures}) {
	const {meta} = model;

	if (!meta.failed)
		return null;
	const first = failures[0];
	const others = failures.slice(1).reduce((n, f) => n + 1 + f.after, 0);

	return dom.make('div', {class: 'failed', role: 'note', 'aria-label': 'The build failed'},
		dom.make('p', {}, dom.make('strong', {}, '\u2718 The build failed: '),
			text || 'which program failed first is not known.'),
		dom.make('p', {},
			first ? dom.make('a', {href: `#program/${first.program}`},
				'The program that failed first') : null,
			first ? ' \u00b7 ' : null,
			first ? dom.make('a', {href: `#timeline/${first.program}`},
				'in the timeline') : null,
			first ? ' \u00b7 ' : null,
			dom.make('a', {href: '#failures'}, 'All failures'),
			others > 0 ? `, ${dom.number(others)} of them for other reasons` : null));
}

function part(ns) {
	return dom.percent(ns / Math.max(1, model.meta.wall));
}

/* "cc1 pch.c takes 48.0 s, 40 % of the build: at most 31.0 s less" */
function faster(row) {
	const {meta} = model;
	const what = row.program < 0 ? dom.make('a', {href: '#timeline'}, row.label) :
		dom.make('a', {href: `#program/${row.program}`}, row.label);
	const saves = dom.make('strong', {}, `at most ${dom.time(row.saves)} less`);

	if (row.kind === 'places')
		return dom.make('li', {}, what, ': others waited for a free slot while ' +
			`${row.average.toFixed(1)} programs ran at a time: `, saves);
	return dom.make('li', {}, what,
		row.kind === 'itself' ? ' itself, without what it started,' : '',
		` takes ${dom.time(row.took)}, ${part(row.took)} of the build`,
		row.serial && meta.average > 1.25 ? ' and runs one program at a time' : '',
		': ', saves);
}

function fasterList(rows) {
	if (!rows.length)
		return dom.make('p', {}, filter.active() ? 'Nothing matches the filter.' :
			'Nothing stands out: no step alone decides how long it took.');
	return dom.make('ol', {class: 'faster'}, ...rows.map(faster));
}

const DEFINED = 'How much sooner the build would have ended if the step had taken no time, with ' +
	'everything else taking as long as it did, starting in the same order, and no more ' +
	'programs running at a time. If the step only gets faster, you save less. The lines do ' +
	'not add up.';

/* Shares of the classes of programs in the critical path. */
function shares() {
	const sums = path.classes();
	const whole = sums.reduce((sum, s) => sum + s.length, 0) || 1;

	return dom.make('ul', {class: 'legend'}, ...sums.map(s => dom.make('li', {},
		links.colour(s.kind), ` ${s.name} ${dom.percent(s.length / whole)}`)));
}

async function show(section) {
	if (section.childElementCount)
		return;
	const {meta} = model, rows = await model.overview();

	dom.fill(section, dom.make('h2', {}, 'Overview'), failure(rows),
		meta.failed ? null : dom.make('p', {}, meta.status === 0 ?
			'\u2714 The build succeeded.' : meta.status === null ?
				'How the build ended is not known. No failure was recorded that stopped it.' :
				'No failure was recorded that stopped the build.'),
		dom.make('h3', {}, 'What to make faster first'),
		fasterList(rows.faster.filter(r => !filter.active() ||
			(r.program >= 0 && filter.passes(r.program)))),
		dom.make('details', {}, dom.make('summary', {}, 'What \u201cat most\u201d means'),
			dom.make('p', {class: 'hint'}, DEFINED)),
		dom.make('h3', {}, 'Where the time went'),
		dom.make('p', {}, `The build took ${dom.time(meta.wall)}. With unlimited CPUs it ` +
			`would take ${dom.time(meta.endless)}. On the `,
		dom.make('a', {href: '#path'}, 'critical path'), ':'),
		shares(), ...await compare.summary());
}

return {show};
})();
