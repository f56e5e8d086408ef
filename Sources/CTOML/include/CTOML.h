// A TOML text, parsed once by toml++ and flattened, so that Swift reads plain structures and sees no C++.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed text. Owns all nodes and all bytes that they point to.
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
  /// A string's content; any other value as written in the file. Not terminated.
  const char *text;
  size_t text_length;
  /// Also a boolean, 0 or 1.
  int64_t integer;
  double number;
  /// The members of a table or array are contiguous.
  uint32_t first, count;
} toml_node;

/// Never NULL. Copies the text; close the document afterwards.
toml_document *toml_read(const char *text, size_t length);
void toml_close(toml_document *document);

/// Node 0 is the root table. NULL after a syntax error.
const toml_node *toml_nodes(const toml_document *document, size_t *count);

/// The first syntax error and its place; NULL if there is none.
const char *toml_error(const toml_document *document, toml_position *at);

#ifdef __cplusplus
}
#endif
