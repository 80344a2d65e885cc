// SPDX-License-Identifier: GPL-2.0
// Does what its parent's messages say: read, write, or both.
const fs = require('fs');
process.on('message', (job) => {
	const text = job.read ? fs.readFileSync(job.read, 'utf8') : job.text;
	if (job.write)
		fs.writeFileSync(job.write, text);
	process.send(job.write ? 'done' : text);
});
