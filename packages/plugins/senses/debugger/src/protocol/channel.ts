/** Where messages of DAP go and come from: a program's pipes, a socket, or an adapter in this process. */
import { messageOf } from '@tenon/kernel';
import type { Wire } from '../companion/companion.ts';
import { encodeMessage, MessageReader } from './framing.ts';

/** What a channel tells. */
export interface ChannelListener {
  /** Anything that came; it is not checked. */
  message(message: unknown): void;
  /** Nothing comes any more. Told once. */
  end(reason: string): void;
}

/** Carries messages both ways. */
export interface DapChannel {
  send(message: object): void;
  listen(listener: ChannelListener): void;
  close(): void;
}

/** A channel over bytes. What cannot be read ends it. */
export function channelOver(wire: Wire): DapChannel {
  const reader = new MessageReader();
  let listener: ChannelListener | undefined;
  let isOver = false;
  const finish = (reason: string) => {
    if (isOver) return;
    isOver = true;
    listener?.end(reason);
  };
  return {
    send(message) {
      if (!isOver) wire.write(encodeMessage(message));
    },
    listen(to) {
      listener = to;
      wire.onData((chunk) => {
        if (isOver) return;
        try {
          for (const message of reader.push(chunk)) to.message(message);
        } catch (fault) {
          finish(messageOf(fault));
          wire.close();
        }
      });
      wire.onEnd(finish);
    },
    close() {
      finish('it was closed');
      wire.close();
    },
  };
}
