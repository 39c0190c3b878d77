import { TenonError } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { builtinModes } from '../src/edit/modes.ts';
import { inputFor, MODES } from './edit-corpus/editor.ts';
import { Random } from './edit-corpus/random.ts';

function world(r: Random): string[] {
  const style = r.below(5);
  const out: string[] = [];
  const words = ['alpha', 'beta', 'gamma', 'delta'];
  const n = 1 + r.below(6);
  for (let i = 0; i < n; i++) {
    const name = style === 0 ? words[r.below(2)] : `${words[r.below(4)]}${r.below(style === 1 ? 2 : 40)}`;
    if (r.below(5) === 0) out.push('// section');
    out.push(`function ${name}() {`);
    const body = 1 + r.below(5);
    for (let j = 0; j < body; j++) {
      const k = r.below(6);
      if (k === 0) out.push('  if (ok) {', `    ${r.pick(words)}();`, '  }');
      else if (k === 1) out.push('  return null;');
      else if (k === 2) out.push('');
      else if (k === 3) out.push(`  log("${r.pick(words)}");`);
      else out.push(`  ${r.pick(words)} = ${r.below(style === 2 ? 3 : 50)};`);
    }
    out.push('}');
    if (r.below(3)) out.push('');
    if (r.below(5) === 0) {
      // a whole block repeated already
      const len = Math.min(out.length, 3 + r.below(6));
      out.push(...out.slice(-len));
    }
  }
  return out;
}
let fresh = 0;
type Op = { kind: 'ins'; at: number; texts: string[] } | { kind: 'del'; at: number; n: number } | { kind: 'chg'; at: number; text: string };
function draw(texts: string[], T: number, r: Random, log: string[]): Op | undefined {
  const kinds = process.env['WALK_KINDS'] ? [0, 3, 5, 6] : [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const kind = r.pick(kinds);
  const at = r.below(texts.length + 1);
  const near = T >= 0 && r.below(2) ? Math.max(0, Math.min(texts.length, T + r.below(15) - 7)) : at;
  switch (kind) {
    case 0: case 1: { const c = 1 + r.below(3); log.push(`insert ${c}@${near}`); return { kind: 'ins', at: near, texts: Array.from({ length: c }, () => `  fresh${fresh++}();`) }; }
    case 2: { if (near >= texts.length) return; const n = Math.min(texts.length - near, 1 + r.below(3)); log.push(`delete ${n}@${near}`); return { kind: 'del', at: near, n }; }
    case 3: case 4: { const row = texts[near]; if (row === undefined) return; log.push(`change@${near}`); return { kind: 'chg', at: near, text: `${row} // c${fresh++}` }; }
    default: {
      const len = 1 + r.below(8);
      const from = Math.max(0, Math.min(texts.length - len, (T >= 0 ? T : near) - r.below(len + 2)));
      const copy = texts.slice(from, from + len);
      if (kind < 8) { log.push(`copy ${len}@${from} beside`); return { kind: 'ins', at: from + copy.length, texts: copy }; }
      log.push(`copy ${len}@${from} to ${at}`);
      return { kind: 'ins', at, texts: copy };
    }
  }
}
function same(a: string[], b: string[]) { return a.length === b.length && a.every((x, i) => x === b[i]); }
/** All placements of an op that give the same text. */
function placements(texts: string[], op: Op): { after: string[]; ats: number[] } {
  if (op.kind === 'chg') { const after = [...texts]; after[op.at] = op.text; return { after, ats: [op.at] }; }
  if (op.kind === 'ins') {
    const after = [...texts.slice(0, op.at), ...op.texts, ...texts.slice(op.at)];
    const n = op.texts.length;
    const ats = [];
    for (let q = 0; q <= texts.length; q++) if (same([...after.slice(0, q), ...after.slice(q + n)], texts)) ats.push(q);
    return { after, ats };
  }
  const after = [...texts.slice(0, op.at), ...texts.slice(op.at + op.n)];
  const ats = [];
  for (let q = 0; q + op.n <= texts.length; q++) if (same([...texts.slice(0, q), ...texts.slice(q + op.n)], after)) ats.push(q);
  return { after, ats };
}
it('walk', async () => {
  const hashline = await loadAccelerator('hashline');
  const modes = builtinModes(async () => hashline);
  const base = Number(process.env['WALK_SEED'] ?? Date.now() % 1e9);
  const N = Number(process.env['WALK_N'] ?? 2000);
  const tally: Record<string, number> = {};
  const bad: string[] = [];
  for (let c = 0; c < N; c++) {
    const r = new Random((base + c * 7919) >>> 0);
    for (let i = 0; i < 5; i++) r.below(10);
    const before = world(r);
    if (before.length < 3) continue;
    const start = r.below(before.length);
    const kind = r.below(4);
    const len = kind === 2 ? 0 : Math.min(before.length - start, 1 + r.below(4));
    const lines = kind === 1 ? [] : Array.from({ length: 1 + r.below(3) }, (_, i) => `  EDIT${i}();`);
    const hunks = [{ start, end: start + len, lines }];
    const edit = { id: String(c), source: { path: 'a.ts', language: 'typescript', text: '' } as never, kind: 'x', before, hunks };
    const log: string[] = [];
    const steps = 1 + r.below(4);
    let texts = [...before];
    // all identity assignments
    let worlds: (number | undefined)[][] = [before.map((_, i) => i)];
    let T = start;
    for (let i = 0; i < steps; i++) {
      const op = draw(texts, T, r, log);
      if (!op) continue;
      const { after, ats } = placements(texts, op);
      const next = new Map<string, (number | undefined)[]>();
      for (const w of worlds) for (const q of ats) {
        const v = op.kind === 'chg' ? w.map((x, i) => (i === op.at ? undefined : x)) : op.kind === 'ins' ? [...w.slice(0, q), ...op.texts.map(() => undefined), ...w.slice(q)] : [...w.slice(0, q), ...w.slice(q + op.n)];
        next.set(v.join(), v);
        if (next.size > 400) break;
      }
      worlds = [...next.values()];
      texts = after;
      T = worlds[r.below(worlds.length)]!.indexOf(start);
    }
    const join = (l: string[]) => l.map((x) => `${x}\n`).join('');
    const truths = new Set<string>();
    let lost = false;
    for (const ids of worlds) {
      if (len > 0) {
        const at = ids.indexOf(start);
        let ok = at >= 0;
        for (let i = 0; i < len; i++) { if (ids[at + i] !== start + i) ok = false; if (!ids.includes(start + i)) lost = true; }
        if (ok) truths.add(join([...texts.slice(0, at), ...lines, ...texts.slice(at + len)]));
      } else {
        const above = start === 0 ? -1 : ids.indexOf(start - 1);
        if (start > 0 && above < 0) { lost = true; continue; }
        truths.add(join([...texts.slice(0, above + 1), ...lines, ...texts.slice(above + 1)]));
        if (ids.includes(start)) truths.add(join([...texts.slice(0, ids.indexOf(start)), ...lines, ...texts.slice(ids.indexOf(start))]));
        const below = ids.indexOf(start);
        if (start > 0 && below >= 0 && below !== above + 1) truths.delete(join([...texts.slice(0, below), ...lines, ...texts.slice(below)]));
      }
    }
    const content = join(texts);
    for (const mode of MODES) {
      let input;
      try { input = inputFor(mode, edit, 'a.ts', hashline); } catch { continue; }
      const file = { path: '/a.ts', shownPath: 'a.ts', content: Buffer.from(content), seen: [Buffer.from(join(before))] };
      let actual: string | undefined;
      try {
        const plan = await modes[mode]?.plan(input, { session: 's', cwd: '/', file: async () => file, shown: () => {} } as never);
        const after = plan?.edits[0]?.after;
        actual = after === undefined ? undefined : typeof after === 'string' ? after : Array.isArray(after) ? Buffer.concat(after as Uint8Array[]).toString() : Buffer.from(after as Uint8Array).toString();
      } catch (e) { if (!(e instanceof TenonError)) throw e; }
      if (start === 0 && len === 0) continue;
      const o = actual === undefined ? 'refused' : !truths.has(actual) ? (truths.size === 0 ? 'gone' : 'wrong') : truths.size > 1 ? 'ambiguous' : lost ? 'doubt' : 'exact';
      const k = `${mode} ${o}`;
      tally[k] = (tally[k] ?? 0) + 1;
      if (o !== 'exact' && o !== 'refused') bad.push([`##### case ${c} ${mode} ${o} ${log.join('; ')} hunk ${start}..${start + len}`, '--before', before.map((x, i) => `${i}${i >= start && i < start + len ? '>' : '|'}${x}`).join('\n'), '--now', texts.map((x, i) => `${worlds.slice(0, 3).map((w) => w[i] ?? '-').join(' ')}|${x}`).join('\n'), '--actual', actual, ''].join('\n'));
    }
  }
  writeFileSync('/tmp/x2/edit-bad.txt', bad.join('\n'));
  console.log('seed', base, JSON.stringify(tally, null, 1), bad.length);
  expect(true).toBe(true);
}, 3_000_000);
