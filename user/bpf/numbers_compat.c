// SPDX-License-Identifier: LGPL-2.1
/* System call numbers of 32-bit programs on a 64-bit kernel. */
#include <asm/unistd_32.h>

#define NUMBERS eb_numbers_compat
#include "bpf/numbers.h"
