/** Asks for a line on a terminal that the screen has let go of. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { AskOptions } from '@tenon/command-line/api';
import { plainText } from '@tenon/wording';

/** What is asked on. */
export interface LineDesk {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** The line that was typed, unseen if it is a secret; empty when the user gave none. */
export function askLine(
  question: string,
  signal: AbortSignal,
  { secret = false }: AskOptions = {},
  { input, output }: LineDesk = { input: process.stdin, output: process.stdout },
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const words = plainText(question);
  const lines = createInterface({ input, output: secret ? nowhere : output, terminal: true, historySize: 0 });
  // Only now is nothing shown that is typed.
  if (secret) output.write(words);
  return new Promise((resolve) => {
    const end = (answer: string) => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
      lines.close();
      if (secret) output.write('\n');
    };
    const stop = () => end('');
    signal.addEventListener('abort', stop, { once: true });
    // Ctrl-C and Ctrl-D: no answer, and the screen goes on.
    lines.once('SIGINT', stop);
    lines.once('close', () => resolve(''));
    lines.question(secret ? '' : words, end);
  });
}
