/** What every program of a host process begins with: it gives up its rights, opens the channel, and answers Tenon. */
import { Socket } from 'node:net';
import { GIVE_UP_PROGRAMS } from './give-up-programs.ts';
import { HOST_LIMITS } from '../wire/channel.ts';
import { type Method, ownMethod, Peer } from '../wire/peer.ts';
import { createAsker } from '../wire/questions.ts';
import { createHostFetch } from './fetch.ts';

const MESSAGES = 3;
const QUESTIONS = 4;
/** Tenon limits what it takes; on this side a limit is only there to find mistakes. */
const MAX_PENDING = 1_000;

/** The way from a host process to Tenon. */
export interface HostLink {
  readonly peer: Peer;
  /** Asks and waits without doing anything else. */
  ask(method: string, args: readonly unknown[]): unknown;
  /** A `fetch` that Tenon performs, to the hosts that were granted. */
  readonly fetch: typeof fetch;
}

/** Under Landlock: gives up starting programs, itself included, for all threads, before any code of the pack is there. */
export async function restrictHost(): Promise<void> {
  if (!process.env[GIVE_UP_PROGRAMS]) return;
  const { loadAccelerator } = await import('@tenon/native');
  const sandbox = await loadAccelerator('sandbox');
  sandbox.restrictSelf({ exec: 'off', net: 'off' });
  delete process.env['TENON_ADDON'];
  delete process.env[GIVE_UP_PROGRAMS];
}

/** Opens the channel and answers what Tenon asks: at least `load`, `activate` and `dispose`. */
export function serveHost(answers: (link: HostLink) => Readonly<Record<string, Method>>): void {
  const peer: Peer = new Peer({
    stream: new Socket({ fd: MESSAGES, readable: true, writable: true }),
    limits: HOST_LIMITS,
    maxPending: MAX_PENDING,
    plugin: 'this pack',
    stacks: true,
    method: (name) => ownMethod(methods, name),
    notices: { ping: () => peer.notify('pong', []) },
    onViolation: (_kind, reason) => {
      process.stderr.write(`Error: the connection to Tenon broke: ${reason}\n`);
      process.exit(70);
    },
    // Tenon has ended, or wants no more of this process.
    onClose: () => process.exit(0),
  });
  const ask = createAsker(QUESTIONS, peer, HOST_LIMITS.maxFrameBytes);
  const methods = answers({ peer, ask, fetch: createHostFetch(peer) });
  peer.notify('ready', []);
}
