/** A stream means the same wherever it is cut: followers, restarts and slow disks cut it anywhere. */
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorkerAdapter, WorkerEvent } from '../src/api.ts';
import { adapter as aider } from '../src/adapters/aider.ts';
import { adapter as amp } from '../src/adapters/amp.ts';
import { adapter as claude } from '../src/adapters/claude.ts';
import { adapter as cline } from '../src/adapters/cline.ts';
import { adapter as codex } from '../src/adapters/codex.ts';
import { adapter as cursor } from '../src/adapters/cursor-agent.ts';
import { adapter as forge } from '../src/adapters/forge.ts';
import { adapter as gemini } from '../src/adapters/gemini.ts';
import { adapter as kimi } from '../src/adapters/kimi.ts';
import { adapter as opencode } from '../src/adapters/opencode.ts';
import { adapter as pi } from '../src/adapters/pi.ts';
import { adapter as tenon } from '../src/adapters/tenon.ts';
import { genericEventParser } from '../src/parsing/generic-events.ts';
import { textParser } from '../src/parsing/text-parser.ts';
import { play, recording, recordingsOf } from './playing.ts';

type Parsing = Pick<WorkerAdapter, 'parser'>;
type Pieces = (readonly ['stdout' | 'stderr', string])[];

const CLIS: readonly (readonly [string, Parsing])[] = [
  ['amp', amp],
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
  ['kimi', kimi],
  ['opencode', opencode],
  ['pi', pi],
  ['pi-new', pi],
];
const OTHERS: readonly (readonly [string, Parsing])[] = [
  ['tenon', tenon],
  ['aider', aider],
  ['cline', cline],
  ['cursor-agent', cursor],
  ['forge', forge],
  ['text', { parser: (context) => textParser(context, { banners: [/^Warning/], errors: [/Error/] }) }],
  ['generic', { parser: (context) => genericEventParser(context) }],
];

/** Cuts each piece at the places, which are parts of its length. */
function cutAt(pieces: Pieces, places: readonly number[]): Pieces {
  return pieces.flatMap(([stream, text]) => {
    const cuts = [0, ...places.map((place) => Math.floor(place * text.length)).sort((a, b) => a - b), text.length];
    return cuts.slice(1).map((end, index) => [stream, text.slice(cuts[index], end)] as const);
  });
}

/** Replaces the value at a path of positions. */
function changeAt(value: unknown, [step = 0, ...more]: readonly number[], by: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return;
  const members = value as Record<string, unknown>;
  if (more.length === 0 || typeof members[key] !== 'object') members[key] = by;
  else changeAt(members[key], more, by);
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 40 });

describe('the same events and the same outcome come of a stream that is cut anywhere', () => {
  it.each(CLIS)('in every recording of %s', async (cli, parsing) => {
    for (const name of recordingsOf(cli)) {
      const { stdout, stderr, exit } = recording(cli, name);
      const whole: Pieces = [
        ['stdout', stdout],
        ['stderr', stderr],
      ];
      const expected = await play(parsing, whole, exit);
      await fc.assert(
        fc.asyncProperty(places, async (cuts) => {
          expect(await play(parsing, cutAt(whole, cuts), exit)).toEqual(expected);
        }),
        { numRuns: caseCount(15) },
      );
    }
  });

  const line = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        type: fc.constantFrom('result', 'error', 'message_end', 'item.completed', 'assistant', 'tool_use'),
        message: fc.jsonValue(),
      })
      .map((event) => JSON.stringify(event)),
    fc.constantFrom('Error: 429', 'Warning: x', '{"usage":{"input_tokens":1,"output_tokens":2}}', '{"broken', '\r', ''),
  );
  const noise = fc.array(
    fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), line, fc.constantFrom('\n', '\r\n')),
    { maxLength: 12 },
  );

  it.each([...CLIS.filter(([name]) => name !== 'pi-new'), ...OTHERS])(
    'in anything at all, which the parser of %s survives',
    async (_name, parsing) => {
      await fc.assert(
        fc.asyncProperty(noise, places, fc.constantFrom(0, 1, 41, 137, 173), async (lines, cuts, code) => {
          const whole: Pieces = lines.map(([stream, text, end]) => [stream, text + end]);
          expect(await play(parsing, cutAt(whole, cuts), { code })).toEqual(await play(parsing, whole, { code }));
        }),
        { numRuns: caseCount(150) },
      );
    },
  );

  const strange = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(1e300, -1, '', '--flag', { __proto__: null }, [null], 'constructor'),
  );

  it.each(CLIS.filter(([name]) => name !== 'amp'))(
    'also when any value of an event of %s is another one',
    async (cli, parsing) => {
      const streams = recordingsOf(cli).map((name) =>
        recording(cli, name)
          .stdout.split('\n')
          .filter((text) => text !== ''),
      );
      const lines = streams
        .flat()
        .filter((text) => text.startsWith('{'))
        .map((text) => JSON.parse(text) as unknown);
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
          strange,
          async (which, path, value) => {
            const event: unknown = structuredClone(lines[which % lines.length]);
            changeAt(event, path, value);
            const outcome = (await play(parsing, [['stdout', `${JSON.stringify(event)}\n`]], { code: 0 })).outcome;
            expect(() => structuredClone(outcome)).not.toThrow();
            for (const count of Object.values(outcome.usage)) expect(count).toBeGreaterThanOrEqual(0);
          },
        ),
        { numRuns: caseCount(400) },
      );
    },
  );

  it('and nothing that a CLI writes makes messages and names that could drive a terminal', async () => {
    const hostile = '\u001b]52;c;aGk=\u0007\u001b[2J';
    const events: WorkerEvent[] = [];
    const take = async (parsing: Parsing, text: string) =>
      events.push(
        ...(
          await play(
            parsing,
            [
              ['stdout', text],
              ['stderr', `${hostile}x\n`],
            ],
            { code: 1 },
          )
        ).events,
      );
    await take(claude, `${JSON.stringify({ type: 'result', is_error: true, result: `${hostile}bad` })}\n`);
    await take(codex, `${JSON.stringify({ type: 'turn.failed', error: { message: `${hostile}bad` } })}\n`);
    await take(gemini, `${JSON.stringify({ type: 'tool_use', tool_name: `${hostile}bad`, tool_id: '1' })}\n`);
    await take(tenon, '');
    const shown = events.flatMap((event) =>
      'message' in event ? [event.message] : 'name' in event ? [event.name ?? ''] : [],
    );
    expect(shown.length).toBeGreaterThan(3);
    // oxlint-disable-next-line no-control-regex -- controls are what is looked for
    for (const text of shown) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});
