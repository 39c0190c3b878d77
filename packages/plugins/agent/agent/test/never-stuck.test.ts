/** Conversations of any shape in small windows: whatever was said before, a prompt that fits alone is sent whole and answered. */
import { readFileSync } from 'node:fs';
import { COUNTERS, REFUSERS } from '@tenon/model-fakes';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../src/api.ts';
import { COUNTER_NAMES, REFUSER_NAMES, type Served, windowedWorld } from './support/windowed-world.ts';

type World = Awaited<ReturnType<typeof windowedWorld>>;
let world: World;
/** What the tool `cat` gives. */
let output = '';
beforeAll(async () => void (world = await windowedWorld(() => output)));

/** Texts that tokenizers see differently. */
const TEXTS = {
  prose: (at: number) => `the bridge over river ${at % 7} is long and old, `,
  digits: (at: number) => `word${at} `,
  code: (at: number) => `if (a[${at}] !== b) { return c(${at}); }\n`,
  Chinese: (at: number) => `第${at}座桥很长，也很旧。`,
} as const;

/** A text of about so many tokens, and no more; it begins with a mark that nothing else has. */
function textOf(kind: keyof typeof TEXTS, tokens: number, counter: Served['counter'], mark: string): string {
  const count = COUNTERS[counter];
  let text = mark;
  for (let at = 0; ; at++) {
    const longer = text + TEXTS[kind](at);
    if (count(longer) > tokens) return text;
    text = longer;
  }
}

const kind = fc.constantFrom(...(Object.keys(TEXTS) as (keyof typeof TEXTS)[]));
const step = fc.record({
  kind,
  /** The part of the room for a lone prompt that it takes; more than one does not fit. */
  size: fc.oneof(
    { weight: 5, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
    { weight: 2, arbitrary: fc.double({ min: 0.4, max: 1, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 1.2, max: 4, noNaN: true }) },
  ),
  /** How much of the window the answer would take; what is too long is cut off. */
  answer: fc.double({ min: 0, max: 0.6, noNaN: true }),
  /** How much of the window the output of a tool takes that the model calls first. */
  output: fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { freq: 3, nil: undefined }),
  /** Whether the session is opened again before. */
  isReopened: fc.boolean(),
});

const conversation = fc.record({
  window: fc.integer({ min: 1_000, max: 16_000 }),
  refuser: fc.constantFrom(...REFUSER_NAMES),
  counter: fc.constantFrom(...COUNTER_NAMES),
  ignoresTools: fc.boolean(),
  steps: fc.array(step, { minLength: 2, maxLength: 7 }),
});

/** The least room for an answer that requests ask for, and what templates add to a message. */
const roomForAnswer = (window: number) => Math.ceil(window / 8) + 40;

const lastAnswer = (events: readonly AgentEvent[]) => {
  const end = events.findLast(({ type }) => type === 'agent_end');
  const last = end?.type === 'agent_end' ? end.messages.at(-1) : undefined;
  return last?.role === 'assistant' ? last : undefined;
};

describe('a session in a small window', () => {
  it('answers every prompt that fits alone, whatever the server counts, says and cuts off', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async ({ window, refuser, counter, ignoresTools, steps }) => {
        let answer = '';
        let isCalled = true;
        const server: Served = {
          window,
          refuser,
          counter,
          ignoresTools,
          answer: () => answer,
          call: ({ body }) => {
            // Summaries are asked for without tools.
            if (isCalled || !Array.isArray(body['tools'])) return undefined;
            isCalled = true;
            return { name: 'cat' };
          },
        };
        const overhead = await world.overhead({ ...server, call: () => undefined });
        const strict = 'isStrict' in REFUSERS[refuser] ? roomForAnswer(window) : 0;
        // Parts that are counted one by one are rounded one by one.
        const alone = window - overhead - strict - 4;
        world.serve(server);
        let { agent, session, events } = await world.open();
        const prompts: string[] = [];
        for (const [index, made] of steps.entries()) {
          if (made.isReopened && index > 0) {
            await agent.dispose();
            ({ agent, session, events } = await world.open(session.file));
          }
          const hasTool = made.output !== undefined && made.size < 0.4;
          isCalled = !hasTool;
          output = textOf(made.kind, (made.output ?? 0) * window, counter, 'OUTPUT ');
          answer = textOf(made.kind, made.answer * window, counter, `Answer ${index}: `);
          const prompt = textOf(made.kind, Math.floor(made.size * alone), counter, `<${index}> `);
          const fits = COUNTERS[counter](prompt) <= alone;
          prompts.push(prompt);
          world.accepted.length = 0;
          await agent.prompt(prompt);
          const message = lastAnswer(events);
          if (fits) {
            expect(message?.stopReason, `${index}: ${message?.errorMessage}`).toMatch(/^(?:stop|length)$/);
            const turns = world.accepted.filter(({ body }) => Array.isArray(body['tools']));
            expect(turns.length, `${index}`).toBeGreaterThan(0);
            for (const { body } of turns) expect(textsIn(body).includes(prompt), `${index}: sent whole`).toBe(true);
          } else expect(message?.stopReason, `${index}`).toBe('error');
        }
        await agent.dispose();
        // Nothing that was said is lost.
        const file = readFileSync(session.file ?? '', 'utf8');
        for (const prompt of prompts) expect(file.includes(JSON.stringify(prompt).slice(1, -1))).toBe(true);
      }),
      { numRuns: caseCount(40) },
    );
  });
});

function textsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textsIn).join('\n');
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsIn).join('\n') : '';
}
