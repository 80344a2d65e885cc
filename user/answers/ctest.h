/* SPDX-License-Identifier: LGPL-2.1 */
/* The CTest names of tests that a build ran. */
#ifndef ETRACE_CTEST_H
#define ETRACE_CTEST_H

#include "db/db.h"
#include "io/out.h"

/**
 * ctest_put - print the names of tests whose commands are among @n execs, one per line
 *
 * The names are read from the present CTestTestfile.cmake files that CTest read in the build.
 * The output is for ctest --tests-from-file.
 */
void ctest_put(struct db *db, struct out *out, const uint32_t *execs, size_t n);

#endif
