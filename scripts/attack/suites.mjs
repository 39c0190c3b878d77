/** Suites in which something real attacks: run by `npm run attack`, and by `npm test` like all others. */
export const SUITES = [
  'packages/cli/test/{attacks-e2e,confined-runs,own-program,terminal,undo-program}.test.ts',
  'packages/plugins/ecosystem/discovery/test/{hostile-files,links}.test.ts',
  'packages/plugins/ecosystem/external-hooks/test/safety.test.ts',
  'packages/plugins/ecosystem/marketplace/test/{hostile,network}.test.ts',
  'packages/plugins/ecosystem/mcp/test/hints.test.ts',
  'packages/plugins/ecosystem/pack-host/test/hostile-pack.test.ts',
  'packages/plugins/ecosystem/packs/test/{boundary,hostile}.test.ts',
  'packages/plugins/ecosystem/pi-compat/test/{isolation,reload}.test.ts',
  'packages/plugins/safety/approval/test/{attacks,corpus,grammar-properties,real-bash,wrapping}.test.ts',
  'packages/plugins/safety/approval/test/proof',
  'packages/plugins/safety/sandbox/test/{escape,held-places,network,seccomp}.test.ts',
  'packages/plugins/safety/secrets/test',
  'packages/plugins/safety/trust/test',
  'packages/plugins/safety/undo/test',
  'packages/plugins/tools/documents/test/database-attacks.test.ts',
  'packages/plugins/tools/shell-tools/test/leaving.test.ts',
].flatMap(spread);

/** Vitest's filters are parts of paths, not globs: `a/{b,c}.ts` becomes two. @param {string} pattern */
function spread(pattern) {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(',').map((name) => `${before}${name}${after}`);
}
