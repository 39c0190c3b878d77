/**
 * A fleet on PostgreSQL: 1,000 runs over 100 slots in 4 processes on 3 network namespaces, of which one is cut off and one host is killed;
 * how long a run waits on an idle fleet, and beside 5,000 that are blocked; limits; a database that crashes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeFleet } from './fleet-world.mjs';

const TABLE = 'tenon_fleet.run';

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const fleet = await makeFleet();
  try {
    log(`hosts ${fleet.isSeparate ? 'in network namespaces' : 'as processes on one network'}`);
    const [one, two] = [await fleet.host('one', { namespace: 1 }), await fleet.host('two', { namespace: 2 })];
    await fleet.host('three', { namespace: 3, labels: 'few' });
    await fleet.host('four', { namespace: 3, labels: 'few' });
    const idle = await latencies(fleet, quick ? 20 : 100);
    log(`idle: p50 ${idle.p50} ms, p99 ${idle.p99} ms`);
    const blocked = await beside(fleet, quick ? 20 : 50);
    log(`beside 5,000 blocked: p50 ${blocked.p50} ms, p99 ${blocked.p99} ms`);
    const limit = await limited(fleet, quick ? 15 : 30);
    log(`limit 3: at most ${limit} at once`);
    const crash = await crashed(fleet, quick ? 60 : 200);
    log(`PostgreSQL crashed twice: ${JSON.stringify(crash)}`);
    const written = await carried(fleet, quick ? 2_000 : 10_000);
    log(`log: ${written.perSecond.toFixed(0)} pieces a second, ${written.p99.toFixed(0)} ms for a batch, 99 of 100`);
    const many = await together(fleet, { one, two }, quick ? 200 : 1_000, log);
    log(JSON.stringify(many));
    return [
      {
        name: 'fleet-wait',
        title: 'A fleet: from asking for a run to its start',
        unit: 'ms',
        rows: [
          row('idle fleet, median', idle.p50, 250),
          row('idle fleet, 99 of 100', idle.p99, 250),
          row('beside 5,000 runs that are blocked by a limit, 99 of 100', blocked.p99, 250),
        ],
      },
      {
        name: 'fleet-recovery',
        title: `A fleet: ${many.runs} runs over 100 slots, one host cut off and one killed`,
        unit: 's',
        note: `${many.held} runs were on the two hosts. ${many.perSecond.toFixed(1)} runs a second over all, ${many.seconds.toFixed(0)} s.`,
        rows: [row('until the last of their runs was another host’s', many.recovery, 15)],
      },
      {
        name: 'fleet-log',
        title: 'A fleet: output that one PostgreSQL takes',
        unit: 'pieces/s',
        note: `Four hosts with 25 workers each write as fast as they can; a batch of 25 pieces took ${written.p99.toFixed(0)} ms, 99 of 100.`,
        rows: [
          {
            case: '200 bytes and an event each',
            ours: written.perSecond,
            peers: { needed: 1_000 },
            ratio: written.perSecond / 1_000,
            target: `≥ 1000, ${written.perSecond >= 1_000 ? 'met' : 'missed'}`,
          },
        ],
      },
      {
        name: 'fleet-exact',
        title: 'A fleet: what must not happen',
        unit: 'count',
        rows: [
          row('runs that did not end, or twice', many.odd, 0),
          row('sessions that began again after their end was stored', many.again, 0),
          row('runs above a limit of 3', Math.max(0, limit - 3), 0),
          row('runs failed or stranded by a crash of PostgreSQL', crash.failed + crash.stranded, 0),
        ],
      },
    ];
  } finally {
    await fleet.close();
  }
}

const row = (name, ours, limit) => ({
  case: name,
  ours,
  peers: { limit },
  ratio: limit === 0 ? ours : ours / limit,
  target: `≤ ${limit}, ${ours <= limit ? 'met' : 'missed'}`,
});

const start = ({ desk }, script, more = {}) =>
  desk.service.start({
    task: 'bench',
    cwd: desk.cwd,
    worker: 'fake',
    queue: 'fleet',
    validate: false,
    options: { script },
    ...more,
  });

/** Starts many, some at a time. */
async function startMany(fleet, times, script) {
  const begun = [];
  for (let left = times; left > 0; left -= 20)
    begun.push(...(await Promise.all(Array.from({ length: Math.min(20, left) }, () => start(fleet, script)))));
  return begun;
}

const count = async ({ desk }, where) =>
  Number((await desk.database.rows(`SELECT count(*) AS n FROM ${TABLE} WHERE ${where}`))[0].n);

async function settled(fleet, where, limitMs) {
  const active = `${where} AND state IN ('queued', 'starting', 'running', 'validating')`;
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(100))
    if ((await count(fleet, active)) === 0) return true;
  return false;
}

/** One run after the other: from the call to the moment that a host records its session. */
async function latencies(fleet, times) {
  const found = [];
  for (let index = 0; index < times; index++) {
    const asked = Date.now();
    const begun = await start(fleet, 'say done');
    for await (const news of fleet.desk.service.follow(begun, { signal: AbortSignal.timeout(60_000) }))
      if (news.type === 'event' && news.event.what.type === 'state' && news.event.what.state === 'starting')
        found.push(Date.parse(news.event.at) - asked);
  }
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(found.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}

async function beside(fleet, times) {
  const { database } = fleet.desk;
  await fleet.desk.limit('account:full', '0');
  await database.transaction((sql) =>
    sql.rows(
      `INSERT INTO ${TABLE} (id, alias, state, created, body, keys)
       SELECT 'blocked' || n, 'blocked' || n, 'queued', '2026', body, '{account:full}' FROM generate_series(1, 5000) AS n, (SELECT body FROM ${TABLE} LIMIT 1) AS b`,
    ),
  );
  const waits = await latencies(fleet, times);
  await database.transaction((sql) => sql.rows(`DELETE FROM ${TABLE} WHERE id LIKE 'blocked%'`));
  return waits;
}

const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

/** The most runs at once that a limit of three has let through. */
async function limited(fleet, times) {
  await fleet.desk.limit('label:few', '3');
  const file = join(fleet.base, 'limited');
  const script = `echo "$(date +%s%N) 1" >>${file}; sleep 0.2; echo "$(date +%s%N) -1" >>${file}; say done`;
  await Promise.all(Array.from({ length: times }, () => start(fleet, script, { labels: ['few'] })));
  await settled(fleet, 'true', 120_000);
  await fleet.desk.limit('label:few', 'none');
  const changes = linesOf(file)
    .map((line) => line.split(' '))
    .sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
  let [now, most] = [0, 0];
  for (const [, change] of changes) most = Math.max(most, (now += Number(change)));
  return most;
}

async function crashed(fleet, times) {
  const begun = await startMany(fleet, times, 'sleep 0.3; say done');
  for (let index = 0; index < 2; index++) {
    await sleep(1_500);
    await fleet.server.crash();
  }
  const isOver = await settled(fleet, 'true', 180_000);
  const states = await fleet.desk.database.rows(
    `SELECT state, count(*) AS n FROM ${TABLE} WHERE id = ANY($1) GROUP BY 1`,
    [begun.map(({ id }) => id)],
  );
  const of = (state) => Number(states.find((entry) => entry.state === state)?.n ?? 0);
  return { done: of('done'), failed: of('failed'), stranded: isOver ? 0 : times - of('done') - of('failed') };
}

/** How much output one database takes: four hosts with 25 workers each, as fast as it goes, in batches as the keeper makes them. */
async function carried(fleet, milliseconds) {
  const template = await start(fleet, 'say done');
  await settled(fleet, 'true', 60_000);
  const delays = [];
  let pieces = 0;
  const host = async (number) => {
    const { store, close } = await fleet.desk.store();
    const ids = Array.from({ length: 25 }, (_, index) => `log-${number}-${index}`);
    for (const id of ids) {
      await store.add({ ...template, id, alias: id, state: 'done' });
      const session = { run: id, number: 1, attempt: 1, reason: 'start', started: template.created };
      await store.change(id, { run: { session: 1 }, begin: session });
    }
    const outputs = [{ stream: 'stdout', text: `${'x'.repeat(199)}\n` }];
    const events = [{ type: 'worker', event: { type: 'text', text: 'x'.repeat(100) } }];
    const ends = performance.now() + milliseconds;
    for (let at = 0; performance.now() < ends; at += 200) {
      const began = performance.now();
      const place = { from: { stdout: at, stderr: 0 }, offsets: { stdout: at + 200, stderr: 0 } };
      await store.take(ids.map((run) => ({ run, session: 1, outputs, events, ...place })));
      delays.push(performance.now() - began);
      pieces += ids.length;
    }
    await close();
  };
  await Promise.all([1, 2, 3, 4].map(host));
  delays.sort((a, b) => a - b);
  return { perSecond: pieces / (milliseconds / 1_000), p99: delays[Math.floor(delays.length * 0.99)] };
}

async function together(fleet, { two }, total, log) {
  const { database, service } = fleet.desk;
  const file = join(fleet.base, 'sessions');
  const script = `echo "$TENON_RUN" >>${file}; sleep 0.2; say done`;
  const began = Date.now();
  const begun = await startMany(fleet, total, script);
  const ids = begun.map(({ id }) => id);
  while ((await count(fleet, `state = 'done' AND created >= '${begun[0].created}'`)) < total / 5) await sleep(50);
  // At a moment when both have much to lose.
  while ((await count(fleet, "owner = 'two'")) < 12) await sleep(10);
  if (fleet.isSeparate) fleet.cut(1, true);
  two.kill('SIGKILL');
  const fell = Date.now();
  const held = (
    await database.rows(`SELECT id FROM ${TABLE} WHERE owner = ANY($1)`, [fleet.isSeparate ? ['one', 'two'] : ['two']])
  ).map(({ id }) => id);
  log(`${held.length} runs are on the hosts that fell`);
  let recovery = Number.NaN;
  for (;;) {
    const left = await count(
      fleet,
      `owner IN (${fleet.isSeparate ? "'one', " : ''}'two') AND id = ANY('{${held.join(',')}}')`,
    );
    const waits = await count(
      fleet,
      `id = ANY('{${held.join(',')}}') AND owner IS NULL AND state IN ('queued', 'starting', 'running')`,
    );
    if (left + waits === 0) {
      recovery = (Date.now() - fell) / 1_000;
      break;
    }
    if (Date.now() - fell > 120_000) break;
    await sleep(50);
  }
  const isOver = await settled(fleet, 'true', 300_000);
  const seconds = (Date.now() - began) / 1_000;
  if (fleet.isSeparate) fleet.cut(1, false);
  const states = await database.rows(`SELECT id, state FROM ${TABLE} WHERE id = ANY($1)`, [ids]);
  const ends = await database.rows(
    `SELECT run, count(*) AS n FROM tenon_fleet.log WHERE run = ANY($1) AND sequence IS NULL AND body LIKE '{"type":"state","state":"done"%' GROUP BY run`,
    [ids],
  );
  const once = new Set(ends.filter(({ n }) => Number(n) === 1).map((entry) => entry.run));
  const odd = states.filter(({ id, state }) => state !== 'done' || !once.has(id)).length + (isOver ? 0 : 1);
  const times = new Map();
  for (const line of linesOf(file)) times.set(line, (times.get(line) ?? 0) + 1);
  let again = 0;
  for (const { id } of begun)
    for (const { number, exitSignal } of (await service.details({ ...begun[0], id, request: begun[0].request }))
      .sessions)
      if (exitSignal !== 'LOST' && (times.get(`${id}:${number}`) ?? 0) > 1) again++;
  return { runs: total, held: held.length, recovery, odd, again, seconds, perSecond: total / seconds };
}
