// SPDX-License-Identifier: LGPL-2.1
/*
 * Draws a timeline: the number of running programs of each class, the critical path, and the
 * lanes.  timeline.js passes the visible range, the selection and the search results.
 */
'use strict';

const chart = (() => {

const AXIS = 22, AREA = 96, PATH = 16, GAP = 6;
const TOP = AXIS + AREA + GAP + PATH + GAP;
const COST = 34;
const WIDE = 2;		/* pixels of each step of an area */
const LABEL = 34;	/* pixels; slices at least this wide show their label */
let colours = null;

/* An image whose pixels are set directly; its memory is reused for the next frame. */
function bitmap() {
	let canvas = null, image = null, pixels = null;

	return {
		/* Return: its pixels, all set to transparent */
		empty: (width, height) => {
			if (!image || image.width !== width || image.height !== height) {
				canvas = new OffscreenCanvas(width, height);
				image = new ImageData(width, height);
				pixels = new Uint32Array(image.data.buffer);
			}
			return pixels.fill(0);
		},
		/* Return: a canvas with the pixels, for drawImage() */
		canvas: () => {
			canvas.getContext('2d').putImageData(image, 0, 0);
			return canvas;
		},
	};
}

const areas = bitmap(), strip = bitmap();

/* Read the current colours of the style sheet. */
function readColours() {
	const probe = dom.make('span', {hidden: true});
	const read = name => {
		probe.style.color = `var(--${name})`;
		return getComputedStyle(probe).color;
	};

	document.body.append(probe);
	colours = {
		kinds: model.meta.classes.map((name, i) => read(`class-${i}`)),
		inks: model.meta.classes.map((name, i) => read(`ink-${i}`)),
		ink: read('ink'), faint: read('faint'), paper: read('paper'), line: read('line'),
		accent: read('accent'), bad: read('bad'),
	};
	colours.pixels = colours.kinds.map(pixelOf);
	probe.remove();
	return colours;
}

function laneHeight() {
	return Math.max(5, Math.min(20, Math.floor(640 / Math.max(1, model.meta.counts.lanes))));
}

/* Resize a canvas to @width x @height CSS pixels, at the resolution of the screen. */
function prepare(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.height = `${height}px`;
	}
	const context = canvas.getContext('2d');

	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillStyle = colours.paper;
	context.fillRect(0, 0, width, height);
	context.font = '12px system-ui, sans-serif';
	context.textBaseline = 'middle';
	return context;
}

/* Seconds between two ticks, from 10 on: parts of minutes, hours and days. */
const STEPS = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
	.map(s => s * 1e9);

/* Times of ticks, at most @count. */
function ticksOf({from, to}, count) {
	const least = (to - from) / count, decimal = 10 ** Math.floor(Math.log10(least));
	const step = least <= 5e9 ? [1, 2, 5, 10].map(n => n * decimal).find(n => n >= least) :
		STEPS.find(n => n >= least) || Math.ceil(least / STEPS.at(-1)) * STEPS.at(-1);
	const first = Math.ceil(from / step);

	return {step, ticks: d3.range(first, Math.floor(to / step) + 1).map(i => i * step)};
}

function drawAxis(context, view, x) {
	const {step, ticks} = ticksOf(view, Math.max(2, Math.floor(view.width / 110)));
	let free = 0;

	context.fillStyle = colours.ink;
	context.strokeStyle = colours.line;
	context.textAlign = 'left';
	context.beginPath();
	for (const tick of ticks) {
		context.moveTo(x(tick) + 0.5, 0);
		context.lineTo(x(tick) + 0.5, TOP);
		const words = dom.moment(tick, step), at = x(tick) + 4;

		const end = at + context.measureText(words).width;

		if (at < free || end > view.width)
			continue;
		context.fillText(words, at, AXIS / 2);
		free = end + 8;
	}
	context.stroke();
}

/* Index of the last time in at[] up to @time; @i: where to begin, mostly near it; -1 if none. */
function lastAt(at, i, time) {
	let step = 1;

	while (at[i + step] <= time)
		step *= 2;
	return d3.bisectRight(at, time, Math.max(0, i + (step >> 1)),
		Math.min(at.length, i + step)) - 1;
}

/*
 * Averages of each count over each column of WIDE pixels, from differences of the sums.
 * Return: the averages of all counts in the first column, then those in the next one, ...
 */
function averages(view, {at, sums, counts}) {
	const kinds = sums.length, columns = Math.ceil(view.width / WIDE);
	const points = new Float64Array(columns * kinds), before = new Float64Array(kinds);
	const step = WIDE * (view.to - view.from) / view.width;
	let i = d3.bisectRight(at, view.from) - 1;

	for (let column = -1; column < columns; column++) {
		const time = view.from + (column + 1) * step;

		if (column >= 0)
			i = lastAt(at, i, time);
		for (let kind = 0; kind < kinds; kind++) {
			const sum = i < 0 ? 0 : sums[kind][i] + counts[kind][i] * (time - at[i]);

			if (column >= 0)
				points[column * kinds + kind] = Math.max(0, sum - before[kind]) / step;
			before[kind] = sum;
		}
	}
	return points;
}

/* The maximum of the sum of all classes. */
function highest(points, kinds) {
	let most = 0;

	for (let i = 0; i < points.length;) {
		let sum = 0;

		for (const end = i + kinds; i < end; i++)
			sum += points[i];
		most = Math.max(most, sum);
	}
	return most;
}

/* Draw the classes stacked, by pixels: the cost does not depend on the number of programs. */
function drawClasses(context, view, points, high) {
	const kinds = colours.pixels.length, columns = points.length / kinds;
	const rows = Math.round(AREA * (window.devicePixelRatio || 1));
	const pixels = areas.empty(columns, rows);

	for (let column = 0; column < columns; column++) {
		let top = 0, sum = 0;

		for (let kind = 0; kind < kinds; kind++) {
			sum += points[column * kinds + kind];
			for (const end = Math.round(rows * sum / high); top < end; top++)
				pixels[(rows - 1 - top) * columns + column] = colours.pixels[kind];
		}
	}
	context.imageSmoothingEnabled = false;
	context.drawImage(areas.canvas(), 0, AXIS, columns * WIDE, AREA);
}

function drawArea(context, view) {
	const points = averages(view, model.steps);
	const most = Math.max(1, highest(points, colours.kinds.length));
	const y = d3.scaleLinear([0, most], [AXIS + AREA, AXIS]).nice(4);

	drawClasses(context, view, points, y.domain()[1]);
	context.strokeStyle = colours.line;
	context.fillStyle = colours.ink;
	context.textAlign = 'right';
	context.beginPath();
	let free = TOP;		/* upper edge of the last number that was drawn */
	for (const tick of y.ticks(4).filter(Number.isInteger)) {
		context.moveTo(0, Math.round(y(tick)) + 0.5);
		context.lineTo(view.width, Math.round(y(tick)) + 0.5);
		const middle = Math.max(AXIS + 7, y(tick));

		if (tick && middle + 7 <= free) {
			const width = context.measureText(tick).width + 6;

			free = middle - 7;
			context.fillStyle = colours.paper;
			context.fillRect(view.width - width - 2, middle - 7, width, 14);
			context.fillStyle = colours.ink;
			context.fillText(tick, view.width - 4, middle);
		}
	}
	context.stroke();
}

function text(context, words, x, y, width) {
	/* a letter has some 6 pixels: shorten the text roughly; the clip cuts the rest */
	context.fillText(dom.visible(words).slice(0, Math.ceil(width / 4)), x, y);
}

function label(context, words, x, y, width, height) {
	context.save();
	context.beginPath();
	context.rect(x, y, width - 2, height);
	context.clip();
	text(context, words, x + 3, y + height / 2 + 0.5, width);
	context.restore();
}

/* Draw the critical path, with at most one segment per pixel, as in lanes. */
function drawPath(context, view) {
	const {path} = model;
	const scale = view.width / (view.to - view.from);
	const y = AXIS + AREA + GAP;
	let i = d3.bisectRight(path.to, view.from), n = 0;

	context.textAlign = 'left';
	for (; i < path.n && path.from[i] < view.to; n++) {
		const left = Math.max(0, (path.from[i] - view.from) * scale);
		const width = Math.min(view.width, (path.to[i] - view.from) * scale) - left;
		const p = path.program[i];

		context.fillStyle = p < 0 ? colours.faint : colours.kinds[model.programs.kind[p]];
		context.fillRect(left, y, Math.max(1, width > 3 ? width - 1 : width), PATH);
		if (width >= LABEL && p >= 0) {
			context.fillStyle = colours.inks[model.programs.kind[p]];
			label(context, model.label(p), left, y, width, PATH);
		}
		i = width >= 1 ? i + 1 :
			Math.max(i + 1, d3.bisectRight(path.to,
				view.from + (Math.floor(left) + 1) / scale, i));
	}
	return n;
}

function drawTop(canvas, view) {
	const x = d3.scaleLinear([view.from, view.to], [0, view.width]);
	const context = prepare(canvas, view.width, TOP);

	drawArea(context, view);
	drawAxis(context, view, x);
	return drawPath(context, view);
}

/*
 * Draw the slices shorter than a pixel: they are pixels of an image with a row per lane, which is
 * much faster to draw than a rectangle each.  Each row is stretched to the height of a lane.
 * Return: number of rectangles drawn
 */
function drawStrip(context, width, rows, height) {
	const canvas = strip.canvas();

	context.imageSmoothingEnabled = false;
	for (let row = 0; row < rows; row++)
		context.drawImage(canvas, 0, row, width, 1, 0, row * height, width, height - 1);
	return rows;
}

/* "rgb(1, 2, 3)" as a pixel of an image. */
function pixelOf(colour) {
	const pixel = Uint8Array.of(...colour.match(/\d+/g).slice(0, 3), 255);

	return new Uint32Array(pixel.buffer)[0];
}

/*
 * @look: {indexed, found: index of the search results or null, chosen: slice or -1}; its
 * member marks is set to the number of failures that are marked.
 */
function drawLanes(canvas, view, look) {
	const {slices, programs, meta} = model;
	const height = laneHeight();
	const context = prepare(canvas, view.width, Math.max(1, meta.counts.lanes) * height);
	const labels = [], marks = [];
	let n = 0;

	/* by class, so that each colour is set only once */
	const batches = meta.classes.map(() => []);
	const paint = (indexed, alpha) => {
		const pixels = strip.empty(view.width, meta.counts.lanes);

		batches.forEach(batch => { batch.length = 0; });
		for (let lane = 0; lane < meta.counts.lanes; lane++) {
			const y = lane * height, first = lane * view.width;

			lanes.visible(indexed, lane, view, (slice, x, width, whole) => {
				const p = slices.program[slice];

				if (!whole) {
					pixels[first + x] = colours.pixels[programs.kind[p]];
					return;
				}
				batches[programs.kind[p]].push(x, y, width > 3 ? width - 1 : width);
				if (width <= 3)
					return;
				if (model.onPath[p])
					marks.push(x, y, width - 1);
				if (width >= LABEL && height >= 12)
					labels.push(p, x, y, width);
			});
		}
		context.globalAlpha = alpha;
		n += drawStrip(context, view.width, meta.counts.lanes, height);
		batches.forEach((batch, kind) => {
			n += batch.length / 3;
			context.fillStyle = colours.kinds[kind];
			for (let i = 0; i < batch.length; i += 3)
				context.fillRect(batch[i], batch[i + 1], batch[i + 2], height - 1);
		});
		context.globalAlpha = 1;
	};

	paint(look.indexed, look.found ? 0.25 : 1);
	if (look.found) {
		labels.length = 0;
		paint(look.found, 1);
	}
	context.textAlign = 'left';
	for (let i = 0; i < labels.length; i += 4) {
		context.fillStyle = colours.inks[programs.kind[labels[i]]];
		label(context, model.label(labels[i]), ...labels.slice(i + 1, i + 4), height);
	}
	context.fillStyle = colours.ink;
	for (let i = 0; i < marks.length; i += 3)
		context.fillRect(marks[i], marks[i + 1] + height - 3, marks[i + 2], 2);
	look.marks = drawFailures(context, view, height);
	if (look.chosen >= 0)
		outline(context, view, look.chosen, height);
	return n;
}

function outline(context, view, slice, height) {
	const {from, to, lane} = model.slices;
	const scale = view.width / (view.to - view.from);
	const x = (from[slice] - view.from) * scale;
	const width = Math.max(3, (to[slice] - from[slice]) * scale);

	context.strokeStyle = colours.paper;
	context.lineWidth = 4;
	context.strokeRect(x, lane[slice] * height, width, height - 1);
	context.strokeStyle = colours.accent;
	context.lineWidth = 2;
	context.strokeRect(x, lane[slice] * height, width, height - 1);
	context.lineWidth = 1;
}

/* Draw one cost over time, with its name and its maximum in view. */
function drawCost(context, points, y, width, name, text, colour) {
	const most = Math.max(d3.max(points) || 0, 1e-9);
	const words = `${name}: at most ${text(most)} in view`;

	context.beginPath();
	context.moveTo(0, y + COST);
	points.forEach((value, i) => {
		const height = (COST - 2) * value / most;

		context.lineTo(i * WIDE, y + COST - height);
		context.lineTo((i + 1) * WIDE, y + COST - height);
	});
	context.lineTo(points.length * WIDE, y + COST);
	context.fillStyle = colour;
	context.fill();
	context.fillStyle = colours.paper;
	context.fillRect(0, y, Math.min(width, context.measureText(words).width + 8), 15);
	context.fillStyle = colours.ink;
	context.textAlign = 'left';
	context.fillText(words, 4, y + 8);
}

/* Draw CPU and memory, if the trace has them and costs.load() is done. */
function drawCosts(canvas, view) {
	const steps = costs.loaded();

	canvas.hidden = !costs.known();
	if (canvas.hidden)
		return;
	const context = prepare(canvas, view.width, 2 * (COST + GAP));

	if (!steps)
		return;
	const points = averages(view, steps);

	drawCost(context, points.filter((p, i) => i % 2 === 0), 0, view.width, 'CPU',
		n => `${n.toFixed(1)} cores`, colours.kinds[5]);
	drawCost(context, points.filter((p, i) => i % 2 === 1), COST + GAP, view.width, 'Memory', dom.bytes,
		colours.kinds[4]);
}

const MARK = 8;		/* size of the mark of a failure, pixels */
const EDGE = 6;		/* pixels; failed slices at least this wide have an edge */

/* Draw red edges around failed slices, and a triangle at their ends; a diamond for the first. */
function drawFailures(context, view, height) {
	const failed = filter.failedSlices(), {lanes: count} = model.meta.counts;
	let n = 0;

	if (!failed)
		return n;
	context.strokeStyle = colours.bad;
	context.lineWidth = 2;
	for (let lane = 0; lane < count; lane++)
		lanes.visible(failed.all, lane, view, (slice, x, width, whole) => {
			if (whole && width >= EDGE)
				context.strokeRect(x + 1, lane * height + 1, width - 3, height - 3);
		});
	/* the first is on top */
	for (const name of ['others', 'first'])
		for (let lane = 0; lane < count; lane++)
			n += drawMarks(context, view, failed[name], lane, height, name === 'first');
	context.lineWidth = 1;
	return n;
}

/* Draw marks of a lane, only one where several overlap.  Return: number drawn */
function drawMarks(context, view, indexed, lane, height, first) {
	let n = 0, last = -MARK;

	lanes.visible(indexed, lane, view, (slice, x, width) => {
		const end = x + width;

		if (model.slices.to[slice] > view.to || end - last < MARK / 2)
			return;
		drawMark(context, end, lane * height + height / 2, first);
		last = end;
		n++;
	});
	return n;
}

function drawMark(context, end, y, first) {
	const r = first ? MARK * 0.75 : MARK / 2, x = Math.max(r, end - r);

	context.beginPath();
	context.moveTo(x - r, first ? y : y - r);
	if (first)
		context.lineTo(x, y - r);
	context.lineTo(x + r, first ? y : y - r);
	context.lineTo(x, y + r);
	context.closePath();
	context.fillStyle = colours.bad;
	context.strokeStyle = colours.paper;
	context.lineWidth = 1;
	context.fill();
	context.stroke();
}

/* Whether @y in the upper canvas is in the track of the critical path. */
function isPath(y) {
	return y >= AXIS + AREA + GAP && y < TOP;
}

return {readColours, laneHeight, drawTop, drawCosts, drawLanes, isPath};
})();
