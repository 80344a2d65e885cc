// SPDX-License-Identifier: LGPL-2.1
/*
 * Up and down the graph: what a version of a file was made from, and what was made from it,
 * one step at a time.  A program made what it wrote from what it read as data.  Pipes, and
 * files that are gone in the end, are passed through, and told as the way.
 */
'use strict';

const graph = (() => {

/* of meta.made */
const EXISTED = 0, CHANGED = 2, SPECIAL = 6;

/* What is in it is what was there before, if it was opened for writing and not written. */
function written(g, v) {
	const {made, writer, from} = g.versions;

	while (made[v] === CHANGED && writer[v] < 0 && from[v] >= 0)
		v = from[v];
	return v;
}

/* The version that a name stands for in the end, or did last; -1: none is known. */
function last(g, file) {
	const versions = g.versionsOf.of(file);
	const v = g.files.last[file] >= 0 ? g.files.last[file] :
		versions.length ? versions[versions.length - 1] : g.files.first[file];

	return v < 0 ? v : written(g, v);
}

function isThere(g, file) {
	return file >= 0 && g.files.last[file] >= 0;
}

function makers(g, v) {
	const list = g.writersOf(v);

	return list.length || g.versions.writer[v] < 0 ? list : [g.versions.writer[v]];
}

/* The name to show a version by; -1: it is on the way only. */
function nameOf(g, v) {
	const names = g.namesOf.of(v), first = g.versions.file[v];

	if (!names.length)
		return g.versions.made[v] === EXISTED ? first : -1;
	return names.includes(first) ? first : names[0];
}

/* @next(v): [{version, program}], the neighbours of versions in one direction. */
function neighbours(g, starts, next) {
	const found = new Map(), seen = new Set(starts);
	const queue = starts.map(version => ({version, through: []}));

	for (const {version, through} of queue) {
		for (const near of next(version)) {
			if (seen.has(near.version) || g.versions.made[near.version] === SPECIAL)
				continue;
			seen.add(near.version);
			const name = nameOf(g, near.version);

			if (name < 0)
				queue.push({...near, through: [...through, near.version]});
			else if (!found.has(name))
				found.set(name, {...near, file: name, through});
		}
	}
	return [...found.values()];
}

function inputs(g, v) {
	return neighbours(g, [v], version => {
		const list = makers(g, version).flatMap(program =>
			Array.from(g.dataOf(program),
				read => ({version: written(g, read), program})));
		const from = g.versions.from[version];

		return from < 0 ? list : [...list, {version: written(g, from), program: -1}];
	});
}

/* Also of what its name stood for before: others have read that by it. */
function outputs(g, v) {
	const file = g.versions.file[v];
	const before = file < 0 ? [] : Array.from(g.versionsOf.of(file), w => written(g, w));

	return neighbours(g, [...new Set([v, ...before])], version => [
		...g.dataReadersOf(version).flatMap(program => Array.from(g.writes.of(program),
			made => ({version: written(g, made), program}))),
		...Array.from(g.nextOf.of(version),
			next => ({version: written(g, next), program: g.versions.writer[next]})),
	]);
}

return {last, isThere, makers, inputs, outputs};
})();
