import type { Mender } from './mended-fetch.ts';
import {
  count,
  counts,
  errorIn,
  type Fields,
  fields,
  idOf,
  list,
  said,
  spokenFields,
  toolName,
  word,
} from './values.ts';

/** Completes the answers of Google's protocol. It has no end but the reason to finish, so that a missing reason is a broken answer. */
export class GoogleMender implements Mender {
  take(event: Fields): readonly Fields[] {
    const error = errorIn(event);
    if (error)
      return [{ error: { ...error, code: count(error['code']) ?? 500, status: word(error['status']) ?? 'UNKNOWN' } }];
    const feedback = fields(event['promptFeedback']);
    const blocked = word(feedback['blockReason']);
    const usage = counts(event['usageMetadata']);
    const candidates = list(event['candidates'], 'candidates').map(candidate);
    return [
      {
        candidates,
        ...(usage && { usageMetadata: flat(usage) }),
        ...(blocked !== undefined && { promptFeedback: { blockReason: blocked } }),
      },
    ];
  }

  end(): readonly Fields[] {
    return [];
  }
}

function candidate(entry: Fields): Fields {
  const content = spokenFields(entry['content'], 'candidates[0].content');
  const parts = list(content['parts'], 'candidates[0].content.parts').map(part);
  const finish = word(entry['finishReason']);
  const message = word(entry['finishMessage']);
  return {
    content: { parts },
    ...(finish !== undefined && { finishReason: finish }),
    ...(message !== undefined && { finishMessage: message }),
  };
}

function part(entry: Fields): Fields {
  const signature = word(entry['thoughtSignature']);
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  const call = entry['functionCall'];
  if (call !== undefined && call !== null)
    return { functionCall: functionCall(spokenFields(call, 'candidates[0].content.parts[].functionCall')), ...signed };
  const text = said(entry['text'], 'candidates[0].content.parts[].text');
  return { text, ...(isThought(entry['thought']) && { thought: true }), ...signed };
}

function functionCall(call: Fields): Fields {
  const id = idOf(call['id']);
  const called = toolName(call['name'], 'candidates[0].content.parts[].functionCall.name');
  const { args } = call;
  return { ...call, id, name: called, args: typeof args === 'string' ? parsedArguments(args) : args };
}

/** What is marked in any way is a thought: better one too many than thoughts among the answer. */
function isThought(mark: unknown): boolean {
  return Boolean(mark) && mark !== 'false';
}

/** Arguments that were sent as text, as the other protocols do. */
function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // It is no JSON: the call is refused with this text in view.
  }
}

/** The numbers alone: details by kind of content are not counted, and servers differ in them. */
function flat(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === 'number'));
}
