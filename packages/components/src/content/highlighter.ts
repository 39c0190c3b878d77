/** Colours for code. Languages are loaded one at a time, when they are first needed; nothing is guessed. */
import type { HLJSApi, LanguageFn } from 'highlight.js';
import type { Theme, ThemeColor } from '../theme/theme.ts';
import { languageFiles, languageName } from './languages.ts';

/** Styles code by what its parts are. */
export interface Highlighter {
  /** Rows of styled code, one for each line; nothing while the language is not loaded, or when the code is too long. */
  highlight(code: string, language: string, theme: Theme): string[] | undefined;
  /** Loads a language by any of its names; false if it is not known or cannot be read. It never rejects. */
  load(language: string): Promise<boolean>;
}

/** Longer code is not worth the wait: about 20 ms for this much. */
const MOST_CHARACTERS = 64 * 1024;
/** A minified line makes patterns slow. */
const LONGEST_LINE = 5_000;

const ROLES: Readonly<Record<string, ThemeColor>> = {
  comment: 'syntaxComment',
  quote: 'syntaxComment',
  doctag: 'syntaxComment',
  keyword: 'syntaxKeyword',
  'selector-tag': 'syntaxKeyword',
  tag: 'syntaxPunctuation',
  name: 'syntaxKeyword',
  literal: 'syntaxNumber',
  number: 'syntaxNumber',
  symbol: 'syntaxNumber',
  bullet: 'syntaxNumber',
  string: 'syntaxString',
  regexp: 'syntaxString',
  link: 'syntaxString',
  char: 'syntaxString',
  'meta-string': 'syntaxString',
  addition: 'toolDiffAdded',
  deletion: 'toolDiffRemoved',
  title: 'syntaxFunction',
  section: 'mdHeading',
  function: 'syntaxFunction',
  'selector-id': 'syntaxFunction',
  'selector-class': 'syntaxFunction',
  type: 'syntaxType',
  class: 'syntaxType',
  built_in: 'syntaxType',
  meta: 'syntaxKeyword',
  variable: 'syntaxVariable',
  'template-variable': 'syntaxVariable',
  attr: 'syntaxVariable',
  attribute: 'syntaxVariable',
  params: 'syntaxVariable',
  property: 'syntaxVariable',
  'selector-attr': 'syntaxVariable',
  'selector-pseudo': 'syntaxVariable',
  operator: 'syntaxOperator',
  punctuation: 'syntaxPunctuation',
};
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};
const PIECES = /<span class="([^"]*)">|<\/span>|[^<]+/g;

/** Makes a highlighter; it knows no language yet. */
export function createHighlighter(): Highlighter {
  let core: HLJSApi | undefined;
  const loaded = new Set<string>();
  const loading = new Map<string, Promise<boolean>>();

  const loadOne = async (language: string): Promise<boolean> => {
    core ??= (await import('highlight.js/lib/core')).default;
    for (const file of languageFiles(language)) {
      if (loaded.has(file)) continue;
      const module = (await import(`highlight.js/lib/languages/${file}`)) as { readonly default: LanguageFn };
      core.registerLanguage(file, module.default);
      loaded.add(file);
    }
    return true;
  };

  return {
    load(name) {
      const language = languageName(name);
      if (language === undefined) return Promise.resolve(false);
      // A library that cannot be read costs the colours, never the text: `load` is called without waiting.
      const known = loading.get(language) ?? loadOne(language).catch(() => false);
      loading.set(language, known);
      return known;
    },
    highlight(code, name, theme) {
      const language = languageName(name);
      if (core === undefined || language === undefined || !loaded.has(language)) return undefined;
      if (code.length > MOST_CHARACTERS || hasLongLine(code)) return undefined;
      return styledRows(core.highlight(code, { language, ignoreIllegals: true }).value, theme);
    },
  };
}

function hasLongLine(code: string): boolean {
  if (code.length <= LONGEST_LINE) return false;
  return code.split('\n').some((line) => line.length > LONGEST_LINE);
}

/** Neighbours of one colour are one piece: each sequence costs more than most words. */
class PaintedRow {
  readonly #theme: Theme;
  #done = '';
  #text = '';
  #color: ThemeColor | undefined;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  add(color: ThemeColor, text: string): void {
    // Spaces have no colour: they go with what stands before them.
    if (text.trim() !== '' && color !== this.#color) {
      this.#close();
      this.#color = color;
    }
    this.#text += text;
  }

  end(): string {
    this.#close();
    return this.#done;
  }

  #close(): void {
    const isPlain = this.#color === undefined || this.#text.trim() === '';
    this.#done += isPlain ? this.#text : this.#theme.fg(this.#color ?? 'mdCodeBlock', this.#text);
    this.#text = '';
  }
}

/** Reads the library's spans; a span that goes over several lines is styled on each of them. */
function styledRows(html: string, theme: Theme): string[] {
  const rows: string[] = [];
  let row = new PaintedRow(theme);
  const open: (ThemeColor | undefined)[] = [];
  for (const [piece, classes] of html.matchAll(PIECES)) {
    if (classes !== undefined) open.push(role(classes) ?? open.at(-1));
    else if (piece === '</span>') open.pop();
    else {
      const color = open.at(-1) ?? 'mdCodeBlock';
      const lines = piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity).split('\n');
      for (const [at, line] of lines.entries()) {
        if (at > 0) {
          rows.push(row.end());
          row = new PaintedRow(theme);
        }
        row.add(color, line);
      }
    }
  }
  return [...rows, row.end()];
}

/** `hljs-title function_` is a title of a function: the first name decides, but for types. */
function role(classes: string): ThemeColor | undefined {
  if (/\bclass_/.test(classes)) return 'syntaxType';
  return ROLES[/^hljs-([a-z_-]+)/.exec(classes)?.[1] ?? ''];
}
