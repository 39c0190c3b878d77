/** Cards of what reads the web. */
import { counted } from '@tenon/wording';
import { detailsOf, fieldsOf, imageNotes, isFailure, listOf, resultText, textOf } from './fields.ts';
import { type FoldingRenderer, oneLine, textBody, textRows, titleOf } from './rows.ts';

/** Pages. */
export const fetchPage: FoldingRenderer = {
  ...textBody({
    text: (view) => [resultText(view).trimEnd(), ...imageNotes(view)].filter(Boolean).join('\n'),
    color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
    foldedRows: 5,
  }),
  title(view, style) {
    const details = detailsOf(view);
    const [asked, final] = [textOf(fieldsOf(view.input)['url']), textOf(details['finalUrl'])];
    return titleOf(
      style,
      'fetch',
      oneLine(asked),
      final === '' || final === asked ? undefined : oneLine(`led to ${final}`),
      oneLine(textOf(details['title'])),
    );
  },
};

/** Searches. */
export const webSearch: FoldingRenderer = {
  foldedRows: 10,
  title(view, style) {
    const details = detailsOf(view);
    const hits = listOf(details['results']);
    return titleOf(
      style,
      'web search',
      oneLine(textOf(fieldsOf(view.input)['query'])),
      Array.isArray(details['results']) ? counted(hits.length, 'result') : undefined,
      oneLine(textOf(details['engine'])),
    );
  },
  body(view, style) {
    const hits = listOf(detailsOf(view)['results']).map(fieldsOf);
    if (isFailure(view) || hits.length === 0)
      return textRows(resultText(view), style, isFailure(view) ? 'error' : 'toolOutput');
    return hits.flatMap((hit) => [
      ...textRows(oneLine(textOf(hit['title']) || textOf(hit['url'])), style, 'mdLink'),
      ...textRows(oneLine(textOf(hit['url'])), style, 'mdLinkUrl'),
      ...(style.isExpanded ? textRows(textOf(hit['snippet']), style) : []),
    ]);
  },
};
