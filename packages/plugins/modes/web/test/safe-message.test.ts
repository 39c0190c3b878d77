/** A session is a file, and a file may hold anything. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { after, loaded, textOf } from '../src/page/state/conversation.ts';
import { safeMessage } from '../src/page/state/safe-message.ts';
import type { SessionView } from '../src/shapes.ts';

const anything = fc.jsonValue({ maxDepth: 3 });
const odd = fc.record(
  {
    role: fc.oneof(fc.constantFrom('user', 'assistant', 'toolResult'), anything),
    content: fc.oneof(
      fc.string(),
      fc.array(
        fc.oneof(
          fc.record(
            { type: fc.constantFrom('text', 'image', 'toolCall', 'thinking'), text: anything, name: anything },
            { requiredKeys: [] },
          ),
          anything,
        ),
      ),
      anything,
    ),
    usage: fc.oneof(fc.record({ cost: fc.oneof(fc.record({ total: anything }), anything) }), anything),
    errorMessage: anything,
    details: anything,
  },
  { requiredKeys: [] },
);

const VIEW: SessionView = {
  id: 's',
  cwd: '/',
  state: { model: '', thinking: '', isStreaming: false, isCompacting: false, queued: 0 },
  total: 0,
  entries: [],
  questions: [],
  at: '',
};

test('whatever a session file holds, the page gets a message that it can show', () => {
  fc.assert(
    fc.property(fc.oneof(odd, anything), (value) => {
      const message = safeMessage(value);
      expect(typeof message.role).toBe('string');
      expect(typeof textOf(message.content ?? '')).toBe('string');
      for (const part of typeof message.content === 'string' ? [] : (message.content ?? [])) {
        expect(typeof part.type).toBe('string');
        for (const text of [part.text, part.thinking, part.name, part.id])
          expect(['string', 'undefined']).toContain(typeof text);
      }
      expect(['number', 'undefined']).toContain(typeof message.usage?.cost?.total);
      const entries = [{ index: 0, message: value as never }];
      const shown = loaded({ ...VIEW, entries, total: 1 });
      const data = { index: 1, message: value };
      expect(after(shown, { type: 'message_end', data }).entries).toHaveLength(2);
      after(shown, { type: 'message_start', data });
      after(shown, { type: 'tool_execution_update', data: { toolCallId: 't', partialResult: value } });
    }),
  );
});

test('a message that is fine is shown as it is; pictures are only pictures', () => {
  const picture = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
  const message = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'x' } },
      picture,
    ],
    usage: { cost: { total: 0.5 } },
  };
  expect(safeMessage(message)).toEqual(message);
  const evil = {
    role: 'user',
    content: [
      { ...picture, mimeType: 'image/svg+xml' },
      { ...picture, mimeType: 'text/html' },
    ],
  };
  expect(safeMessage(evil).content).toEqual([]);
});
