/** Asks for a line on a terminal that the screen has let go of. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { plainText } from '@tenon/wording';

/** What is asked on. */
export interface LineDesk {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** A question for a yes may be answered in sight; everything else that a login asks for is a secret. */
const SHOWN = /\[y\/n\]\s*$/i;

/** The line that was typed, unseen if it is a secret; empty when the user gave none. */
export function askLine(
  question: string,
  signal: AbortSignal,
  { input, output }: LineDesk = { input: process.stdin, output: process.stdout },
): Promise<string> {
  const isShown = SHOWN.test(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const words = plainText(question);
  if (!isShown) output.write(words);
  const lines = createInterface({ input, output: isShown ? output : nowhere, terminal: true });
  return new Promise((resolve) => {
    const end = (answer: string) => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
      lines.close();
      if (!isShown) output.write('\n');
    };
    const stop = () => end('');
    signal.addEventListener('abort', stop, { once: true });
    // Ctrl-C and Ctrl-D: no answer, and the screen goes on.
    lines.once('SIGINT', stop);
    lines.once('close', () => resolve(''));
    lines.question(isShown ? words : '', end);
  });
}
