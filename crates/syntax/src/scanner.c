// Scanners that write more than they may.
//
// A grammar's scanner writes down where it is, such as how far the open blocks are indented, and the parser gives it 1,024 bytes for that. The
// scanners of YAML and Python look whether there is room before they write, but not whether there is enough: one pair of numbers
// too many goes over the end, and the parser ends the whole process. Here they write into more room, and what does not fit is left
// out: levels that deep are then read as errors.

#include <stddef.h>
#include <string.h>
#include "language.h"

#define ROOM TREE_SITTER_SERIALIZATION_BUFFER_SIZE
// A pair of numbers at most goes over the end.
#define MORE_ROOM (ROOM + 16)

unsigned tree_sitter_python_external_scanner_serialize(void *scanner, char *buffer);
unsigned tree_sitter_yaml_external_scanner_serialize(void *scanner, char *buffer);

static unsigned cut(const char *state, unsigned length, unsigned step, char *buffer) {
  while (length > ROOM) length -= step;
  memcpy(buffer, state, length);
  return length;
}

static unsigned serialize_python(void *scanner, char *buffer) {
  char state[MORE_ROOM];
  return cut(state, tree_sitter_python_external_scanner_serialize(scanner, state), sizeof(uint16_t), buffer);
}

static unsigned serialize_yaml(void *scanner, char *buffer) {
  char state[MORE_ROOM];
  return cut(state, tree_sitter_yaml_external_scanner_serialize(scanner, state), 2 * sizeof(int16_t), buffer);
}

// Older grammars were built with a shorter structure.
void tenon_copy_language(TSLanguage *copy, const TSLanguage *language) {
  size_t size =
    language->abi_version < LANGUAGE_VERSION_WITH_PRIMARY_STATES ? offsetof(TSLanguage, primary_state_ids) :
    language->abi_version < LANGUAGE_VERSION_WITH_RESERVED_WORDS ? offsetof(TSLanguage, name) :
    sizeof(TSLanguage);
  memcpy(copy, language, size);
}

// The same language, whose scanner stays within its room. To be called once for each of them.
const TSLanguage *tenon_guarded_python(const TSLanguage *language) {
  static TSLanguage guarded;
  tenon_copy_language(&guarded, language);
  guarded.external_scanner.serialize = serialize_python;
  return &guarded;
}

const TSLanguage *tenon_guarded_yaml(const TSLanguage *language) {
  static TSLanguage guarded;
  tenon_copy_language(&guarded, language);
  guarded.external_scanner.serialize = serialize_yaml;
  return &guarded;
}
