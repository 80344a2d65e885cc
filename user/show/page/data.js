// SPDX-License-Identifier: LGPL-2.1
/*
 * Decodes the data sections of the page: base64, zlib, and then JSON, columns of numbers, or
 * texts (Documentation/page.md).  model.js knows their meaning.
 */
'use strict';

const data = (() => {

const decoder = new TextDecoder();

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function has(name) {
	return document.getElementById(name) !== null;
}

function damaged(name, how) {
	return new Error(`section "${name}" is damaged: ${how}`);
}

/* The bytes of a section.  Errors contain its name. */
async function bytes(name) {
	const element = document.getElementById(name);

	if (!element)
		throw new Error(`the file has no section "${name}": it was cut, or is of another ` +
			'version');
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser cannot expand compressed data ' +
			'(DecompressionStream): a newer one can');
	let expanded;
	try {
		const stream = new Blob([fromBase64(element.textContent)]).stream()
			.pipeThrough(new DecompressionStream('deflate'));
		expanded = new Uint8Array(await new Response(stream).arrayBuffer());
	} catch (fault) {
		throw damaged(name, fault.message);
	}
	if (expanded.length !== Number(element.dataset.size))
		throw damaged(name, `${expanded.length} bytes instead of ${element.dataset.size}`);
	return expanded;
}

async function json(name) {
	return JSON.parse(decoder.decode(await bytes(name)));
}

async function text(name) {
	return decoder.decode(await bytes(name));
}

/* A section of texts, each ended by a NUL. */
async function texts(name) {
	const list = (await text(name)).split('\0');

	list.pop();
	return list;
}

/* Reads columns of numbers, one after the other. */
class Columns {
	constructor(name, all) {
		this.name = name;
		this.bytes = all;
		this.at = 0;
	}

	/* The next @n numbers, each of at most 53 bits. */
	numbers(n) {
		const {bytes: from} = this, list = new Float64Array(n);
		let {at} = this;

		for (let i = 0; i < n; i++) {
			let byte = from[at++], value = byte & 0x7f;

			for (let factor = 128; byte & 0x80; factor *= 128) {
				byte = from[at++];
				value += (byte & 0x7f) * factor;
			}
			list[i] = value;
		}
		if (at > from.length)
			throw damaged(this.name, 'it ends in a number');
		this.at = at;
		return list;
	}

	/* The next number. */
	next() {
		const from = this.bytes;
		let byte = from[this.at++], value = byte & 0x7f;

		for (let factor = 128; byte & 0x80; factor *= 128) {
			byte = from[this.at++];
			value += (byte & 0x7f) * factor;
		}
		if (this.at > from.length)
			throw damaged(this.name, 'it ends in a number');
		return value;
	}

	/* Fill @array with numbers minus @less, which is 1 if 0 stands for none. */
	plain(array, less = 0) {
		const list = this.numbers(array.length);

		for (let i = 0; less && i < list.length; i++)
			list[i] -= less;
		array.set(list);
		return array;
	}

	differences(array) {
		const list = this.numbers(array.length);

		for (let i = 1; i < list.length; i++)
			list[i] += list[i - 1];
		array.set(list);
		return array;
	}

	/* Differences that may be negative: 0, -1, 1, -2 ... are stored as 0, 1, 2, 3 ... */
	signedDifferences(array) {
		const list = this.numbers(array.length);

		for (let i = 0, last = 0; i < list.length; i++) {
			const n = list[i];

			list[i] = last += n % 2 ? -(n + 1) / 2 : n / 2;
		}
		array.set(list);
		return array;
	}

	/* Ends, from a column of lengths; @from: the beginnings. */
	ends(from) {
		const list = this.numbers(from.length);

		for (let i = 0; i < list.length; i++)
			list[i] += from[i];
		return list;
	}

	end() {
		if (this.at !== this.bytes.length)
			throw damaged(this.name, 'there is more in it than there should be');
	}
}

async function columns(name) {
	return new Columns(name, await bytes(name));
}

return {has, json, text, texts, columns};
})();
