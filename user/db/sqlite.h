/* SPDX-License-Identifier: LGPL-2.1 */
/* SQLite, loaded by db_connect(): sqlite.step() is sqlite3_step(). */
#ifndef ETRACE_DB_SQLITE_H
#define ETRACE_DB_SQLITE_H

#include "base/library.h"

#include <sqlite3.h>

#define SQLITE_FUNCTIONS(X)						\
	X(sqlite3_, bind_blob64) X(sqlite3_, bind_int64) X(sqlite3_, bind_null) \
	X(sqlite3_, bind_text64) X(sqlite3_, close) X(sqlite3_, column_blob) \
	X(sqlite3_, column_bytes) X(sqlite3_, column_int)		\
	X(sqlite3_, column_int64) X(sqlite3_, column_text)		\
	X(sqlite3_, column_type) X(sqlite3_, config)			\
	X(sqlite3_, create_function_v2) X(sqlite3_, create_module)	\
	X(sqlite3_, db_config) X(sqlite3_, declare_vtab) X(sqlite3_, errcode) \
	X(sqlite3_, errmsg) X(sqlite3_, exec) X(sqlite3_, finalize)	\
	X(sqlite3_, open_v2) X(sqlite3_, prepare_v2) X(sqlite3_, prepare_v3) \
	X(sqlite3_, progress_handler) X(sqlite3_, reset)		\
	X(sqlite3_, result_blob64) X(sqlite3_, result_int64)		\
	X(sqlite3_, result_text64) X(sqlite3_, step) X(sqlite3_, user_data) \
	X(sqlite3_, value_blob) X(sqlite3_, value_bytes)		\
	X(sqlite3_, value_int64) X(sqlite3_, value_type)

extern struct sqlite_functions LIBRARY_POINTERS(SQLITE_FUNCTIONS) sqlite;
extern struct library libsqlite3;

#endif
