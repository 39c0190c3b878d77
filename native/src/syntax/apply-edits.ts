import type { SyntaxEdit, TextResult } from './contract.ts';

/** Applies the edits of a preview to the text they were planned for; refuses when the text has changed since. */
export function applyEdits(content: string, edits: readonly SyntaxEdit[]): TextResult<string> {
  const bytes = Buffer.from(content);
  const parts: Buffer[] = [];
  let done = 0;
  for (const { range, before, after } of edits) {
    const { byteStart, byteEnd } = range;
    if (byteStart < done || bytes.toString('utf8', byteStart, byteEnd) !== before) {
      const reason = `the text at byte ${byteStart} is not what the preview saw; preview the rewrite again`;
      return { ok: false, reason };
    }
    parts.push(bytes.subarray(done, byteStart), Buffer.from(after));
    done = byteEnd;
  }
  parts.push(bytes.subarray(done));
  return { ok: true, value: Buffer.concat(parts).toString('utf8') };
}
