/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Secrets in arguments of programs: hidden by the rules that hide them in environments
 * (kernel/etrace_secrets.h), and by how programs take passwords.  What is hidden becomes
 * asterisks, three at most.  Documentation/line-format.md has the rules; they cannot know
 * all secrets.
 */
#ifndef ETRACE_REDACT_H
#define ETRACE_REDACT_H

#include "base/buf.h"
#include "io/formats.h"

#include <stdbool.h>

/* An argument, which gets shorter where it stands. */
struct redact_word {
	char *s;
	size_t len;
};

/** redact_words - hide what looks secret in the @n arguments of a program.  Return: how many places */
uint64_t redact_words(struct redact_word *words, size_t n);

/** redact_line - the same of a command as a shell takes it: a script */
uint64_t redact_line(char *s, size_t *len);

/** redact_list - of arguments with a NUL behind each.  Return: how many places */
uint64_t redact_list(struct buf *list, size_t from);

/**
 * redact_sink - a sink for struct et_event that hides before it passes on
 * @to: its own from now on
 * @hidden: counts
 */
struct sink *redact_sink(struct sink *to, uint64_t *hidden);

#endif
