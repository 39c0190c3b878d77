/** Cards of what looks for files, text, code and tools. */
import { counted } from '@tenon/wording';
import type { CardStyle, ToolView } from '@tenon/screen-slots/api';
import {
  detailsOf,
  fieldsOf,
  type Fields,
  isFailure,
  listOf,
  numberOf,
  resultText,
  textOf,
  textsOf,
} from './fields.ts';
import { diffLineRows } from './diff-rows.ts';
import { withoutAnchors } from './anchors.ts';
import { type FoldingRenderer, oneLine, pathText, textBody, textRows, titleOf } from './rows.ts';

/** Where a call looks; nothing for the working folder. */
function placesOf(input: Fields, style: CardStyle): string | undefined {
  const places = textsOf(input['paths']).filter((path) => path !== '.' && path !== '');
  return places.length === 0 ? undefined : `in ${places.map((path) => pathText(path, style)).join(', ')}`;
}

function matchesNote(details: Fields): string | undefined {
  const matches = numberOf(details['matchCount']);
  const files = numberOf(details['fileCount']);
  if (matches === undefined) return undefined;
  const more = details['truncated'] === true || details['limitReached'] === true ? ', and more' : '';
  return matches === 0
    ? 'no matches'
    : `${counted(matches, 'match', 'matches')} in ${counted(files ?? 0, 'file')}${more}`;
}

const found = textBody({
  text: (view) => (isFailure(view) ? resultText(view) : withoutAnchors(resultText(view))),
  color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
});

/** Searches by regular expression. */
export const search: FoldingRenderer = {
  ...found,
  title(view, style) {
    const input = fieldsOf(view.input);
    const skipped = numberOf(input['skip']);
    const from = skipped === undefined || skipped === 0 ? undefined : `from match ${skipped + 1}`;
    return titleOf(
      style,
      'search',
      oneLine(textOf(input['pattern'])),
      placesOf(input, style),
      from,
      matchesNote(detailsOf(view)),
    );
  },
};

/** Searches by structure. */
export const astGrep: FoldingRenderer = {
  ...found,
  title(view, style) {
    const input = fieldsOf(view.input);
    const pattern = oneLine(textOf(input['pat']));
    return titleOf(style, 'ast_grep', pattern, placesOf(input, style), matchesNote(detailsOf(view)));
  },
};

/** Lists of files. */
export const find: FoldingRenderer = {
  ...textBody({ text: resultText, color: (view) => (isFailure(view) ? 'error' : 'toolOutput'), foldedRows: 5 }),
  title(view, style) {
    const globs = textsOf(fieldsOf(view.input)['paths']).map((path) => pathText(path, style));
    const details = detailsOf(view);
    const files = numberOf(details['fileCount']);
    const more = details['truncated'] === true ? ', and more' : '';
    return titleOf(
      style,
      'find',
      globs.join(', '),
      files === undefined ? undefined : files === 0 ? 'nothing' : `${counted(files, 'file')}${more}`,
    );
  },
};

/** Previews of structural rewrites. */
export const astEdit: FoldingRenderer = {
  foldedRows: 12,
  title(view, style) {
    const input = fieldsOf(view.input);
    const [first = {}, ...more] = listOf(input['ops']).map(fieldsOf);
    const operation = oneLine(`${textOf(first['pat'])} → ${textOf(first['out'])}`);
    const details = detailsOf(view);
    const total = numberOf(details['totalReplacements']);
    const files = numberOf(details['filesTouched']) ?? 0;
    return titleOf(
      style,
      'ast_edit',
      operation,
      more.length > 0 ? `and ${counted(more.length, 'more rewrite')}` : undefined,
      placesOf(input, style),
      total === undefined ? undefined : `${counted(total, 'replacement')} in ${counted(files, 'file')}, a preview`,
    );
  },
  body: changedRows,
};

/** What becomes of a preview. */
export const resolve: FoldingRenderer = {
  title(view, style) {
    const input = fieldsOf(view.input);
    const reason = oneLine(textOf(input['reason']));
    return titleOf(
      style,
      'resolve',
      oneLine(textOf(input['action'])),
      oneLine(textOf(detailsOf(view)['label'])),
      reason,
    );
  },
  body: changedRows,
};

function changedRows(view: ToolView, style: CardStyle): readonly string[] {
  return diffLineRows(withoutAnchors(resultText(view)), style, isFailure(view) ? 'error' : 'toolOutput');
}

/** The search for tools. */
export const searchTools: FoldingRenderer = {
  foldedRows: 5,
  title(view, style) {
    const added = textsOf(detailsOf(view)['activated_tools']);
    const note = added.length === 0 ? undefined : `${counted(added.length, 'tool')} added`;
    return titleOf(style, 'find tools', oneLine(textOf(fieldsOf(view.input)['query'])), note);
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    return textRows(textsOf(detailsOf(view)['activated_tools']).join('\n'), style);
  },
};
