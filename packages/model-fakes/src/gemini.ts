import { breakSse, pieces, sse, stopReasonOf, usageOf, type WireFormat } from './frames.ts';
import type { AnswerPart } from './script.ts';

const STOP = { stop: 'STOP', length: 'MAX_TOKENS', toolUse: 'STOP', refused: 'SAFETY' };
const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Google Generative AI (`streamGenerateContent?alt=sse`). */
export const gemini: WireFormat = {
  contentType: 'text/event-stream',
  frames(answer, { model }) {
    const { input, output, cacheRead, reasoning } = usageOf(answer);
    const usageMetadata = {
      promptTokenCount: input + cacheRead,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: output - reasoning,
      thoughtsTokenCount: reasoning,
      totalTokenCount: input + cacheRead + output,
    };
    const parts = answer.content.flatMap((part) => partsOf(part, answer.deltaSize));
    const finish = STOP[stopReasonOf(answer)];
    const frames = parts.map((part) => ({ content: { role: 'model', parts: [part] }, index: 0 }));
    return [
      ...frames.map((candidate) => sse({ candidates: [candidate], modelVersion: model })),
      sse({
        candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, index: 0, finishReason: finish }],
        usageMetadata,
        modelVersion: model,
      }),
    ];
  },
  errorFrame: (type, message) => {
    const code = Number(Object.keys(STATUS).find((status) => STATUS[Number(status)] === type) ?? 500);
    return sse({ error: { code, message, status: type } });
  },
  errorBody: ({ status, type = STATUS[status] ?? 'UNKNOWN', message = 'fake error' }) =>
    JSON.stringify({ error: { code: status, message, status: type } }),
  brokenFrame: breakSse,
};

function partsOf(part: AnswerPart, deltaSize?: number): unknown[] {
  if (part.type === 'toolCall') {
    const functionCall = { name: part.name, args: part.arguments };
    return [{ functionCall, ...(part.signature && { thoughtSignature: part.signature }) }];
  }
  const text = part.type === 'text' ? part.text : part.thinking;
  const texts: Record<string, unknown>[] = pieces(text, deltaSize).map((piece) => ({
    text: piece,
    ...(part.type === 'thinking' && { thought: true }),
  }));
  const last = texts.at(-1);
  if (part.type === 'thinking' && part.signature && last) last['thoughtSignature'] = part.signature;
  return texts;
}
