/** Notifications of the desktop. They only tell. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInPath } from '@tenon/host';
import type { ChannelKind } from '../channel.ts';
import { ChannelFault } from '../http/fault.ts';
import { plainBlocks } from '../message/written.ts';

const LIMIT = 400;
const TIMEOUT_MS = 10_000;
/** The words are arguments: nothing in them is read as a script. */
const SCRIPT = [
  '-e',
  'on run argv',
  '-e',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  '-e',
  'end run',
];

/** The desktop of this machine. */
export const desktop: ChannelKind = {
  open: async ({ env }) => ({
    limit: LIMIT,
    size: (blocks) => plainBlocks(blocks).length,
    maxChoices: 0,
    maxMessages: 1,
    takesText: false,
    async send({ key, title = 'Tenon', blocks, what }, signal) {
      // Nobody needs to hear that a question is over.
      if (what === 'settle') return key;
      const text = plainBlocks(blocks);
      const [program, args] = commandOf(env, title, text);
      try {
        await promisify(execFile)(program, args, { timeout: TIMEOUT_MS, signal, env });
      } catch (fault) {
        signal.throwIfAborted();
        const { stderr, code } = fault as { readonly stderr?: string; readonly code?: unknown };
        throw new ChannelFault(`the desktop did not show it: ${stderr?.trim() || String(code)}`, 'never');
      }
      return key;
    },
  }),
};

function commandOf(env: NodeJS.ProcessEnv, title: string, text: string): [string, string[]] {
  const mac = process.platform === 'darwin' ? findInPath('osascript', env) : undefined;
  if (mac !== undefined) return [mac, [...SCRIPT, title, text]];
  const notify = findInPath('notify-send', env);
  if (notify === undefined)
    throw new ChannelFault('there is no notify-send here (package libnotify-bin), nor osascript', 'never');
  // Some desktops read the text as markup.
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [notify, ['--app-name=Tenon', '--', title, plain]];
}
