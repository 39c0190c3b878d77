import Handlebars from 'handlebars';

/** Renders a text for a model. Nothing is escaped: the reader is no browser. */
export function renderPrompt(source: string, values: Readonly<Record<string, unknown>> = {}): string {
  return Handlebars.compile(source, { noEscape: true })(values).trim();
}
