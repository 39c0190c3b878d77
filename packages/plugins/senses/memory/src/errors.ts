import { defineErrors } from '@tenon/kernel';

/** What can go wrong with what is remembered. */
export const errors = defineErrors('memory', {
  MEMORY_OFF: {
    summary: 'Memory is switched off.',
    next: 'Go on without it. The user switches it on with `tenon config set memory.enabled true`.',
  },
  MEMORY_STORE: {
    summary: 'The memory bank {file} cannot be used: {reason}',
    next: 'Nothing was changed. See whether the disk is full and the file belongs to you.',
  },
  MEMORY_STORE_NEWER: {
    summary: 'The memory bank {file} was written by a newer Tenon (version {found}, known is {known}).',
    next: 'Use the newer Tenon.',
  },
  MEMORY_NOT_WIPED: {
    summary: 'The facts are forgotten, but their words may still be in free parts of {file}: {reason}',
    next: 'Close other sessions of Tenon, and forget another fact, or remove the file.',
  },
  MEMORY_EMPTY: {
    exit: 'usage',
    summary: '{what} is empty.',
    next: 'Nothing was changed. Say it in words.',
  },
  MEMORY_TOO_LONG: {
    summary: 'A fact of {length} characters is too long; {limit} are allowed.',
    next: 'Nothing was kept. Write down what matters of it, one fact for each thing.',
  },
  MEMORY_UNKNOWN: {
    exit: 'usage',
    summary: 'No fact has the id "{id}".',
    next: 'See the ids with `tenon memory list`.',
  },
  MEMORY_AMBIGUOUS: {
    exit: 'usage',
    summary: '"{id}" fits several facts: {ids}.',
    next: 'Give more of the id.',
  },
  MEMORY_FORGET_WHAT: {
    exit: 'usage',
    summary: 'It is not clear what to forget.',
    next: 'Name facts by their ids, or give --all with --scope project or user.',
  },
  MEMORY_NOT_SURE: {
    exit: 'usage',
    summary: 'Nothing was forgotten: forgetting everything needs a yes.',
    next: 'Add --yes.',
  },
  MEMORY_NO_ANSWER: {
    summary: 'The model gave no answer: {reason}',
    next: 'Ask again, or use `recall` for the facts themselves.',
  },
  MEMORY_EMBEDDING: {
    summary: 'The embedder "{name}" failed: {reason}',
    next: 'Facts are found by their words meanwhile. See the settings under memory.embeddings.',
  },
});
