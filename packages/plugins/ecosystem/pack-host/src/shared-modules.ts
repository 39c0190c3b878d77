/** The modules of Tenon that packs may import; `pack-modules.ts` has them, `@tenon/pack-types` their types. */
export const SHARED_MODULES = [
  '@tenon/kernel',
  '@tenon/host',
  '@tenon/command-line/api',
  '@tenon/tools/api',
  '@tenon/agent/api',
  '@tenon/screen-slots/api',
  '@tenon/urls/api',
  '@tenon/slash-commands/api',
  '@tenon/planning-tools/api',
  '@tenon/web-tools/api',
  '@tenon/small-tools/api',
  '@tenon/discovery/api',
  '@tenon/file-tools/api',
] as const;
