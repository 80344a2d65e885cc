// SPDX-License-Identifier: GPL-2.0
// Each way in which a file's content gets through a child.
const child = require('child_process');
const fs = require('fs');
const ways = {
	execSync: () => fs.writeFileSync('out/execSync', child.execSync('cat in/a')),
	exec: () => child.exec('cat in/b', (error, text) => fs.writeFileSync('out/exec', text)),
	spawn: () => {
		const cat = child.spawn('cat', ['in/c']);
		cat.stdout.pipe(fs.createWriteStream('out/spawn'));
	},
	// The child gets it from its parent, which gets it back sorted.
	fed: () => {
		const sort = child.spawn('sort');
		sort.stdout.pipe(fs.createWriteStream('out/fed'));
		fs.createReadStream('in/d').pipe(sort.stdin);
	},
	// As messages: what the child has read, and what it is to write.
	forked: () => {
		const reader = child.fork('src/worker.js');
		reader.on('message', (text) => {
			fs.writeFileSync('out/forked', text);
			reader.disconnect();
		});
		reader.send({ read: 'in/e' });
	},
	sent: () => {
		const writer = child.fork('src/worker.js');
		writer.send({ write: 'out/sent', text: fs.readFileSync('in/f', 'utf8') });
		writer.on('message', () => writer.disconnect());
	},
	stdio: () => child.spawnSync('sort', { stdio: [fs.openSync('in/g'), fs.openSync('out/stdio', 'w'), 'inherit'] }),
};
ways[process.argv[2]]();
