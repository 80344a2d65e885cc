// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the programs that match a search: terms as in a filter, labels, files and commands.  Texts
 * of all of them are built once, in idle time; a search only scans these.
 */
'use strict';

const search = (() => {

const AT_ONCE = 10;	/* ms of work between two frames */
const commands = new Map();	/* by block: a promise of its text */
let serial = 0, names = null, ready = false;

/* Join texts, in lower case, one per line; begin[i]: offset of the i-th. */
function linesOf(list) {
	const lines = list.map(text => text.toLowerCase().replace(/\n/g, ' '));
	const begin = new Uint32Array(lines.length + 1);

	for (let i = 0; i < lines.length; i++)
		begin[i + 1] = begin[i] + lines[i].length + 1;
	return {text: lines.join('\n'), begin};
}

/* A byte for each line: 1 if it contains @wanted. */
function linesWith({text, begin}, wanted) {
	const fits = new Uint8Array(begin.length - 1);

	for (let at = text.indexOf(wanted); at >= 0;) {
		const i = d3.bisectRight(begin, at) - 1;

		fits[i] = 1;
		at = i + 1 < fits.length ? text.indexOf(wanted, begin[i + 1]) : -1;
	}
	return fits;
}

/* Joined labels and files, in the order of their numbers. */
function namesOf() {
	names = names || model.files().then(paths => ({labels: linesOf(model.labels),
		files: linesOf(paths)}));
	return names;
}

function commandsOf(block) {
	if (!commands.has(block))
		commands.set(block, model.commandsOf(block).then(list =>
			linesOf(list.map(words => words ? words.join(' ') : ''))));
	return commands.get(block);
}

/* Build the texts while the browser is idle. */
async function prepare() {
	await model.idle();
	await namesOf();
	for (let i = 0; i < model.commandBlocks(); i++) {
		await model.idle();
		await commandsOf(i);
	}
	ready = true;
}

/* Set fits[p] for all programs whose label or file contains @wanted. */
function fitNames({labels, files}, wanted, fits) {
	const {label, output, file} = model.programs;
	const inLabel = linesWith(labels, wanted), inFile = linesWith(files, wanted);

	for (let p = 0; p < fits.length; p++)
		fits[p] = inLabel[label[p]] | (output[p] >= 0 && inFile[output[p]]) |
			(file[p] >= 0 && inFile[file[p]]);
}

/*
 * Search, and pass results to @show(fits, whole).  fits: a byte for each program, 1 if it
 * matches; null for an empty search.  whole: the search is complete.  A new search cancels
 * the one before.
 */
async function programs(query, show) {
	const mine = ++serial;
	const fits = new Uint8Array(model.programs.n);

	if (!query)
		return show(null, true);
	const {tests, text} = await filter.terms(query);
	const wanted = text.toLowerCase();
	const report = whole => show(fits.map((fit, p) => fit && tests.every(test => test(p))), whole);

	if (!wanted) {
		fits.fill(1);
		return mine === serial ? report(true) : null;
	}
	fitNames(await namesOf(), wanted, fits);
	if (mine !== serial)
		return null;
	report(false);
	let rested = performance.now();
	for (let i = 0; i < model.commandBlocks(); i++) {
		const found = linesWith(await commandsOf(i), wanted);

		if (mine !== serial)
			return null;
		for (let k = 0, p = i * model.meta.block; k < found.length; k++, p++)
			fits[p] |= found[k];
		if (performance.now() - rested > AT_ONCE) {
			await model.breathe();
			rested = performance.now();
		}
	}
	return mine === serial ? report(true) : null;
}

return {programs, prepare, prepared: () => ready};
})();
