// SPDX-License-Identifier: LGPL-2.1
/*
 * CPU and memory over time.  A trace has the CPU time and the peak memory of each process only at
 * its end, so this is an estimate: CPU time is spread evenly over the life of the process, and
 * memory is the sum of the peaks of all processes alive.
 */
'use strict';

const costs = (() => {

const HINT = 'CPU and memory are estimates: the CPU time of each process is spread evenly over ' +
	'its life, and memory is the sum of the peaks of all processes alive, so the true value was lower.';
let steps = null;

/* Times at which the cores and bytes in use change, and by how much. */
function changes() {
	const {programs, processes} = model, most = 2 * programs.n;
	const at = new Float64Array(most), cores = new Float64Array(most), bytes = new Float64Array(most);
	let n = 0;

	for (let p = 0; p < programs.n; p++) {
		const i = programs.process[p], life = Math.max(1, processes.until[i] - processes.at[i]);

		if (programs.cpu[p] < 0 && programs.memory[p] < 0)
			continue;
		const used = Math.max(0, programs.cpu[p]) * 1000 / life;
		const peak = Math.max(0, programs.memory[p]) * 1024;

		for (const [time, sign] of [[processes.at[i], 1], [processes.at[i] + life, -1]]) {
			at[n] = time;
			cores[n] = sign * used;
			bytes[n++] = sign * peak;
		}
	}
	return {at: at.subarray(0, n), cores, bytes};
}

/* Whether the trace has costs. */
function known() {
	return model.meta.cpu !== null;
}

/* The result of load(); null if it is not done yet. */
function loaded() {
	return steps;
}

/*
 * Indices of times in ascending order.  Sorting plain numbers is much faster than with a function
 * that compares, so each number holds a time, rounded if there is not enough room, and its index.
 */
function orderOf(at) {
	const n = at.length, unit = Math.max(1, d3.max(at) * n / 2 ** 52);

	return at.map((time, i) => Math.floor(time / unit) * n + i).sort().map(key => key % n);
}

/*
 * Compute {n, at, counts, sums} of cores and bytes, as model.steps.  Takes a while for large
 * builds.
 */
function load() {
	if (steps)
		return steps;
	const {at: times, cores, bytes} = changes();
	const n = times.length, order = orderOf(times), at = new Float64Array(n);
	const counts = [new Float64Array(n), new Float64Array(n)];
	const sums = [new Float64Array(n), new Float64Array(n)];
	const levels = [0, 0], by = [cores, bytes];

	for (let i = 0; i < n; i++) {
		at[i] = Math.max(times[order[i]], i ? at[i - 1] : 0);
		for (let kind = 0; kind < 2; kind++) {
			levels[kind] += by[kind][order[i]];
			counts[kind][i] = Math.max(0, levels[kind]);
			if (i)
				sums[kind][i] = sums[kind][i - 1] +
					counts[kind][i - 1] * (at[i] - at[i - 1]);
		}
	}
	steps = {n, at, counts, sums};
	return steps;
}

/* CPU time in ns between two times, of programs that @wanted selects; -1 if none is known. */
function cpuWithin(from, to, wanted) {
	const {programs, processes} = model;
	let sum = -1;

	for (let p = 0; p < programs.n; p++) {
		const i = programs.process[p];
		const begin = processes.at[i], end = Math.max(begin + 1, processes.until[i]);
		const part = (Math.min(end, to) - Math.max(begin, from)) / (end - begin);

		if (programs.cpu[p] >= 0 && part > 0 && wanted(p))
			sum = Math.max(0, sum) + programs.cpu[p] * 1000 * part;
	}
	return sum;
}

return {HINT, known, loaded, load, cpuWithin};
})();
