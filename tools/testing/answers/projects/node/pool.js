// SPDX-License-Identifier: GPL-2.0
// A worker for each file, all at once.
const child = require('child_process');
const fs = require('fs');
const names = process.argv.slice(2);
for (const name of names) {
	const worker = child.fork('src/worker.js');
	worker.on('message', () => worker.disconnect());
	worker.send({ read: 'in/' + name, write: 'out/pool-' + name });
}
