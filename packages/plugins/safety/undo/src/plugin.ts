import { setTimeout as rest } from 'node:timers/promises';
import { liveAgents, sessionStart } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, userInterface } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { toolCall, type ToolCallEvent, toolEnd } from '@tenon/tools/api';
import { undo as undoService } from './api.ts';
import type { UndoSettings } from './generated/settings.ts';

/** After approval, which is last of those that may refuse: nothing is kept for a call that does not run. */
const AFTER_APPROVAL = -2000;
/** A first snapshot waits at most `waitSeconds`; the rest is for a slow disk and other processes. */
const SPARE_MS = 60_000;
/** By then the first request is on its way. Whoever calls a tool sooner takes the first snapshot with that call. */
const AFTER_START_MS = 700;

/** Keeps what calls could destroy, and takes them back. */
export default definePlugin({
  id: 'undo',
  config: Type.Unsafe<UndoSettings>({}),
  needs: { folders },
  defines: [undoService],
  activate(ctx) {
    const { enabled, waitSeconds, required, ...rules } = ctx.config;
    const places = ctx.needs.folders;
    const load = async () => {
      const [{ Workspaces }, { createUndo }, { Guard }, { firstSnapshot }] = await Promise.all([
        import('./workspaces.ts'),
        import('./undo-service.ts'),
        import('./guard.ts'),
        import('./first-snapshot.ts'),
      ]);
      const workspaces = new Workspaces(places, rules);
      ctx.defer(() => workspaces.close());
      const guard = new Guard({
        workspaces,
        cwd: places.cwd,
        waitSeconds,
        required,
        log: ctx.log,
        judge: async ({ text, cwd, env, definitions }) =>
          (await ctx.findOptional(approvals))?.judgeCommand(text, {
            cwd,
            ...(env && { env }),
            ...(definitions && { definitions }),
          }),
        madeFor: async (session) => {
          const agents = await ctx.findOptional(liveAgents);
          const line: { session: string; callId?: string }[] = [];
          for (let parent = agents?.get(session)?.parent; parent; parent = agents?.get(parent.session)?.parent)
            line.push({ session: parent.session, ...(parent.call !== undefined && { callId: parent.call }) });
          return line;
        },
        report: (error) => ctx.report(error, 'warning'),
        tell: async (session, text) => {
          const agent = session === undefined ? undefined : (await ctx.findOptional(liveAgents))?.get(session);
          if (agent) agent.emit({ type: 'notice', level: 'warning', text });
          else (await ctx.findOptional(userInterface))?.notify(text, 'warning');
        },
      });
      return { workspaces, guard, service: createUndo(workspaces), firstSnapshot };
    };
    let loading: ReturnType<typeof load> | undefined;
    // Loaded with the first call that may change something: starting Tenon does not pay for it.
    const parts = () => (loading ??= load());
    const deadlineMs = waitSeconds * 1000 + SPARE_MS;
    // The manifest names these handlers, so they are there also when they do nothing.
    const leavesAlone = (event: ToolCallEvent) => !enabled || onlyReads(event);
    ctx.on(
      toolCall,
      (event, call) => (leavesAlone(event) ? undefined : parts().then(({ guard }) => guard.before(event, call.signal))),
      { priority: AFTER_APPROVAL, deadlineMs },
    );
    ctx.on(toolEnd, (event) => (leavesAlone(event) ? undefined : loading?.then(({ guard }) => guard.after(event))), {
      deadlineMs,
    });
    const background = new Set<Promise<void>>();
    ctx.on(sessionStart, ({ cwd, parent }) => {
      // A subagent's first call takes its snapshot: most of them change nothing.
      if (!enabled || cwd === undefined || parent !== undefined) return;
      const work = rest(AFTER_START_MS, undefined, { signal: ctx.signal })
        .then(parts)
        .then(({ workspaces, firstSnapshot }) => firstSnapshot(workspaces, cwd, ctx.signal))
        // The first call takes the snapshot then, and tells the user what is wrong.
        .catch((fault: unknown) => ctx.log.debug('no snapshot at the start of the session', { error: fault }))
        .finally(() => background.delete(work));
      background.add(work);
    });
    ctx.defer(async () => void (await Promise.all(background)));
    ctx.provide(undoService, {
      list: async (request) => (await parts()).service.list(request),
      preview: async (request) => (await parts()).service.preview(request),
      restore: async (request) => (await parts()).service.restore(request),
    });
    ctx.contribute(cliCommands, 'undo', {
      run: async (call) => (await import('./commands.ts')).runUndo((await parts()).service, call),
    });
  },
});

/** A call of which it is clear without a look at any command. */
function onlyReads({ touches }: ToolCallEvent): boolean {
  return touches.anything !== true && touches.writes === undefined && (touches.commands ?? []).length === 0;
}
