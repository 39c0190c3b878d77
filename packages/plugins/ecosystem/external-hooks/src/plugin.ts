import {
  agentStop,
  beforeCompact,
  beforeStart,
  compacted,
  context,
  input,
  modelRequest,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
} from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { toolCall, toolInput, toolPermission, toolResult } from '@tenon/tools/api';
import { hookEvents } from './api.ts';
import type { HookEngine } from './engine.ts';
import type { ExternalHooksSettings } from './generated/settings.ts';

/** The largest delay that timers know: hooks have time limits of their own, and people may be asked. */
const OWN_LIMITS = { deadlineMs: 2_147_483_647 };
/** After all others: what hooks judge is what will run. */
const LAST = { ...OWN_LIMITS, priority: -900 };
/** Before commands and templates are filled in: hooks see what the user typed. */
const FIRST = { ...OWN_LIMITS, priority: 900 };

/** Runs the hooks that users have for other tools. */
export default definePlugin({
  id: 'external-hooks',
  config: Type.Unsafe<ExternalHooksSettings>({}),
  needs: { folders },
  defines: [hookEvents],
  activate(ctx) {
    const load = async () => {
      const [{ HookEngine }, { SessionMoments }, tools, conversation] = await Promise.all([
        import('./engine.ts'),
        import('./moments/sessions.ts'),
        import('./moments/tools.ts'),
        import('./moments/conversation.ts'),
      ]);
      const { config, log, signal } = ctx;
      const hookEngine = new HookEngine({
        find: (service) => ctx.find(service),
        findOptional: (service) => ctx.findOptional(service),
        run: (...args) => ctx.run(...args),
        config,
        log,
        data: ctx.needs.folders.data,
        signal,
      });
      const moments = { engine: hookEngine, cwd: ctx.needs.folders.cwd };
      return { engine: hookEngine, sessions: new SessionMoments(hookEngine), tools, conversation, moments };
    };
    let loaded: ReturnType<typeof load> | undefined;
    let engine: HookEngine | undefined;
    const parts = () => (loaded ??= load().then((all) => ((engine = all.engine), all)));
    /** Most sessions have no hooks at all, and then nothing of a turn should wait for them. */
    const hasNone = (session: string | undefined) => engine?.known(session)?.hasNone === true;
    ctx.defer(async () => {
      const open = await loaded;
      open?.sessions.close();
      await open?.engine.close();
    });

    ctx.on(
      sessionStart,
      // Hooks of a session are those of the user's own; for subagents there are others (`hookEvents`).
      async (event, { signal }) =>
        event.parent === undefined ? (await parts()).sessions.began(event, signal) : undefined,
      OWN_LIMITS,
    );
    ctx.on(sessionSwitch, async (event, { signal }) => (await parts()).sessions.switched(event, signal), OWN_LIMITS);
    ctx.on(sessionShutdown, async (event, { signal }) => (await parts()).sessions.ended(event, signal), OWN_LIMITS);
    ctx.on(beforeCompact, async (plan, { signal }) => (await parts()).sessions.compacting(plan, signal), OWN_LIMITS);
    ctx.on(compacted, async (event, { signal }) => (await parts()).sessions.compacted(event, signal), OWN_LIMITS);
    ctx.on(
      input,
      async (typed, { signal }) => {
        const { conversation, engine } = await parts();
        return conversation.prompted(engine, typed, signal);
      },
      FIRST,
    );
    ctx.on(beforeStart, async (start) => {
      const { conversation, engine } = await parts();
      return conversation.started(engine, start);
    });
    ctx.on(
      context,
      (request, call) =>
        hasNone(request.session)
          ? undefined
          : parts().then(({ conversation, engine }) => conversation.asked(engine, request, call.signal)),
      LAST,
    );
    ctx.on(
      modelRequest,
      (request, call) =>
        hasNone(request.session)
          ? undefined
          : parts().then(({ conversation, engine }) => conversation.requesting(engine, request, call.signal)),
      LAST,
    );
    ctx.on(
      agentStop,
      async (stop, { signal }) => {
        const { conversation, engine } = await parts();
        return conversation.stopping(engine, stop, signal);
      },
      LAST,
    );
    ctx.on(
      toolInput,
      (event, call) =>
        hasNone(event.scope?.session)
          ? undefined
          : parts().then(({ tools, moments }) => tools.beforeCall(moments, event, call.signal)),
      LAST,
    );
    ctx.on(
      toolCall,
      (event, call) =>
        hasNone(event.scope?.session)
          ? undefined
          : parts().then(({ tools, moments }) => tools.gate(moments, event, call.signal)),
      OWN_LIMITS,
    );
    ctx.on(
      toolPermission,
      async (question, { signal }) => {
        const { tools, moments } = await parts();
        return tools.permission(moments, question, signal);
      },
      OWN_LIMITS,
    );
    ctx.on(
      toolResult,
      (event, call) =>
        hasNone(event.scope?.session)
          ? undefined
          : parts().then(({ tools, moments }) => tools.afterCall(moments, event, call.signal)),
      LAST,
    );
    ctx.provide(hookEvents, {
      tell: async (occasion, { session, cwd }, signal) => (await parts()).engine.tell(occasion, session, cwd, signal),
    });
    ctx.contribute(cliCommands, 'hooks list', {
      run: async (call) => (await import('./commands/list.ts')).listHooks((await parts()).engine, call),
    });
    ctx.contribute(cliCommands, 'hooks test', {
      run: async (call) => (await import('./commands/test.ts')).testHooks((await parts()).engine, call),
    });
    ctx.contribute(cliCommands, 'hooks setup', {
      run: async (call) => (await import('./commands/test.ts')).setUp((await parts()).engine, call),
    });
  },
});
