import type { CommandCall } from '@tenon/command-line/api';
import { counted, plainLine, plainText } from '@tenon/wording';
import type { PromptHistory } from '@tenon/sessions/api';
import { errors } from './errors.ts';
import { limitIn } from './limit.ts';

/** `tenon history` */
export async function showHistory(history: PromptHistory, { args, flags, io, cwd }: CommandCall): Promise<void> {
  if (flags['clear'] === true) return clearHistory(history, { flags, io });
  const words = Array.isArray(args['words']) ? args['words'].join(' ') : '';
  const here = flags['here'] === true;
  const prompts = await history.search(words, limitIn(flags), here ? cwd : undefined);
  if (flags['json']) return io.json(prompts);
  if (prompts.length === 0)
    return io.err(words === '' ? 'No prompts are remembered.\n' : `No prompt holds "${plainLine(words)}".\n`);
  const lines = prompts.map(({ prompt, cwd: folder, at }) => {
    const [first = '', ...more] = plainText(prompt).trim().split('\n');
    const rest = more.length > 0 ? ` (and ${counted(more.length, 'more line')})` : '';
    return `${at.slice(0, 16).replace('T', ' ')}  ${here ? '' : `${plainLine(folder)}  `}${plainLine(first)}${rest}`;
  });
  await io.out(`${lines.join('\n')}\n`);
}

async function clearHistory(history: PromptHistory, { flags, io }: Pick<CommandCall, 'flags' | 'io'>): Promise<void> {
  if (flags['yes'] !== true) {
    const answer = (await io.ask?.('Forget all prompts for good? (yes/no) ')) ?? '';
    if (!/^y(es)?$/i.test(answer.trim())) throw errors.create('SESSION_EXPORT_HISTORY_CONFIRM');
  }
  const removed = await history.clear();
  if (flags['json']) await io.json({ removed });
  else await io.out(`Forgot ${removed} prompts.\n`);
}
