/** A worker for tests: a shell script that the request names, and a language of one word per line. */
import type { WorkerAdapter, WorkerEvent, WorkerFault, WorkerOutcome, WorkerUsage } from '@tenon/workers/api';

const NOTHING: WorkerUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** The script of the first session, and of those that go on; `$1` is the prompt, `$EXCHANGE` the exchange folder, `$SESSION` the number. */
export interface FakeOptions {
  readonly script: string;
  readonly resume?: string;
}

const PRELUDE = `SESSION=\${TENON_RUN##*:}
say() { printf '%s\\n' "$*"; }
signal() { printf '%s' "$1" >"$EXCHANGE/output/session-$SESSION/signal.json"; }
`;

/** The adapter. Lines: `session ID`, `text …`, `tool-start ID NAME`, `tool-end ID`, `limit N`, `retry FAULT …`, `error FAULT …`, `done`; others mean nothing. */
export const fakeWorker: WorkerAdapter = {
  spec: {
    id: 'fake',
    name: 'Fake',
    program: 'sh',
    versionArgs: [],
    vendor: 'fake',
    hosts: [],
    state: [],
    keyVariables: ['FAKE_KEY'],
    options: { type: 'object', properties: { script: { type: 'string' }, resume: { type: 'string' } } },
    capabilities: {
      version: 1,
      output: 'events',
      resume: 'id',
      presetSession: false,
      interactive: true,
      systemPrompt: 'prompt',
      structuredOutput: 'none',
      models: false,
      images: false,
      mcp: 'none',
      addFolders: false,
      usage: 'run',
      cost: false,
      ownSandbox: false,
      yolo: 'always',
      tools: [],
    },
    sideEffects: ['push', 'send_*'],
  },
  command({ prompt, folders = [], options = {}, session, systemPrompt = '' }) {
    const { script, resume = 'say done' } = options as unknown as FakeOptions;
    const text = PRELUDE + (session?.how === 'resume' ? resume : script);
    return {
      program: 'sh',
      args: ['-c', text, 'fake', prompt, systemPrompt],
      env: { EXCHANGE: folders[0] ?? '', CLI_SESSION: session?.id ?? '' },
    };
  },
  interactive: (session) => ({ program: 'sh', args: ['-c', `echo ${session}`], env: {} }),
  parser() {
    let rest = '';
    let text = '';
    let cliSession: string | undefined;
    let isDone = false;
    let error: WorkerOutcome['error'];
    const line = (words: string): WorkerEvent[] => {
      const [kind, first = '', ...more] = words.split(' ');
      const tail = [first, ...more].join(' ');
      if (kind === 'session') return [{ type: 'session', id: (cliSession = first) }];
      if (kind === 'text') return [{ type: 'text', text: (text = tail) }];
      if (kind === 'tool-start') return [{ type: 'tool-start', id: first, name: more.join(' ') }];
      if (kind === 'tool-end') return [{ type: 'tool-end', id: first, isError: false }];
      if (kind === 'retry') return [{ type: 'retry', fault: first as WorkerFault, message: more.join(' ') }];
      if (kind === 'limit') return [{ type: 'limit', remaining: Number(first), window: '5h' }];
      if (kind === 'done') isDone = true;
      if (kind === 'error') error = { fault: first as WorkerFault, message: more.join(' ') };
      return error && kind === 'error' ? [{ type: 'error', ...error }] : [];
    };
    return {
      push(piece, stream) {
        if (stream === 'stderr') return [];
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        return lines.flatMap(line);
      },
      end: (exit) => ({
        isDone: isDone && exit.code === 0,
        text,
        ...(cliSession !== undefined && { session: cliSession }),
        usage: { ...NOTHING, input: 10, output: 1 },
        totals: { usage: NOTHING },
        ...(error && { error }),
        events: [],
      }),
    };
  },
};
