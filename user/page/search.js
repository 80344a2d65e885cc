// SPDX-License-Identifier: LGPL-2.1
/*
 * Which programs fit what is searched for: by terms as those of a filter, labels and files at
 * once, by their commands block after block, for these are expanded for it.
 */
'use strict';

const search = (() => {

const AT_ONCE = 10;	/* ms without a frame */
let serial = 0;

/*
 * @told(fits, whole): a byte for each program, 1 if it fits, null: nothing is searched for;
 * whether that is all.  A new search ends one that still runs.
 */
async function programs(query, told) {
	const mine = ++serial;
	const fits = new Uint8Array(model.programs.n);

	if (!query)
		return told(null, true);
	const {tests, text} = await filter.terms(query);
	const passes = p => tests.every(test => test(p));
	const wanted = text.toLowerCase();
	const plain = value => value.toLowerCase().includes(wanted);
	const labels = model.labels.map(plain);
	const paths = await model.files();
	/* a program's file is that of many, and asked for once */
	const files = new Map();
	const fitting = id => {
		if (id < 0)
			return false;
		if (!files.has(id))
			files.set(id, plain(paths[id]));
		return files.get(id);
	};
	for (let p = 0; p < fits.length; p++)
		if (passes(p) && (labels[model.programs.label[p]] ||
		    fitting(model.programs.output[p]) || fitting(model.programs.file[p])))
			fits[p] = 1;
	if (mine !== serial)
		return null;
	told(fits, !wanted);
	if (!wanted)
		return null;
	/* Words stand apart in JSON, and in quotes: its first one must be in a block. */
	const first = JSON.stringify(wanted).slice(1, -1).split(' ')[0];
	let rested = performance.now();
	for (let i = 0; i < model.commandBlocks(); i++) {
		const block = await model.commandText(i);

		if (mine !== serial)
			return null;
		if (!block.toLowerCase().includes(first))
			continue;
		JSON.parse(block).forEach((row, k) => {
			const p = i * model.meta.block + k;

			if (row && !fits[p] && plain(row[1].join(' ')) && passes(p))
				fits[p] = 1;
		});
		if (performance.now() - rested > AT_ONCE) {
			await model.breathe();
			rested = performance.now();
		}
	}
	return mine === serial ? told(fits, true) : null;
}

return {programs};
})();
