// SPDX-License-Identifier: GPL-2.0
/*
 * A newer ClickHouse than Debian's for tests: its engine as a library (chdb, of npm), with
 * as much of its HTTP interface as etrace and the tests use.
 *
 *	node new-server.js PORT DIRECTORY CHDB
 *
 * There are no users and there is no TLS; one statement runs after the other.
 */
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const [port, dir, chdb] = process.argv.slice(2);
const { Session } = require(path.join(chdb, 'node_modules', 'chdb'));
const session = new Session(path.join(dir, 'data'));
const version = session.query('SELECT version()').trim();

// What ClickHouse answers with, by its codes.
const statuses = { 60: 404, 81: 404, 193: 403, 497: 403, 516: 403, 62: 400, 241: 500 };
// Parameters of a URL that are no settings.
const known = new Set(['query', 'database', 'wait_end_of_query', 'user', 'password']);
const packings = { gzip: '.gz', zstd: '.zst' };

let n = 0;

// The statement and its body, which may be packed, as one that reads a file.
function insert(query, body, coding) {
	const form = /^([\s\S]*)\bFORMAT\s+(\w+)\s*$/.exec(query);
	const file = path.join(dir, `body-${++n}${coding ? packings[coding] : ''}`);

	if (!form)
		throw new Error('Code: 62. DB::Exception: an INSERT with a body says its FORMAT. (SYNTAX_ERROR)');
	fs.writeFileSync(file, body);
	try {
		return session.query(`${form[1]} FROM INFILE '${file}' FORMAT ${form[2]}`, 'TabSeparated');
	} finally {
		fs.unlinkSync(file);
	}
}

function answer(url, body, coding) {
	const query = url.searchParams.get('query') || '';

	if (coding && !packings[coding])
		throw new Error(`Code: 415. DB::Exception: Unknown compression method ${coding}. (UNKNOWN)`);
	for (const [name, value] of url.searchParams)
		if (!known.has(name))
			session.query(`SET ${name} = '${value.replace(/[\\']/g, '\\$&')}'`);
	if (/^\s*INSERT/i.test(query) && body.length)
		return insert(query, body, coding);
	return session.query(query + body.toString(), 'TabSeparated');
}

const server = http.createServer((request, response) => {
	const pieces = [];

	request.on('data', (piece) => pieces.push(piece));
	request.on('end', () => {
		const url = new URL(request.url, 'http://here');
		let text = 'Ok.\n';

		response.setHeader('X-ClickHouse-Server-Display-Name', 'chdb');
		response.setHeader('Content-Type', 'text/tab-separated-values; charset=UTF-8');
		try {
			if (url.pathname !== '/ping')
				text = answer(url, Buffer.concat(pieces), request.headers['content-encoding']);
		} catch (e) {
			const code = /Code: (\d+)/.exec(e.message);

			text = `${e.message.replace(/^Query failed: /, '')} (version ${version})\n`;
			response.statusCode = (code && statuses[code[1]]) || 500;
			if (code)
				response.setHeader('X-ClickHouse-Exception-Code', code[1]);
		}
		response.end(text);
	});
});
server.keepAliveTimeout = 10000;
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
