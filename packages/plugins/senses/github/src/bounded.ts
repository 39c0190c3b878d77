/** Results of any length: what does not fit is kept in a file. */
import { writeFile } from 'node:fs/promises';
import { fitLines, MAX_OUTPUT_BYTES, textResult, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { byteText, plainText } from '@tenon/wording';

/** A text as a result; the whole of a long one is an artifact of the session. */
export async function boundedResult(
  text: string,
  details: Readonly<Record<string, unknown>>,
  { scope }: Pick<ToolCall, 'scope'>,
): Promise<ToolResult> {
  const clean = plainText(text);
  const lines = clean.split('\n');
  const fitted = fitLines(lines, MAX_OUTPUT_BYTES - 500);
  if (!fitted.isCut) return textResult(clean, details);
  const artifact = await scope?.artifact?.('github');
  if (artifact) await writeFile(artifact.path, clean, { mode: 0o600 });
  const where = artifact ? `Everything: artifact://${artifact.id}` : 'Ask for a part of it to see the rest';
  const notice = `[Lines 1-${fitted.lines.length} of ${lines.length} shown (${byteText(Buffer.byteLength(clean))} in all). ${where}.]`;
  return textResult(`${fitted.lines.join('\n')}\n\n${notice}`, {
    ...details,
    meta: {
      truncation: {
        direction: 'head',
        truncatedBy: 'bytes',
        totalLines: lines.length,
        shownRange: { start: 1, end: fitted.lines.length },
        ...(artifact && { artifactId: artifact.id }),
      },
    },
  });
}
