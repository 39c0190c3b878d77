/** A worker for tests: the shell script that a run's options name. It is done when it prints `done`; `session ID` names its session. */
import { inlineCandidate } from '@tenon/kernel/testing';
import { type WorkerAdapter, type WorkerUsage, workers } from '@tenon/workers/api';

const NOTHING: WorkerUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const PRELUDE = `SESSION=\${TENON_RUN##*:}
say() { printf '%s\\n' "$*"; }
signal() { printf '%s' "$1" >"$EXCHANGE/output/session-$SESSION/signal.json"; }
`;

const adapter: WorkerAdapter = {
  spec: {
    id: 'fake',
    name: 'Fake',
    program: 'sh',
    versionArgs: ['-c', 'echo 1'],
    vendor: 'fake',
    hosts: [],
    state: [],
    keyVariables: ['FAKE_FLEET_KEY'],
    options: { type: 'object', properties: { script: { type: 'string' }, resume: { type: 'string' } } },
    capabilities: {
      version: 1,
      output: 'events',
      resume: 'id',
      presetSession: false,
      interactive: false,
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
    sideEffects: [],
  },
  command({ prompt, folders = [], options = {}, session }) {
    const { script = 'say done', resume = 'say done' } = options as { script?: string; resume?: string };
    return {
      program: 'sh',
      args: ['-c', PRELUDE + (session?.how === 'resume' ? resume : script), 'fake', prompt],
      env: { EXCHANGE: folders[0] ?? '' },
    };
  },
  parser() {
    let [rest, text, isDone] = ['', '', false];
    let session: string | undefined;
    return {
      push(piece, stream) {
        if (stream === 'stderr') return [];
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line === 'done') isDone = true;
          else if (line.startsWith('session ')) session = line.slice(8);
          else text = line;
        }
        return lines.map((line) => ({ type: 'text' as const, text: line }));
      },
      end: (exit) => ({
        isDone: isDone && exit.code === 0,
        text,
        ...(session !== undefined && { session }),
        usage: NOTHING,
        totals: { usage: NOTHING },
        events: [],
      }),
    };
  },
};

/** A plugin that brings it. */
export const fakeWorkers = inlineCandidate(
  { id: 'fake-workers', activate: (ctx) => void ctx.contribute(workers, 'fake', adapter) },
  { contributes: { workers: { fake: { name: 'Fake', program: 'sh', vendor: 'fake' } } } },
);
