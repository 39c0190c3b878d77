/** Hashline: the addon beside its JavaScript twin and a diff-style line splice, on a file of 100,000 lines. */

const LINES = 100_000;
const EDITS = 50;

/** Source-like text: indented, of mixed length, with closing braces and blank lines between. */
export function sampleFile(lines = LINES) {
  const rows = [];
  for (let n = 0; n < lines; n++) {
    const indent = '  '.repeat(n % 4);
    if (n % 7 === 6) rows.push(`${indent}}`);
    else if (n % 11 === 10) rows.push('');
    else rows.push(`${indent}const value${n} = compute(${n * 31}, "${'text '.repeat(n % 5)}");`);
  }
  return Buffer.from(`${rows.join('\n')}\n`);
}

/** A patch of replacements spread over the whole file. */
function samplePatch(hashline, file) {
  const rows = hashline.format(file).toString('latin1').split('\n');
  const anchors = rows.slice(0, -1).map((row) => row.slice(0, row.indexOf('|')));
  const step = Math.floor(anchors.length / EDITS);
  const parts = ['@@ sample.ts'];
  for (let at = step >> 1; at < anchors.length; at += step)
    parts.push(`= ${anchors[at]}..${anchors[at]}`, `~edited(${at});`);
  return parts.join('\n');
}

/** Runs the comparison. `ctx.measure(fn)` gives the median milliseconds of one call; `ctx.load(name, kind)` an accelerator. */
export async function run(ctx) {
  const native = await ctx.load('hashline', 'native');
  const js = await ctx.load('hashline', 'js');
  const file = sampleFile();
  const patch = samplePatch(js, file);
  const parsed = js.parse(patch);
  if (!parsed.ok) throw new Error(parsed.message);
  const [section] = parsed.sections;
  const drifted = Buffer.concat([Buffer.from('// added above\n'), file, Buffer.from('// added below\n')]);
  const small = file.subarray(0, file.indexOf('value500 '));
  const apply = (hashline, content, options) => {
    const result = hashline.apply(content, section, options);
    if (!result.ok) throw new Error(result.message);
    return result;
  };
  if (!apply(native, file).content.equals(apply(js, file).content)) throw new Error('the twins disagree');

  const cases = {
    'hash all lines': (hashline) => hashline.hashLines(file),
    'show all lines with anchors': (hashline) => hashline.format(file),
    [`apply ${EDITS} edits`]: (hashline) => apply(hashline, file),
    [`apply ${EDITS} edits into one buffer`]: (hashline) => apply(hashline, file).content,
    'hash + apply': (hashline) => [hashline.hashLines(file), apply(hashline, file)],
    [`apply ${EDITS} edits, file drifted, by snapshot`]: (hashline) => apply(hashline, drifted, { snapshot: file }),
    'read the patch': (hashline) => hashline.parse(patch),
    'show 500 lines': (hashline) => hashline.format(small),
  };
  const rows = [];
  for (const [name, work] of Object.entries(cases)) {
    const ours = await ctx.measure(() => work(native));
    const twin = await ctx.measure(() => work(js));
    rows.push({ case: name, ours, peers: { js: twin }, ratio: twin / ours });
  }
  return {
    name: `hashline, ${LINES.toLocaleString('en')} lines, ${(file.length / 1e6).toFixed(1)} MB`,
    unit: 'ms',
    rows,
  };
}
