/** Pictures of pages, small enough for a conversation. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { displayPath, resolvePath } from '@tenon/tools/api';
import { messageOf } from '@tenon/kernel';
import { byteText } from '@tenon/wording';
import { errors } from '../errors.ts';
import { within } from '../within.ts';
import { limits, place, type TabAction } from './action.ts';
import { find } from './elements.ts';

/** Longer pages are cut: nobody can read them as one picture. */
const MAX_HEIGHT = 8_000;
/** Without anything that makes pictures smaller, this is what models take. */
const MAX_BYTES = 1_500_000;

/** Takes a picture of the viewport, an element or the whole page. */
export const screenshot: TabAction = async (tab, context) => {
  const { step, access, cwd, call, signal } = context;
  const found = await find(tab, context, step);
  const notes: string[] = [];
  const options = { ...limits(context), animations: 'disabled', caret: 'initial' } as const;
  const take = async (format: { type: 'png' } | { type: 'jpeg'; quality: number }) => {
    if (found) return found.element.screenshot({ ...options, ...format });
    if (!step.full_page) return tab.page.screenshot({ ...options, ...format });
    const [width, height] = await within(
      tab.page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.scrollHeight]',
      ),
      signal,
    );
    if (height <= MAX_HEIGHT) return tab.page.screenshot({ ...options, ...format, fullPage: true });
    notes.push(`The page is ${height} pixels high; only the first ${MAX_HEIGHT} are shown.`);
    return tab.page.screenshot({
      ...options,
      ...format,
      fullPage: true,
      clip: { x: 0, y: 0, width: Math.min(width, MAX_HEIGHT), height: MAX_HEIGHT },
    });
  };
  const png = await take({ type: 'png' });
  if (step.path !== undefined) {
    const path = resolvePath(cwd, step.path);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, png);
    } catch (fault) {
      throw errors.create('BROWSER_SAVE', { path: step.path, reason: messageOf(fault) }, fault);
    }
    notes.push(`Written to ${displayPath(cwd, path)}.`);
  }
  const documents = await access.documents();
  const image = documents
    ? await documents.image(png, { signal: call.signal })
    : png.length <= MAX_BYTES
      ? { data: png.toString('base64'), mimeType: 'image/png', notes: [] }
      : { data: (await take({ type: 'jpeg', quality: 60 })).toString('base64'), mimeType: 'image/jpeg', notes: [] };
  const size = 'width' in image ? ` ${image.width}x${image.height},` : '';
  return {
    text: [
      `Screenshot of ${found ? found.label : `tab "${tab.name}"`} at ${await place(tab)} [Image: ${image.mimeType},${size} ${byteText((image.data.length * 3) / 4)}]`,
      ...notes,
    ].join('\n'),
    image: { data: image.data, mimeType: image.mimeType },
    details: { url: tab.address, bytes: png.length },
  };
};
