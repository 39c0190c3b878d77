import { service } from '@tenon/kernel';
import type { LiveTerminal } from './live-terminal.ts';
import type { ComponentScreen } from './remote-component.ts';

/** How long a question waits, and what ends it early. */
export interface DialogOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An answer that a person can give to a question about a call. */
export interface ApprovalChoice {
  /** Stands for the answer; unique within the question. */
  readonly id: string;
  /** What the person reads. */
  readonly label: string;
  readonly allows: boolean;
  /** How far a yes goes; absent for a no. */
  readonly extent?: 'once' | 'session' | 'always';
  /** How far out of the sandbox a yes lets the call. */
  readonly way?: 'network' | 'outside';
  /** The rules that a yes for longer makes, one line each; absent where they are not known. */
  readonly rules?: readonly string[];
}

/** A call that a person has to decide about. All texts are safe to show: what would be invisible is spelled out. */
export interface ApprovalQuestion {
  /** The held approval that it is about. */
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly folder: string;
  /** Absent for calls outside of a session. */
  readonly session?: string;
  /** What people call the subagent that makes the call; absent when the agent itself does. */
  readonly subagent?: string;
  /** The whole of what would happen, in pieces; nothing is cut. */
  readonly pieces: readonly { readonly text: string; readonly isRisky: boolean }[];
  /** How much harm it can do, 0 to 3. */
  readonly tier: number;
  readonly reasons: readonly string[];
  /** Sentences about variables, and about what the sandbox refuses. */
  readonly notes: readonly string[];
  /** True when it has run once in its sandbox, and would run again with less confinement. */
  readonly isSecondRun: boolean;
  /** The shell command, when the call is one: the person may write another that the model is told. */
  readonly command?: string;
  readonly choices: readonly ApprovalChoice[];
}

/** What a person said to a call. */
export interface ApprovalDecision {
  /** The id of a choice. */
  readonly choice: string;
  /** With a no: why; the model is told. */
  readonly reason?: string;
  /** With a no: the shell command that the person wants instead; the model is told. */
  readonly instead?: string;
}

/** A question of a form. */
export interface FormQuestion {
  readonly id: string;
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** True when several options may be chosen. */
  readonly multi?: boolean;
  /** The option that whoever asks would take; counted from 0. */
  readonly recommended?: number;
}

/** What was answered to a question of a form. */
export interface FormAnswer {
  readonly id: string;
  /** Labels, in the order of the options. */
  readonly selected: readonly string[];
  /** What the person wrote instead of an option, or beside them. */
  readonly custom?: string;
  /** True when time ran out before this question was answered. */
  readonly timedOut?: boolean;
}

/** A form of plain fields, described by a JSON Schema: what MCP servers ask with. Texts in it are the asker's own. */
export interface FieldForm {
  readonly message: string;
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

/** What came of a form of fields: filled in, refused, or closed without an answer. */
export type FieldAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/** How plugins talk to the user, whatever the mode is. A question that is not answered gives `undefined`, or no. */
export interface UserInterface {
  /** Whether somebody can answer. */
  canAsk(): boolean;
  select(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /** Asks for a longer text. */
  editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /** Asks about a call, with all that is known about it. Where it is absent, `select` has to do. */
  readonly decide?:
    | ((question: ApprovalQuestion, dialog?: DialogOptions) => Promise<ApprovalDecision | undefined>)
    | undefined;
  /** Asks several questions at once. The person may go back and forth; undefined when they closed it. Where it is absent, `select` has to do. */
  readonly fillIn?:
    | ((questions: readonly FormQuestion[], dialog?: DialogOptions) => Promise<readonly FormAnswer[] | undefined>)
    | undefined;
  /** Shows a form of fields as a whole. Where it is absent, the fields have to be asked for one by one. */
  readonly askForm?: ((form: FieldForm, dialog?: DialogOptions) => Promise<FieldAnswer>) | undefined;
  notify(message: string, kind?: 'info' | 'warning' | 'error'): void;
  /** A short text that stays; nothing removes it. */
  setStatus(key: string, text: string | undefined): void;
  /** Lines that stay above the input; nothing removes them. */
  setWidget(key: string, lines: readonly string[] | undefined): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  /** Shows a program that has a terminal, for as long as it runs; the result takes it away. Only in a mode with a screen. */
  readonly attachTerminal?: ((terminal: LiveTerminal) => () => void) | undefined;
  /** Where components of other processes can be shown; only in a mode with a screen. */
  readonly screen?: ComponentScreen | undefined;
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

  get screen(): ComponentScreen | undefined {
    return this.#current.screen;
  }

  canAsk = (): boolean => this.#current.canAsk();
  select: UserInterface['select'] = (...words) => this.#current.select(...words);
  confirm: UserInterface['confirm'] = (...words) => this.#current.confirm(...words);
  input: UserInterface['input'] = (...words) => this.#current.input(...words);
  editor: UserInterface['editor'] = (...words) => this.#current.editor(...words);
  /** Read for every question: another interface may not have it. */
  get decide(): UserInterface['decide'] {
    return this.#current.decide?.bind(this.#current);
  }

  get attachTerminal(): UserInterface['attachTerminal'] {
    return this.#current.attachTerminal?.bind(this.#current);
  }

  get fillIn(): UserInterface['fillIn'] {
    return this.#current.fillIn?.bind(this.#current);
  }

  get askForm(): UserInterface['askForm'] {
    return this.#current.askForm?.bind(this.#current);
  }

  notify: UserInterface['notify'] = (...words) => this.#current.notify(...words);
  setStatus: UserInterface['setStatus'] = (...words) => this.#current.setStatus(...words);
  setWidget: UserInterface['setWidget'] = (...words) => this.#current.setWidget(...words);
  setTitle: UserInterface['setTitle'] = (...words) => this.#current.setTitle(...words);
  setEditorText: UserInterface['setEditorText'] = (...words) => this.#current.setEditorText(...words);
}
