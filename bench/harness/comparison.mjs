/** The tables of docs/comparison.md, from the results: a page that says where others are ahead must not lag behind. */

/** @typedef {{ label: string, result: string, case: string, unit: string, nothing?: number }} Line values below `nothing` are all the same */

/** What each table shows. A case stands in the results once for all peers, or once for each ("…, beside pi"). */
const TABLES = {
  agent: {
    peers: { pi: 'pi', 'oh-my-pi': 'oh-my-pi' },
    lines: [
      { label: 'start to first request', result: 'agent', case: 'start to first request', unit: ' ms' },
      { label: 'first tool turn', result: 'agent', case: 'first tool turn', unit: ' ms' },
      { label: 'tool turn', result: 'agent', case: 'tool turn', unit: ' ms' },
      {
        label: 'a 100 MB session resumed, to first request',
        result: 'agent',
        case: '100 MB session resumed, to first request',
        unit: ' ms',
      },
      {
        label: 'peak memory of a run with one tool call',
        result: 'agent-memory',
        case: 'peak of a run with one tool call',
        unit: ' MB',
      },
      {
        label: 'memory while waiting in RPC mode',
        result: 'agent-memory',
        case: 'waiting in RPC mode',
        unit: ' MB',
      },
      { label: 'size of the first request', result: 'agent-tokens', case: 'first request', unit: ' tokens' },
    ],
  },
  screen: {
    peers: { 'pi 0.87.1': 'pi 0.87.1', 'codex 0.166.0 inline': 'Codex 0.166, inline' },
    lines: [
      { label: 'bytes written per token', result: 'tui-bytes', case: 'for a token', unit: '' },
      {
        label: 'bytes written when the window gets narrower',
        result: 'tui-bytes',
        case: 'for a narrower window',
        unit: '',
      },
      { label: 'CPU while an answer comes', result: 'tui-cpu', case: 'while an answer comes', unit: ' %' },
      { label: 'CPU at rest', result: 'tui-cpu', case: 'at rest below 1,000 rows', unit: ' %', nothing: 0.1 },
      { label: 'from a key to its letter, median', result: 'tui-echo', case: 'median', unit: ' ms' },
      { label: 'from a key to its letter, slowest', result: 'tui-echo', case: 'slowest', unit: ' ms' },
      { label: 'CPU until a typed letter is shown', result: 'tui', case: 'until a typed letter is shown', unit: ' ms' },
      { label: 'memory at rest after the start', result: 'tui-memory', case: 'at rest after the start', unit: ' MB' },
    ],
  },
};

/**
 * The page with its tables brought up to date.
 * @param {string} page @param {readonly import('./report.mjs').Result[]} results @returns {string}
 */
export function withComparison(page, results) {
  return Object.entries(TABLES).reduce((text, [name, table]) => {
    const block = new RegExp(`(<!-- ${name}: made by \`npm run bench\` -->)[\\s\\S]*?(<!-- end of ${name} -->)`);
    return text.replace(block, (_, begin, end) => `${begin}\n${tableText(table, results)}\n${end}`);
  }, page);
}

function tableText({ peers, lines }, results) {
  const measured = lines.flatMap((line) => {
    const values = valuesOf(line, results);
    return values ? [{ line, values }] : [];
  });
  // A peer of another version has another name in the results.
  const gone = Object.keys(peers).filter((peer) => !measured.some(({ values }) => values[peer] !== undefined));
  if (measured.length > 0 && gone.length > 0)
    throw new Error(`nothing was measured of ${gone.join(', ')}; name the peers anew in bench/harness/comparison.mjs`);
  const rows = measured.map(({ line, values }) => rowText(line, values, peers));
  const { machine, date } = results.find(({ name }) => name === lines[0].result) ?? {};
  const when = machine
    ? `One run on ${date}: ${machine.cores} cores, Node.js ${machine.node.slice(1)}. Smaller is better.\n\n`
    : '';
  return `${when}${[`| | Tenon | ${Object.values(peers).join(' | ')} | best |`, `|---|---|${'---|'.repeat(Object.keys(peers).length + 1)}`, ...rows].join('\n')}`;
}

/** Name -> value, ours below `Tenon`. */
function valuesOf(line, results) {
  const rows = results.find(({ name }) => name === line.result)?.rows ?? [];
  const found = rows.filter((row) => row.case === line.case || row.case.startsWith(`${line.case}, beside `));
  if (found.length === 0) return undefined;
  return { ...Object.assign({}, ...found.map((row) => row.peers)), Tenon: found[0].ours };
}

function rowText({ label, unit, nothing = 0 }, values, peers) {
  const shown = { Tenon: 'Tenon', ...peers };
  const known = Object.keys(shown).filter((name) => values[name] !== undefined);
  const cells = Object.keys(shown).map((name) => {
    if (values[name] === undefined) return 'not measured';
    return values[name] < nothing ? `below ${nothing}${unit}` : `${round(values[name])}${unit}`;
  });
  return `| ${label} | ${cells.join(' | ')} | ${bestOf(known, values, shown, nothing)} |`;
}

/** Whoever needs least; in bold where it is not Tenon. */
function bestOf(known, values, shown, nothing) {
  if (known.every((name) => values[name] < nothing)) return 'all';
  const [best = 'Tenon'] = known.toSorted((a, b) => values[a] - values[b]);
  return best === 'Tenon' ? best : `**${shown[best].split(/[ ,]/)[0]}**`;
}

function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}
