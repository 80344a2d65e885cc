// SPDX-License-Identifier: GPL-2.0
"use strict";

async function section(name) {
	const text = document.getElementById(name).textContent;
	const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));

	return new Response(stream).text();
}

section("meta").then(text => {
	document.title = JSON.parse(text).title;
	document.getElementById("title").textContent = document.title;
});
