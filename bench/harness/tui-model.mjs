/** The fake model in a process of its own, and when it has answered. */
import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), 'tui-server.mjs');

/** @typedef {'FILL' | 'STREAM' | 'ROWS' | 'OK'} Kind */

/** Starts the server. */
export async function startModel() {
  const child = fork(SERVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  /** @type {{ kind: Kind, what: 'begin' | 'end', wake(): void }[]} */
  let waiting = [];
  const port = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.on('message', (message) => {
      if (message.what === 'port') return resolve(message.port);
      const due = waiting.filter(({ kind, what }) => kind === message.kind && what === message.what);
      waiting = waiting.filter((one) => !due.includes(one));
      for (const { wake } of due) wake();
    });
  });
  /** Until the next answer of this kind begins or ends. @param {Kind} kind @param {'begin' | 'end'} what @param {number} patienceMs */
  const next = (kind, what, patienceMs) => {
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting = waiting.filter((one) => one !== entry);
        reject(new Error(`no answer to ${kind} came to its ${what}`));
      }, patienceMs);
      const entry = {
        kind,
        what,
        wake() {
          clearTimeout(timer);
          resolve(undefined);
        },
      };
      waiting.push(entry);
    });
    // Who has given up for another reason does not hear of it any more.
    answer.catch(() => undefined);
    return answer;
  };
  return { url: `http://127.0.0.1:${port}`, next, close: () => child.kill() };
}
