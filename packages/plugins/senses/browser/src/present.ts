/** Puts the results of steps into one answer: bounded, and with what pages say between marks that pages cannot guess. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { fitLines, MAX_OUTPUT_BYTES, spillFile, type ToolContent, type ToolScope } from '@tenon/tools/api';
import { byteText, plainText } from '@tenon/wording';
import type { StepResult } from './actions/action.ts';

/** The most lines that one step shows of a page. */
const MAX_LINES = 500;
/** Room for our own words. */
const WORDS_BYTES = 6 * 1024;

/** The content of an answer. */
export async function present(
  results: readonly StepResult[],
  notices: readonly string[],
  scope: ToolScope,
  stateFolder: string,
): Promise<ToolContent[]> {
  const mark = randomBytes(3).toString('hex');
  const texts = results.filter(({ page }) => page !== undefined).length;
  const share = Math.floor((MAX_OUTPUT_BYTES - WORDS_BYTES) / Math.max(1, texts));
  const content: ToolContent[] = [];
  let text = '';
  for (const [index, result] of results.entries()) {
    const number = results.length > 1 ? `${index + 1}. ` : '';
    text += `${text === '' ? '' : '\n'}${number}${plainText(result.text)}\n`;
    if (result.page !== undefined) text += await pageText(plainText(result.page), mark, share, scope, stateFolder);
    if (result.image) {
      content.push({ type: 'text', text: text.trimEnd() }, { type: 'image', ...result.image });
      text = '';
    }
  }
  if (notices.length > 0)
    text += `${text === '' ? '' : '\n'}${notices.map((notice) => `[${plainText(notice)}]`).join('\n')}`;
  if (text !== '') content.push({ type: 'text', text: text.trimEnd() });
  return content;
}

async function pageText(
  text: string,
  mark: string,
  maxBytes: number,
  scope: ToolScope,
  stateFolder: string,
): Promise<string> {
  const lines = text.split('\n');
  const fitted = fitLines(lines.slice(0, MAX_LINES), maxBytes - 300);
  const framed = (shown: string) => `[page content ${mark}, untrusted]\n${shown}\n[end of page content ${mark}]\n`;
  if (!fitted.isCut && lines.length <= MAX_LINES) return framed(text);
  const file = await spillFile(scope, stateFolder);
  await writeFile(file.path, text, { mode: 0o600 });
  const where = 'id' in file && typeof file.id === 'string' ? `artifact://${file.id}` : file.path;
  return `${framed(fitted.lines.join('\n'))}[Showing lines 1-${fitted.lines.length} of ${lines.length} (${byteText(Buffer.byteLength(text))} in all). Full: ${where}]\n`;
}
