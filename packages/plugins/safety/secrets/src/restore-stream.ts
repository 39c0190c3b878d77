/** Restores placeholders in a model's answer while it streams. */
import type { StreamEvent } from '@tenon/models/api';
import type { Masker } from './masker.ts';

type Delta = Extract<StreamEvent, { readonly delta: string }>;
type End = Extract<StreamEvent, { readonly type: 'text_end' | 'thinking_end' | 'toolcall_end' }>;

/** The same events with secrets in place of placeholders. A placeholder split over two deltas is put together first. */
export async function* restoreStream(stream: AsyncIterable<StreamEvent>, masker: Masker): AsyncGenerator<StreamEvent> {
  const restorers = new Map<number, ReturnType<Masker['restorer']>>();
  for await (const event of stream) {
    if ('delta' in event) {
      const restorer = restorers.get(event.contentIndex) ?? masker.restorer();
      restorers.set(event.contentIndex, restorer);
      const delta = restorer.push(event.delta);
      if (delta !== '') yield { ...restored(event, masker), delta } as Delta;
      continue;
    }
    if (isEnd(event)) {
      const rest = restorers.get(event.contentIndex)?.end() ?? '';
      const type = event.type.replace('_end', '_delta') as Delta['type'];
      if (rest !== '')
        yield { type, contentIndex: event.contentIndex, delta: rest, partial: masker.restore(event.partial) };
      restorers.delete(event.contentIndex);
    }
    yield restored(event, masker);
  }
}

function isEnd(event: StreamEvent): event is End {
  return event.type === 'text_end' || event.type === 'thinking_end' || event.type === 'toolcall_end';
}

/** Signatures are the provider's own and go back to it byte for byte; they never hold a placeholder that we made. */
function restored(event: StreamEvent, masker: Masker): StreamEvent {
  return masker.restore(event);
}
