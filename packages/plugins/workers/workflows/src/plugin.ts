import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { runs } from '@tenon/runs/api';
import { sandboxes } from '@tenon/sandbox/api';
import { validation } from '@tenon/validation/api';
import { workflows } from './api.ts';
import type { CommandParts } from './commands/workflow.ts';
import type { Steering } from './steering.ts';

/** Durable workflows: graphs of agents, workers, commands and approvals that survive a crash. */
export default definePlugin({
  id: 'workflows',
  needs: { folders },
  defines: [workflows],
  activate(ctx) {
    const parts = async (): Promise<CommandParts> => ({
      workflows: (await import('./journal.ts')).workflowsFolder(ctx.needs.folders.state),
      runs: () => ctx.find(runs),
      validation: () => ctx.findOptional(validation),
      sandboxes: () => ctx.findOptional(sandboxes),
      log: ctx.log,
    });
    const load = () => import('./commands/workflow.ts');
    let made: Promise<Steering> | undefined;
    const steering = () =>
      (made ??= import('./steering.ts').then(async ({ steerWorkflows }) => steerWorkflows(await parts(), ctx.signal)));
    ctx.provide(workflows, {
      list: async () => (await steering()).list(),
      details: async (...args) => (await steering()).details(...args),
      answer: async (...args) => (await steering()).answer(...args),
      continue: async (...args) => (await steering()).continue(...args),
      retry: async (...args) => (await steering()).retry(...args),
      cancel: async (...args) => (await steering()).cancel(...args),
    });
    // What this process works on is written down before it ends.
    ctx.defer(async () => (await made)?.settled());
    const commands: Readonly<Record<string, CliCommand['run']>> = {
      'workflow run': async (call) => (await load()).runWorkflow(await parts(), call),
      'workflow continue': async (call) => (await load()).continueWorkflow(await parts(), call),
      'workflow list': async (call) => (await load()).listWorkflows(await parts(), call),
      'workflow show': async (call) => (await load()).showWorkflow(await parts(), call),
      'workflow graph': async (call) => (await load()).graphWorkflow(await parts(), call),
      'workflow answer': async (call) => (await load()).answerWorkflow(await parts(), call),
      'workflow cancel': async (call) => (await load()).cancelWorkflow(await parts(), call),
      'workflow retry': async (call) => (await load()).retryWorkflow(await parts(), call),
    };
    for (const [key, run] of Object.entries(commands)) ctx.contribute(cliCommands, key, { run });
  },
});
