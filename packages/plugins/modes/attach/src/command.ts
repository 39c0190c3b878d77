/** `tenon attach [ID]`. */
import type { CommandCall } from '@tenon/command-line/api';
import { EXIT } from '@tenon/command-line/api';
import { type Folders, kernelView } from '@tenon/host';
import { loadScreenParts } from '@tenon/interactive-mode/api';
import type { PluginContext } from '@tenon/kernel';
import { errors } from './errors.ts';
import { findServer, type Server, serverFault } from './find-server.ts';
import { findTarget, openTargets, type Target } from './find-target.ts';
import { openDesk } from './open-desk.ts';
import type { Desk, Feed } from './desk.ts';
import { RunFeed } from './run-feed.ts';
import { SessionFeed } from './session-feed.ts';

type AttachContext = PluginContext<unknown, { readonly folders: Folders }>;

/** Opens it on the terminal until the user leaves. */
export async function runAttach(call: CommandCall, ctx: AttachContext): Promise<number> {
  const { flags } = call;
  const url = typeof flags['url'] === 'string' ? flags['url'] : undefined;
  const server = await findServer({ url, env: process.env, state: ctx.needs.folders.state });
  try {
    return await attachTo(server, call, ctx);
  } catch (fault) {
    throw serverFault(fault, server.url);
  }
}

async function attachTo({ url, client }: Server, call: CommandCall, ctx: AttachContext): Promise<number> {
  const { args, cwd, io } = call;
  const id = args['id'];
  const named = typeof id === 'string' ? await findTarget(client, id) : undefined;
  const choice = named ? [named] : await openTargets(client, cwd);
  if (choice.length === 0) throw errors.create('ATTACH_NOTHING');
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw errors.create('ATTACH_NO_TERMINAL');
  const parts = await loadScreenParts();
  const desk = await openDesk({ call, ctx, parts, settings: (await ctx.find(kernelView)).settings, url });
  let left: Target | undefined;
  await desk.work(async (signal) => {
    const [first, ...others] = choice;
    const target = others.length === 0 ? first : await chosen(desk, choice);
    if (!target || signal.aborted) return;
    left = target;
    const feed: Feed =
      target.kind === 'session'
        ? new SessionFeed({ client, desk, id: target.id })
        : new RunFeed({ client, desk, id: target.id });
    await desk.attend(feed, signal);
    left = { ...target, id: feed.id };
  }, call.signal);
  if (left) await io.out(`Detached. It goes on; come back with: tenon attach ${left.id}\n`);
  return EXIT.ok;
}

async function chosen(desk: Desk, choice: readonly Target[]): Promise<Target | undefined> {
  const answer = await desk.select({ title: 'What do you want to see?', options: choice.map(({ label }) => label) });
  return answer === undefined ? undefined : choice[answer];
}
