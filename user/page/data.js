// SPDX-License-Identifier: LGPL-2.1
/*
 * The sections of data in the page: base64, zlib, and then JSON, columns of numbers or
 * texts (Documentation/page.md).  What they mean is the business of model.js.
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

/* The bytes of a section.  A fault is told with its name. */
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

/* Each has a NUL behind it. */
async function texts(name) {
	const list = (await text(name)).split('\0');

	list.pop();
	return list;
}

/* Columns of numbers, one behind the other. */
class Columns {
	constructor(name, all) {
		this.name = name;
		this.bytes = all;
		this.at = 0;
	}

	/* One number, of 53 bits at most. */
	next() {
		let value = 0, factor = 1, byte;

		do {
			if (this.at >= this.bytes.length)
				throw damaged(this.name, 'it ends in a number');
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * factor;
			factor *= 128;
		} while (byte & 0x80);
		return value;
	}

	/* @array is filled: numbers less @less, which is 1 where 0 stands for none. */
	plain(array, less = 0) {
		for (let i = 0; i < array.length; i++)
			array[i] = this.next() - less;
		return array;
	}

	differences(array) {
		for (let i = 0, last = 0; i < array.length; i++)
			array[i] = last += this.next();
		return array;
	}

	/* Differences that can be below zero: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
	signedDifferences(array) {
		for (let i = 0, last = 0; i < array.length; i++) {
			const n = this.next();

			array[i] = last += n % 2 ? -(n + 1) / 2 : n / 2;
		}
		return array;
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
