/** A language server that misbehaves in the way that its first argument says. */
import { readFileSync, writeFileSync } from 'node:fs';
const [how, outside] = process.argv.slice(2);
let input = Buffer.alloc(0);
const raw = (text) => process.stdout.write(text);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const range = (line, from, to) => ({ start: { line, character: from }, end: { line, character: to } });
const capabilities = {
  textDocumentSync: 1,
  definitionProvider: true,
  hoverProvider: true,
  referencesProvider: true,
  renameProvider: true,
  codeActionProvider: true,
  documentFormattingProvider: true,
  executeCommandProvider: { commands: ['fake.edit'] },
};
let uri = '';
let version = 0;
let applied;

function answer({ id, method, params }) {
  if (method === 'initialize') {
    if (how === 'greets') return raw('Welcome to the fake language server!\n'.repeat(200));
    if (how === 'huge-header') return raw('Content-Length: 99999999999\r\n\r\n{');
    if (how === 'binary') return raw(Buffer.from([0, 1, 2, 3, 255, 254]));
    if (how === 'never') return;
    if (how === 'dies') {
      process.stderr.write('fake: \u001b[31mcannot go on\n');
      process.exit(3);
    }
    if (how === 'noisy') setInterval(() => process.stderr.write('x'.repeat(1 << 20)), 5);
    return send({ id, result: { capabilities } });
  }
  if (method === 'shutdown') return send({ id, result: null });
  if (method === 'exit') process.exit(0);
  if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') {
    uri = params.textDocument.uri;
    version = params.textDocument.version;
    if (how === 'flood') {
      const one = { range: range(0, 0, 1), severity: 1, message: '\u001b]0;owned\u0007 bad '.repeat(20) };
      send({
        method: 'textDocument/publishDiagnostics',
        params: {
          uri,
          version,
          diagnostics: Array.from({ length: 20_000 }, (_, line) => ({ ...one, range: range(line, 0, 1) })),
        },
      });
    } else if (how === 'stale')
      send({
        method: 'textDocument/publishDiagnostics',
        params: { uri, version: version - 1, diagnostics: [{ range: range(0, 0, 1), message: 'stale' }] },
      });
    else if (how === 'junk')
      send({
        method: 'textDocument/publishDiagnostics',
        params: {
          uri,
          version,
          diagnostics: [null, 7, { message: 'no range' }, { range: range(0, 0, 1), message: 'real' }],
        },
      });
    else if (how !== 'silent')
      send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics: [] } });
    return;
  }
  if (id === undefined) return;
  if (method === undefined) return (applied = params ?? true);
  if (how === 'crashes') process.exit(1);
  if (how === 'slow') return;
  if (method === 'textDocument/definition')
    return send({ id, result: how === 'junk' ? [null, { uri: 'http://x', range: {} }, { uri: 7 }] : null });
  if (method === 'textDocument/hover') return send({ id, result: { contents: '\u001b]0;owned\u0007hello\u202e' } });
  if (method === 'textDocument/formatting')
    return send({ id, result: [{ range: range(0, 0, 0), newText: '// formatted\n' }] });
  if (method === 'textDocument/rename') {
    const edits = [{ range: range(0, 0, 3), newText: params.newName }];
    if (how === 'escapes') return send({ id, result: { changes: { [outside]: edits } } });
    if (how === 'overlaps')
      return send({ id, result: { changes: { [uri]: [...edits, { range: range(0, 1, 2), newText: 'x' }] } } });
    if (how === 'old-version')
      return send({ id, result: { documentChanges: [{ textDocument: { uri, version: version - 1 }, edits }] } });
    return send({ id, result: { changes: { [uri]: edits } } });
  }
  if (method === 'textDocument/codeAction')
    return send({
      id,
      result: [
        {
          title: 'Fix it',
          kind: 'quickfix',
          edit: { changes: { [uri]: [{ range: range(0, 0, 3), newText: 'FIX' }] } },
        },
        { title: 'Run it', command: { title: 'Run it', command: 'fake.edit' } },
        { title: 'Off', disabled: { reason: 'no' } },
      ],
    });
  if (method === 'workspace/executeCommand') {
    send({
      id: 9_000,
      method: 'workspace/applyEdit',
      params: { edit: { changes: { [uri]: [{ range: range(0, 0, 3), newText: 'RUN' }] } } },
    });
    return send({ id, result: null });
  }
  if (method === 'textDocument/references') {
    // Nobody asked for an edit: this one must be refused.
    send({
      id: 9_001,
      method: 'workspace/applyEdit',
      params: { edit: { changes: { [uri]: [{ range: range(0, 0, 3), newText: 'BAD' }] } } },
    });
    return send({ id, result: [] });
  }
  if (method === 'fake/write') {
    try {
      writeFileSync('written-by-server', 'x');
      return send({ id, result: 'written' });
    } catch (fault) {
      return send({ id, result: fault.code });
    }
  }
  if (method === 'fake/state')
    return send({ id, result: { applied, cwd: process.cwd(), text: readFileSync('a.fake', 'utf8') } });
  send({ id, error: { code: -32601, message: `no ${method}` } });
}

process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const end = input.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(input.subarray(0, end).toString())?.[1]);
    if (input.length < end + 4 + length) return;
    const body = input.subarray(end + 4, end + 4 + length).toString();
    input = input.subarray(end + 4 + length);
    answer(JSON.parse(body));
  }
});
process.stdin.on('end', () => process.exit(0));
