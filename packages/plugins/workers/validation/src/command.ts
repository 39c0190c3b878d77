/** `tenon validate`. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import type { Validation, ValidationResult } from './api.ts';
import { errors } from './errors.ts';

/** Finds the commands, shows or runs them. */
export async function validate(service: Validation, { flags, io, cwd, signal }: CommandCall): Promise<number> {
  const base = flags['base'];
  const plan = await service.plan({ cwd, ...(typeof base === 'string' && { base }) });
  const isJson = flags['json'] === true;
  if (flags['dry-run'] === true) {
    if (isJson) await io.json(plan);
    else {
      await io.out(`${plainLine(plan.reason)}\n`);
      for (const { argv, cwd: folder } of plan.steps)
        await io.out(`  ${plainLine(argv.join(' '))}  (${plainLine(folder)})\n`);
    }
    return EXIT.ok;
  }
  if (plan.steps.length === 0 && plan.reason !== 'Nothing was changed.')
    throw errors.create('VALIDATION_NOTHING', { folder: plan.root });
  const result = await service.run(plan, {
    signal,
    output: (text) => {
      // Programs get the result alone; people watch.
      if (!isJson) void io.err(plainText(text));
    },
  });
  if (isJson) await io.json(result);
  else await io.out(summary(result));
  return result.state === 'failed' || result.state === 'cancelled' ? EXIT.failure : EXIT.ok;
}

function summary({ state, plan, steps }: ValidationResult): string {
  if (plan.steps.length === 0) return `${plainLine(plan.reason)}\n`;
  const lines = steps.map(({ title, code, skipped, durationMs }) => {
    const end = skipped ?? (code === 0 ? 'passed' : code === null ? 'was ended' : `failed with exit code ${code}`);
    return `${plainLine(title)}: ${plainLine(end)}${skipped === undefined ? ` (${(durationMs / 1000).toFixed(1)} s)` : ''}\n`;
  });
  return `${lines.join('')}Validation: ${state}.\n`;
}
