// SPDX-License-Identifier: GPL-2.0
/*
 * Up and down the graph: what a version of a file was made from, and what was made from it,
 * one step at a time.  A program made what it wrote from what it read as data.  Pipes, and
 * files that are gone in the end, are passed through, and told as the way.
 */
'use strict';

const graph = (() => {
	const CHANGED = 2;

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

	/* @next(v): [{version, program}], the neighbours of a version in one direction. */
	function neighbours(g, start, next) {
		const found = [], seen = new Set([start]);
		const queue = [{version: start, through: []}];

		for (const {version, through} of queue) {
			for (const near of next(version)) {
				const file = g.versions.file[near.version];

				if (seen.has(near.version))
					continue;
				seen.add(near.version);
				if (isThere(g, file) || (file >= 0 && g.versions.writer[near.version] < 0))
					found.push({file, version: near.version, program: near.program, through});
				else
					queue.push({version: near.version, through: [...through, near.version]});
			}
		}
		return found;
	}

	function inputs(g, v) {
		return neighbours(g, v, version => {
			const list = makers(g, version).flatMap(program =>
				Array.from(g.dataOf(program), read => ({version: written(g, read), program})));
			const from = g.versions.from[version];

			return from < 0 ? list : [...list, {version: written(g, from), program: -1}];
		});
	}

	function outputs(g, v) {
		return neighbours(g, v, version => g.dataReadersOf(version).flatMap(program =>
			Array.from(g.writes.of(program), made => ({version: made, program}))));
	}

	return {last, isThere, makers, inputs, outputs};
})();
