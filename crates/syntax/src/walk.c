// Finds the nodes of some kinds in a tree, in source order.
//
// tree-sitter's cursor works out much that a search never asks for, at every step. Here a step reads a child, adds up
// where it begins, and looks its symbol up in a bitmap. The twin of this file in Rust is walk.rs; the test there
// compares the two walks over the same trees.

#include <stdlib.h>
#include "tree.h"
#include "subtree.h"
#include "language.h"

#define HAS(bits, symbol) ((bits)[(symbol) >> 3] >> ((symbol) & 7) & 1)

// The children of one subtree that are left to visit.
typedef struct {
  const Subtree *next;
  const Subtree *end;
  // Where the last visited child ends; at first where the parent begins.
  Length position;
  const TSSymbol *aliases;
  uint32_t structural_index;
  bool is_first;
} Level;

typedef struct {
  const TSTree *tree;
  const uint8_t *wanted;
  Level *levels;
  uint32_t count;
  uint32_t capacity;
  bool is_started;
} TenonWalk;

// From the kinds that a caller knows to the symbols that stand in a tree. Both are bitmaps of 65,536 bits.
void tenon_wanted_symbols(const TSLanguage *language, const uint8_t *kinds, uint8_t *symbols) {
  uint32_t count = ts_language_symbol_count(language);
  for (uint32_t symbol = 0; symbol < count; symbol++) {
    TSSymbol kind = ts_language_public_symbol(language, (TSSymbol)symbol);
    if (HAS(kinds, kind)) symbols[symbol >> 3] |= (uint8_t)(1 << (symbol & 7));
  }
  TSSymbol error = ts_builtin_sym_error;
  if (HAS(kinds, error)) symbols[error >> 3] |= (uint8_t)(1 << (error & 7));
}

TenonWalk *tenon_walk_new(const TSTree *tree, const uint8_t *wanted) {
  TenonWalk *self = calloc(1, sizeof(TenonWalk));
  if (!self) abort();
  self->tree = tree;
  self->wanted = wanted;
  return self;
}

void tenon_walk_delete(TenonWalk *self) {
  free(self->levels);
  free(self);
}

static void enter(TenonWalk *self, Subtree parent, Length position) {
  if (self->count == self->capacity) {
    self->capacity = self->capacity ? 2 * self->capacity : 64;
    Level *levels = realloc(self->levels, self->capacity * sizeof(Level));
    if (!levels) abort();
    self->levels = levels;
  }
  const Subtree *children = ts_subtree_children(parent);
  self->levels[self->count++] = (Level) {
    .next = children,
    .end = children + parent.ptr->child_count,
    .position = position,
    .aliases = ts_language_alias_sequence(self->tree->language, parent.ptr->production_id),
    .structural_index = 0,
    .is_first = true,
  };
}

static inline bool has_visible_children(Subtree tree) {
  return !tree.data.is_inline && tree.ptr->child_count > 0 && tree.ptr->visible_child_count > 0;
}

// Writes the next wanted nodes, at most `room`, and returns their number. Returns also after `steps` children, so that
// the caller can look whether it should stop; `is_done` says that there are no more.
uint32_t tenon_walk_next(TenonWalk *self, TSNode *nodes, uint32_t room, uint32_t steps, bool *is_done) {
  uint32_t found = 0;
  *is_done = false;
  if (room == 0) return 0;
  if (!self->is_started) {
    self->is_started = true;
    const Subtree *root = &self->tree->root;
    Length position = ts_subtree_padding(*root);
    if (HAS(self->wanted, ts_subtree_symbol(*root))) {
      nodes[found++] = ts_node_new(self->tree, root, position, 0);
    }
    if (has_visible_children(*root)) enter(self, *root, position);
  }
  while (self->count > 0 && found < room && steps-- > 0) {
    Level *level = &self->levels[self->count - 1];
    if (level->next == level->end) {
      self->count--;
      continue;
    }
    const Subtree *child = level->next++;
    if (level->is_first) {
      level->is_first = false;
    } else {
      level->position = length_add(level->position, ts_subtree_padding(*child));
    }
    Length position = level->position;
    level->position = length_add(position, ts_subtree_size(*child));
    TSSymbol alias = 0;
    if (!ts_subtree_extra(*child)) {
      if (level->aliases) alias = level->aliases[level->structural_index];
      level->structural_index++;
    }
    if (alias || ts_subtree_visible(*child)) {
      TSSymbol symbol = alias ? alias : ts_subtree_symbol(*child);
      if (HAS(self->wanted, symbol)) nodes[found++] = ts_node_new(self->tree, child, position, alias);
    }
    if (has_visible_children(*child)) enter(self, *child, position);
  }
  *is_done = self->count == 0;
  return found;
}
