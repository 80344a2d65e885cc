// SPDX-License-Identifier: GPL-2.0
#include "options.h"
#include "shapes.h"
#include "stack.h"

void print(const char *name, long v);

int main(int argc, char **argv)
{
	stack s;
	long n = option_of(argc, argv);

	s.push(circle_area(n));
	s.push(square_area(n));
	for (unsigned int i = 0; i < 2; i++)
		print(name_of(i), s.pop());
	return 0;
}
