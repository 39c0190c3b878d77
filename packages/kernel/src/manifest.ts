import { type Static, Type } from '@sinclair/typebox';

const Names = Type.Unsafe<readonly string[]>(Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }));
const Id = Type.String({ pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 64 });

/** What a pack may touch. Everything that is not named here is refused by the operating system's sandbox. */
export const PermissionsSchema = Type.Object(
  {
    fs: Type.Optional(
      Type.Object(
        {
          read: Type.Optional(Names),
          write: Type.Optional(Names),
        },
        { additionalProperties: false },
      ),
    ),
    net: Type.Optional(Names),
    exec: Type.Optional(Names),
    env: Type.Optional(Names),
    uses: Type.Optional(Names),
  },
  { additionalProperties: false, description: 'What the plugin may touch; nothing else is allowed.' },
);

/** The `tenon` section of a plugin's package.json: what it contributes, needs and may touch, as data. */
export const ManifestSchema = Type.Object(
  {
    id: Type.Unsafe<string>({ ...Id, description: 'Unique name of the plugin.' }),
    version: Type.String({
      minLength: 1,
      description: "The plugin's version; taken from package.json if absent there.",
    }),
    kernel: Type.String({ minLength: 1, description: 'Range of kernel versions that the plugin runs on, e.g. "^1".' }),
    description: Type.Optional(Type.String({ description: 'One sentence that says what the plugin is for.' })),
    entry: Type.Optional(Type.String({ description: 'Module whose default export is the plugin (packs only).' })),
    contributes: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())), {
        description: 'Slot -> key -> data that is known before any code runs. The key "*" means: more at run time.',
      }),
    ),
    sources: Type.Optional(
      Type.Unsafe<string[]>({ ...Names, description: 'Slots for which the plugin discovers entries.' }),
    ),
    handles: Type.Optional(Type.Unsafe<string[]>({ ...Names, description: 'Hooks that the plugin handles.' })),
    handlesWhenActive: Type.Optional(
      Type.Unsafe<string[]>({ ...Names, description: 'Hooks that it handles while it runs: they do not start it.' }),
    ),
    needs: Type.Optional(Type.Unsafe<string[]>({ ...Names, description: 'Services that must be there first.' })),
    provides: Type.Optional(Type.Unsafe<string[]>({ ...Names, description: 'Services that the plugin provides.' })),
    defines: Type.Optional(
      Type.Object(
        { slots: Type.Optional(Names), services: Type.Optional(Names), hooks: Type.Optional(Names) },
        { additionalProperties: false, description: 'Tokens that the plugin introduces for others.' },
      ),
    ),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "JSON Schema of the plugin's section of the settings.",
      }),
    ),
    renamedSettings: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Old setting -> new setting, both inside the section.',
      }),
    ),
    permissions: Type.Optional(PermissionsSchema),
    loadWith: Type.Optional(
      Type.Literal('prompt', {
        description:
          'Built-in plugins that every prompt needs: their code is loaded together with the others of the kind.',
      }),
    ),
    startup: Type.Optional(
      Type.Boolean({ description: 'True: start with Tenon instead of on first use. Rarely needed.' }),
    ),
  },
  { additionalProperties: false, description: 'The manifest of a Tenon plugin.' },
);

/** A plugin's manifest. */
export type Manifest = Static<typeof ManifestSchema>;

/** What a pack may touch. */
export type Permissions = Static<typeof PermissionsSchema>;
