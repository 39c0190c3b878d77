/** The modes that come with the plugin: what models read of them now, their code when one is used. */
import { type JsonSchema, Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { EditMode } from '../api.ts';
import { prompts } from '../prompts/index.ts';

/** What a mode does; what it is called and takes is in the table below. */
export type ModeWork = Required<Pick<EditMode, 'touches' | 'plan' | 'completePart'>>;

type Load = (hashline: () => Promise<Accelerators['hashline']>) => Promise<ModeWork>;

interface ModeEntry {
  readonly describe: () => string;
  readonly parameters: () => JsonSchema;
  readonly load: Load;
}

const PATH = 'The file';
const OTHER_PATH = 'Another file than the one above';
const exactly = { additionalProperties: false };

const MODES: Readonly<Record<string, ModeEntry>> = {
  hashline: {
    describe: prompts.editHashline,
    parameters: () =>
      Type.Object({ input: Type.String({ description: 'Sections: "@@ PATH", then operations' }) }, exactly),
    load: async (hashline) => (await import('./hashline-mode.ts')).createHashlineMode(hashline),
  },
  replace: {
    describe: prompts.editReplace,
    parameters: () =>
      manyEdits({
        old_text: Type.String({ description: 'Text to replace; must be unique unless all is set' }),
        new_text: Type.String({ description: 'What takes its place' }),
        all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence' })),
      }),
    load: async (hashline) => (await import('./replace-mode.ts')).createReplaceMode(hashline),
  },
  patch: {
    describe: prompts.editPatch,
    parameters: () =>
      manyEdits({
        diff: Type.Optional(Type.String({ description: 'Hunks under "@@"; for create, the content as "+" lines' })),
        op: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['update', 'create', 'delete'] })),
        rename: Type.Optional(Type.String({ description: 'New path of an updated file' })),
      }),
    load: async (hashline) => (await import('./patch-mode.ts')).createPatchMode(hashline),
  },
  apply_patch: {
    describe: prompts.editApplyPatch,
    parameters: () =>
      Type.Object(
        { input: Type.String({ description: 'The patch, from "*** Begin Patch" to "*** End Patch"' }) },
        exactly,
      ),
    load: async (hashline) => (await import('./apply-patch-mode.ts')).createApplyPatchMode(hashline),
  },
  vim: {
    describe: prompts.editVim,
    parameters: () =>
      Type.Object(
        {
          file: Type.String({ description: PATH }),
          steps: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  kbd: Type.Array(Type.String(), { description: 'Keys, e.g. ["5Gcc"]', minItems: 1 }),
                  insert: Type.Optional(
                    Type.String({ description: 'Text typed after the keys, which must end in insert mode' }),
                  ),
                },
                exactly,
              ),
            ),
          ),
        },
        exactly,
      ),
    load: async (hashline) => (await import('./vim-mode.ts')).createVimMode(hashline),
  },
};

/** A list of edits, of one file unless they say otherwise. */
function manyEdits(fields: Parameters<typeof Type.Object>[0]): JsonSchema {
  const other = { path: Type.Optional(Type.String({ description: OTHER_PATH })) };
  return Type.Object(
    {
      path: Type.String({ description: PATH }),
      edits: Type.Array(Type.Object({ ...fields, ...other }, exactly), { minItems: 1 }),
    },
    exactly,
  );
}

/** The modes by name. A mode keeps what it remembers (vim's buffers) as long as the plugin runs. */
export function builtinModes(hashline: () => Promise<Accelerators['hashline']>): Readonly<Record<string, EditMode>> {
  return Object.fromEntries(Object.entries(MODES).map(([name, entry]) => [name, lazyMode(entry, hashline)]));
}

function lazyMode(
  { describe, parameters, load }: ModeEntry,
  hashline: () => Promise<Accelerators['hashline']>,
): EditMode {
  let loaded: Promise<ModeWork> | undefined;
  let ready: ModeWork | undefined;
  const work = () => (loaded ??= load(hashline).then((mode) => (ready = mode)));
  return {
    get description() {
      return describe();
    },
    get parameters() {
      return parameters();
    },
    touches: (input, call) => ready?.touches(input, call) ?? work().then((mode) => mode.touches(input, call)),
    plan: async (input, call) => (await work()).plan(input, call),
    completePart: async (input) => (await work()).completePart(input),
  };
}
