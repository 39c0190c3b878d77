// tree-sitter's parser once more, as a search of many files needs it: it is the largest part of the time that a search takes.
//
// Nothing of it is changed but how it is built (see build.rs) and how an entry of the parse table is found. Most states of a
// grammar have a compressed row, which is read from its start at every question; here the last answers are remembered.
// All names are others (names.h, made from the sources by build.rs), so that both can be linked in. What this one makes is a tree like any
// other, and memory comes from where all of tree-sitter's comes from.

#include "names.h"
#include "language.h"

#define REMEMBERED_BITS 10

typedef struct {
  uint32_t question;
  uint16_t answer;
  bool is_known;
} Remembered;

// A language with its last answers. Whoever has the language that a parser was given has the rest, too.
typedef struct {
  TSLanguage language;
  const TSLanguage *original;
  Remembered remembered[1 << REMEMBERED_BITS];
} TenonGrammar;

static inline uint16_t lookup(const TSLanguage *language, TSStateId state, TSSymbol symbol) {
  if (state < language->large_state_count) return language->parse_table[state * language->symbol_count + symbol];
  uint32_t question = (uint32_t)state << 16 | symbol;
  // The multiplier spreads questions that lie close together.
  Remembered *place = &((TenonGrammar *)language)->remembered[question * 2654435761u >> (32 - REMEMBERED_BITS)];
  if (place->is_known && place->question == question) return place->answer;
  uint16_t answer = ts_language_lookup(language, state, symbol);
  *place = (Remembered) { .question = question, .answer = answer, .is_known = true };
  return answer;
}

// From here on every language is the first field of a grammar: only `tenon_parse` can be reached from outside.
#undef ts_language_lookup
#define ts_language_lookup lookup

// All of lib.c that a parser is made of.
#include "get_changed_ranges.c"
#include "language.c"
#include "lexer.c"
#include "node.c"
#include "parser.c"
#include "point.c"
#include "stack.c"
#include "subtree.c"
#include "tree.c"
#include "tree_cursor.c"
#include "wasm_store.c"

// In scanner.c.
void tenon_copy_language(TSLanguage *copy, const TSLanguage *language);

// None when the language does not fit this parser.
TenonGrammar *tenon_grammar_new(const TSLanguage *language) {
  if (
    language->abi_version > TREE_SITTER_LANGUAGE_VERSION ||
    language->abi_version < TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION
  ) return NULL;
  TenonGrammar *self = calloc(1, sizeof(TenonGrammar));
  if (!self) abort();
  tenon_copy_language(&self->language, language);
  self->original = language;
  return self;
}

void tenon_grammar_delete(TenonGrammar *self) {
  free(self);
}

// The tree of a text; none when `options` stopped it.
TSTree *tenon_parse(TenonGrammar *self, TSInput input, TSParseOptions options) {
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, &self->language)) abort();
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  ts_parser_delete(parser);
  if (tree) tree->language = self->original;
  return tree;
}
