/** The tool that works on other machines. */
import type { Folders } from '@tenon/host';
import { Type } from '@tenon/kernel';
import {
  explainFailures,
  resolvePath,
  scopeOf,
  textResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Touches,
} from '@tenon/tools/api';
import { byteText, counted, plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import type { Connections } from './connections.ts';
import { errors } from './errors.ts';
import { quoted } from './guarded-process.ts';
import type { Hosts, ListedHost } from './hosts.ts';
import type { Mounts } from './mounts.ts';
import { prompts } from './prompts/index.ts';
import { presentRun } from './present-run.ts';
import type { RemoteSystems } from './remote-systems.ts';
import { copy } from './transfers.ts';

/** What the tool needs. The parts that connect are made on first use. */
export interface SshHost {
  readonly folders: Folders;
  readonly hosts: Hosts;
  readonly timeoutSeconds: number;
  parts(): Promise<SshParts>;
}

/** The parts that connect. */
export interface SshParts {
  readonly connections: Connections;
  readonly systems: RemoteSystems;
  readonly mounts: Mounts;
}

const OPS = ['run', 'upload', 'download', 'mount', 'unmount', 'hosts'] as const;
const MAX_TIMEOUT = 3600;
const MAX_COMMAND = 128 * 1024;

/** A call, checked. */
interface Order {
  readonly op: (typeof OPS)[number];
  readonly host: string;
  readonly command: string;
  readonly cwd: string | undefined;
  readonly local: string;
  readonly remote: string;
  readonly isWritable: boolean;
  readonly seconds: number;
}

/** Makes the tool. */
export function createSshTool(host: SshHost): Tool {
  const text = (description: string) => Type.Optional(Type.String({ description }));
  return explainFailures({
    description: prompts.ssh({ seconds: host.timeoutSeconds }),
    parameters: Type.Object(
      {
        op: Type.Optional(Type.Union(OPS.map((name) => Type.Literal(name)))),
        host: text('Name of the host'),
        command: text('For run: what the remote shell runs'),
        cwd: text('For run: the remote folder'),
        local: text('For upload and download: the path on this machine'),
        remote: text('For upload, download, mount and unmount: the path over there'),
        writable: Type.Optional(Type.Boolean({ description: 'For mount: files may be changed' })),
        timeout: Type.Optional(Type.Number({ description: `Seconds, 1 to ${MAX_TIMEOUT}` })),
      },
      { additionalProperties: false },
    ),
    async touches(input, call) {
      if (call.partial) return typeof input['host'] === 'string' ? { hosts: [] } : {};
      const scope = scopeOf(call, host.folders);
      const order = orderOf(input, host.timeoutSeconds, scope.cwd);
      if (order.op === 'hosts' || order.op === 'unmount') return {};
      return touchesOf(order, await host.hosts.get(order.host, scope.cwd, call.signal), scope.cwd);
    },
    async execute(input, call) {
      const scope = scopeOf(call, host.folders);
      const order = orderOf(input, host.timeoutSeconds, scope.cwd);
      if (order.op === 'hosts') return listHosts(host, scope.cwd, call.signal);
      const target = await host.hosts.get(order.host, scope.cwd, call.signal);
      const parts = await host.parts();
      if (order.op === 'run') return presentRun(host, parts, target, order, call);
      if (order.op === 'mount') return mount(parts, target, order, scope.session, call);
      if (order.op === 'unmount') return unmount(parts, order, scope.session);
      return transfer(parts, target, order, call);
    },
  });
}

/** What a call does, as the commands that a person would type: they are judged and shown whole. */
export function touchesOf(order: Order, host: KnownHost, cwd: string): Touches {
  const { op, command, local, remote } = order;
  const hosts = [host.host];
  const shown = (text: string) => [{ text, cwd }];
  const place = quoted(`${host.name}:${remote}`);
  switch (op) {
    case 'upload':
      return { hosts, reads: [local], commands: shown(`scp -r ${quoted(local)} ${place}`) };
    case 'download':
      return { hosts, writes: [local], commands: shown(`scp -r ${place} ${quoted(local)}`) };
    case 'mount':
      return { hosts, commands: shown(`sshfs ${order.isWritable ? '' : '-o ro '}${place} FOLDER`) };
    default: {
      const whole = order.cwd === undefined ? command : `cd -- ${quoted(order.cwd)} && ${command}`;
      return { hosts, commands: shown(`ssh ${host.name} ${quoted(whole)}`) };
    }
  }
}

function orderOf(input: Readonly<Record<string, unknown>>, seconds: number, cwd: string): Order {
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '');
  const op = OPS.find((name) => name === input['op']) ?? (text('host') === '' ? 'hosts' : 'run');
  const wrong = (reason: string, todo: string) => errors.create('SSH_INPUT', { reason, todo });
  const need = (key: string, todo: string) => {
    if (text(key).trim() === '') throw wrong(`\`${op}\` needs \`${key}\``, todo);
    if (text(key).includes('\0')) throw wrong(`\`${key}\` has a zero byte`, 'Leave it out.');
  };
  if (op !== 'hosts') need('host', 'Name one; `op: "hosts"` lists them.');
  if (op === 'run') need('command', 'Say what is to be run.');
  if (op === 'upload' || op === 'download') need('local', 'Give the path on this machine.');
  if (op === 'upload' || op === 'download' || op === 'mount') need('remote', 'Give the path over there.');
  if (Buffer.byteLength(text('command')) > MAX_COMMAND)
    throw wrong(`The command is longer than ${byteText(MAX_COMMAND)}`, 'Upload a script and run that.');
  const timeout = typeof input['timeout'] === 'number' && input['timeout'] > 0 ? input['timeout'] : seconds;
  return {
    op,
    host: text('host'),
    command: text('command'),
    cwd: text('cwd') === '' ? undefined : text('cwd'),
    local: text('local') === '' ? '' : resolvePath(cwd, text('local')),
    remote: text('remote'),
    isWritable: input['writable'] === true,
    seconds: Math.min(MAX_TIMEOUT, Math.max(1, timeout)),
  };
}

async function listHosts(host: SshHost, cwd: string, signal: AbortSignal): Promise<ToolResult> {
  const hosts = await host.hosts.list(cwd, signal);
  if (hosts.length === 0) throw errors.create('SSH_NO_HOSTS');
  const { systems, mounts } = await host.parts();
  const rows = await Promise.all(
    hosts.map(async (one) => {
      const system = await systems.known(one);
      const about = [
        addressOf(one),
        ...(system ? [[system.system, system.shell].filter(Boolean).join(', ')] : []),
        // What a stranger writes about a machine is not for the model.
        ...(one.isUntrusted ? ['not trusted'] : one.description ? [plainLine(one.description).slice(0, 200)] : []),
      ];
      return `${plainLine(one.name)}: ${about.filter(Boolean).join('; ')}`;
    }),
  );
  const mounted = mounts.list().map((mount) => `Mounted: ${mount.host}:${mount.remote} at ${mount.local}`);
  return textResult([...rows, ...mounted].join('\n'), {
    hosts: hosts.map(({ name, host: address, file }) => ({ name: plainLine(name), host: plainLine(address), file })),
  });
}

/** A host as one reads it. */
export function addressOf({ host, user, port, isAlias, name }: ListedHost): string {
  if (isAlias && host === name && user === undefined) return 'as in ~/.ssh/config';
  return plainLine(`${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`);
}

async function transfer(parts: SshParts, target: KnownHost, order: Order, call: ToolCall): Promise<ToolResult> {
  const direction = order.op === 'upload' ? 'upload' : 'download';
  const { local, remote } = order;
  const done = await copy(
    target,
    parts.connections,
    { direction, local, remote },
    { signal: call.signal, timeoutMs: order.seconds * 1000 },
  );
  const [from, to] = direction === 'upload' ? [local, `${target.name}:${remote}`] : [`${target.name}:${remote}`, local];
  const size = done.bytes === undefined ? '' : ` (${byteText(done.bytes)})`;
  return textResult(`Copied the ${done.kind} ${from} to ${to}${size}.`, {
    host: target.name,
    direction,
    local,
    remote,
    ...done,
  });
}

async function mount(
  parts: SshParts,
  target: KnownHost,
  order: Order,
  session: string,
  call: ToolCall,
): Promise<ToolResult> {
  const { remote, isWritable } = order;
  const mounted = await parts.mounts.mount(target, { remote, isWritable, session }, call.signal);
  const how = isWritable ? 'it can be changed' : 'read-only';
  return textResult(
    `${target.name}:${remote} is mounted at ${mounted.local} (${how}). It stays until \`unmount\` or the end of the session.`,
    { host: target.name, remote, path: mounted.local, writable: isWritable },
  );
}

async function unmount(parts: SshParts, order: Order, session: string): Promise<ToolResult> {
  const count = await parts.mounts.unmount(
    session,
    (one) =>
      one.host === order.host && (order.remote === '' || order.remote === one.remote || order.remote === one.local),
  );
  if (count > 0) return textResult(`Unmounted ${counted(count, 'folder')} of ${plainLine(order.host)}.`);
  const reason = `Nothing of "${plainLine(order.host)}" is mounted`;
  throw errors.create('SSH_INPUT', { reason, todo: '`op: "hosts"` lists mounts.' });
}
