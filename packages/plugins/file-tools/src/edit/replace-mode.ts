import { Type } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { displayPath, resolvePath } from '../paths.ts';
import { prompts } from '../prompts/index.ts';
import { type EditMode, loadForEdit } from './edit-mode.ts';
import { SearchedText, type Span } from './text-match.ts';

interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly all?: boolean;
}

interface Replacement extends Span {
  /** The number of the edit, from 1. */
  readonly edit: number;
  readonly text: string;
}

/** Edits that give old and new text. */
export function createReplaceMode(): EditMode {
  return {
    description: prompts.editReplace(),
    parameters: Type.Object(
      {
        path: Type.String({ description: 'The file' }),
        edits: Type.Array(
          Type.Object(
            {
              old_text: Type.String({ description: 'Text to replace; must be unique unless all is set' }),
              new_text: Type.String({ description: 'What takes its place' }),
              all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence' })),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    ),
    async plan(input, { cwd }, host) {
      const path = resolvePath(cwd, String(input['path']));
      const shownPath = displayPath(cwd, path);
      const before = await loadForEdit(path, shownPath, host);
      if (!before) throw errors.create('FILE_TOOLS_NOT_FOUND', { path: shownPath });
      const text = new SearchedText(decode(before, shownPath));
      const warnings: string[] = [];
      const found = (input['edits'] as TextEdit[]).flatMap((edit, index) =>
        replacementsOf(text, edit, { number: index + 1, path: shownPath, warnings }),
      );
      const after = Buffer.from(applyAll(text.original, found, shownPath));
      if (after.equals(before)) throw errors.create('FILE_TOOLS_NO_CHANGE', { path: shownPath });
      return [{ path, shownPath, before, after: [after], warnings }];
    },
  };
}

/** Text that does not survive decoding would be written back damaged. */
function decode(content: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (fault) {
    throw errors.create('FILE_TOOLS_NOT_UTF8', { path }, fault);
  }
}

function replacementsOf(
  text: SearchedText,
  { old_text: wanted, new_text: substitute, all = false }: TextEdit,
  { number, path, warnings }: { number: number; path: string; warnings: string[] },
): Replacement[] {
  if (wanted === '') throw errors.create('FILE_TOOLS_TEXT_EMPTY', { number });
  let spans = text.find(wanted, 'exact');
  if (spans.length === 0) {
    spans = text.find(wanted, 'loose');
    if (spans.length > 0) {
      warnings.push(
        `Edit ${number} fits only when blanks at line ends and typographic quotes are ignored (not exact).`,
      );
    }
  }
  if (spans.length === 0)
    throw errors.create('FILE_TOOLS_TEXT_NOT_FOUND', { number, path, hint: hintFor(text, wanted) });
  if (spans.length > 1 && !all) {
    const lines = spans.slice(0, 10).map(({ start }) => text.lineOf(start));
    throw errors.create('FILE_TOOLS_TEXT_REPEATED', { number, path, count: spans.length, lines });
  }
  return spans.map((span) => ({
    ...span,
    edit: number,
    text: substitute.replaceAll(/\r?\n/g, text.endingAt(span.start)),
  }));
}

/** Where the text starts to differ is the most useful thing to know. */
function hintFor(text: SearchedText, wanted: string): string {
  const lines = wanted.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const [place] = text.find(line.trim(), 'loose');
    if (!place) return index === 0 ? '' : ` This line of it is not there: "${line.trim().slice(0, 120)}".`;
  }
  const [first] = text.find(lines[0]?.trim() ?? '', 'loose');
  return first
    ? ` Its lines are there (the first at line ${text.lineOf(first.start)}), but not like this: check the indentation.`
    : '';
}

function applyAll(original: string, found: readonly Replacement[], path: string): string {
  const ordered = [...found].sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let from = 0;
  for (const [index, { start, end, edit, text }] of ordered.entries()) {
    if (start < from) {
      throw errors.create('FILE_TOOLS_TEXT_OVERLAP', { first: ordered[index - 1]?.edit, second: edit, path });
    }
    parts.push(original.slice(from, start), text);
    from = end;
  }
  return parts.join('') + original.slice(from);
}
