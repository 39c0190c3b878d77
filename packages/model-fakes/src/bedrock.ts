import { decodeEventStream, encodeEventStreamMessage } from './event-stream.ts';
import { argumentText, pieces, stopReasonOf, usageOf, type WireFormat } from './frames.ts';
import type { AnswerPart } from './script.ts';

const STOP = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use', refused: 'content_filtered' };

function event(type: string, value: unknown): Buffer {
  return encodeEventStreamMessage({
    headers: { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    body: Buffer.from(JSON.stringify(value)),
  });
}

/** Bedrock `converse-stream`. */
export const bedrockConverseStream: WireFormat = {
  contentType: 'application/vnd.amazon.eventstream',
  frames(answer) {
    const { input, output, cacheRead, cacheWrite } = usageOf(answer);
    return [
      event('messageStart', { role: 'assistant' }),
      ...answer.content.flatMap((part, index) => block(part, index, answer.deltaSize)),
      event('messageStop', { stopReason: STOP[stopReasonOf(answer)] }),
      event('metadata', {
        usage: {
          inputTokens: input,
          outputTokens: output,
          totalTokens: input + output,
          cacheReadInputTokens: cacheRead,
          cacheWriteInputTokens: cacheWrite,
        },
        metrics: { latencyMs: 1 },
      }),
    ];
  },
  errorFrame: (type, message) =>
    encodeEventStreamMessage({
      headers: { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
      body: Buffer.from(JSON.stringify({ message })),
    }),
  errorBody: ({ message = 'fake error' }) => JSON.stringify({ message }),
  brokenFrame(frame) {
    const [message] = decodeEventStream(frame);
    if (!message) return frame;
    return encodeEventStreamMessage({ ...message, body: message.body.subarray(0, message.body.length >> 1) });
  },
};

function block(part: AnswerPart, contentBlockIndex: number, deltaSize?: number): Buffer[] {
  const delta = (value: unknown) => event('contentBlockDelta', { contentBlockIndex, delta: value });
  const stop = event('contentBlockStop', { contentBlockIndex });
  if (part.type === 'text') return [...pieces(part.text, deltaSize).map((text) => delta({ text })), stop];
  if (part.type === 'thinking') {
    if (part.redacted) return [delta({ reasoningContent: { redactedContent: part.signature ?? '' } }), stop];
    return [
      ...pieces(part.thinking, deltaSize).map((text) => delta({ reasoningContent: { text } })),
      ...(part.signature ? [delta({ reasoningContent: { signature: part.signature } })] : []),
      stop,
    ];
  }
  return [
    event('contentBlockStart', {
      contentBlockIndex,
      start: { toolUse: { toolUseId: part.id, name: part.name } },
    }),
    ...pieces(argumentText(part), deltaSize).map((input) => delta({ toolUse: { input } })),
    stop,
  ];
}
