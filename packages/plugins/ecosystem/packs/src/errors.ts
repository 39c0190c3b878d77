import { defineErrors } from '@tenon/kernel';

/** Every error that the finding and keeping of packs raises. */
export const errors = defineErrors('packs', {
  PACKS_UNREADABLE: {
    summary: '{file} cannot be read: {reason}',
    next: 'Correct its permissions, or remove it.',
  },
  PACKS_NO_MANIFEST: {
    summary: '{folder} is not a pack: {reason}',
    next: 'A pack has a package.json with a "tenon" section; `tenon plugin new` writes one.',
  },
  PACKS_JSON_INVALID: {
    summary: '{file}:{line}:{column} is not valid JSON: {reason}',
    next: 'Correct the file at that place.',
  },
  PACKS_ENTRY_INVALID: {
    summary: 'The entry "{entry}" of pack "{plugin}" ({file}) {reason}.',
    next: 'Correct "entry" in the "tenon" section; it names a file inside the pack.',
  },
  PACKS_OUT_OF_REACH: {
    summary: 'Pack "{plugin}" ({file}) is not started: {reason}.',
    next: 'Take it out of the manifest. Skills, prompts, commands, agents and rules reach users as files of a marketplace plugin, which may be a pack as well (`tenon read docs://guide/plugins.md`). `tenon plugin trust {plugin} --full` lets the pack run inside Tenon.',
  },
  PACKS_RECORDS_INVALID: {
    summary: 'The record of trusted packs, {file}, is damaged: {reason}. No pack is started.',
    next: 'Correct the file, or remove it and trust the packs again.',
  },
  PACKS_UNKNOWN: {
    exit: 'usage',
    summary: 'No pack with the id "{plugin}" is installed.{hint}',
    next: 'See the installed packs with `tenon plugin list`.',
  },
  PACKS_BUILT_IN: {
    summary: 'Plugin "{plugin}" is built in; only packs can be {done}.',
    next: 'See the installed packs with `tenon plugin list`.',
  },
  PACKS_NOT_LINKED: {
    summary: 'Pack "{plugin}" is not linked; it is in {folder}.',
    next: 'Remove its folder, or keep it from starting with `tenon plugin disable {plugin}`.',
  },
  PACKS_INSTALLED: {
    summary: 'Pack "{plugin}" is not linked; it was installed as "{installed}".',
    next: 'Remove it with `tenon plugin uninstall {installed}`.',
  },
  PACKS_ID_TAKEN: {
    summary: 'The pack in {folder} has the id "{plugin}", which {other} already has.',
    next: 'Give it another id, or unlink the other one.',
  },
  PACKS_CONFIRM: {
    summary: 'Nobody can answer here, so nothing was {done}.',
    next: 'Look at what the pack may do, then run the command again with --yes.',
  },
  PACKS_REFUSED: {
    summary: 'Nothing was {done}.',
    next: 'Run the command again if you change your mind.',
  },
  PACKS_PROJECT_FULL: {
    summary:
      'Pack "{plugin}" belongs to the project in {folder}, so it cannot be trusted fully: whoever changes the project could change it.',
    next: 'Copy it to a folder of your own and link that, or trust it without --full.',
  },
  PACKS_NAME_INVALID: {
    exit: 'usage',
    summary: '"{name}" cannot be the name of a pack.',
    next: 'Use lower-case letters and digits, with single dashes between them, for example "my-pack".',
  },
  PACKS_FOLDER_TAKEN: {
    summary: '{folder} exists and is not empty.',
    next: 'Choose another folder with --dir.',
  },
  PACKS_NO_TESTS: {
    summary: 'The pack in {folder} has no tests: there is no file test/*.test.ts, .mts, .js or .mjs.',
    next: 'Write one; `tenon plugin new` shows how.',
  },
});
