/** `tenon channels list`, `test` and `serve`. */
import { hostname } from 'node:os';
import type { CommandCall } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { counted, plainLine } from '@tenon/wording';
import { errors } from './errors.ts';
import { ChannelFault } from './http/fault.ts';
import { prose } from './message/blocks.ts';
import { type ChannelsService, CREDENTIALS_OF } from './service.ts';
import { readChannelsState } from './state/state.ts';

/** `tenon channels list` */
export async function listChannels(service: ChannelsService, state: string, { io, flags }: CommandCall): Promise<void> {
  const { outbox, questions, conversations, faults } = await readChannelsState(state);
  const rows = [];
  for (const [name, { kind, to, users = [], threads }] of Object.entries(service.configured)) {
    const missing: string[] = [];
    for (const credential of CREDENTIALS_OF[kind] ?? [])
      if (!(await service.hasCredential(credential))) missing.push(credential);
    rows.push({
      name,
      kind,
      ...(to !== undefined && { to }),
      users: users.length,
      threads: Object.values(conversations).filter(({ channel }) => channel === name).length,
      startsRuns: threads !== undefined,
      openQuestions: Object.values(questions).filter(
        ({ settled, announced }) => settled === undefined && name in announced,
      ).length,
      waiting: outbox.filter(({ channel }) => channel === name).length,
      missingCredentials: missing,
      ...(faults[name] && { fault: faults[name] }),
    });
  }
  if (flags['json'] === true) return io.json(rows);
  if (rows.length === 0)
    return io.err('You have set up no channel. `tenon read docs://guide/channels.md` shows how.\n');
  for (const row of rows) {
    const facts = [
      row.users === 0 ? 'nobody may answer' : `${counted(row.users, 'person', 'people')} may answer`,
      ...(row.startsRuns ? [`starts runs, ${counted(row.threads, 'thread')}`] : []),
      ...(row.openQuestions > 0 ? [counted(row.openQuestions, 'open question')] : []),
      ...(row.waiting > 0 ? [`${counted(row.waiting, 'message')} to send`] : []),
    ];
    // A webhook's address may hold a secret of its own.
    const place = row.to === undefined || row.kind === 'webhook' ? '' : ` ${plainLine(row.to)}`;
    await io.out(`${row.name}  ${row.kind}${place}  ${facts.join(', ')}\n`);
    for (const credential of row.missingCredentials) await io.out(`  no credential: tenon auth login ${credential}\n`);
    if (row.fault) await io.out(`  ${row.fault.at}: ${plainLine(row.fault.text)}\n`);
  }
}

/** `tenon channels test NAME` */
export async function testChannel(service: ChannelsService, { io, flags, args, signal }: CommandCall): Promise<void> {
  const name = String(args['name']);
  const channel = await service.open(name, { read: () => undefined, write: async () => undefined });
  const text = `This is a test of the channel "${name}" from ${hostname()}. Questions of agents will come here.`;
  try {
    const id = await channel.send(
      { key: `test-${Date.now()}`, what: 'text', title: 'Tenon', blocks: [prose(text)] },
      signal,
    );
    if (flags['json'] === true) await io.json({ name, id });
    else await io.out(`Sent. Look at ${name}.\n`);
  } catch (fault) {
    if (!(fault instanceof ChannelFault)) throw fault;
    throw errors.create('CHANNELS_SEND', { name, reason: messageOf(fault) }, fault);
  }
}

/** `tenon channels serve` */
export async function serveChannels(service: ChannelsService, { io, flags, signal }: CommandCall): Promise<void> {
  await service.serve({
    signal,
    onServing(names) {
      const line = `Serving ${names.join(', ')}. Ctrl-C ends it; what waits then is sent when you start it again.\n`;
      void (flags['json'] === true ? io.json({ serving: names }) : io.out(line));
    },
  });
}
