/** `tenon commands list` and `tenon commands show`. */
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import type { Discovery } from '@tenon/discovery/api';
import type { SlashCommands } from './api.ts';
import { titleOf, whose } from './built-in/facts.ts';
import { errors } from './errors.ts';
import { hintFor } from './foreign-names.ts';
import { findCommands } from './file-commands.ts';

/** Lists what can be typed behind a slash. */
export async function listCommands(service: SlashCommands, { io, flags, cwd, signal }: CommandCall): Promise<void> {
  const all = await service.list(cwd, signal);
  if (flags['json'] === true) return io.json({ commands: all });
  const titles = all.map(titleOf);
  const width = Math.min(40, Math.max(0, ...titles.map(({ length }) => length)));
  for (const [index, info] of all.entries())
    await io.out(
      `${(titles[index] ?? '').padEnd(width)}  ${plainLine(info.description ?? '')} (${plainLine(whose(info))})\n`,
    );
}

/** Shows the file of a command. */
export async function showCommand(
  service: SlashCommands,
  discovery: Discovery,
  { io, args, flags, cwd, signal }: CommandCall,
): Promise<void> {
  const name = String(args['name']).replace(/^\//, '');
  const file = (await findCommands(discovery, cwd, signal)).find(({ value }) => value.name === name);
  const info = file ? undefined : (await service.list(cwd, signal)).find((entry) => entry.name === name);
  if (!file && !info) {
    const names = (await service.list(cwd, signal)).map((entry) => entry.name);
    throw errors.create('SLASH_COMMANDS_UNKNOWN', { name, hint: hintFor(name, names) });
  }
  if (flags['json'] === true) {
    const { value, ...rest } = file ?? { value: info };
    return io.json({ ...rest, ...value });
  }
  if (!file) return io.out(`/${plainLine(name)}: ${plainLine(info?.description ?? '')} (${info?.kind})\n`);
  const { value, family, level } = file;
  const more = [
    ...(value.model === undefined ? [] : [`Model: ${value.model}`]),
    ...(value.allowedTools === undefined ? [] : [`Tools without asking: ${value.allowedTools.join(', ')}`]),
  ];
  const head = [`${value.path} (${family}, ${level})`, ...more].map(plainLine).join('\n');
  await io.out(`${head}\n\n${plainText(value.body)}\n`);
}
