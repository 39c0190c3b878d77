/** The parts of the bench that turn measurements into what people read. */
import { describe, expect, it } from 'vitest';

import { withComparison } from '../../bench/harness/comparison.mjs';
import { measureCommands, median } from '../../bench/harness/measure.mjs';
import { checkResult, normalizeResult, reportPage } from '../../bench/harness/report.mjs';
import { plot } from '../../bench/plot.mjs';

const machine = { cpu: 'Test <CPU>', cores: 2, memoryGb: 4, kernel: 'Linux 6', node: 'v20', load: 0 };
const result = {
  name: 'sample',
  title: 'A & B',
  unit: 'ms',
  rows: [
    { case: 'fast', ours: 10, peers: { peer: 20 }, ratio: 0.5, target: 0.9 },
    { case: 'slow', ours: 30, peers: { peer: 20, other: 15 }, ratio: 2, target: 1.2 },
  ],
};

describe('the table', () => {
  it('says of every target whether it was met, and names the machine', () => {
    const page = reportPage([{ ...result, machine, date: '2026-01-01' }]);
    expect(page).toContain('| fast | 10 | 20 |  | **0.5** | ≤ 0.9, met |');
    expect(page).toContain('| slow | 30 | 20 | 15 | **2** | ≤ 1.2, missed |');
    expect(page).toContain('Test <CPU>, 2 cores');
  });

  it('beside other agents names the best of each row, and leaves the words around it', () => {
    const page =
      'Before\n<!-- agent: made by `npm run bench` -->\nold\n<!-- end of agent -->\nbetween\n<!-- screen: made by `npm run bench` -->\n<!-- end of screen -->\n';
    const row = (name: string, ours: number, peers: Record<string, number>) => ({ case: name, ours, peers, ratio: 1 });
    const made = (name: string, rows: ReturnType<typeof row>[]) => ({
      ...{ ...result, name, rows },
      ...{ machine, date: '2026-01-01' },
    });
    const text = withComparison(page, [
      made('agent', [row('start to first request', 5, { pi: 7 }), row('tool turn', 8, { pi: 9, 'oh-my-pi': 6 })]),
      made('tui-cpu', [
        row('while an answer comes, beside pi 0.87.1', 4, { 'pi 0.87.1': 30 }),
        row('while an answer comes, beside codex 0.166.0 inline', 4, { 'codex 0.166.0 inline': 3 }),
        row('at rest below 1,000 rows, beside pi 0.87.1', 0, { 'pi 0.87.1': 0.01 }),
      ]),
    ]);
    for (const line of [
      '| start to first request | 5 ms | 7 ms | not measured | Tenon |',
      '| tool turn | 8 ms | 9 ms | 6 ms | **oh-my-pi** |',
      '| CPU while an answer comes | 4 % | 30 % | 3 % | **Codex** |',
      '| CPU at rest | below 0.1 % | below 0.1 % | not measured | all |',
    ])
      expect(text).toContain(line);
    expect(text).not.toContain('old');
    expect(() => withComparison(page, [made('agent', [row('tool turn', 8, { 'pi 2': 9 })])])).toThrow(
      'of pi, oh-my-pi',
    );
    expect(text).toMatch(/^Before\n[\s\S]*<!-- end of agent -->\nbetween\n/);
  });

  it('refuses a result with a value that is no number', () => {
    expect(() => checkResult({ ...result, rows: [{ case: 'x', ours: Number.NaN, peers: {}, ratio: 1 }] })).toThrow(
      '"x"',
    );
    expect(() => checkResult({ ...result, name: 'Not Kebab' })).toThrow('kebab-case');
  });
});

describe('results in other forms', () => {
  it('get a name that can be a file and ratios of one direction', () => {
    const speedUp = {
      name: 'hashline, 4 MB',
      unit: 'ms',
      rows: [{ case: 'x', ours: 10, peers: { js: 80 }, ratio: 8 }],
    };
    const normal = normalizeResult(speedUp, 'hashline');
    expect(normal.name).toBe('hashline');
    expect(normal.title).toBe('hashline, 4 MB');
    expect(normal.rows[0]?.ratio).toBe(0.125);
    expect(normalizeResult(result, 'other')).toEqual({ ...result, module: 'other' });
  });
});

describe('the plot', () => {
  it('draws one bar for each value, in proportion within a case', () => {
    const svg = plot({ ...result, machine });
    const widths = [...svg.matchAll(/<rect x="210" [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]));
    expect(widths).toHaveLength(5);
    const [fastOurs = 0, fastPeer = 0, slowOurs = 0, slowPeer = 0, slowOther = 0] = widths;
    expect(fastOurs / fastPeer).toBeCloseTo(0.5, 2);
    expect(slowPeer / slowOurs).toBeCloseTo(2 / 3, 2);
    expect(slowOther / slowOurs).toBeCloseTo(0.5, 2);
  });

  it('escapes what would break the markup', () => {
    const svg = plot({ ...result, machine });
    expect(svg).toContain('A &amp; B');
    expect(svg).toContain('Test &lt;CPU&gt;');
  });
});

describe('measuring', () => {
  it('takes the middle of an odd and of an even number of values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('fails on a command that fails, instead of counting it as fast', () => {
    const cases = [{ name: 'broken', command: process.execPath, args: ['-e', 'process.exit(3)'] }];
    expect(() => measureCommands(cases, { rounds: 1, warmUp: 0 })).toThrow('broken ended with 3');
  });
});
