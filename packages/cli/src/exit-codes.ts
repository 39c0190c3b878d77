import { EXIT } from '@tenon/command-line/api';
import { TenonError } from '@tenon/kernel';

/** Of several causes the first of these classes counts. */
const DECIDING = ['usage', 'config'] as const;

/** The exit code for an error. Its causes count too: a plugin that did not start because of its settings is a settings error. */
export function exitCodeFor(error: unknown): number {
  if (!(error instanceof TenonError)) return EXIT.defect;
  const classes = new Set<TenonError['exit']>();
  let at: unknown = error;
  for (let depth = 0; at instanceof TenonError && depth < 10; at = at.cause, depth++) classes.add(at.exit);
  return EXIT[DECIDING.find((name) => classes.has(name)) ?? error.exit];
}
