import type { Answer, AnswerUsage, Refusal, WireManners } from './script.ts';

/** How one wire protocol puts an answer into frames. */
export interface WireFormat {
  readonly contentType: string;
  /** The frames of a whole answer. */
  frames(answer: Answer, request: { readonly model: string }): Buffer[];
  /** The frame that reports an error inside an answer. */
  errorFrame(type: string, message: string): Buffer;
  /** The body of an HTTP error. */
  errorBody(refusal: Refusal): string;
  /** A frame cut in half in a way that keeps the framing whole: only its JSON is broken. */
  brokenFrame(frame: Buffer): Buffer;
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): Buffer {
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  return Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${json}\n\n`);
}

/** The same event with half of its JSON. */
export function breakSse(frame: Buffer): Buffer {
  const text = frame.toString();
  const start = text.indexOf('data: ') + 6;
  const json = text.slice(start).trimEnd();
  return Buffer.from(`${text.slice(0, start)}${json.slice(0, Math.max(1, json.length >> 1))}\n\n`);
}

/** The same events from a server with other manners. */
export function reshape(frames: readonly Buffer[], wire: WireManners): Buffer[] {
  const end = wire.crlf ? '\r\n' : '\n';
  const shaped = frames.flatMap((frame) => {
    const [, event, data = ''] = /^(?:event: (.*)\n)?data: (.*)\n\n$/.exec(frame.toString()) ?? [];
    const isDone = data === '[DONE]';
    if (isDone && wire.noDone) return [];
    const changed = isDone || !wire.change ? [data] : wire.change(parsed(data)).map((value) => JSON.stringify(value));
    return changed.map((text) => {
      const lines = [
        ...(wire.comments ? [': keep-alive', ''] : []),
        ...(event === undefined || wire.unnamed ? [] : [`event: ${event}`]),
        `data:${wire.noBlank ? '' : ' '}${text}`,
      ];
      return lines.join(end) + end + end;
    });
  });
  if (wire.unfinished) shaped.push(shaped.pop()?.trimEnd() ?? '');
  return shaped.map((text) => Buffer.from(text));
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Cuts text into deltas, never between the halves of a surrogate pair: providers send whole characters. */
export function pieces(text: string, size = 16): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

/** The stop reason, derived when it is not given. */
export function stopReasonOf({ stopReason, content }: Answer): NonNullable<Answer['stopReason']> {
  return stopReason ?? (content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop');
}

/** The usage with all fields. */
export function usageOf({ usage }: Answer): Required<AnswerUsage> {
  return { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...usage };
}

/** The JSON text of a call's arguments. */
export function argumentText(part: { readonly arguments: unknown; readonly rawArguments?: string }): string {
  return part.rawArguments ?? JSON.stringify(part.arguments);
}
