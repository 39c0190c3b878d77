/** Cards of small tools. */
import { detailsOf, fieldsOf, isFailure, listOf, resultText, textOf } from './fields.ts';
import { type FoldingRenderer, oneLine, textRows, titleOf } from './rows.ts';

/** Calculations. */
export const calc: FoldingRenderer = {
  title(view, style) {
    const expressions = listOf(fieldsOf(view.input)['calculations']).map((entry) =>
      textOf(fieldsOf(entry)['expression']),
    );
    return titleOf(style, 'calc', oneLine(expressions.join('; ')));
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    const results = listOf(detailsOf(view)['results']).map(fieldsOf);
    if (results.length === 0) return textRows(resultText(view), style);
    return results.flatMap(({ expression, output }) => textRows(`${textOf(expression)} = ${textOf(output)}`, style));
  },
};

/** Diagrams. They are cut, not broken: a broken row is no diagram any more. */
export const renderMermaid: FoldingRenderer = {
  foldedRows: 30,
  title(view, style) {
    const [first = ''] = textOf(fieldsOf(view.input)['mermaid']).trim().split('\n', 1);
    return titleOf(style, 'diagram', oneLine(first));
  },
  body(view, style) {
    if (isFailure(view)) return textRows(resultText(view), style, 'error');
    const shown = style.plain(resultText(view)).replace(/\s+$/, '');
    return shown === '' ? [] : shown.split('\n').map((row) => style.theme.fg('toolOutput', row));
  },
};
