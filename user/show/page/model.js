// SPDX-License-Identifier: LGPL-2.1
/*
 * The data of the build: the sections, in arrays by the number of a program, process, file or
 * version, and indexes for the views.  What is large and rarely needed is decoded on first use.
 * -1 stands for none.
 */
'use strict';

const model = (() => {

const model = {};
const KEPT = 8;		/* maximum number of decoded blocks of commands that are kept */

/*
 * Group indices by key: rows[begin[k]] .. rows[begin[k + 1] - 1] are the i with keys[i] == k, in
 * ascending order.  Negative keys are in no group.
 */
function groups(n, keys) {
	const begin = new Uint32Array(n + 1);
	const rows = new Uint32Array(keys.length);

	for (let i = 0; i < keys.length; i++)
		if (keys[i] >= 0)
			begin[keys[i] + 1]++;
	for (let k = 0; k < n; k++)
		begin[k + 1] += begin[k];
	const next = begin.slice(0, n);
	for (let i = 0; i < keys.length; i++)
		if (keys[i] >= 0)
			rows[next[keys[i]]++] = i;
	return {begin, rows, of: k => rows.subarray(begin[k], begin[k + 1])};
}

async function loadProcesses(n) {
	const c = await data.columns('processes');
	const parent = c.plain(new Int32Array(n), 1);
	const at = c.signedDifferences(new Float64Array(n));
	const until = c.ends(at);
	const pid = c.plain(new Uint32Array(n));

	c.end();
	model.processes = {n, parent, at, until, pid};
}

async function loadPrograms(n) {
	const c = await data.columns('programs');
	const process = c.plain(new Int32Array(n));
	const file = c.plain(new Int32Array(n), 1);
	const label = c.plain(new Uint32Array(n));
	const kind = c.plain(new Uint8Array(n));
	const at = c.signedDifferences(new Float64Array(n));
	const until = c.ends(at);
	const cpu = c.plain(new Float64Array(n), 1);
	const memory = c.plain(new Float64Array(n), 1);
	const ended = c.plain(new Uint8Array(n));
	const status = c.plain(new Uint32Array(n));
	const output = c.plain(new Int32Array(n), 1);
	const parent = c.plain(new Int32Array(n), 1);
	const forked = c.plain(new Uint8Array(n));
	const failure = c.plain(new Uint8Array(n));
	const directory = c.plain(new Int32Array(n), 1);

	c.end();
	model.programs = {n, process, file, label, kind, at, until, cpu, memory, ended, status,
		output, parent, forked, failure, directory};
}

async function loadSlices(n) {
	const c = await data.columns('slices');
	const program = c.plain(new Int32Array(n));
	const lane = c.plain(new Uint32Array(n));
	const from = c.differences(new Float64Array(n));
	const to = c.ends(from);

	c.end();
	model.slices = {n, program, lane, from, to};
	model.lanes = groups(model.meta.counts.lanes, lane);
	model.slicesOf = groups(model.programs.n, program);
	model.work = new Float64Array(model.programs.n);
	addWork(model.slices, model.programs, model.work);
}

function addWork({n, program, from, to}, {at}, work) {
	for (let i = 0; i < n; i++) {
		const p = program[i];

		work[p] += to[i] - from[i];
		/* work of a child before it runs its program counts for that program */
		if (from[i] < at[p])
			at[p] = from[i];
	}
}

/* Also sum up count * time up to each step, as averages are drawn. */
async function loadSteps(n, classes) {
	const c = await data.columns('steps');
	const at = c.differences(new Float64Array(n));
	const counts = classes.map(() => c.plain(new Uint32Array(n)));

	c.end();
	const sums = counts.map(count => {
		const sum = new Float64Array(n);

		for (let i = 1; i < n; i++)
			sum[i] = sum[i - 1] + count[i - 1] * (at[i] - at[i - 1]);
		return sum;
	});
	model.steps = {n, at, counts, sums};
}

async function loadPath(n) {
	const c = await data.columns('path');
	const program = c.plain(new Int32Array(n), 1);
	const why = c.plain(new Uint8Array(n));
	const file = c.plain(new Int32Array(n), 1);
	const output = c.plain(new Int32Array(n), 1);
	const length = c.plain(new Float64Array(n));

	c.end();
	const from = new Float64Array(n), to = new Float64Array(n);
	for (let i = 0, t = 0; i < n; i++) {
		from[i] = t;
		to[i] = t += length[i];
	}
	model.path = {n, program, why, file, output, from, to};
}

/* Load what the first view needs, before anything is shown. */
model.load = async () => {
	model.meta = await data.json('meta');
	const {counts} = model.meta;

	await Promise.all([
		data.texts('labels').then(labels => { model.labels = labels; }),
		loadPrograms(counts.programs),
		loadPath(counts.path),
	]);
	const {programs, path} = model;
	model.isRun = new Uint8Array(programs.n);
	for (let p = 0; p < programs.n; p++)
		model.isRun[p] = !programs.forked[p] && programs.file[p] >= 0;
	model.onPath = new Uint8Array(programs.n);
	for (let i = 0; i < path.n; i++)
		if (path.program[i] >= 0)
			model.onPath[path.program[i]] = 1;
};

/* once(f): a function that returns what f returned the first time. */
function once(f) {
	let result = null;

	return () => {
		result = result || f();
		return result;
	};
}

/* Load what the other views need: slices of programs, and processes. */
model.loadTimes = once(async () => {
	const {counts, classes} = model.meta;

	await Promise.all([loadProcesses(counts.processes), loadSlices(counts.slices),
		loadSteps(counts.steps, classes)]);
});

model.label = p => model.labels[model.programs.label[p]] ||
	(model.programs.forked[p] ? '(before its first program)' : '(not known)');
model.className = p => model.meta.classes[model.programs.kind[p]];

/*
 * Count rows: the array @rows, or all rows for which @wanted(row) is true.  A row of programs is
 * a program, or what a process did before or without one.
 */
model.count = (rows, wanted) => {
	const counted = {programs: 0, others: 0};
	const add = p => { counted[model.isRun[p] ? 'programs' : 'others']++; };

	if (rows)
		rows.forEach(add);
	else
		for (let p = 0; p < model.programs.n; p++)
			if (wanted(p))
				add(p);
	return counted;
};

/* "89 programs and 1 process without a program"; with @all "89 of 644 programs ...". */
model.countText = (counted, all = counted) => {
	const words = (name, one, many) => all === counted ? dom.plural(counted[name], one, many) :
		`${dom.number(counted[name])} of ${dom.plural(all[name], one, many)}`;

	return words('programs', 'program') + (counted.others ?
		` and ${words('others', 'process', 'processes')} without a program` : '');
};

model.howItEnded = p => {
	const status = model.programs.status[p];

	return ['not known', `exit status ${status}`, `killed by signal ${status}`,
		'went on with another program'][model.programs.ended[p]];
};

/* The command as people know it: gcc for cc1, as and ld. */
model.driver = p => {
	const {parent, kind} = model.programs;
	const compiles = ['compile', 'assemble', 'link'].map(n => model.meta.classes.indexOf(n));
	const [compile,, link] = compiles;

	while (compiles.includes(kind[p]) && parent[p] >= 0 &&
			(kind[parent[p]] === compile || kind[parent[p]] === link))
		p = parent[p];
	return p;
};

/* ---- processes ---- */

model.programsOf = once(() => groups(model.processes.n, model.programs.process));
model.childrenOf = once(() => groups(model.processes.n, model.processes.parent));

/* Processes that no process in the trace started. */
model.rootsOf = once(() => Array.from(model.processes.parent.keys())
	.filter(i => model.processes.parent[i] < 0));

/*
 * By process: how long its programs for which @wanted(program) is true worked, alone and with
 * all processes below; the number of processes below; the number of such programs of all these.
 */
model.times = wanted => {
	const {processes, programs} = model;
	const own = new Float64Array(processes.n);
	const below = new Uint32Array(processes.n), counted = new Uint32Array(processes.n);

	for (let i = 0; i < programs.n; i++)
		if (wanted(i)) {
			own[programs.process[i]] += model.work[i];
			counted[programs.process[i]]++;
		}
	const all = own.slice();
	const order = [...model.rootsOf()];

	for (const i of order)
		order.push(...model.childrenOf().of(i));
	for (const i of order.reverse()) {
		const parent = processes.parent[i];

		if (parent >= 0) {
			all[parent] += all[i];
			counted[parent] += counted[i];
			below[parent] += below[i] + 1;
		}
	}
	return {own, all, below, counted};
};

/* ---- blocks ---- */

/* A promise to continue after other events, so that the page never freezes for long. */
function breathe() {
	return new Promise(resolve => setTimeout(resolve));
}

/* A promise that is fulfilled when the browser is idle. */
function idle() {
	return new Promise(resolve => typeof requestIdleCallback === 'undefined' ?
		setTimeout(resolve, 20) : requestIdleCallback(resolve, {timeout: 1000}));
}

function blocks(count) {
	return Math.ceil(count / model.meta.block);
}

/* All paths, by the number of the file. */
model.files = once(async () => {
	const n = blocks(model.meta.counts.files);
	const parts = [];

	for (let i = 0; i < n; i++)
		parts.push(await data.texts(`files-${i}`));
	return parts.flat();
});

const commands = new Map();

/* Commands by block, for a search; null if unknown.  Decoded blocks are not kept. */
model.commandBlocks = () => blocks(model.programs.n);
model.commandsOf = async i => data.has(`commands-${i}`) ?
	(await data.json(`commands-${i}`)).map(row => row && row[1]) : [];

/* {directory, words} of a program; null if unknown. */
model.command = async p => {
	const i = Math.floor(p / model.meta.block);

	if (!commands.has(i)) {
		commands.set(i, data.json(`commands-${i}`));
		if (commands.size > KEPT)
			commands.delete(commands.keys().next().value);
	}
	const row = (await commands.get(i))[p % model.meta.block];
	return row && {directory: row[0], words: row[1]};
};

/* Time trace that a compiler wrote: rows [name, detail, from, length, depth]. */
model.inside = async p => {
	const name = `inside-${Math.floor(p / model.meta.block)}`;

	return data.has(name) ? (await data.json(name))[p] || [] : [];
};

/* ---- the graph ---- */

async function accesses(kind, progress) {
	const n = model.programs.n, count = blocks(n);
	const parts = [], begin = new Uint32Array(n + 1);

	for (let i = 0, p = 0; i < count; i++) {
		/* left out, as too much for the page: see meta.left_out */
		if (!data.has(`${kind}-${i}`)) {
			begin.fill(begin[p], p + 1);
			break;
		}
		const c = await data.columns(`${kind}-${i}`);

		for (const end = Math.min(n, p + model.meta.block); p < end; p++) {
			const list = c.differences(new Int32Array(c.next()));

			parts.push(list);
			begin[p + 1] = begin[p] + list.length;
		}
		c.end();
		progress(i + 1, count);
		if (i % 16 === 15)
			await breathe();
	}
	const rows = new Int32Array(begin[n]);
	parts.forEach((list, p) => rows.set(list, begin[p]));
	return {begin, rows, of: p => rows.subarray(begin[p], begin[p + 1])};
}

/*
 * Lists of inputs: first one for each version, then one for each of @names, further names of
 * files.  List i is rows[begin[i]] .. rows[begin[i + 1] - 1].  other: for a row, {file, way}, unless
 * only the program that wrote the version read the input, under its first name; way leads from the
 * version to the input: [{program, version it read}].
 */
async function loadInputs(n, names) {
	const lists = n + names.length;
	const begin = new Uint32Array(lists + 1), rows = [], of = [], other = new Map();

	for (let i = 0, block = 0; i < lists && data.has(`inputs-${block}`); block++) {
		const c = await data.columns(`inputs-${block}`);

		for (const end = Math.min(lists, i + model.meta.block); i < end; i++) {
			for (let k = c.next(), id = -1; k > 0; k--) {
				const number = c.next();

				id += Math.floor(number / 2);
				if (number % 2)
					other.set(rows.length, otherInput(c));
				rows.push(id);
				of.push(i);
			}
			begin[i + 1] = rows.length;
		}
		c.end();
	}
	/* the rest was left out, as too much for the page: see meta.left_out */
	for (let i = 0; i < lists; i++)
		begin[i + 1] = Math.max(begin[i], begin[i + 1]);
	const users = groups(n, rows);
	return {n, begin, rows, of, other, names, through: passedThrough(other),
		listOf: new Map(names.map((file, i) => [file, n + i])), usersOf: v => users.of(v)};
}

function otherInput(c) {
	const file = c.next() - 1, way = [];

	for (let k = c.next(); k > 0; k--)
		way.push({program: c.next() - 1, version: c.next() - 1});
	return {file, way};
}

/* For each version on the way to an input: the rows of these inputs. */
function passedThrough(other) {
	const by = new Map();

	for (const [row, {way}] of other)
		for (const {version} of way.slice(0, -1))
			by.set(version, [...by.get(version) || [], row]);
	return by;
}

/* Programs by version: the inverse of a list of accesses, computed on first use. */
function turned(list, n, key) {
	const turn = once(() => {
		const programs = new Uint32Array(list.rows.length);

		for (let p = 0; p + 1 < list.begin.length; p++)
			programs.fill(p, list.begin[p], list.begin[p + 1]);
		return {programs, by: groups(n, list.rows.map(key))};
	});

	return version => {
		const {programs, by} = turn();

		return Array.from(by.of(version), i => programs[i]);
	};
}

/* A read is 2 * version, + 1 if it was not of data, but of a program or library. */
const version = read => read >> 1;
const isData = read => !(read & 1);

let report = () => {};

/* Load the graph; the last progress(done, all) that was passed shows how far it is. */
model.graph = progress => {
	report = progress || report;
	return loadGraph();
};

const loadGraph = once(async () => {
	const {files: nfiles, versions: n} = model.meta.counts;
	let c = await data.columns('filefacts');
	const present = c.plain(new Int32Array(nfiles), 1);
	const last = c.plain(new Int32Array(nfiles), 1);
	const flags = c.plain(new Uint8Array(nfiles));
	c.end();
	c = await data.columns('versions');
	const file = c.plain(new Int32Array(n), 1);
	const writer = c.plain(new Int32Array(n), 1);
	const made = c.plain(new Uint8Array(n));
	c.end();
	const named = groups(n, present);
	const further = [...present.keys()].filter(i => present[i] >= 0 &&
		graph.firstName(named.of(present[i]), file[present[i]]) !== i);
	const inputs = await loadInputs(n, further);
	const reads = await accesses('reads', (i, all) => report(i, 2 * all));
	const writes = await accesses('writes', (i, all) => report(all + i, 2 * all));
	return {
		files: {present, last, flags},
		versions: {n, file, writer, made},
		inputs,
		writes,
		dataOf: p => reads.of(p).filter(isData).map(version),
		othersOf: p => reads.of(p).filter(r => !isData(r)).map(version),
		dataReadersOf: turned(reads, n, r => isData(r) ? version(r) : -1),
		otherReadersOf: turned(reads, n, r => isData(r) ? -1 : version(r)),
		writersOf: turned(writes, n, v => v),
		versionsOf: groups(nfiles, file),
		/* the final names of each version */
		namesOf: named,
	};
});

model.overview = once(() => data.json('overview'));
model.headers = once(() => data.json('headers'));
model.hasCompare = () => data.has('compare');
model.compare = once(() => data.json('compare'));
model.slowest = once(() => data.json('slowest'));
model.findings = once(() => data.json('findings'));
model.packages = once(() => data.json('packages'));
model.groups = groups;
model.breathe = breathe;
model.idle = idle;
return model;
})();
