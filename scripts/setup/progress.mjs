/**
 * Says on stderr what set-up is doing and for how long, as plain lines or, on a terminal, as one line that counts.
 */

/** @typedef {{ say(text: string): void, step<T>(title: string, work: (say: (text: string) => void) => Promise<T>): Promise<T> }} Progress */

const TICK_MS = 1000;
const QUIET_TICKS = 15;

/** @param {{ stream?: NodeJS.WriteStream, quiet?: boolean }} [options] @returns {Progress} */
export function createProgress({ stream = process.stderr, quiet = false } = {}) {
  const live = Boolean(stream.isTTY) && process.env.TERM !== 'dumb';
  const running = new Map();
  let drawn = false;

  const clear = () => {
    if (drawn) stream.write('\r\x1b[2K');
    drawn = false;
  };
  const draw = () => {
    if (!live || running.size === 0) return;
    const text = [...running].map(([title, started]) => `${title} ${seconds(started)}`).join(', ');
    const width = (stream.columns || 80) - 1;
    stream.write(`\r\x1b[2K${`tenon set-up: ${text} …`.slice(0, width)}`);
    drawn = true;
  };
  const say = (text) => {
    if (quiet) return;
    clear();
    for (const line of text.split('\n')) stream.write(`tenon set-up: ${line}\n`);
    draw();
  };

  return {
    say,
    async step(title, work) {
      const started = Date.now();
      running.set(title, started);
      say(`${title} …`);
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
        if (!quiet && live) draw();
        else if (!quiet && ticks % QUIET_TICKS === 0) say(`${title}: still at it after ${seconds(started)}`);
      }, TICK_MS);
      try {
        const result = await work((text) => say(`${title}: ${text}`));
        running.delete(title);
        say(`${title}: done in ${seconds(started)}`);
        return result;
      } finally {
        running.delete(title);
        clearInterval(timer);
        clear();
      }
    },
  };
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}
