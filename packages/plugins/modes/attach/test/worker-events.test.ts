import type { AgentEvent } from '@tenon/agent/api';
import type { WorkerEvent } from '@tenon/workers/api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkerEvents } from '../src/worker-events.ts';

const text = fc.string({ maxLength: 8 });
const anyEvent: fc.Arbitrary<WorkerEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const), text, delta: fc.boolean() }),
  fc.record({ type: fc.constant('tool-start' as const), id: fc.constantFrom('a', 'b'), name: text }),
  fc.record({
    type: fc.constant('tool-end' as const),
    id: fc.constantFrom('a', 'b'),
    isError: fc.boolean(),
    output: text,
  }),
  fc.record({ type: fc.constant('error' as const), fault: fc.constant('other' as const), message: text }),
  fc.record({ type: fc.constant('warning' as const), message: text }),
);

test('property: whatever a worker says, its words come through whole and in order, in answers that begin and end', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (said) => {
      const told: AgentEvent[] = [];
      const events = new WorkerEvents((event) => told.push(event));
      const lines = said.map((event) => events.take(event));
      events.endAll();
      let isOpen = false;
      const words: string[] = [];
      for (const event of told) {
        if (event.type === 'message_start' || event.type === 'message_end') {
          expect(isOpen).toBe(event.type === 'message_end');
          isOpen = !isOpen;
        }
        if (event.type !== 'message_update') continue;
        expect(isOpen).toBe(true);
        const { assistantMessageEvent: part } = event;
        if (part.type === 'text_delta' || part.type === 'thinking_delta') words.push(part.delta);
      }
      expect(isOpen).toBe(false);
      expect(words).toEqual(said.flatMap((event) => ('text' in event ? [event.text] : [])));
      const ends = told.filter(({ type }) => type === 'tool_execution_end').length;
      expect(ends).toBe(said.filter(({ type }) => type === 'tool-end').length);
      expect(lines.filter((line) => line?.kind === 'error').length).toBe(
        said.filter(({ type }) => type === 'error').length,
      );
      expect(told.at(-1)).toMatchObject({ type: 'agent_end' });
    }),
  );
});
