/** Messages that do not change any more, as rows. */
import type { AgentMessage, BashExecutionMessage, CustomMessage } from '@tenon/sessions/api';
import { counted, countText } from '@tenon/wording';
import type { DrawStyle } from './block.ts';

type Content = string | readonly { readonly type: string; readonly text?: string }[];

/** The text of a message's content; images are named. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? (part.text ?? '') : `[${part.type}]`)).join('\n');
}

/** A message longer than that was pasted, or came from a file: its begin and its end say which one it is. */
const MESSAGE_ROWS = 30;
const BEGIN_ROWS = 12;
const END_ROWS = 6;

/** What the user said. */
export function userRows(text: string, style: DrawStyle, expandKey = 'ctrl+o'): string[] {
  const { theme, width } = style;
  const inner = Math.max(1, width - 2);
  const rows = style.wrap(style.plain(text), inner);
  const drawn = rows.map(
    (row, index) => theme.fg('accent', index === 0 ? '❯ ' : '  ') + theme.fg('userMessageText', row),
  );
  const hidden = rows.length - BEGIN_ROWS - END_ROWS;
  if (style.isExpanded || rows.length <= MESSAGE_ROWS) return ['', ...drawn];
  const note = theme.fg('dim', `  … ${counted(hidden, 'more row')} (${expandKey} shows all)`);
  return ['', ...drawn.slice(0, BEGIN_ROWS), note, ...drawn.slice(-END_ROWS)];
}

/** A line of Tenon for the user. */
export function noticeRows(text: string, kind: 'info' | 'warning' | 'error', style: DrawStyle): string[] {
  const { theme, width } = style;
  const [mark, color] = { info: ['·', 'muted'], warning: ['!', 'warning'], error: ['✗', 'error'] }[kind] as [
    string,
    'muted' | 'warning' | 'error',
  ];
  const rows = style.wrap(style.plain(text), Math.max(1, width - 2));
  return rows.map((row, index) => `${index === 0 ? theme.fg(color, mark) : ' '} ${theme.fg(color, row)}`);
}

/** How many rows of a command's output are shown unless everything is wanted. */
const OUTPUT_ROWS = 20;

/** A command of the user and what it printed. */
export function userCommandRows(message: BashExecutionMessage, style: DrawStyle): string[] {
  return commandRows(message, message.excludeFromContext ? '!!' : '!', style);
}

type CommandRun = Pick<BashExecutionMessage, 'command' | 'output'> &
  Partial<Pick<BashExecutionMessage, 'cancelled' | 'exitCode'>>;

/** A command that is not of the session, likewise. */
export function commandRows(
  { command, output, cancelled, exitCode }: CommandRun,
  mark: string,
  style: DrawStyle,
): string[] {
  const { theme, width } = style;
  const rows = style.wrap(style.plain(output.replace(/\n+$/, '')), Math.max(1, width - 2));
  const shown = style.isExpanded ? rows : rows.slice(-OUTPUT_ROWS);
  const hidden = rows.length - shown.length;
  const end = cancelled
    ? theme.fg('warning', '  stopped')
    : exitCode === undefined || exitCode === 0
      ? undefined
      : theme.fg('error', `  exit code ${exitCode}`);
  const [first = '', ...more] = style.wrap(style.plain(command), Math.max(1, width - mark.length - 1));
  const indent = ' '.repeat(mark.length + 1);
  return [
    '',
    theme.fg('bashMode', `${mark} ${first}`),
    ...more.map((row) => theme.fg('bashMode', `${indent}${row}`)),
    ...(hidden > 0 ? [theme.fg('dim', `  … ${counted(hidden, 'earlier row')}`)] : []),
    ...(output === '' ? [] : shown.map((row) => `  ${theme.fg('toolOutput', row)}`)),
    ...(end === undefined ? [] : [end]),
  ];
}

const PYTHON = /^The user ran this Python code:\n\n([^]*?)\n\nIt printed:\n\n([^]*)$/;

/** Python of the user and what it printed: without the words that are for the model. */
function userPythonRows(message: CustomMessage, style: DrawStyle): string[] {
  const said = contentText(message.content);
  const [, command = said, output = ''] = PYTHON.exec(said) ?? [];
  return commandRows({ command, output }, '$', style);
}

const HANDOVER = /^<handoff-context>\n([^]*?)\n<\/handoff-context>/;

/** The document that a session begins with when another one handed its work over: without the words that are for the model. */
export function handedOver(message: AgentMessage): string | undefined {
  if (message.role !== 'custom' || message.customType !== 'handoff' || message.attribution !== 'agent')
    return undefined;
  return HANDOVER.exec(contentText(message.content))?.[1];
}

/** Messages other than the user's, the model's and those of tools; nothing for those that are not shown. */
export function otherRows(message: AgentMessage, style: DrawStyle): string[] {
  const { theme, width } = style;
  const labelled = (label: string, text: string) => [
    '',
    theme.fg('customMessageLabel', label),
    ...style.wrap(style.plain(text), Math.max(1, width - 2)).map((row) => `  ${theme.fg('customMessageText', row)}`),
  ];
  switch (message.role) {
    case 'custom':
      if (message.customType === 'python' && message.attribution === 'user') return userPythonRows(message, style);
      if (handedOver(message) !== undefined)
        return labelled('Handed over by the session before', handedOver(message) ?? '');
      return message.display ? labelled(`[${style.plain(message.customType)}]`, contentText(message.content)) : [];
    case 'bashExecution':
      return userCommandRows(message, style);
    case 'fileMention':
      return message.files.map(({ path, lineCount }) =>
        theme.fg(
          'muted',
          `  @${style.plain(path)}${lineCount === undefined ? '' : ` (${counted(lineCount, 'line')})`}`,
        ),
      );
    case 'branchSummary':
      return labelled('Summary of the branch that was left', message.summary);
    case 'compactionSummary':
      return labelled(
        `The conversation was summarized (about ${countText(message.tokensBefore)} tokens before)`,
        message.shortSummary ?? message.summary,
      );
    default:
      return [];
  }
}
