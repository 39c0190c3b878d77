/**
 * The test files that take long because they use the real thing: sandboxes, terminals, browsers, whole checkouts. `npm run check`
 * leaves them out. In `npm test` they come first, so that none is left for the end.
 */
export const LONG_SUITES = [
  '**/hostile-*.test.ts',
  '**/terminal.test.ts',
  '**/*-twins.test.ts',
  '**/*-differential.test.ts',
  '**/launcher.test.ts',
  '**/*-e2e.test.ts',
  '**/{end-to-end,rename-traps,rename-questions,rpc-client}.test.ts',
  '**/edit-corpus.test.ts',
  '**/{read-formats,write,big-inputs}.test.ts',
  '**/{background,bash,start-files,sandbox,escape,network}.test.ts',
  '**/{crossing,wrapping,safety,faults,crash,soak}.test.ts',
  '**/{real-bash,grammar-properties,held-places,hostile,detection}.test.ts',
  'packages/plugins/safety/approval/test/proof/**',
  'packages/plugins/{safety/sandbox,safety/undo,ecosystem/packs,tools/shell-tools}/test/**',
  'packages/cli/test/{confined-runs,dumb-terminal,screen-manners,secret-question,*-program}.test.ts',
  'packages/plugins/workers/*/test/{accounts,adapter-services,apply,keeper*,kill,life-services,plan,run-steps}.test.ts',
  'packages/plugins/agent/agent/test/never-stuck.test.ts',
  'packages/plugins/models/providers/test/*-agree.test.ts',
  'packages/screen/test/{real-terminals,pyte,hardship,*-model}.test.ts',
  'packages/components/test/editor-vi-oracle.test.ts',
  'packages/plugins/modes/interactive-mode/test/{dialogs-*,pickers*}.test.ts',
  'packages/state-files/test/lock.test.ts',
  'scripts/test/{reference-pages,site,release}.test.ts',
  'packages/plugins/workers/subagents/test/program.test.ts',
  'native/test/{shell,syntax-ast-grep}.test.ts',
  'packages/cli/test/{agent,shell,quick-load}.test.ts',
  'packages/plugins/{foundation/installation,ecosystem/session-import}/test/{update,import,continue}.test.ts',
  'packages/plugins/foundation/settings-files/test/files.test.ts',
  'packages/plugins/*/{documents,eval-tools,marketplace,mcp,mcp-server,opencode-compat,pi-compat,worktrees}/test/**',
  // Over 1.5 s of CPU time each, or waiting for as long as all others together.
  'packages/plugins/modes/web/test/{page,page-cuts,cut-connections}.test.ts',
  'packages/plugins/modes/{acp,commit,rpc-mode,print-mode}/test/{program,hostile,commit,rpc-mode,claude-init}.test.ts',
  'packages/plugins/workers/{fleet,subagents,runs,channels}/test/{hosts,store,isolation*,copies,mcp,attacks,program,merge*,undo}.test.ts',
  'packages/plugins/senses/{browser,debugger,github,ssh}/test/**',
  'packages/plugins/senses/lsp/test/{program,lifecycle}.test.ts',
  'packages/cli/test/{cookbook,console,memory-plan-irc,screen-*,full-disk}.test.ts',
  'packages/plugins/agent/sessions/test/{damage,store}.test.ts',
  'packages/plugins/models/*/test/{manners,protocols,replay,scopes,literals,vendor-logins}.test.ts',
  'packages/plugins/tools/*/test/{edit,edit-modes,read,vim,declared-writes,search-tools,pages}.test.ts',
  'packages/plugins/safety/*/test/{modes,attacks,restoring}.test.ts',
  'packages/plugins/ecosystem/{discovery,external-hooks}/test/{links,families,around,claude,dialects}.test.ts',
  'native/test/{syntax-grammars,search,loader-build,shell-survival}.test.ts',
  'packages/plugins/workers/workers/test/tenon.test.ts',
  'packages/plugins/tools/file-tools/test/simultaneous-changes.test.ts',
  'packages/sdk/test/{examples,one-provider}.test.ts',
  'packages/plugins/workers/{subagents,workflows}/test/{process,code-definition}.test.ts',
  'packages/plugins/senses/lsp/test/other-servers.test.ts',
  'scripts/test/test-runs.test.ts',
];

/** What the parts of these patterns mean in a regular expression. */
const MEANINGS = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '{': '(?:', '}': ')', ',': '|' };

/** Says whether a file is one of them. @param {string} file its path from the repository's root @param {readonly string[]} [globs] */
export function isLongSuite(file, globs = LONG_SUITES) {
  return globs.some((glob) => patternOf(glob).test(file.replaceAll('\\', '/')));
}

const patterns = new Map();

function patternOf(glob) {
  if (!patterns.has(glob)) {
    const meaning = glob.replaceAll('.', String.raw`\.`).replaceAll(/\*\*\/|\*\*|[*{},]/g, (part) => MEANINGS[part]);
    patterns.set(glob, new RegExp(`^${meaning}$`));
  }
  return patterns.get(glob);
}
