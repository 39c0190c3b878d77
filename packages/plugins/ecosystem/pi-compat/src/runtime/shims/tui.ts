/** What extensions import of pi-tui: components that can be drawn as lines. There is no terminal behind them. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from './text-width.ts';

export { truncateToWidth, visibleWidth, wrapTextWithAnsi };

interface Drawable {
  render(width: number): string[];
  invalidate?(): void;
}

type Style = (text: string) => string;

/** Where an editor shows its cursor. */
export const CURSOR_MARKER = '\u001b_pi:c\u0007';

class Part implements Drawable {
  focused = false;
  wantsKeyRelease = false;
  render(_width: number): string[] {
    return [];
  }
  invalidate(): void {}
  handleInput(_data: string): void {}
  dispose(): void {}
}

/** Components one below the other. */
export class Container extends Part {
  children: Drawable[] = [];
  addChild(child: Drawable): void {
    this.children.push(child);
  }
  removeChild(child: Drawable): void {
    this.children = this.children.filter((other) => other !== child);
  }
  clear(): void {
    this.children = [];
  }
  override render(width: number): string[] {
    return this.children.flatMap((child) => child.render(width));
  }
}

/** A container with room around it. */
export class Box extends Container {
  #paddingX: number;
  #paddingY: number;
  constructor(paddingX = 1, paddingY = 1, _background?: Style) {
    super();
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
  }
  setBgFn(): void {}
  setPaddingX(padding: number): void {
    this.#paddingX = padding;
  }
  setPaddingY(padding: number): void {
    this.#paddingY = padding;
  }
  override render(width: number): string[] {
    return padded(super.render(Math.max(1, width - 2 * this.#paddingX)), this.#paddingX, this.#paddingY);
  }
}

/** Text, wrapped. */
export class Text extends Part {
  #text: string;
  readonly #paddingX: number;
  readonly #paddingY: number;
  constructor(text = '', paddingX = 1, paddingY = 1, _background?: Style) {
    super();
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
  }
  setText(text: string): void {
    this.#text = String(text);
  }
  getText(): string {
    return this.#text;
  }
  setCustomBgFn(): void {}
  override render(width: number): string[] {
    if (this.#text === '') return [];
    return padded(
      wrapTextWithAnsi(this.#text, Math.max(1, width - 2 * this.#paddingX)),
      this.#paddingX,
      this.#paddingY,
    );
  }
}

/** Text on one line. */
export class TruncatedText extends Part {
  readonly #text: string;
  readonly #padding: number;
  constructor(text = '', padding = 0, _paddingY = 0) {
    super();
    this.#text = String(text);
    this.#padding = padding;
  }
  override render(width: number): string[] {
    const [first = ''] = this.#text.split('\n');
    return padded([truncateToWidth(first, Math.max(1, width - 2 * this.#padding))], this.#padding, 0);
  }
}

/** Markdown, shown as it is written. */
export class Markdown extends Text {
  constructor(text = '', paddingX = 1, paddingY = 1, _theme?: unknown, _style?: unknown) {
    super(text, paddingX, paddingY);
  }
}

/** Empty lines. */
export class Spacer extends Part {
  #lines: number;
  constructor(lines = 1) {
    super();
    this.#lines = lines;
  }
  setLines(lines: number): void {
    this.#lines = lines;
  }
  override render(): string[] {
    return Array.from({ length: this.#lines }, () => '');
  }
}

/** An image, of which only its type can be shown. */
export class Image extends Part {
  readonly #type: string;
  constructor(_data: unknown, type = 'image') {
    super();
    this.#type = String(type);
  }
  override render(): string[] {
    return [`[${this.#type}]`];
  }
}

/** A line that says that something goes on. */
export class Loader extends Text {
  constructor(_tui?: unknown, _spinner?: unknown, _message?: unknown, message = 'Working…') {
    super(String(message), 0, 0);
  }
  start(): void {}
  stop(): void {}
  setMessage(message: string): void {
    this.setText(message);
  }
}

/** The same, with something that stops it. */
export class CancellableLoader extends Loader {
  readonly #controller = new AbortController();
  onAbort: (() => void) | undefined;
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }
}

interface Item {
  readonly value: string;
  readonly label?: string;
  readonly description?: string;
}

/** A list to choose from. */
export class SelectList extends Part {
  onSelect: ((item: Item) => void) | undefined;
  onCancel: (() => void) | undefined;
  onSelectionChange: ((item: Item) => void) | undefined;
  #items: readonly Item[];
  #at = 0;
  constructor(items: readonly Item[] = [], _visible = 10, _theme?: unknown) {
    super();
    this.#items = items;
  }
  setFilter(filter: string): void {
    this.#items = fuzzyFilter([...this.#items], filter, (item) => item.label ?? item.value);
  }
  setSelectedIndex(index: number): void {
    this.#at = index;
  }
  getSelectedItem(): Item | null {
    return this.#items[this.#at] ?? null;
  }
  override render(width: number): string[] {
    return this.#items.map((item, index) =>
      truncateToWidth(`${index === this.#at ? '>' : ' '} ${item.label ?? item.value}`, width),
    );
  }
}

/** Settings with their values. */
export class SettingsList extends Part {
  readonly #items: readonly { readonly id: string; readonly label: string; currentValue: string }[];
  constructor(items: SettingsList['items'] = [], ..._rest: unknown[]) {
    super();
    this.#items = items;
  }
  get items(): readonly { readonly id: string; readonly label: string; currentValue: string }[] {
    return this.#items;
  }
  updateValue(id: string, value: string): void {
    for (const item of this.#items) if (item.id === id) item.currentValue = value;
  }
  override render(width: number): string[] {
    return this.#items.map(({ label, currentValue }) => truncateToWidth(`${label}: ${currentValue}`, width));
  }
}

/** A line of text that can be typed into. */
export class Input extends Part {
  onSubmit: ((value: string) => void) | undefined;
  onEscape: (() => void) | undefined;
  #value = '';
  getValue(): string {
    return this.#value;
  }
  setValue(value: string): void {
    this.#value = value;
  }
  override render(width: number): string[] {
    return [truncateToWidth(`> ${this.#value}`, width)];
  }
}

/** A text that can be typed into. */
export class Editor extends Part {
  onSubmit: ((text: string) => void) | undefined;
  onChange: ((text: string) => void) | undefined;
  borderColor: Style = (text) => text;
  disableSubmit = false;
  #text = '';
  constructor(..._rest: unknown[]) {
    super();
  }
  getText(): string {
    return this.#text;
  }
  setText(text: string): void {
    this.#text = text;
    this.onChange?.(text);
  }
  insertTextAtCursor(text: string): void {
    this.setText(this.#text + text);
  }
  getLines(): string[] {
    return this.#text.split('\n');
  }
  getCursor(): { line: number; col: number } {
    const lines = this.getLines();
    return { line: lines.length - 1, col: (lines.at(-1) ?? '').length };
  }
  addToHistory(): void {}
  setAutocompleteProvider(): void {}
  override render(width: number): string[] {
    return this.getLines().map((line) => truncateToWidth(line, width));
  }
}

/** Names of keys, put together: `Key.ctrl('c')`. */
export const Key = new Proxy({} as Record<string, unknown>, {
  get(_target, name) {
    if (typeof name !== 'string') return undefined;
    const modifiers = name.split(/(?=[A-Z])/).map((part) => part.toLowerCase());
    const isModifier = modifiers.every((part) => ['ctrl', 'alt', 'shift', 'super'].includes(part));
    return isModifier ? (key: string) => [...modifiers, key].join('+') : (KEY_NAMES[name] ?? name);
  },
});

const KEY_NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  pageUp: 'pageUp',
  pageDown: 'pageDown',
};

const SEQUENCES: Readonly<Record<string, string>> = {
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  ' ': 'space',
  '\u007f': 'backspace',
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001b[C': 'right',
  '\u001b[D': 'left',
  '\u001b[H': 'home',
  '\u001b[F': 'end',
  '\u001b[Z': 'shift+tab',
  '\u001b[3~': 'delete',
  '\u001b[5~': 'pageUp',
  '\u001b[6~': 'pageDown',
};

/** The name of the key that sends these bytes. */
export function parseKey(data: string): string | undefined {
  const known = SEQUENCES[data];
  if (known !== undefined) return known;
  const code = data.charCodeAt(0);
  if (data.length === 1 && code < 27) return `ctrl+${String.fromCharCode(code + 96)}`;
  if (data.length === 2 && code === 27) return `alt+${data[1]}`;
  return data.length === 1 ? data : undefined;
}

/** Whether these bytes are that key. */
export function matchesKey(data: string, key: string): boolean {
  return parseKey(data) === KEY_NAMES[key] || parseKey(data) === key;
}

/** Whether a key was let go; plain terminals do not tell. */
export function isKeyRelease(_data: string): boolean {
  return false;
}

/** Whether a key is held down; plain terminals do not tell. */
export function isKeyRepeat(_data: string): boolean {
  return false;
}

/** Whether all letters of the query stand in the text, in this order; how far apart they are. */
export function fuzzyMatch(query: string, text: string): { matches: boolean; score: number } {
  const [small, all] = [query.toLowerCase(), text.toLowerCase()];
  let at = -1;
  let score = 0;
  for (const letter of small) {
    const next = all.indexOf(letter, at + 1);
    if (next === -1) return { matches: false, score: 0 };
    score += next - at - 1;
    at = next;
  }
  return { matches: true, score };
}

/** The items that fit a query, best first. */
export function fuzzyFilter<T>(items: T[], query: string, textOf: (item: T) => string): T[] {
  if (query.trim() === '') return items;
  return items
    .map((item) => ({ item, ...fuzzyMatch(query, textOf(item)) }))
    .filter(({ matches }) => matches)
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item);
}

/** A link where terminals show one. */
export function hyperlink(text: string, _url: string): string {
  return text;
}

function padded(lines: readonly string[], x: number, y: number): string[] {
  const margin = ' '.repeat(Math.max(0, x));
  const empty = Array.from({ length: Math.max(0, y) }, () => '');
  return [...empty, ...lines.map((line) => margin + line), ...empty];
}
