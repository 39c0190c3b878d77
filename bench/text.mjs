/** Text: the addon beside its JavaScript twin, on inputs of the sizes that tools meet. */

const RED = '\x1b[31m';
const RESET = '\x1b[0m';

function coloredOutput(lines) {
  const rows = [];
  for (let n = 0; n < lines; n++)
    rows.push(`${RED}error${RESET}: src/file${n % 50}.ts:${n}:7 \x1b[1mexpected\x1b[22m a value, got ${n * 31}\r`);
  return Buffer.from(rows.join('\n'));
}

function plainOutput(lines) {
  const rows = [];
  for (let n = 0; n < lines; n++)
    rows.push(`src/file${n % 50}.ts:${n}:7 expected a value of type number, got ${n * 31}`);
  return Buffer.from(rows.join('\n'));
}

function source(lines) {
  const rows = [];
  for (let n = 0; n < lines; n++)
    rows.push(`  const value${n} = computeSomething(${n * 31}, "text ${n}"); // é ${n % 9 === 0 ? '日本語' : ''}`);
  return rows.join('\n');
}

/** Runs the comparison; see `bench/hashline.mjs` for what `ctx` gives. */
export async function run(ctx) {
  const native = await ctx.load('text', 'native');
  const js = await ctx.load('text', 'js');
  const colored = coloredOutput(60_000);
  const plain = plainOutput(60_000);
  const code = source(20_000);
  const codeBytes = Buffer.from(code);
  const chunk = colored.subarray(0, 8192);
  const screen = source(60);
  const cases = {
    'sanitize 4 MB of coloured output': (text) => text.sanitize(colored),
    'sanitize 4 MB of coloured output, keep styles': (text) => text.sanitize(colored, { keepStyle: true }),
    'sanitize 4 MB of plain output': (text) => text.sanitize(plain),
    'sanitize one 8 kB chunk': (text) => text.sanitize(chunk),
    'wrap 20,000 lines': (text) => text.wrap(code, 60),
    'wrap one screen (60 lines)': (text) => text.wrap(screen, 60),
    'estimate tokens of 1.3 MB of bytes': (text) => text.estimateTokens(codeBytes),
  };
  const rows = [];
  for (const [name, work] of Object.entries(cases)) {
    const ours = await ctx.measure(() => work(native));
    const twin = await ctx.measure(() => work(js));
    rows.push({ case: name, ours, peers: { js: twin }, ratio: twin / ours });
  }
  return { name: 'text', unit: 'ms', rows };
}
