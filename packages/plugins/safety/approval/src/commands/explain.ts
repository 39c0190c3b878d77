/** `tenon approval explain`: what a command could do, and what would happen to it here. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandCall, CommandIo } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import { errors } from '../errors.ts';
import { type Assessment, assessCommand, type NotUnderstoodPart } from '../judge/assess.ts';
import { type Finding, reasonsOf, worstTier } from '../judge/finding.ts';
import { decide, type Verdict } from '../policy/decide.ts';
import type { PolicyRule } from '../policy/rule.ts';
import { digestOf } from '../tool-calls.ts';
import type { CommandParts } from './parts.ts';

const MEANINGS = [
  'only reads',
  'changes the workspace, builds or tests',
  'uses the network or is hard to undo',
  'destroys something or cannot be undone',
];

/** A command with what is to be said about it. */
interface Explanation extends Assessment {
  readonly command: string;
  readonly verdict: Verdict;
  readonly confined: boolean;
}

/** `tenon approval explain COMMAND` and `--file FILE` */
export async function explainCommand(parts: CommandParts, { io, flags, args, cwd }: CommandCall): Promise<void> {
  const words = args['command'];
  const command = Array.isArray(words) ? words.join(' ') : (words ?? '');
  const { file } = flags;
  if (typeof file !== 'string' && command === '') throw errors.create('APPROVAL_NOTHING_TO_EXPLAIN', {});
  const explain = await explainer(parts, cwd);
  for (const mistake of await grammarMistakes(parts, cwd))
    await io.err(`A grammar with a mistake: ${plainLine(mistake)}\n`);
  if (typeof file === 'string') {
    for (const one of commandsIn(resolve(cwd, file)))
      await io.out(`${JSON.stringify(asJson(await explain(one), parts))}\n`);
    return;
  }
  const explanation = await explain(command);
  if (flags['json']) return io.json(asJson(explanation, parts));
  await show(explanation, parts, io);
}

async function grammarMistakes({ worldOf }: CommandParts, cwd: string): Promise<readonly string[]> {
  const { grammars } = worldOf(cwd);
  if (grammars === undefined || !existsSync(grammars)) return [];
  const { userGrammars } = await import('../proof/user-grammars.ts');
  return (await userGrammars(grammars)).mistakes;
}

/** What does not depend on the command is looked at once. */
async function explainer(
  { folders, worldOf, policies, mode, profileFor }: CommandParts,
  cwd: string,
): Promise<(command: string) => Promise<Explanation>> {
  const confined = (await profileFor(cwd)) !== 'full';
  const rules: readonly PolicyRule[] = (await policies.load(cwd)).flatMap((policy) => policy.rules);
  const world = worldOf(cwd);
  return async (command) => {
    const assessment = await assessCommand({ command, cwd }, world);
    const touches = { commands: [{ text: command, cwd }] };
    const digest = digestOf({ tool: 'bash', input: { command }, touches }, cwd);
    const call = { tool: 'bash', findings: assessment.findings, digest, workspace: cwd, home: folders.home, confined };
    return { ...assessment, command, confined, verdict: decide(call, rules, mode) };
  };
}

/** One command per line; a line that begins with a quote is a JSON string, for commands of several lines. */
function commandsIn(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file === resolve('-') ? 0 : file, 'utf8');
  } catch (fault) {
    throw errors.create('APPROVAL_COMMANDS_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.startsWith('"') ? (jsonString(line) ?? line) : line));
}

function jsonString(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined; // A command that begins with a quote.
  }
}

function asJson(
  { command, findings, understood, notUnderstood, verdict, confined }: Explanation,
  { mode }: CommandParts,
) {
  return {
    command,
    tier: worstTier(findings),
    decision: verdict.kind,
    confined,
    understood,
    notUnderstood: notUnderstood.map((part) => ({ what: part.what, words: markedText(command, part) ?? null })),
    reasons: reasonsOf(findings),
    mode,
    findings: findings.map(({ tier, reason, argv, path, unclear }) => ({
      tier,
      reason,
      ...(argv && { argv: argv.map((word) => word ?? null) }),
      ...(path !== undefined && { path }),
      ...(unclear && { unclear }),
    })),
  };
}

function markedText(command: string, { start, end }: NotUnderstoodPart): string | undefined {
  return start === undefined || end === undefined ? undefined : command.slice(start, end);
}

async function show(
  { command, findings, notUnderstood, verdict, confined }: Explanation,
  { mode }: CommandParts,
  io: CommandIo,
): Promise<void> {
  const tier = worstTier(findings);
  const isUnclear = tier === 2 && findings.every((finding) => finding.tier < 2 || finding.unclear === true);
  await io.out(`Tier ${tier}: ${isUnclear ? 'not everything in it is understood' : MEANINGS[tier]}.\n`);
  for (const line of programLines(findings)) await io.out(`  ${line}\n`);
  for (const part of notUnderstood) {
    const words = markedText(command, part);
    await io.out(
      `  Not understood: ${plainLine(part.what)}${words === undefined ? '' : `, at ›${plainLine(words)}‹`}\n`,
    );
  }
  await io.out(`${verdictText(verdict, mode, confined && notUnderstood.length > 0)}\n`);
}

function programLines(findings: readonly Finding[]): string[] {
  // Of a program with something to say, the line without anything to say is left out.
  const telling = new Set(findings.filter(({ reason }) => reason !== '').map(({ argv }) => JSON.stringify(argv)));
  const lines = findings
    .filter(({ argv, reason }) => reason !== '' || (argv !== undefined && !telling.has(JSON.stringify(argv))))
    .filter(({ reason }) => !reason.startsWith('not understood: '))
    .map(({ tier, reason, argv }) => {
      const words = argv?.map((word) => word ?? '…').join(' ') ?? '';
      const shown = words.length > 60 ? `${words.slice(0, 59)}…` : words;
      return plainLine(`${tier}  ${[shown, reason].filter((part) => part !== '').join('  — ')}`);
    });
  return [...new Set(lines)];
}

function verdictText(verdict: Verdict, mode: string, isConfined: boolean): string {
  switch (verdict.kind) {
    case 'allow':
      return isConfined
        ? `It runs in the sandbox without asking (mode ${mode}); if the sandbox refuses something, Tenon asks.`
        : `It runs without asking (mode ${mode}).`;
    case 'deny':
      return `It is refused: ${plainLine(verdict.reason)} (${verdict.rule.file}:${verdict.rule.line}).`;
    case 'ask':
      return `It needs your approval (mode ${mode}): ${plainLine(verdict.reasons.join('; '))}.`;
  }
}
