/** A piece of work that needs every tool once. */
import { anchorOf, type Step } from '@tenon/test-kit/program-conversation';

/** The steps, in the order in which an engineer would take them. `web` is the address of a web server. */
export function everyTool(web: string): Step[] {
  const { host } = new URL(web);
  return [
    {
      say: 'I will make a plan first.',
      calls: [
        {
          tool: 'todo_write',
          input: { ops: [{ op: 'init', phases: [{ name: 'Cart', tasks: ['look around', 'round the total'] }] }] },
          says: /\[>\] look around[\s\S]*\[ \] round the total/,
        },
      ],
    },
    {
      say: 'Now I look around.',
      calls: [
        { tool: 'read', input: { path: 'src/cart.ts' }, says: /^1[a-z]{2}\|import/ },
        { tool: 'read', input: { path: '.' }, says: /src\/\n {2}\S+\.ts/ },
        { tool: 'find', input: { paths: ['*.ts'] }, says: /src\/cart\.ts/ },
        {
          tool: 'search',
          input: { pattern: 'TODO', paths: ['.'] },
          says: /# README\.md[\s\S]*# src\/prices\.ts|# src\/prices\.ts[\s\S]*# README\.md/,
        },
        {
          tool: 'ast_grep',
          input: { pat: 'console.log($$$ARGS)', paths: ['src/**/*.ts'] },
          says: /\*5[a-z]{2}\| {2}if[\s\S]*meta: ARGS=/,
        },
      ],
    },
    {
      say: 'The total has to be rounded.',
      calls: [
        {
          tool: 'edit',
          input: (results) => {
            const anchor = anchorOf('return sum;', results);
            return { input: `@@ src/cart.ts\n= ${anchor}..${anchor}\n~  return round(sum);\n` };
          },
          says: /-7\|.*return sum;\n\+7[a-z]{2}\| {2}return round\(sum\);/,
        },
        {
          tool: 'write',
          input: { path: 'src/round.ts', content: 'export const round = (n: number) => Math.round(n);\n' },
          says: /^Created src\/round\.ts \(1 line, 51B\)/,
        },
        {
          tool: 'ast_edit',
          input: { ops: [{ pat: 'console.log($$$ARGS)', out: 'console.warn($$$ARGS)' }], paths: ['src'] },
          says: /preview of 1 replacement in 1 file/,
        },
      ],
    },
    {
      say: 'The preview is right.',
      calls: [
        {
          tool: 'resolve',
          input: { action: 'apply', reason: 'warnings belong to stderr' },
          says: /^Applied 1 replacement in 1 file/,
        },
      ],
    },
    {
      say: 'Does git see the same?',
      calls: [
        {
          tool: 'bash',
          input: { command: 'git diff --stat && git status --short' },
          says: /src\/cart\.ts[\s\S]*\?\? src\/round\.ts/,
        },
        { tool: 'bash', input: { command: 'sleep 0.3; echo checked', async: true }, says: /job/i },
      ],
    },
    { say: 'I wait for the check.', calls: [{ tool: 'job', input: {}, says: /checked/ }] },
    {
      say: 'For the rest I need other tools.',
      calls: [
        { tool: 'search_tool_bm25', input: { query: 'calculator', limit: 1 }, says: /"activated_tools":\["calc"\]/ },
        {
          tool: 'search_tool_bm25',
          input: { query: 'run python code', limit: 1 },
          says: /"activated_tools":\["eval"\]/,
        },
        { tool: 'search_tool_bm25', input: { query: 'draw a diagram', limit: 1 }, says: /render_mermaid/ },
        { tool: 'search_tool_bm25', input: { query: 'task runner', limit: 1 }, says: /recipe/ },
        {
          tool: 'search_tool_bm25',
          input: { query: 'internet', limit: 2 },
          says: /web_search.*fetch|fetch.*web_search/,
        },
        {
          tool: 'search_tool_bm25',
          input: { query: 'checkpoint', limit: 2 },
          says: /checkpoint.*rewind|rewind.*checkpoint/,
        },
      ],
    },
    {
      say: 'Some numbers.',
      calls: [
        {
          tool: 'calc',
          input: { calculations: [{ expression: '2 ** 64 - 1', prefix: 'each: ' }, { expression: '3 / 4' }] },
          says: /^each: 18446744073709551615\n0.75$/,
        },
        {
          tool: 'eval',
          input: {
            input:
              '*** Cell py:"sum"\nprices = [2, 3]\nsum(prices)\n*** Cell js:"text"\nconst text = await tool.read({ path: "src/round.ts:raw" });\ntext.trim().length\n',
          },
          says: /sum\n5\n[\s\S]*text\n50$/,
        },
        { tool: 'render_mermaid', input: { mermaid: 'graph LR\n  cart-->prices' }, says: /│ cart ├─+►│ prices │/ },
      ],
    },
    {
      say: 'What does the project bring?',
      calls: [
        { tool: 'recipe', input: {}, says: /check: echo all good/ },
        { tool: 'recipe', input: { op: 'check' }, says: /all good$/ },
      ],
    },
    {
      say: 'How do others round?',
      calls: [
        {
          tool: 'web_search',
          input: { query: 'rounding money' },
          says: /Rounding money[\s\S]*https:\/\/example\.com\/rounding/,
        },
        { tool: 'fetch', input: { url: `${web}/rounding` }, says: /Money is counted in \*\*cents\*\*/ },
      ],
    },
    {
      say: 'One thing to find out.',
      calls: [{ tool: 'checkpoint', input: { goal: 'who else rounds' }, says: /^Checkpoint created/ }],
    },
    {
      say: 'I look for it.',
      calls: [
        {
          tool: 'search',
          input: { pattern: 'round\\(', paths: ['src'] },
          says: /\*7[a-z]{2}\| {2}return round\(sum\);/,
        },
      ],
    },
    {
      say: 'Found.',
      calls: [{ tool: 'rewind', input: { report: 'Only src/cart.ts rounds.' }, says: /^Rewind requested/ }],
    },
    {
      say: 'One question is left.',
      calls: [
        {
          tool: 'ask',
          input: {
            questions: [
              {
                id: 'cents',
                question: 'Round to cents?',
                options: [{ label: 'Yes' }, { label: 'No' }],
                recommended: 0,
              },
            ],
          },
          says: /Nobody can answer here[\s\S]*- cents: Yes/,
          fails: true,
        },
      ],
    },
    {
      say: 'That was it.',
      calls: [{ tool: 'todo_write', input: { ops: [{ op: 'done' }] }, says: /All done|2\/2/ }],
    },
    {
      say: 'Perhaps another agent knows.',
      calls: [
        {
          tool: 'search_tool_bm25',
          input: { query: 'delegate to another coding agent', limit: 1 },
          says: /"activated_tools":\["code_with_agent"\]/,
        },
      ],
    },
    {
      say: 'I go on with it.',
      // What other agents do has tests of its own (runs-program.test.ts): nobody could be asked here.
      calls: [
        {
          tool: 'code_with_agent',
          input: { task: 'Go on.', run: 'no-body' },
          says: /There is no run "no-body"/,
          fails: true,
        },
      ],
    },
    ...sense('language server', 1, /lsp/, [{ tool: 'lsp', input: { action: 'status' }, says: /./ }]),
    ...sense('debugger breakpoint', 1, /debug/, [
      {
        tool: 'debug',
        input: { action: 'launch', program: 'debug-me.cjs', file: 'debug-me.cjs', line: 3 },
        says: /debug-me\.cjs:3/,
      },
      { tool: 'debug', input: { action: 'evaluate', expression: 'b' }, says: /42/ },
      { tool: 'debug', input: { action: 'terminate' }, says: /ended/ },
    ]),
    ...sense('browser page click', 1, /browser/, [
      {
        tool: 'browser',
        input: { steps: [{ action: 'open', url: `${web}/rounding` }, { action: 'get_text' }] },
        says: /Money is counted in cents/,
      },
    ]),
    ...sense('pull request issue', 1, /github/, [
      { tool: 'github', input: { op: 'issue_view', repo: `${host}/acme/tool`, number: 5 }, says: /#5/ },
    ]),
    ...sense('remote server', 1, /ssh/, [{ tool: 'ssh', input: { op: 'hosts' }, says: /^web: 127\.0\.0\.1/ }]),
    ...sense('inspect image', 1, /inspect_image/, [
      {
        tool: 'inspect_image',
        input: { path: 'README.md', question: 'What is it?' },
        says: /not a picture|models\.roles\.vision/,
        fails: true,
      },
    ]),
    ...sense('remember facts for later sessions', 3, /retain/, [
      { tool: 'retain', input: { items: [{ content: 'The canteen closes at two' }] }, says: /^1 fact kept\.$/ },
      { tool: 'recall', input: { query: 'canteen' }, says: /The canteen closes at two/ },
      { tool: 'reflect', input: { query: 'zebras' }, says: /^No relevant information found/ },
    ]),
    ...sense('write to another agent', 2, /irc/, [
      { tool: 'irc', input: { op: 'list' }, says: /^No other live agents\.$/ },
    ]),
    {
      say: 'A map of it all.',
      calls: [{ tool: 'read', input: { path: 'outline://src?budget=500' }, says: /cart\.ts/ }],
    },
    {
      say: 'The plan is not one that I was asked for.',
      calls: [{ tool: 'submit_plan', input: { title: 'x' }, says: /plan/, fails: true }],
    },
    ...sense('subagents in parallel', 1, /task/, [
      {
        tool: 'task',
        // What subagents do has tests of its own; here it is enough that the tool says what is wrong.
        input: { agent: 'nobody', tasks: [{ id: 'look', description: 'look', assignment: 'Read src/cart.ts.' }] },
        says: /explore/,
        fails: true,
      },
    ]),
  ];
}

/** A tool that has to be found first, and then its calls, one after the other. */
function sense(query: string, limit: number, found: RegExp, calls: Step['calls']): Step[] {
  const search = { tool: 'search_tool_bm25', input: { query, limit }, says: found };
  return [
    { say: 'I look for a tool.', calls: [search] },
    ...calls.map((call) => ({ say: 'I use it.', calls: [call] })),
  ];
}

/** The same small change in each mode of `edit`, one after the other. */
export const EDITS: Readonly<Record<string, Step>> = {
  replace: {
    say: 'Cents.',
    calls: [
      {
        tool: 'edit',
        input: { path: 'src/round.ts', edits: [{ old_text: 'Math.round(n)', new_text: 'Math.round(n * 10) / 10' }] },
        says: /\+1[a-z]{2}\|.*\* 10\) \/ 10/,
      },
    ],
  },
  patch: {
    say: 'More cents.',
    calls: [
      {
        tool: 'edit',
        input: {
          path: 'src/round.ts',
          edits: [
            {
              diff: '@@\n-export const round = (n: number) => Math.round(n * 10) / 10;\n+export const round = (n: number) => Math.round(n * 100) / 100;\n',
            },
          ],
        },
        says: /\+1[a-z]{2}\|.*\* 100\) \/ 100/,
      },
    ],
  },
  apply_patch: {
    say: 'A name for it.',
    calls: [
      {
        tool: 'edit',
        input: {
          input:
            "*** Begin Patch\n*** Update File: src/round.ts\n*** Move to: src/rounding.ts\n@@\n-export const round = (n: number) => Math.round(n * 100) / 100;\n+export const round = (euros: number) => Math.round(euros * 100) / 100;\n*** Add File: src/index.ts\n+export * from './cart.ts';\n*** End Patch",
        },
        says: /Moved src\/round\.ts to src\/rounding\.ts[\s\S]*Created src\/index\.ts/,
      },
    ],
  },
  vim: {
    say: 'And a comment.',
    calls: [
      { tool: 'edit', input: { file: 'src/rounding.ts' }, says: /^1[a-z]{2}\|export const round/m },
      {
        tool: 'edit',
        input: { file: 'src/rounding.ts', steps: [{ kbd: ['ggO'], insert: '/** Half a cent goes up. */' }] },
        says: /\+1[a-z]{2}\|\/\*\* Half a cent goes up\. \*\//,
      },
    ],
  },
};
