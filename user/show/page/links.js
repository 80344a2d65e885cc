// SPDX-License-Identifier: LGPL-2.1
/* Links from one view to another: what the part of an address behind # means. */
'use strict';

const links = (() => {

/* The path of a file if @paths are there already, and a link to its page. */
function file(id, paths) {
	return id < 0 ? null :
		dom.make('a', {href: `#file/${id}`, class: 'path'},
			paths[id] || '(a file without a name)');
}

function program(id, text) {
	return id < 0 ? null :
		dom.make('a', {href: `#program/${id}`}, text || model.label(id));
}

/* A small square of the colour of a program's class; its name is said beside it. */
function colour(kind) {
	return dom.make('span', {class: `swatch class-${kind}`, 'aria-hidden': 'true'});
}

return {file, program, colour};
})();
