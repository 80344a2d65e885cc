// SPDX-License-Identifier: LGPL-2.1
/* System call numbers of 64-bit programs. */
#include <asm/unistd.h>

#define NUMBERS eb_numbers_native
#include "record/bpf/numbers.h"
