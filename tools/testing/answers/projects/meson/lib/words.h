/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WORDS_H
#define WORDS_H
#ifdef __cplusplus
extern "C" {
#endif
const char *word(unsigned int n);
unsigned int count(void);
int tail(const char *word);
void show(const char *word);
#ifdef __cplusplus
}
#endif
#endif
