import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { buildProgram } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, it } from 'vitest';
import { privateFolder } from '../src/processes/private-folder.ts';
import { newRecord, otherProcesses, removeRecord, writeRecord } from '../src/processes/records.ts';
import { requestIn } from '../src/processes/requests.ts';
import { said, start } from './world.ts';

const USER = { reach: 'user' };
let program: string;
beforeAll(async () => {
  const plugins = ['settings', 'tools', 'sessions', 'agent', 'urls', 'irc'];
  program = await buildProgram(join(import.meta.dirname, 'irc-process.ts'), { plugins });
});

/** Another process, when it has begun. */
async function startProcess(home: string, name: string, settings: object = USER) {
  const child = spawn(process.execPath, [program, home, name, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  later(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await until(() => out.includes('\n') || child.exitCode !== null);
  const [id = ''] = out.split('\n');
  expect(id).not.toBe('');
  const conversation = async () => {
    const before = out.length;
    child.stdin.write('?\n');
    await until(() => out.length > before && out.endsWith('\n'));
    return out.slice(before);
  };
  return { child, id, conversation };
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

const files = (home: string) => (existsSync(join(home, 'state', 'irc')) ? readdirSync(join(home, 'state', 'irc')) : []);

describe('agents of two processes of one user', () => {
  it('see each other, ask each other, and leave nothing behind', async () => {
    const home = temporaryFolder('irc');
    const { child, id, conversation } = await startProcess(home, 'bob');
    const { agentNamed, irc, remove } = await start(() => ({ text: 'Hm.' }), { home, ircSettings: USER });
    const ada = await agentNamed('ada');
    await ada.prompt('Begin');
    const listed = await irc(ada, { op: 'list' });
    expect(said(listed)).toContain(`${id} (bob): idle, process ${child.pid}`);
    const result = await irc(ada, { op: 'send', to: 'bob', message: 'Who?' });
    expect(said(result)).toContain('I am bob.');
    expect(await conversation()).toContain('in another session of the user');
    expect(files(home).filter((name) => name.endsWith('.json'))).toHaveLength(2);
    for (const name of files(home)) expect(lstatSync(join(home, 'state', 'irc', name)).mode & 0o077).toBe(0);
    expect(statSync(join(home, 'state', 'irc')).mode & 0o077).toBe(0);
    await ada.dispose();
    expect(files(home).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    await killed(child);
    await remove();
  });

  it('forget a process that was killed', async () => {
    const home = temporaryFolder('irc');
    const { child } = await startProcess(home, 'bob');
    const { agentNamed, irc } = await start(() => ({ text: 'Hm.' }), { home, ircSettings: USER });
    const ada = await agentNamed('ada');
    expect(said(await irc(ada, { op: 'list' }))).toContain('bob');
    await killed(child);
    expect(files(home).length).toBeGreaterThan(0);
    expect(said(await irc(ada, { op: 'list' }))).toBe('No other live agents.');
    expect(files(home).filter((name) => name.startsWith(`p${child.pid}-`))).toEqual([]);
  });

  it('do not open a socket unless the user wants it', async () => {
    const home = temporaryFolder('irc');
    await startProcess(home, 'bob', {});
    expect(files(home)).toEqual([]);
    const { agentNamed, irc } = await start(() => ({ text: 'Hm.' }), { home });
    expect(said(await irc(await agentNamed('ada'), { op: 'list' }))).toBe('No other live agents.');
  });

  it('tell a stranger nothing who cannot read the record', async () => {
    const home = temporaryFolder('irc');
    await startProcess(home, 'bob');
    const folder = join(home, 'state', 'irc');
    const record = files(home).find((name) => name.endsWith('.json')) ?? '';
    const { socket } = JSON.parse(readFileSync(join(folder, record), 'utf8')) as { socket: string };
    const attempts = [
      '{"op":"list"}\n',
      `{"nonce":"${'0'.repeat(32)}","proof":"${'0'.repeat(64)}"}\n{"op":"list"}\n`,
      `${'x'.repeat(200_000)}`,
      'null\n',
      `{"nonce":5}\n`,
    ];
    for (const attempt of attempts) {
      const answer = await new Promise<string>((resolve) => {
        let text = '';
        const line = connect(socket, () => line.write(attempt));
        line.on('data', (piece) => (text += String(piece)));
        line.on('error', () => undefined); // It hangs up while we still write.
        line.on('close', () => resolve(text));
      });
      expect(answer).toMatch(/^\{"nonce":"[0-9a-f]{32}"\}\n$/);
    }
    // It still answers those who can.
    const { agentNamed, irc } = await start(() => ({ text: 'Hm.' }), { home, ircSettings: USER });
    expect(said(await irc(await agentNamed('ada'), { op: 'list' }))).toContain('bob');
  });
});

describe('the folder of processes', () => {
  it('is closed to others, and refused when it is a link', () => {
    const base = temporaryFolder('irc');
    const open = join(base, 'open');
    mkdirSync(open, { mode: 0o777 });
    chmodSync(open, 0o777);
    privateFolder(open);
    expect(statSync(open).mode & 0o077).toBe(0);
    symlinkSync(open, join(base, 'link'));
    expect(() => privateFolder(join(base, 'link'))).toThrow('cannot be used');
  });

  it('ignores records that others could have written, and files that are none', () => {
    const folder = temporaryFolder('irc');
    const record = {
      version: 1,
      mark: { pid: process.pid, host: hostname(), started: '' },
      socket: '/tmp/x',
      secret: 'a'.repeat(64),
    };
    const put = (name: string, text: string, mode = 0o600) => {
      writeFileSync(join(folder, name), text, { mode });
      chmodSync(join(folder, name), mode);
    };
    put('p1-aaaaaaaaaaaa.secret.json', JSON.stringify(record), 0o644);
    put('p2-aaaaaaaaaaaa.secret.json', '{"version":1');
    put('p3-aaaaaaaaaaaa.secret.json', JSON.stringify({ ...record, secret: 'short' }));
    put('p4-aaaaaaaaaaaa.secret.json', ' '.repeat(10_000));
    put('notes.json', JSON.stringify(record));
    put('p7-aaaaaaaaaaaa.secret.json', JSON.stringify({ ...record, mark: { ...record.mark, host: 'elsewhere' } }));
    put('p5-aaaaaaaaaaaa.secret.json', JSON.stringify(record));
    symlinkSync(join(folder, 'p5-aaaaaaaaaaaa.secret.json'), join(folder, 'p6-aaaaaaaaaaaa.secret.json'));
    expect(otherProcesses(folder, undefined)).toHaveLength(1);
    expect(otherProcesses(join(folder, 'none'), undefined)).toEqual([]);
  });

  it('never removes a file that a record only names', () => {
    const folder = temporaryFolder('irc');
    const precious = join(temporaryFolder('precious'), 's');
    writeFileSync(precious, 'x');
    const mark = { pid: 2 ** 22 - 1, host: '', started: '1' };
    const here = JSON.stringify({
      version: 1,
      mark: { ...mark, host: hostname() },
      socket: precious,
      secret: 'a'.repeat(64),
    });
    writeFileSync(join(folder, 'p9-aaaaaaaaaaaa.secret.json'), here, { mode: 0o600 });
    expect(otherProcesses(folder, undefined)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(precious)).toBe(true);
  });

  it('puts the socket elsewhere when its path would be too long, and takes it away again', () => {
    const folder = join(temporaryFolder('long'), 'x'.repeat(120));
    const { record, file } = newRecord(folder);
    expect(Buffer.byteLength(record.socket)).toBeLessThan(100);
    expect(statSync(dirname(record.socket)).mode & 0o077).toBe(0);
    writeRecord(file, record);
    writeFileSync(record.socket, '');
    removeRecord(file, record);
    expect([existsSync(file), existsSync(dirname(record.socket))]).toEqual([false, false]);
  });

  it('takes only requests that are whole', () => {
    const envelope = { from: { id: 'a', name: 'A', pid: 1 }, to: 'b', text: 'x', awaitReply: true };
    expect(requestIn({ op: 'send', envelope })).toMatchObject({ op: 'send' });
    for (const wrong of [
      {},
      { op: 'send' },
      { op: 'send', envelope: { ...envelope, text: 'x'.repeat(9_000) } },
      { op: 'send', envelope: { ...envelope, from: null } },
      { op: 'send', envelope: { ...envelope, to: 5 } },
    ])
      expect(requestIn(wrong)).toBeUndefined();
  });
});
