/** Plays the cases, inside of a network that has only loopback. `node inside.mjs ORDER`. */
import { readFileSync, writeFileSync } from 'node:fs';

import { CASES } from './cases.mjs';
import { CLIS, keyFor } from './clis.mjs';
import { ScriptedModel } from './model.mjs';
import { World } from './world.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const { clis, cases, results: file } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

const results = [];
for (const [name, found] of Object.entries(clis))
  for (const id of cases) {
    const started = Date.now();
    const result =
      found.bin === undefined
        ? { outcome: 'not possible', faults: [found.reason], notes: [] }
        : await play(name, found, id);
    results.push({ cli: name, version: found.version ?? '', case: id, ...result });
    say(
      `${result.outcome === 'ok' ? 'ok     ' : result.outcome} ${name} ${id} (${Math.round((Date.now() - started) / 1000)} s)`,
    );
    for (const fault of result.faults) say(`          ${fault}`);
    writeFileSync(file, JSON.stringify(results));
  }

async function play(name, { bin }, id) {
  const cli = CLIS[name];
  const impossible = cli.impossible?.[id];
  if (impossible !== undefined) return { outcome: 'not possible', faults: [impossible], notes: [] };
  const model = await ScriptedModel.start();
  const world = new World({ bin, env: {} });
  const url = id === 'sandbox' && cli.goesAroundProxy ? model.outsideUrl : model.url;
  Object.assign(world.env, cli.setUp(world, url), id === 'failover' ? {} : { [cli.keyVariable]: keyFor(name, 'good') });
  const [faults, notes] = [[], []];
  const check = (what, holds, seen) => {
    if (!holds) faults.push(`not so: ${what}${seen === undefined ? '' : ` (${show(seen)})`}`);
  };
  try {
    await CASES[id].play({
      cli,
      name,
      bin,
      world,
      model,
      host: new URL(url).host,
      check,
      note: (text) => notes.push(text),
    });
  } catch (fault) {
    faults.push(fault instanceof Error ? fault.message : String(fault));
  } finally {
    if (process.env.TENON_REAL_KEEP === undefined) await world.close();
    else say(`kept: ${world.folder}`);
    await model.close();
  }
  return { outcome: faults.length === 0 ? 'ok' : 'differs', faults, notes };
}

/** What was seen, for people. */
function show(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 1_200 ? `${text.slice(0, 1_200)}…` : text;
}
