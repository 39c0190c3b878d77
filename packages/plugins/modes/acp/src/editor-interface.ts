/** Questions of plugins, asked in the editor: as requests for permission, and as forms where the editor knows those. */
import { relative } from 'node:path';
import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import {
  type ApprovalChoice,
  type ApprovalDecision,
  type ApprovalQuestion,
  type DialogOptions,
  type FieldAnswer,
  type FieldForm,
  formAnswer,
  formFields,
  SILENT,
  type UserInterface,
} from '@tenon/host';
import { plainLine, plainText } from '@tenon/wording';
import type { Editor } from './editor.ts';
import { type ChangedFile, codeBlock, diffOf, kindOf, titleOf } from './tool-calls.ts';
import { noticeUpdate } from './updates.ts';

/** Who asks. */
export interface Asker {
  /** The id by which the editor knows the session. */
  readonly id: string;
  /** The call that is asked about, if it is known. */
  callOf(tool: string, input: Readonly<Record<string, unknown>>): string | undefined;
}

/** What the interface needs to know. */
export interface InterfaceParts {
  readonly editor: Editor;
  /** The session that a question belongs to: the one that is named or works for it, else the one in use. */
  askerFor(session?: string): Asker | undefined;
  /** What a call would change in files. */
  changesOf(question: ApprovalQuestion): Promise<readonly ChangedFile[]>;
}

/** Labels that say no. */
const NEGATIVE = /^(?:no\b|deny|do not|don't|reject|refuse|cancel|keep|leave|skip)/i;

/** Makes the interface. A question that the editor cannot show stays unanswered. */
export function editorInterface({ editor, askerFor, changesOf }: InterfaceParts): UserInterface {
  let count = 0;

  /** Shows a question as a call of its own, which ends with the answer. */
  const ask = async (
    title: string,
    text: string,
    options: readonly PermissionOption[],
    dialog?: DialogOptions,
  ): Promise<string | undefined> => {
    const asker = askerFor();
    if (!asker) return undefined;
    const toolCallId = `question-${++count}`;
    // Models write questions, too: nothing in them may look like something else.
    const shownText = { type: 'text' as const, text: plainText(text) };
    const content = text === '' ? [] : [{ type: 'content' as const, content: shownText }];
    const shown = { toolCallId, title: plainLine(title), kind: 'think' as const, content };
    editor.update(asker.id, { sessionUpdate: 'tool_call', ...shown, status: 'pending' });
    const answer = await unlessGone(
      editor.choose(
        { sessionId: asker.id, toolCall: { ...shown, status: 'pending' }, options: [...options] },
        endOf(dialog),
      ),
    );
    const status = answer === undefined ? 'failed' : 'completed';
    editor.update(asker.id, { sessionUpdate: 'tool_call_update', toolCallId, status });
    return answer;
  };

  const askForm = async (form: FieldForm, dialog?: DialogOptions): Promise<FieldAnswer> => {
    const asker = askerFor();
    if (!asker || !editor.hasForms) return { action: 'decline' };
    return (await unlessGone(editor.askForm(asker.id, form, endOf(dialog)))) ?? { action: 'cancel' };
  };

  const fillIn = async (message: string, properties: FieldForm['properties'], dialog?: DialogOptions) => {
    const answer = await askForm({ message, properties }, dialog);
    return answer.action === 'accept' ? answer.content : undefined;
  };

  const write = async (
    title: string,
    schema: Readonly<Record<string, unknown>>,
    dialog?: DialogOptions,
  ): Promise<string | undefined> => {
    const { text } = (await fillIn(title, { text: { type: 'string', title, ...schema } }, dialog)) ?? {};
    return typeof text === 'string' ? text : undefined;
  };

  const fillInAll: UserInterface['fillIn'] = async (questions, dialog) => {
    const message = questions.map(({ question }) => question).join('\n');
    const filled = await fillIn(message, formFields(questions), dialog);
    return filled && questions.map((question) => formAnswer(question, filled[question.id]));
  };

  return {
    ...SILENT,
    canAsk: () => askerFor() !== undefined,
    async select(title, options, dialog) {
      const [line = '', ...rest] = title.split('\n');
      const answer = await ask(line, rest.join('\n').trim(), options.map(optionOf), dialog);
      return answer === undefined ? undefined : options[Number(answer)];
    },
    async confirm(title, message, dialog) {
      const answer = await ask(title, message, ['Yes', 'No'].map(optionOf), dialog);
      return answer === '0';
    },
    input: (title, placeholder, dialog) =>
      write(title, placeholder === undefined ? {} : { description: placeholder }, dialog),
    editor: (title, prefill, dialog) => write(title, prefill === undefined ? {} : { default: prefill }, dialog),
    async decide(question, dialog) {
      const asker = askerFor(question.session);
      return asker && decide(editor, asker, question, await changesOf(question), dialog);
    },
    // What the editor can do is known only when it has introduced itself.
    get fillIn() {
      return editor.hasForms ? fillInAll : undefined;
    },
    get askForm() {
      return editor.hasForms ? askForm : undefined;
    },
    notify(message, kind = 'info') {
      const asker = askerFor();
      if (asker) editor.update(asker.id, noticeUpdate(kind, message, editor));
    },
  };
}

/** Asks about a call. The whole of it is shown, with the reasons: changes of files first and as diffs, because some editors show only those. */
async function decide(
  editor: Editor,
  asker: Asker,
  question: ApprovalQuestion,
  changes: readonly ChangedFile[],
  dialog: DialogOptions | undefined,
): Promise<ApprovalDecision | undefined> {
  const { tool, input, folder, pieces, reasons, notes, choices, id, subagent } = question;
  const diffs = changes.map(diffOf).filter((diff) => diff !== undefined);
  const isShown = diffs.length > 0 && diffs.length === changes.length;
  const what = isShown ? '' : codeBlock(pieces.map((piece) => piece.text).join(''));
  const who = subagent === undefined ? [] : [`The subagent ${subagent} asks.`];
  const why = [...who, ...reasons.map((reason) => `- ${reason}`), ...notes].join('\n');
  const text = [what, why].filter(Boolean).join('\n\n');
  const toolCall: ToolCallUpdate = {
    toolCallId: asker.callOf(tool, input) ?? `approval-${id}`,
    title: titleOf(
      tool,
      input,
      diffs.map(({ path }) => relative(folder, path)),
    ),
    name: tool,
    kind: kindOf(tool),
    status: 'pending',
    content: [...diffs, { type: 'content', content: { type: 'text', text } }],
    ...(diffs.length > 0 && { locations: diffs.map(({ path }) => ({ path })) }),
    rawInput: input,
  };
  const options = inOrder(choices).map(({ id: optionId, label, allows, extent, rules = [] }): PermissionOption => {
    const kind = allows ? (extent === 'once' ? 'allow_once' : 'allow_always') : 'reject_once';
    return { optionId, kind, name: rules.length > 0 ? `${label}: ${rules.join('; ')}` : label };
  });
  const choice = await unlessGone(editor.choose({ sessionId: asker.id, toolCall, options }, endOf(dialog)));
  return choice === undefined ? undefined : { choice };
}

/**
 * Editors with one key for `allow_always` give it to the last option of that kind, or say which one it is for: what holds for the session
 * alone comes after what writes a rule.
 */
function inOrder(choices: readonly ApprovalChoice[]): readonly ApprovalChoice[] {
  const rank = ({ allows, extent }: ApprovalChoice) =>
    !allows ? 3 : extent === 'once' ? 0 : extent === 'always' ? 1 : 2;
  return choices.toSorted((one, other) => rank(one) - rank(other));
}

function optionOf(label: string, index: number): PermissionOption {
  return { optionId: String(index), name: plainLine(label), kind: NEGATIVE.test(label) ? 'reject_once' : 'allow_once' };
}

function endOf({ signal, timeoutMs }: DialogOptions = {}): AbortSignal | undefined {
  const limits = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
  return limits.length === 0 ? undefined : AbortSignal.any(limits);
}

/** Not being answered is an answer here: the asker gave up, time ran out, or the editor is gone or cannot ask. */
function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined);
}
