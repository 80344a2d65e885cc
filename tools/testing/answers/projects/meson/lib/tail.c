/* SPDX-License-Identifier: GPL-2.0 */
int tail(const char *word);

int tail(const char *word)
{
	while (*word && word[1])
		word++;
	return *word;
}
