// SQLite for Swift.
#pragma once
#include <sqlite3.h>

/// Binds a copy of the text: SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline int sqlite_bind_copied_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
