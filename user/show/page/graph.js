// SPDX-License-Identifier: LGPL-2.1
/*
 * Walks the graph one step up or down: what a version of a file was made from, and what was made
 * from it.  Pipes, and files that no longer exist, are not steps, but part of the way between
 * two files.  The edges in the page are those of etrace deps --direct.
 */
'use strict';

const graph = (() => {

/* The final version under a name, or its last one if it is gone; -1 if unknown. */
function last(g, file) {
	return g.files.last[file];
}

function isThere(g, file) {
	return file >= 0 && g.files.present[file] >= 0;
}

/* Whether the build wrote the final content of the file. */
function isOutput(g, file) {
	return file >= 0 && (g.files.flags[file] & 1) !== 0;
}

function makers(g, v) {
	const list = g.writersOf(v);

	return list.length || g.versions.writer[v] < 0 ? list : [g.versions.writer[v]];
}

/* A final name of a version: the one it was written under, or else any; -1 if none. */
function firstName(names, first) {
	return !names.length ? -1 : names.includes(first) ? first : names[0];
}

/* What was made from a row of inputs: its version and final name (file), -1 if none. */
function madeOf(g, row) {
	const list = g.inputs.of[row], further = g.inputs.names[list - g.inputs.n];

	return further === undefined ?
		{version: list, file: firstName(g.namesOf.of(list), g.versions.file[list])} :
		{version: g.files.present[further], file: further};
}

/* The name by which a row was read, and the way to it from what was made. */
function wayOf(g, row) {
	const version = g.inputs.rows[row];

	return g.inputs.other.get(row) || {file: g.versions.file[version],
		way: [{program: g.versions.writer[madeOf(g, row).version], version}]};
}

/* [{version, file, program, through}]: inputs of a version, and the way to each */
function inputs(g, {version, file}) {
	const i = g.inputs.listOf.has(file) ? g.inputs.listOf.get(file) : version;
	const list = [];

	for (let row = g.inputs.begin[i]; row < g.inputs.begin[i + 1]; row++) {
		const {file: name, way} = wayOf(g, row);

		list.push({version: g.inputs.rows[row], file: name,
			program: way[way.length - 1].program,
			through: way.slice(0, -1).map(step => step.version)});
	}
	return list;
}

/* Includes what was made from earlier versions that were read under this name. */
function outputs(g, {version: v, file}) {
	const found = new Map(), versions = new Set([v, ...g.versionsOf.of(file)]);

	for (const version of versions) {
		for (const row of [...g.inputs.usersOf(version),
			...g.inputs.through.get(version) || []]) {
			const made = madeOf(g, row), {way} = wayOf(g, row);
			const steps = way.map(step => step.version);

			if (made.file !== file && isOutput(g, made.file) && !found.has(made.file))
				found.set(made.file, {...made, program: way[0].program,
					through: steps.slice(0, steps.indexOf(version)).reverse()});
		}
	}
	return [...found.values()];
}

return {last, isThere, makers, firstName, inputs, outputs};
})();
