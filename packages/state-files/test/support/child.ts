/** What the tests do in processes of their own. */
import { replaceFile, updateFile, withLock } from '../../src/index.ts';

const [work = '', file = '', text = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const forever = () => new Promise<never>(() => setInterval(() => undefined, 1000));

const works: Readonly<Record<string, () => Promise<void>>> = {
  /** Adds lines to a file, one update each. */
  async append() {
    for (let line = 0; line < Number(text); line++)
      await updateFile(file, (now = '') => `${now}${process.pid}:${line}\n`);
  },
  /** Replaces a file over and over with contents of one repeated letter. */
  async replace() {
    say('started');
    for (let round = 0; ; round++)
      await updateFile(file, () => String.fromCharCode(97 + (round % 26)).repeat(2_000_000));
  },
  /** Holds a lock until it is killed. */
  async hold() {
    await withLock(file, async () => {
      say('held');
      await forever();
    });
  },
  /** Holds a lock and ends as programs do. */
  async exit() {
    await withLock(file, async () => process.exit(0));
  },
  async write() {
    await replaceFile(file, text);
  },
  async lock() {
    await withLock(file, async () => say('locked'));
  },
};

try {
  await works[work]?.();
} catch (fault) {
  say(JSON.stringify(fault));
  process.exitCode = 1;
}
