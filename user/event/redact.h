/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Hides secrets in arguments of programs: by the rules for environments
 * (kernel/etrace_secrets.h), and by the options in which known programs take passwords.
 * Up to three asterisks replace a secret. Documentation/line-format.md has the rules;
 * they cannot know all secrets.
 */
#ifndef ETRACE_REDACT_H
#define ETRACE_REDACT_H

#include "base/buf.h"
#include "io/formats.h"

#include <stdbool.h>

/* An argument; secrets are hidden in place, so it can only get shorter. */
struct redact_word {
	char *s;
	size_t len;
};

/**
 * redact_words - hide what looks secret in the @n arguments of a program.
 *
 * Return: number of secrets
 */
uint64_t redact_words(struct redact_word *words, size_t n);

/** redact_line - hide what looks secret in a shell script. Return: number of secrets */
uint64_t redact_line(char *s, size_t *len);

/** redact_list - redact_words() for arguments that begin at @from, each ended by a NUL */
uint64_t redact_list(struct buf *list, size_t from);

/**
 * redact_sink - make a sink for struct et_event that hides secrets and passes the events on
 * @to: belongs to the sink from now on
 * @hidden: incremented for each secret
 */
struct sink *redact_sink(struct sink *to, uint64_t *hidden);

#endif
