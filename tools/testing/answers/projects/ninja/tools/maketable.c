/* SPDX-License-Identifier: GPL-2.0 */
/* Makes a header of a list of words. */
#include <stdio.h>

int main(int argc, char **argv)
{
	char word[64];
	int n = 0;
	FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
	FILE *out = in ? fopen(argv[2], "w") : NULL;

	if (!out)
		return 1;
	fputs("static const char *const words[] = {\n", out);
	for (; fscanf(in, "%63s", word) == 1; n++)
		fprintf(out, "\t\"%s\",\n", word);
	fprintf(out, "};\n#define WORDS %d\n", n);
	return fclose(out) != 0;
}
