import { liveAgents, sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { tools } from '@tenon/tools/api';
import { jobs } from './api.ts';
import { Delivery } from './delivery.ts';
import { JobTable } from './job-table.ts';
import { createJobTool } from './job-tool.ts';
import type { JobsSettings } from './generated/settings.ts';

/** Work that goes on while the conversation does. */
export default definePlugin({
  id: 'jobs',
  config: Type.Unsafe<JobsSettings>({}),
  needs: { folders },
  defines: [jobs],
  activate(ctx) {
    const { maxRunning, keepMinutes, pollSeconds } = ctx.config;
    const failed = (fault: unknown) => ctx.log.error(`the end of a job could not be told: ${messageOf(fault)}`);
    const table = new JobTable({ maxRunning, keepMs: keepMinutes * 60_000 }, (job) => {
      delivery.announce(job).catch(failed);
    });
    const delivery = new Delivery({
      agents: () => ctx.findOptional(liveAgents),
      isUntold: (job) => table.isUntold(job),
      told: (session, ids) => table.acknowledge(session, ids),
      failed,
    });
    ctx.defer(async () => {
      delivery.close();
      await table.close();
    });
    ctx.provide(jobs, table);
    ctx.contribute(tools, 'job', createJobTool({ folders: ctx.needs.folders, jobs: table, log: ctx.log, pollSeconds }));
    ctx.on(sessionShutdown, ({ session }) => table.endSession(session));
    ctx.on(sessionSwitch, ({ previous }) => table.endSession(previous));
  },
});
