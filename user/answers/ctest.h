/* SPDX-License-Identifier: LGPL-2.1 */
/* The names that CTest has for programs. */
#ifndef ETRACE_CTEST_H
#define ETRACE_CTEST_H

#include "db/db.h"
#include "io/out.h"

/**
 * ctest_put - the names of tests whose commands are among @n execs, a line each
 *
 * As the files of today say that CTest read in the build (CTestTestfile.cmake): what
 * ctest --tests-from-file takes.
 */
void ctest_put(struct db *db, struct out *out, const uint32_t *execs, size_t n);

#endif
