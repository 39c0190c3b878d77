/** `tenon approval explain`: what a command could do, and what would happen to it here. */
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import { type Finding, reasonsOf, worstTier } from '../judge/finding.ts';
import { assessCommand } from '../judge/assess.ts';
import { decide, type Verdict } from '../policy/decide.ts';
import { digestOf } from '../tool-calls.ts';
import type { CommandParts } from './parts.ts';

const MEANINGS = [
  'only reads',
  'changes the workspace, builds or tests',
  'reaches out or is hard to undo',
  'destroys, or cannot be taken back',
];

/** `tenon approval explain COMMAND` */
export async function explainCommand(
  { folders, worldOf, policies, mode }: CommandParts,
  { io, flags, args, cwd }: CommandCall,
): Promise<void> {
  const words = args['command'];
  const command = Array.isArray(words) ? words.join(' ') : String(words);
  const { findings } = await assessCommand({ command, cwd }, worldOf(cwd));
  const tier = worstTier(findings);
  const rules = (await policies.load(cwd)).flatMap((policy) => policy.rules);
  const digest = digestOf({ tool: 'bash', input: { command }, touches: { commands: [{ text: command, cwd }] } }, cwd);
  const verdict = decide(
    { tool: 'bash', findings, digest, workspace: cwd, home: folders.home, confined: false },
    rules,
    mode,
  );
  if (flags['json']) {
    const parts = findings.map(({ tier: own, reason, argv, path }) => ({
      tier: own,
      reason,
      ...(argv && { argv: argv.map((word) => word ?? null) }),
      ...(path !== undefined && { path }),
    }));
    return io.json({ command, tier, reasons: reasonsOf(findings), decision: verdict.kind, mode, findings: parts });
  }
  await io.out(`Tier ${tier}: ${MEANINGS[tier]}.\n`);
  for (const line of programLines(findings)) await io.out(`  ${line}\n`);
  await io.out(`${verdictText(verdict, mode)}\n`);
}

function programLines(findings: readonly Finding[]): string[] {
  // Of a program with something to say, the line without anything to say is left out.
  const telling = new Set(findings.filter(({ reason }) => reason !== '').map(({ argv }) => JSON.stringify(argv)));
  const lines = findings
    .filter(({ argv, reason }) => reason !== '' || (argv !== undefined && !telling.has(JSON.stringify(argv))))
    .map(({ tier, reason, argv }) => {
      const words = argv?.map((word) => word ?? '…').join(' ') ?? '';
      const shown = words.length > 60 ? `${words.slice(0, 59)}…` : words;
      return plainLine(`${tier}  ${[shown, reason].filter((part) => part !== '').join('  — ')}`);
    });
  return [...new Set(lines)];
}

function verdictText(verdict: Verdict, mode: string): string {
  switch (verdict.kind) {
    case 'allow':
      return `It runs without asking (mode ${mode}).`;
    case 'deny':
      return `It is refused: ${plainLine(verdict.reason)} (${verdict.rule.file}:${verdict.rule.line}).`;
    case 'ask':
      return `It asks first (mode ${mode}): ${plainLine(verdict.reasons.join('; '))}.`;
  }
}
