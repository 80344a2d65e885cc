// SPDX-License-Identifier: LGPL-2.1
/*
 * How a timeline is painted: how many programs of each class were at work, the critical path,
 * and the lanes.  What is seen, chosen and found is told by timeline.js.
 */
'use strict';

const chart = (() => {

const AXIS = 22, AREA = 96, PATH = 16, GAP = 6;
const TOP = AXIS + AREA + GAP + PATH + GAP;
const COST = 34;
const WIDE = 2;		/* pixels of a step of an area */
const LABEL = 34;	/* a slice as wide as this has its label in it */
let colours = null;

/* Those of the style sheet, as it is now. */
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

/* A canvas of this many pixels of the page, as sharp as the screen is. */
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

function drawAxis(context, view, x) {
	const ticks = x.ticks(Math.max(2, Math.floor(view.width / 110)));
	const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1e9;

	context.fillStyle = colours.ink;
	context.strokeStyle = colours.line;
	context.textAlign = 'left';
	context.beginPath();
	for (const tick of ticks) {
		context.moveTo(x(tick) + 0.5, 0);
		context.lineTo(x(tick) + 0.5, TOP);
		context.fillText(dom.moment(tick, step), x(tick) + 4, AXIS / 2);
	}
	context.stroke();
}

/* For each two pixels, each count of @steps on average: the sums up to there, divided. */
function averages(view, {at, sums, counts, n}) {
	const points = [];
	const step = WIDE * (view.to - view.from) / view.width;
	let i = d3.bisectRight(at, view.from) - 1;
	const until = t => sums.map((sum, kind) =>
		i < 0 ? 0 : sum[i] + counts[kind][i] * (t - at[i]));
	let before = until(view.from);

	for (let px = 0; px < view.width; px += WIDE) {
		const next = view.from + (px / WIDE + 1) * step;

		i = d3.bisectRight(at, next, Math.max(0, i), n) - 1;
		const now = until(next);

		points.push(now.map((sum, kind) => Math.max(0, sum - before[kind]) / step));
		before = now;
	}
	return points;
}

function drawArea(context, view) {
	const points = averages(view, model.steps);
	const kinds = model.meta.classes.map((name, i) => i);
	const stack = d3.stack().keys(kinds)(points);
	const most = Math.max(1, d3.max(stack[stack.length - 1] || [], d => d[1]) || 1);
	const y = d3.scaleLinear([0, most], [AXIS + AREA, AXIS + 2]).nice(4);
	const area = d3.area().curve(d3.curveStepAfter).context(context)
		.x((d, i) => i * WIDE).y0(d => y(d[0])).y1(d => y(d[1]));

	stack.forEach((layer, kind) => {
		context.beginPath();
		area(layer);
		context.fillStyle = colours.kinds[kind];
		context.fill();
	});
	context.strokeStyle = colours.line;
	context.fillStyle = colours.ink;
	context.textAlign = 'right';
	context.beginPath();
	for (const tick of y.ticks(4).filter(Number.isInteger)) {
		context.moveTo(0, Math.round(y(tick)) + 0.5);
		context.lineTo(view.width, Math.round(y(tick)) + 0.5);
		if (tick) {
			const width = context.measureText(tick).width + 6;

			context.fillStyle = colours.paper;
			context.fillRect(view.width - width - 2, y(tick) - 7, width, 14);
			context.fillStyle = colours.ink;
			context.fillText(tick, view.width - 4, y(tick));
		}
	}
	context.stroke();
}

function text(context, words, x, y, width) {
	/* some 6 pixels a letter: cut before it is painted, then by the clip */
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

/* One segment for each pixel at most, as with lanes. */
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
 * What is shorter than a pixel: a pixel for each in an image that has a row for each lane, which
 * is far less to draw than as many rectangles.
 */
const strip = {};

/* Its pixels, all of them empty. */
function stripOf(width, rows) {
	const {image} = strip;

	if (!image || image.width !== width || image.height !== rows) {
		strip.canvas = new OffscreenCanvas(width, rows);
		strip.image = new ImageData(width, rows);
		strip.pixels = new Uint32Array(strip.image.data.buffer);
	}
	return strip.pixels.fill(0);
}

/* Each row as high as a lane.  Return: how many rectangles these are */
function drawStrip(context, width, rows, height) {
	strip.canvas.getContext('2d').putImageData(strip.image, 0, 0);
	context.imageSmoothingEnabled = false;
	for (let row = 0; row < rows; row++)
		context.drawImage(strip.canvas, 0, row, width, 1, 0, row * height, width, height - 1);
	return rows;
}

/* "rgb(1, 2, 3)" as a pixel of an image. */
function pixelOf(colour) {
	const pixel = Uint8Array.of(...colour.match(/\d+/g).slice(0, 3), 255);

	return new Uint32Array(pixel.buffer)[0];
}

/*
 * @look: {indexed, found: an index of what a search found or null, chosen: a slice or -1};
 * marks is set: how many failures are marked.
 */
function drawLanes(canvas, view, look) {
	const {slices, programs, meta} = model;
	const height = laneHeight();
	const context = prepare(canvas, view.width, Math.max(1, meta.counts.lanes) * height);
	const labels = [], marks = [];
	let n = 0;

	/* by class, so that a colour is set once */
	const batches = meta.classes.map(() => []);
	const paint = (indexed, alpha) => {
		const pixels = stripOf(view.width, meta.counts.lanes);

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

/* One cost over time: what it is, and the most of it in view. */
function drawCost(context, points, y, width, name, text, colour) {
	const most = Math.max(d3.max(points), 1e-9);
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

/* CPU and memory, if the trace says what they were and that has been summed up. */
function drawCosts(canvas, view) {
	const steps = costs.loaded();

	canvas.hidden = !costs.known();
	if (canvas.hidden)
		return;
	const context = prepare(canvas, view.width, 2 * (COST + GAP));

	if (!steps)
		return;
	const points = averages(view, steps);

	drawCost(context, points.map(p => p[0]), 0, view.width, 'CPU',
		n => `${n.toFixed(1)} cores`, colours.kinds[5]);
	drawCost(context, points.map(p => p[1]), COST + GAP, view.width, 'Memory', dom.bytes,
		colours.kinds[4]);
}

const MARK = 8;		/* pixels: the shape of a failure */
const EDGE = 6;		/* a slice as wide as this has an edge */

/* A red edge around what failed, and where it ended a triangle; a diamond for the first. */
function drawFailures(context, view, height) {
	const {slices} = model;
	const scale = view.width / (view.to - view.from), marks = [];

	context.strokeStyle = colours.bad;
	context.lineWidth = 2;
	for (const {slice, last} of filter.failedSlices()) {
		const y = slices.lane[slice] * height;
		const x = Math.max(0, (slices.from[slice] - view.from) * scale);
		const right = Math.min(view.width, (slices.to[slice] - view.from) * scale);

		if (right < 0 || x > view.width)
			continue;
		if (right - x >= EDGE)
			context.strokeRect(x + 1, y + 1, right - x - 3, height - 3);
		if (last && slices.to[slice] <= view.to)
			marks.push([right, y + height / 2,
				filter.failureOf(slices.program[slice]) === 'first']);
	}
	/* the first is on top */
	marks.sort((a, b) => a[2] - b[2]).forEach(mark => drawMark(context, ...mark));
	context.lineWidth = 1;
	return marks.length;
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

/* What of the upper canvas is at @y: the track of the critical path? */
function isPath(y) {
	return y >= AXIS + AREA + GAP && y < TOP;
}

return {readColours, laneHeight, drawTop, drawCosts, drawLanes, isPath};
})();
