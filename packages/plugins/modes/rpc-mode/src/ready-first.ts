import type { EventWriter, Frame } from '@tenon/modes/api';

/** What the server writes with. */
export type FrameWriter = Pick<EventWriter, 'send' | 'caughtUp' | 'finish'>;

/** Holds every frame back until `ready` is sent: a host reads it first, whatever plugins say while the session opens. */
export function readyFirst(writer: FrameWriter): FrameWriter {
  let held: Frame[] | undefined = [];
  return {
    send(frame) {
      if (held && frame.type !== 'ready') return void held.push(frame);
      writer.send(frame);
      const later = held ?? [];
      held = undefined;
      for (const waiting of later) writer.send(waiting);
    },
    caughtUp: () => writer.caughtUp(),
    finish: () => writer.finish(),
  };
}
