/** Keeps secrets out of commits, and out of what a model is sent. */
import type { SecretMasks } from '@tenon/secrets/api';
import { cutText, plainLine } from '@tenon/wording';
import { errors } from './errors.ts';
import type { StagedFile } from './staged.ts';

const MAX_SHOWN = 10;

/** Throws when a line that is being added holds what looks like a secret. */
export function refuseSecrets(files: readonly StagedFile[], masks: SecretMasks): void {
  const findings = files.flatMap(({ path, diff }) =>
    addedLines(diff).flatMap(({ line, text }) => {
      const masked = masks.mask(text);
      return masked === text ? [] : [`  ${plainLine(path)}:${line}: ${cutText(plainLine(masked.trim()), 120)}`];
    }),
  );
  if (findings.length === 0) return;
  const more = findings.length > MAX_SHOWN ? [`  … and ${findings.length - MAX_SHOWN} more`] : [];
  throw errors.create('COMMIT_SECRET', { findings: [...findings.slice(0, MAX_SHOWN), ...more].join('\n') });
}

/** The lines that a diff adds, with their numbers in the new file. */
export function addedLines(diff: string): { readonly line: number; readonly text: string }[] {
  const added: { line: number; text: string }[] = [];
  let line = 0;
  for (const text of diff.split('\n')) {
    const hunk = /^@@ -\S+ \+(\d+)/.exec(text);
    if (hunk) line = Number(hunk[1]);
    else if (line === 0) continue;
    else if (text.startsWith('+')) added.push({ line: line++, text: text.slice(1) });
    else if (text.startsWith(' ')) line++;
    else if (text.startsWith('diff --git ')) line = 0;
  }
  return added;
}
