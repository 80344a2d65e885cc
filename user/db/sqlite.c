// SPDX-License-Identifier: LGPL-2.1
/* SQLite.  See sqlite.h. */
#include "db/sqlite.h"

struct sqlite_functions sqlite = LIBRARY_INIT(SQLITE_FUNCTIONS);
struct library libsqlite3 = LIBRARY("libsqlite3.so.0", "libsqlite3-0", SQLITE_FUNCTIONS, sqlite);
