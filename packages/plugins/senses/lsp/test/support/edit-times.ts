/**
 * Measures in turns: edits with diagnostics in their result, and the same edits without, each followed by the same question to the same server
 * over a bare connection. Prints the medians as JSON.
 * Arguments: `typescript` or `pyright`, the program of the server, and how often.
 */
import { spawn } from 'node:child_process';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { pathToFileURL } from 'node:url';
import { workspaceTrust } from '@tenon/trust/api';
import { openWorkbench } from '@tenon/test-kit/workbench';

const [kind = 'typescript', program = '', rounds = '11'] = process.argv.slice(2);
const PLUGINS = ['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
const MODULES = 30;
const isTypeScript = kind === 'typescript';
const language = isTypeScript ? 'typescript' : 'python';
const file = isTypeScript ? 'src/main.ts' : 'main.py';
const args = isTypeScript ? ['--lsp', '--stdio'] : ['--stdio'];

function modules(): Record<string, string> {
  const body = (index: number) =>
    isTypeScript
      ? Array.from(
          { length: 60 },
          (_, line) => `export const value${line}: Record<string, number> = { a: ${index}, b: ${line} };`,
        )
      : Array.from({ length: 60 }, (_, line) => `value${line}: dict[str, int] = {"a": ${index}, "b": ${line}}`);
  const name = (index: number) => (isTypeScript ? `src/m${index}.ts` : `m${index}.py`);
  const files = Array.from({ length: MODULES }, (_, index) => [name(index), `${body(index).join('\n')}\n`]);
  const marker = isTypeScript
    ? [
        'tsconfig.json',
        '{"compilerOptions":{"strict":true,"noEmit":true,"module":"nodenext","allowImportingTsExtensions":true}}',
      ]
    : ['pyproject.toml', '[project]\nname = "x"\nversion = "1"\n'];
  return Object.fromEntries([...files, marker, [file, text(0)]]) as Record<string, string>;
}

/** A module that uses all others; every other text has a mistake. */
function text(turn: number): string {
  const lines: string[] = [];
  for (let index = 0; index < MODULES; index++)
    lines.push(isTypeScript ? `import * as m${index} from './m${index}.ts';` : `import m${index}`);
  for (let index = 0; index < MODULES; index++)
    for (let line = 0; line < 10; line++)
      lines.push(
        isTypeScript
          ? `export const use${index}_${line} = Object.entries(m${index}.value${line}).map(([key, value]) => key + value.toFixed(${turn}));`
          : `use${index}_${line} = [key + str(value + ${turn}) for key, value in m${index}.value${line}.items()]`,
      );
  if (turn % 2 === 1) lines.push(isTypeScript ? 'export const wrong: string = 1;' : 'wrong: str = 1');
  return `${lines.join('\n')}\n`;
}

const open = (diagnosticsOnEdit: boolean) =>
  openWorkbench(PLUGINS, {
    ownFolder: '.local',
    files: modules(),
    settings: { lsp: { waitMs: 30_000, diagnosticsOnEdit, servers: { [kind]: { command: program } } } },
  });
const [bench, plain] = [await open(true), await open(false)];
await (await bench.kernel.find(workspaceTrust)).grant(bench.root);

const raw = spawn(process.execPath, [program, ...args], { cwd: plain.root, stdio: ['pipe', 'pipe', 'ignore'] });
const connection = createMessageConnection(new StreamMessageReader(raw.stdout), new StreamMessageWriter(raw.stdin));
let published: ((version: number) => void) | undefined;
connection.onNotification('textDocument/publishDiagnostics', (params: { uri: string; version: number }) => {
  if (params.uri.endsWith(file)) published?.(params.version);
});
connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => null));
connection.onRequest(() => null);
connection.listen();
const uri = pathToFileURL(plain.path(file)).href;
const root = pathToFileURL(plain.root).href;
const { capabilities } = await connection.sendRequest<{ capabilities: Record<string, unknown> }>('initialize', {
  processId: null,
  rootUri: root,
  workspaceFolders: [{ uri: root, name: 'project' }],
  capabilities: {
    workspace: { configuration: true },
    textDocument: { publishDiagnostics: { versionSupport: true }, diagnostic: {} },
  },
});
await connection.sendNotification('initialized', {});
await connection.sendNotification('textDocument/didOpen', {
  textDocument: { uri, languageId: language, version: 1, text: text(0) },
});
let version = 1;

async function withServerAlone(content: string): Promise<void> {
  version++;
  const answered = new Promise<void>((resolve) => (published = (done) => done === version && resolve()));
  await plain.ok('write', { path: file, content });
  void connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version },
    contentChanges: [{ text: content }],
  });
  if (capabilities['diagnosticProvider'])
    await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
  else await answered;
}

async function withTool(content: string, isWrong: boolean): Promise<void> {
  const answer = await bench.ok('write', { path: file, content });
  if (isWrong !== answer.includes('New problems')) throw new Error(`an unexpected answer: ${answer}`);
}

const times = { tool: [] as number[], server: [] as number[] };
for (let turn = 1; turn <= Number(rounds) + 3; turn++) {
  const order = turn % 4 < 2 ? (['server', 'tool'] as const) : (['tool', 'server'] as const);
  for (const who of order) {
    const began = performance.now();
    if (who === 'server') await withServerAlone(text(turn));
    else await withTool(text(turn), turn % 2 === 1);
    // The first turns start the server and fill caches.
    if (turn > 3) times[who].push(performance.now() - began);
  }
}
const median = (list: number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
process.stdout.write(`${JSON.stringify({ tool: median(times.tool), server: median(times.server) })}\n`);
raw.kill();
await Promise.all([bench.dispose(), plain.dispose()]);
process.exit(0);
