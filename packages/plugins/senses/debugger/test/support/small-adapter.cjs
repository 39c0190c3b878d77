// A debug adapter with everything that the real ones here lack: memory, data breakpoints, terminals, child sessions.
// It debugs a program that is sixteen bytes of memory. Started as `node small-adapter.cjs [PORT]`.
'use strict';
const net = require('node:net');
const memory = Buffer.from('0123456789abcdef');
let terminals = 0;
let pauses = 0;

function serve(input, output) {
  let bytes = Buffer.alloc(0);
  let seq = 0;
  const waiting = new Map();
  const send = (message) => {
    const body = JSON.stringify({ seq: ++seq, ...message });
    output.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return seq;
  };
  const event = (name, body = {}) => send({ type: 'event', event: name, body });
  const ask = (command, args) =>
    new Promise((resolve) => waiting.set(send({ type: 'request', command, arguments: args }), resolve));
  const stop = (reason, more = {}) => event('stopped', { reason, threadId: 1, ...more });
  const handlers = {
    initialize: () => ({
      supportsConfigurationDoneRequest: true,
      supportsDataBreakpoints: true,
      supportsReadMemoryRequest: true,
      supportsWriteMemoryRequest: true,
      supportsDisassembleRequest: true,
      supportsInstructionBreakpoints: true,
      supportsLoadedSourcesRequest: true,
      supportsModulesRequest: true,
      supportsSetExpression: true,
      supportsTerminateRequest: true,
    }),
    launch: async ({ wish }) => {
      if (wish === 'refuse') throw new Error('not today');
      if (wish === 'hang') await new Promise(() => undefined);
      if (wish === 'terminal') {
        const { body, message } = await ask('runInTerminal', {
          args: ['sh', '-c', 'echo from the terminal'],
          cwd: '/',
        });
        terminals = body?.processId ?? 0;
        event('output', { category: 'console', output: `terminal ${terminals > 0 ? 'opened' : message}\n` });
      }
      if (wish === 'unknown') {
        const { success, message } = await ask('makeCoffee', {});
        event('output', { category: 'console', output: `coffee ${success}: ${message}\n` });
      }
      if (wish === 'child') {
        const { success, message } = await ask('startDebugging', {
          request: 'launch',
          configuration: { wish: 'entry' },
        });
        event('output', { category: 'console', output: `child ${success} ${message ?? ''}\n` });
      }
      event('initialized');
      return {};
    },
    configurationDone: () => void setTimeout(() => !['child', 'deaf'].includes(handlers.wish) && stop('entry'), 10),
    threads: () => ({ threads: [{ id: 1, name: 'only\u001b[31m one' }] }),
    stackTrace: () => ({
      stackFrames: [
        { id: 9, name: 'main', line: 3, column: 1, source: { path: '/x/prog' }, instructionPointerReference: '0x10' },
      ],
      totalFrames: 1,
    }),
    scopes: () => ({ scopes: [{ name: 'all', variablesReference: 5, expensive: false }] }),
    variables: () => ({
      variables: Array.from({ length: 250 }, (_, index) => ({
        name: `v${index}`,
        value: String(index),
        variablesReference: 0,
      })),
    }),
    evaluate: ({ expression, context }) => ({ result: `${context}: ${expression}\u001b[2J`, variablesReference: 0 }),
    setExpression: ({ expression, value }) => ({ value: `${expression}=${value}` }),
    readMemory: ({ memoryReference, offset = 0, count }) => {
      const part = memory.subarray(offset, offset + count);
      return { address: memoryReference, data: part.toString('base64'), unreadableBytes: count - part.length };
    },
    writeMemory: ({ offset = 0, data }) => ({ bytesWritten: Buffer.from(data, 'base64').copy(memory, offset) }),
    disassemble: ({ memoryReference, instructionCount }) => ({
      instructions: Array.from({ length: instructionCount }, (_, index) => ({
        address: `0x${(Number(memoryReference) + index).toString(16)}`,
        instruction: 'nop',
        symbol: index === 0 ? 'main' : undefined,
      })),
    }),
    dataBreakpointInfo: ({ name, variablesReference, frameId }) => ({
      dataId: name === 'x' ? `x@${variablesReference ?? frameId}` : null,
      description: `watch ${name}`,
      accessTypes: ['read', 'write'],
    }),
    setDataBreakpoints: ({ breakpoints }) => ({
      breakpoints: breakpoints.map((_, index) => ({ id: index, verified: true })),
    }),
    setInstructionBreakpoints: ({ breakpoints }) => ({
      breakpoints: breakpoints.map((_, index) => ({ id: 50 + index, verified: false, message: 'pending' })),
    }),
    setBreakpoints: ({ breakpoints }) => {
      if (breakpoints.some(({ line }) => line === 99)) throw new Error('no such line');
      return {
        breakpoints: breakpoints.map(({ line }, index) => ({ id: 70 + index, verified: true, line: line + 1 })),
      };
    },
    modules: () => ({ modules: Array.from({ length: 5 }, (_, id) => ({ id, name: `lib${id}` })) }),
    loadedSources: () => ({ sources: [{ path: '/x/prog' }] }),
    continue: () => {
      event('breakpoint', { reason: 'changed', breakpoint: { id: 50, verified: true } });
      setTimeout(() => stop('data breakpoint'), 10);
      return {};
    },
    next: () => {
      setTimeout(() => {
        event('exited', { exitCode: 3 });
        event('terminated');
      }, 10);
      return {};
    },
    // As LLDB does right after an attach: the first request is answered and lost.
    pause: () => {
      if (++pauses > 1) setTimeout(() => stop('pause'), 10);
      return {};
    },
    quiet: () => new Promise(() => undefined),
    terminate: () => (event('terminated'), {}),
    disconnect: () => ({}),
  };
  const take = async (message) => {
    if (message.type === 'response') return waiting.get(message.request_seq)?.(message);
    const head = { type: 'response', request_seq: message.seq, command: message.command };
    if (message.command === 'launch') handlers.wish = message.arguments.wish;
    try {
      if (!Object.hasOwn(handlers, message.command)) throw new Error('unknown');
      send({ ...head, success: true, body: await handlers[message.command](message.arguments ?? {}) });
    } catch (fault) {
      send({ ...head, success: false, message: fault.message });
    }
    return undefined;
  };
  input.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(bytes.subarray(0, Math.max(end, 0)).toString())?.[1]);
      if (end < 0 || bytes.length < end + 4 + length) return;
      const body = bytes.subarray(end + 4, end + 4 + length).toString();
      bytes = bytes.subarray(end + 4 + length);
      void take(JSON.parse(body));
    }
  });
}

const [port] = process.argv.slice(2);
if (port === undefined) serve(process.stdin, process.stdout);
else net.createServer((socket) => serve(socket, socket)).listen(Number(port), '127.0.0.1');
