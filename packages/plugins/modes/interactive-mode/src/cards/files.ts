/** Cards of what reads and changes files. */
import { byteText, counted } from '@tenon/wording';
import type { CardStyle, ToolView } from '@tenon/screen-slots/api';
import { withoutAnchors } from './anchors.ts';
import { changeCount, diffLineRows, patchRows } from './diff-rows.ts';
import {
  detailsOf,
  fieldsOf,
  type Fields,
  imageNotes,
  isFailure,
  listOf,
  numberOf,
  resultText,
  textOf,
} from './fields.ts';
import { type FoldingRenderer, oneLine, pathText, textBody, textRows, titleOf } from './rows.ts';

/** What was read, in a word; text needs none. */
function kindOf(view: ToolView): string | undefined {
  const details = detailsOf(view);
  if (imageNotes(view).length > 0) return 'image';
  if (details['isDirectory'] === true) return 'folder';
  if (details['summary'] !== undefined) return 'outline';
  if (details['kind'] === 'url')
    return oneLine(textOf(details['title']) || textOf(details['contentType']) || 'web page');
  return undefined;
}

function shownRange(details: Fields): string | undefined {
  const truncation = fieldsOf(fieldsOf(details['meta'])['truncation']);
  const range = fieldsOf(truncation['shownRange']);
  const [start, end, total] = [numberOf(range['start']), numberOf(range['end']), numberOf(truncation['totalLines'])];
  return start === undefined || end === undefined || total === undefined
    ? undefined
    : `lines ${start}-${end} of ${total}`;
}

/** Reading: files, folders, images, documents, archives, databases, addresses. */
export const read: FoldingRenderer = {
  ...textBody({
    text: (view) => [withoutAnchors(resultText(view)).trimEnd(), ...imageNotes(view)].filter(Boolean).join('\n'),
    color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
    foldedRows: 5,
  }),
  title(view, style) {
    const details = detailsOf(view);
    const path = pathText(textOf(fieldsOf(view.input)['path']), style);
    const moved = textOf(fieldsOf(details['suffixResolution'])['to']);
    return titleOf(
      style,
      'read',
      path,
      moved === '' ? undefined : `is ${pathText(moved, style)}`,
      kindOf(view),
      shownRange(details),
    );
  },
};

function lineCount(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const WRITTEN: Readonly<Record<string, string>> = { create: 'new', update: 'changed' };

/** Writing whole files. */
export const write: FoldingRenderer = {
  ...textBody({
    text: (view) => (isFailure(view) ? resultText(view) : textOf(fieldsOf(view.input)['content'])),
    color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
  }),
  title(view, style) {
    const input = fieldsOf(view.input);
    const content = textOf(input['content']);
    const lines = lineCount(content);
    const size = content === '' ? undefined : `${counted(lines, 'line')}, ${byteText(Buffer.byteLength(content))}`;
    const done = WRITTEN[textOf(detailsOf(view)['op'])];
    const same = view.state === 'done' && !isFailure(view) && done === undefined ? 'unchanged' : done;
    return titleOf(style, 'write', pathText(textOf(input['path']), style), size, same);
  },
};

const HEADER = /^(?:@@ (?!-\d)|\*\*\* (?:Add|Update|Delete) File: )(.+)$/gm;
const MAX_SEARCHED = 100_000;

/** The files of an edit, as far as its input names them. */
function namedFiles(input: Fields): string[] {
  const path = textOf(input['path']) || textOf(input['file']);
  if (path !== '') return [path];
  const text = textOf(input['input']) || textOf(input['patch']);
  return [...new Set([...text.slice(0, MAX_SEARCHED).matchAll(HEADER)].map(([, name = '']) => name.trim()))];
}

/** The changes that were made, file by file. */
function changesOf(view: ToolView): readonly Fields[] {
  const details = detailsOf(view);
  const files = listOf(details['perFileResults']).map(fieldsOf);
  return files.length > 0 ? files : textOf(details['diff']) === '' && details['op'] === undefined ? [] : [details];
}

const OPERATIONS: Readonly<Record<string, string>> = { create: 'new', delete: 'deleted', move: 'moved' };

function changeTitle(change: Fields, style: CardStyle): string {
  const path = pathText(textOf(change['path']), style);
  const to = textOf(change['movedTo']);
  return to === '' ? path : `${path} → ${pathText(to, style)}`;
}

/** Changes of files, in all the forms that models write them. */
export const edit: FoldingRenderer = {
  foldedRows: 16,
  title(view, style) {
    const changes = changesOf(view);
    const [only] = changes;
    if (changes.length === 1 && only) {
      const operation = OPERATIONS[textOf(only['op'])];
      return titleOf(style, 'edit', changeTitle(only, style), operation, changeCount(textOf(only['diff'])));
    }
    const files =
      changes.length > 0 ? changes.map((change) => textOf(change['path'])) : namedFiles(fieldsOf(view.input));
    const [first = '', ...more] = files;
    const rest = more.length === 0 ? undefined : `and ${counted(more.length, 'more file')}`;
    return titleOf(style, 'edit', pathText(first, style), rest);
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    const changes = changesOf(view);
    if (changes.length === 0) {
      const result = resultText(view);
      return result === '' ? diffLineRows(draftOf(fieldsOf(view.input)), style) : textRows(result, style);
    }
    const rowsOf = (change: Fields) => patchRows(textOf(change['diff']), style);
    if (changes.length === 1) return changes.flatMap(rowsOf);
    return changes.flatMap((change) => [
      style.theme.fg('accent', changeTitle(change, style)) +
        style.theme.fg('muted', ` ${changeCount(textOf(change['diff']))}`),
      ...rowsOf(change),
    ]);
  },
};

/** What the model has written of a change so far, with signs for what goes and what comes. */
function draftOf(input: Fields): string {
  const text = textOf(input['input']) || textOf(input['patch']);
  if (text !== '') return text;
  const signed = (sign: string, part: unknown) =>
    textOf(part) === ''
      ? []
      : textOf(part)
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${sign}${line}`);
  const entries = [input, ...listOf(input['edits']).map(fieldsOf)];
  return entries
    .flatMap((entry) => [
      ...(textOf(entry['diff']) === '' ? [] : [textOf(entry['diff'])]),
      ...signed('-', entry['old_text'] ?? entry['oldText'] ?? entry['old_string']),
      ...signed('+', entry['new_text'] ?? entry['newText'] ?? entry['new_string']),
    ])
    .join('\n');
}
