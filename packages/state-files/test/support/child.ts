/** What the tests do in processes of their own. */
import { inTransaction, openDatabase, replaceFile, updateFile, withLock } from '../../src/index.ts';

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
  /** Writes, under a lock, more than a file may hold. */
  async outgrow() {
    await withLock(file, async () => {
      await replaceFile(file, 'x'.repeat(Number(text))).catch(({ message }: Error) => say(message));
    });
  },
  /** Holds a lock and ends as programs do. */
  async exit() {
    await withLock(file, async () => process.exit(0));
  },
  /** Opens a database, which may not be there yet, and adds rows to it, each counted from the last. */
  async count() {
    const db = await openDatabase(file, { migrations: ['CREATE TABLE counts (n INTEGER PRIMARY KEY)'] });
    for (let row = 0; row < Number(text); row++)
      inTransaction(db, () => {
        const last = db.prepare<{ n: number | null }>('SELECT max(n) AS n FROM counts').get()?.n ?? 0;
        db.prepare('INSERT INTO counts (n) VALUES (?)').run(last + 1);
      });
    db.close();
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
