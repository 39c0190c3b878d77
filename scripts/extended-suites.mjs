/**
 * The heaviest suites. They go through once more, with the whole program, a browser, a database server, an installation or another
 * tool, what quicker suites test in parts. `npm test` leaves them to `npm run test:all` and to continuous integration, because they
 * take about as much CPU time as half of all others. `covered` says what still runs.
 */
export const EXTENDED_SUITES = [
  {
    files: 'packages/cli/test/{cookbook,attacks-e2e,tools-e2e,ecosystem-e2e}.test.ts',
    covered: 'the suites of every tool, of approval, sandbox and discovery, and the program with an agent',
  },
  {
    files: 'packages/cli/test/{workflow-program,runs-program}.test.ts',
    covered:
      'the driver of workflows, the keepers, lives and worktrees of runs with real processes, agents started by the program',
  },
  {
    files: 'packages/plugins/tools/file-tools/test/edit-corpus.test.ts',
    covered: 'every mode of editing on files that have changed, and the map of lines, by their own suites',
  },
  {
    files: 'packages/{cli/test/web-program,plugins/modes/web/test/page}.test.ts',
    covered: 'page-cuts.test.ts in the browser; the server and the parts of the page without one',
  },
  {
    files: 'packages/plugins/senses/browser/test/{hostile-pages,lifecycle}.test.ts',
    covered: 'actions, network and input in the browser',
  },
  {
    files: 'packages/plugins/senses/debugger/test/{debuggers,lifetime}.test.ts',
    covered: 'the protocol, and the adapter of Node.js with real programs',
  },
  { files: 'packages/plugins/workers/fleet/test/hosts.test.ts', covered: 'the store of a fleet on PostgreSQL' },
  {
    files: 'packages/plugins/ecosystem/packs/test/{outside,hostile}.test.ts',
    covered: 'packs in their host, and hostile ones among them',
  },
  {
    files: 'packages/plugins/ecosystem/discovery/test/hostile-files.test.ts',
    covered: 'every family with the files that it is made for',
  },
  {
    files: 'packages/plugins/safety/approval/test/proof/grammar-help.test.ts',
    covered: 'the grammars of commands by their own suites',
  },
  {
    files: 'native/test/{syntax-ordinary-differential,syntax-differential,syntax-ast-grep}.test.ts',
    covered: 'patterns by their own suites, native beside JavaScript',
  },
  { files: 'packages/sdk/test/installed-e2e.test.ts', covered: 'the SDK in this checkout' },
  {
    files: 'scripts/test/{site,launcher,release}.test.ts',
    covered: 'links of the documentation and the parts of set-up; `npm run docs` and `npm run release:dry` do the rest',
  },
];
