import { templateOf } from './compile.ts';

const templates = new Map<string, (values: object) => string>();

/** Renders a text for a model, given as the module of a Markdown file. Nothing is escaped: the reader is no browser. */
export function renderPrompt(source: string, values: Readonly<Record<string, unknown>> = {}): string {
  // Most texts are only texts.
  if (typeof source === 'string' && !source.includes('{{')) return source.trim();
  const template = templates.get(source) ?? templateOf(source);
  templates.set(source, template);
  return template(values).trim();
}
