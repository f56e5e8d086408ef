// A TOML text, read once by toml++ and laid flat, so that Swift walks plain structures and no C++ shows.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One text, read. Owns every node and every byte that a node points to.
typedef struct toml_document toml_document;

typedef enum { TOML_TABLE, TOML_ARRAY, TOML_STRING, TOML_INTEGER, TOML_FLOAT, TOML_BOOLEAN, TOML_TIME } toml_kind;

/// From 1; columns count characters, not bytes.
typedef struct {
  uint32_t line, column;
} toml_position;

typedef struct {
  toml_kind kind;
  /// Where the value begins; for `[table]` its header.
  toml_position at;
  toml_position key_at;
  /// Not terminated; NULL for the root and for members of arrays.
  const char *key;
  size_t key_length;
  /// A string's content; any other value as it stands in the file. Not terminated.
  const char *text;
  size_t text_length;
  /// Also a boolean, 0 or 1.
  int64_t integer;
  double number;
  /// A table's or array's members stand side by side.
  uint32_t first, count;
} toml_node;

/// Never NULL. The text is copied; close what you read.
toml_document *toml_read(const char *text, size_t length);
void toml_close(toml_document *document);

/// Node 0 is the root table. NULL after a syntax error.
const toml_node *toml_nodes(const toml_document *document, size_t *count);

/// What is wrong and where: the first syntax error ends the reading. NULL when there is none.
const char *toml_error(const toml_document *document, toml_position *at);

#ifdef __cplusplus
}
#endif
