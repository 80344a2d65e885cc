// SPDX-License-Identifier: LGPL-2.1
/* Creates links from one view to another. */
'use strict';

const links = (() => {

/* A link to the page of a file, with its path if @paths are loaded. */
function file(id, paths) {
	return id < 0 ? null :
		dom.make('a', {href: `#file/${id}`, class: 'path'},
			paths[id] || '(a file without a name)');
}

function program(id, text) {
	return id < 0 ? null :
		dom.make('a', {href: `#program/${id}`}, text || model.label(id));
}

/* A small square in the colour of a class; the caller shows its name beside it. */
function colour(kind) {
	return dom.make('span', {class: `swatch class-${kind}`, 'aria-hidden': 'true'});
}

return {file, program, colour};
})();
