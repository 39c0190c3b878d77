import { service } from '@tenon/kernel';

/** How long a question waits, and what ends it early. */
export interface DialogOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** How plugins talk to the user, whatever the mode is. A question that is not answered gives `undefined`, or no. */
export interface UserInterface {
  /** Whether somebody can answer. */
  canAsk(): boolean;
  select(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /** Asks for a longer text. */
  editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | undefined>;
  notify(message: string, kind?: 'info' | 'warning' | 'error'): void;
  /** A short text that stays; nothing removes it. */
  setStatus(key: string, text: string | undefined): void;
  /** Lines that stay above the input; nothing removes them. */
  setWidget(key: string, lines: readonly string[] | undefined): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
}

/** The user interface of the running mode; where there is no user, questions have no answer. */
export const userInterface = service<UserInterface>('user-interface', { access: 'packs' });

/** Without a user, questions stay unanswered and notices go nowhere. */
export const SILENT: UserInterface = {
  canAsk: () => false,
  select: () => Promise.resolve(undefined),
  confirm: () => Promise.resolve(false),
  input: () => Promise.resolve(undefined),
  editor: () => Promise.resolve(undefined),
  notify: () => undefined,
  setStatus: () => undefined,
  setWidget: () => undefined,
  setTitle: () => undefined,
  setEditorText: () => undefined,
};

/** Passes everything on to the interface that is in use at the moment. */
export class InterfaceSwitch implements UserInterface {
  #current: UserInterface = SILENT;

  /** Sets another interface; undefined means there is no user. */
  use(ui: UserInterface = SILENT): void {
    this.#current = ui;
  }

  canAsk = (): boolean => this.#current.canAsk();
  select: UserInterface['select'] = (...words) => this.#current.select(...words);
  confirm: UserInterface['confirm'] = (...words) => this.#current.confirm(...words);
  input: UserInterface['input'] = (...words) => this.#current.input(...words);
  editor: UserInterface['editor'] = (...words) => this.#current.editor(...words);
  notify: UserInterface['notify'] = (...words) => this.#current.notify(...words);
  setStatus: UserInterface['setStatus'] = (...words) => this.#current.setStatus(...words);
  setWidget: UserInterface['setWidget'] = (...words) => this.#current.setWidget(...words);
  setTitle: UserInterface['setTitle'] = (...words) => this.#current.setTitle(...words);
  setEditorText: UserInterface['setEditorText'] = (...words) => this.#current.setEditorText(...words);
}
