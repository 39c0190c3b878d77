import { resolve } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { kernelView } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { doctorChecks } from './api.ts';

/** `tenon doctor` and its own checks. */
export default definePlugin({
  id: 'doctor',
  defines: [doctorChecks],
  needs: { kernel: kernelView },
  activate(ctx) {
    const { kernel } = ctx.needs;
    for (const name of ['versions', 'accelerators', 'plugins', 'folders', 'sandbox', 'settings'] as const) {
      ctx.contribute(doctorChecks, name, {
        run: async ({ signal }) => (await import('./checks.ts')).checks[name](kernel, signal),
      });
    }
    ctx.contribute(cliCommands, 'doctor', {
      run: async ({ args, flags, io, cwd, signal }) => {
        const { hasProblem, reportText, runChecks } = await import('./report.ts');
        const names = Array.isArray(args['checks']) ? args['checks'] : [];
        const reports = await runChecks(ctx.read(doctorChecks), names, signal);
        const ok = !hasProblem(reports);
        if (flags['json']) await io.json({ ok, checks: reports });
        else await io.out(reportText(reports, io));
        if (typeof flags['report'] === 'string') {
          const { writeReport } = await import('./problem-report.ts');
          const file = resolve(cwd, flags['report']);
          await writeReport(file, { kernel, checks: reports, env: process.env, now: new Date() });
          await io.err(`Written: ${file}. Read it before you share it.\n`);
        }
        return ok ? 0 : 1;
      },
    });
  },
});
