/** Turns a command's file and what was typed behind its name into a prompt. */
import { fencedText, shellWord, tagValue } from '@tenon/wording';
import type { CommandFile } from '@tenon/discovery/api';
import type { ToolResult, ToolRunner } from '@tenon/tools/api';
import type { ProjectProgram, WorkspaceTrust } from '@tenon/trust/api';
import type { SlashCall, SlashOutcome } from './api.ts';
import { type Arguments, fillShell, fillText, splitArguments, takesArguments } from './arguments.ts';
import { errors } from './errors.ts';
import { includeFile } from './included-file.ts';
import { parseTemplate, type Part } from './template.ts';

/** What expanding needs. */
export interface ExpandHost {
  trust(): Promise<WorkspaceTrust | undefined>;
  runner(): Promise<ToolRunner>;
  /** Lets tools of a session through without asking, until the function that it gives is called. */
  preApprove(session: string, tools: readonly string[]): Promise<() => void>;
}

/** A command, and whose it is. */
export interface OwnedCommand {
  readonly command: CommandFile;
  readonly level: 'user' | 'project';
  /** The folder of the project that it belongs to, which may be above the working folder. */
  readonly project?: string;
}

const MAX_CHARS = 400_000;

/** The prompt, or why there is none. Nothing of a project's command runs where the project is not trusted. */
export async function expandCommand(
  host: ExpandHost,
  owned: OwnedCommand,
  typed: string,
  call: SlashCall,
): Promise<SlashOutcome> {
  const { command } = owned;
  const { name, path: file, syntax } = command;
  const args = splitArguments(typed);
  const body = withVariables(command.body, command.variables);
  const parts = parseTemplate(body, syntax);
  const access = await accessOf(host, owned, parts, args, call);
  if (typeof access === 'object') return access;
  const work: Work = { host, owned, args, call, included: [], mayInclude: access };
  // What a project says about its own powers counts only where the project is trusted.
  const allowedTools = (await isTrusted(host, owned, call.cwd)) ? command.allowedTools : undefined;
  const needed = parts.some(({ kind }) => kind === 'shell') ? allowedTools : undefined;
  const filled = await withTools(host, needed, call.session, () => expandParts(parts, work));
  if (typeof filled === 'object') return filled;
  let text = filled;
  if (args.whole !== '' && !takesArguments(body, syntax)) text += `\n\nARGUMENTS: ${args.whole}`;
  text = [text.trim(), ...work.included].join('\n\n');
  if (text.length > MAX_CHARS)
    return refusal('SLASH_COMMANDS_TOO_LONG', { name, size: text.length, limit: MAX_CHARS, file });
  const { model } = command;
  return {
    kind: 'prompt',
    text,
    ...(model !== undefined && model !== 'inherit' && { model }),
    ...(allowedTools && { allowedTools }),
  };
}

/** What the command runs to make its prompt counts as its own use of the tools, too. */
async function withTools<T>(
  host: ExpandHost,
  tools: readonly string[] | undefined,
  session: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (tools === undefined || session === undefined) return work();
  const end = await host.preApprove(session, tools);
  try {
    return await work();
  } finally {
    end();
  }
}

async function expandParts(parts: readonly Part[], work: Work): Promise<string | SlashOutcome> {
  let text = '';
  for (const part of parts) {
    const piece = await expandPart(part, work);
    if (typeof piece === 'object') return piece;
    text += piece;
  }
  return text;
}

interface Work {
  readonly host: ExpandHost;
  readonly owned: OwnedCommand;
  readonly args: Arguments;
  readonly call: SlashCall;
  /** Files that go to the end of the prompt. */
  readonly included: string[];
  readonly mayInclude: boolean;
}

/** Whether files may be put in; a refusal when the command would run something that it may not run. */
async function accessOf(
  host: ExpandHost,
  owned: OwnedCommand,
  parts: readonly Part[],
  args: Arguments,
  { cwd }: SlashCall,
): Promise<boolean | SlashOutcome> {
  const { name, path: file, syntax } = owned.command;
  if (owned.level === 'user') return true;
  const shell = parts.find((part) => part.kind === 'shell');
  if (!shell) return isTrusted(host, owned, cwd);
  const command = fillShell(shell.command, args, syntax);
  const trust = await host.trust();
  const folder = owned.project ?? cwd;
  if (await trust?.ensure(folder, `run \`${command}\` for the command /${name}`, [programOf(owned)])) return true;
  return refusal('SLASH_COMMANDS_UNTRUSTED', { name, file, command, folder, folderWord: shellWord(folder) });
}

async function isTrusted(host: ExpandHost, owned: OwnedCommand, cwd: string): Promise<boolean> {
  const { level, project } = owned;
  return level === 'user' || (await (await host.trust())?.stateOf(project ?? cwd, [programOf(owned)])) === 'trusted';
}

/** The command as something that trust holds for: the bytes of its file. What its shell parts run is up to approval and sandbox. */
function programOf({ command: { name, path } }: OwnedCommand): ProjectProgram {
  return { name: `the command /${name}`, file: path, files: [path] };
}

async function expandPart(part: Part, work: Work): Promise<string | SlashOutcome> {
  const { args, owned, call } = work;
  const { syntax, variables = {} } = owned.command;
  if (part.kind === 'text') return fillText(part.text, args, syntax);
  if (part.kind === 'shell') return runShell(fillShell(part.command, args, syntax), work);
  const source = fillText(part.source, args, syntax);
  if (!work.mayInclude) return source;
  const path = fillText(part.path, args, syntax);
  const file = await includeFile(path, call.cwd, [call.cwd, ...Object.values(variables)]);
  // Not every `@` is a file: the model sees what was written.
  if ('reason' in file) return source;
  const block = `<file path="${tagValue(file.path)}">\n${fencedText(file.text)}\n</file>`;
  if (syntax === 'gemini') return block;
  if (!work.included.includes(block)) work.included.push(block);
  return source;
}

async function runShell(command: string, { host, owned, call }: Work): Promise<string | SlashOutcome> {
  const { session, cwd, signal } = call;
  const runner = await host.runner();
  const result = await runner.run(
    'bash',
    { command },
    { signal, ...(session !== undefined && { scope: { session, cwd } }) },
  );
  const text = textOf(result);
  const { name, path: file } = owned.command;
  // A command that ran and failed has something to say; one that did not run has not.
  if (result.isError === true && !hasRun(result))
    return refusal('SLASH_COMMANDS_SHELL', { name, command, reason: text, file });
  return text;
}

function hasRun({ details }: ToolResult): boolean {
  return typeof details === 'object' && details !== null && ('exitCode' in details || 'async' in details);
}

function textOf({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function withVariables(body: string, variables: Readonly<Record<string, string>> = {}): string {
  return Object.entries(variables).reduce((text, [key, value]) => text.replaceAll(`\${${key}}`, value), body);
}

function refusal(code: keyof typeof errors.catalogue, details: Parameters<typeof errors.create>[1]): SlashOutcome {
  const { message: reason, next } = errors.create(code, details);
  return { kind: 'refused', reason, next };
}
