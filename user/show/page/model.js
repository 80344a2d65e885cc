// SPDX-License-Identifier: LGPL-2.1
/*
 * The build: what the sections say, in arrays by the number of a program, process, file or
 * version, and the indexes that views ask.  What is large and looked at rarely is expanded
 * when it is asked for first.  -1 is none.
 */
'use strict';

const model = (() => {

const model = {};
const KEPT = 8;		/* blocks of commands at a time */

/*
 * begin[k] .. begin[k + 1]: where in rows those i are for which keys[i] is k; in their order.
 * Those with a key below 0 are in no group.
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
		/* what a child does before it runs its program is that program's work */
		if (from[i] < at[p])
			at[p] = from[i];
	}
}

/* With the sum of count by time up to each step: what is drawn is an average. */
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

/* What the first view needs: done before anything is shown. */
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

/* What the other views need, too: when programs worked, and their processes. */
model.loadTimes = once(async () => {
	const {counts, classes} = model.meta;

	await Promise.all([loadProcesses(counts.processes), loadSlices(counts.slices),
		loadSteps(counts.steps, classes)]);
});

model.label = p => model.labels[model.programs.label[p]] ||
	(model.programs.forked[p] ? '(before its first program)' : '(not known)');
model.className = p => model.meta.classes[model.programs.kind[p]];

/*
 * A row of programs is a program, or what a process did before or without one.  Whoever counts
 * rows says which: @rows, an array of them, or all for which @wanted(row) is true.
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

/* The command that people know: gcc of cc1, as and ld. */
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

/* Processes that nobody in the trace started. */
model.rootsOf = once(() => Array.from(model.processes.parent.keys())
	.filter(i => model.processes.parent[i] < 0));

/*
 * The time that the programs of each process that @wanted(program) says worked, alone and with all
 * below it; how many processes are below it, and how many of these programs it and they ran.
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

/* A promise to do it between two frames, so that a page never stands still for long. */
function breathe() {
	return new Promise(resolve => setTimeout(resolve));
}

/* A promise of a time when the browser has nothing else to do. */
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

/* All commands of a block, for a search; null for those that are not known.  They are not kept. */
model.commandBlocks = () => blocks(model.programs.n);
model.commandsOf = async i => data.has(`commands-${i}`) ?
	(await data.json(`commands-${i}`)).map(row => row && row[1]) : [];

/* {directory, words} of a program; null: not known. */
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

/* What compilers told of a program: rows [name, detail, from, length, depth]. */
model.inside = async p => {
	const name = `inside-${Math.floor(p / model.meta.block)}`;

	return data.has(name) ? (await data.json(name))[p] || [] : [];
};

/* ---- the graph ---- */

async function accesses(kind, told) {
	const n = model.programs.n, count = blocks(n);
	const parts = [], begin = new Uint32Array(n + 1);

	for (let i = 0, p = 0; i < count; i++) {
		/* what was too much for the page is not there: meta.left_out says it */
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
		told(i + 1, count);
		if (i % 16 === 15)
			await breathe();
	}
	const rows = new Int32Array(begin[n]);
	parts.forEach((list, p) => rows.set(list, begin[p]));
	return {begin, rows, of: p => rows.subarray(begin[p], begin[p + 1])};
}

/*
 * What versions were made from, and behind them what further names were, @names: those of list
 * i are rows[begin[i]] .. rows[begin[i + 1] - 1].  other: by row, {file, way}, where not only the
 * version's writer read it by its first name; way goes from the version on: [{program, version
 * it read}].
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
	/* what was too much for the page: meta.left_out says it */
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

/* By version on the way: rows. */
function passedThrough(other) {
	const by = new Map();

	for (const [row, {way}] of other)
		for (const {version} of way.slice(0, -1))
			by.set(version, [...by.get(version) || [], row]);
	return by;
}

/* By version, which programs: a turned around list of accesses, made when it is asked for first. */
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

/* A read is the version times two, and one more if it was not data: a program, a library. */
const version = read => read >> 1;
const isData = read => !(read & 1);

let tell = () => {};

/* told(done, all) is called on the way, of whoever asked last. */
model.graph = told => {
	tell = told || tell;
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
	const reads = await accesses('reads', (i, all) => tell(i, 2 * all));
	const writes = await accesses('writes', (i, all) => tell(all + i, 2 * all));
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
		/* the names that a version has in the end */
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
