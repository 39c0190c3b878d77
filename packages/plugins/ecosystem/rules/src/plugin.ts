import { beforeStart, compacted, liveAgents, sessionShutdown, sessionTree, streamFilters } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { discovery } from '@tenon/discovery/api';
import { definePlugin, Type } from '@tenon/kernel';
import { toolResult, tools } from '@tenon/tools/api';
import { urlSchemes } from '@tenon/urls/api';
import { rulebook } from './api.ts';
import { errors } from './errors.ts';
import { FileRules } from './file-rules.ts';
import { rulesSection } from './prompt-section.ts';
import { ruleScheme } from './rule-scheme.ts';
import { createRulebook } from './rulebook.ts';
import { SessionRules } from './session-rules.ts';
import { StreamRules } from './stream/stream-rules.ts';
import type { RulesSettings } from './generated/settings.ts';

/** After those that change what the model said: rules are about what everybody sees in the end. */
const LATE = -100;

/** The rulebook, rules about files, and rules that watch the stream. */
export default definePlugin({
  id: 'rules',
  config: Type.Unsafe<RulesSettings>({}),
  needs: { folders, discovery, agents: liveAgents },
  defines: [rulebook],
  activate(ctx) {
    const { agents } = ctx.needs;
    const { enabled, stream: streamConfig, attachTokens } = ctx.config;
    const rules = createRulebook(ctx.needs.discovery);
    const books = new SessionRules(rules, (problem) => ctx.report(problem, 'warning'));
    const files = new FileRules(attachTokens);
    const stream = new StreamRules({
      config: { ...streamConfig, enabled: enabled && streamConfig.enabled },
      agents,
      rulesFor: async (agent) => (await books.of(agent)).stream,
      tool: (name) => ctx.read(tools).get(name)?.value,
      tooSlow: (rule) => books.dropSlow(rule, errors.create('RULES_TOO_SLOW', { name: rule.name, file: rule.path })),
    });
    ctx.provide(rulebook, rules);
    ctx.contribute(urlSchemes, 'rule', ruleScheme(rules, ctx.needs.folders.cwd));
    ctx.contribute(
      streamFilters,
      'rules',
      { filter: (answer, call) => stream.filter(answer, call) },
      { priority: LATE },
    );

    ctx.on(beforeStart, async (start, { signal }) => {
      const { session, cwd } = start;
      const agent = session === undefined ? undefined : agents.get(session);
      if (!enabled || session === undefined || cwd === undefined) return undefined;
      const { rules: sessionRules } = await books.refresh(session, cwd, signal);
      const canRead = agent?.state.tools.some(({ name }) => name === 'read') ?? true;
      const section = rulesSection(sessionRules, ctx.config, canRead);
      const late = agent && stream.takeLate(agent);
      return {
        ...start,
        ...(section !== undefined && { systemPrompt: `${start.systemPrompt}\n\n${section}` }),
        ...(late && { inject: [...start.inject, late] }),
      };
    });
    ctx.on(toolResult, async (event) => {
      const agent = event.scope && agents.get(event.scope.session);
      if (!enabled || !agent) return undefined;
      const { rules: sessionRules } = await books.of(agent);
      const texts = [files.textFor(event, agent, sessionRules), stream.takeLateText(agent)].filter(
        (text) => text !== undefined,
      );
      if (texts.length === 0) return undefined;
      const more = texts.map((text) => ({ type: 'text' as const, text }));
      return { ...event, result: { ...event.result, content: [...event.result.content, ...more] } };
    });
    ctx.on(compacted, ({ session }) => files.forget(session));
    ctx.on(sessionTree, ({ session }) => {
      files.forget(session);
      stream.forget(session);
    });
    ctx.on(sessionShutdown, ({ session }) => {
      files.forget(session);
      stream.forget(session);
      books.forget(session);
    });

    ctx.contribute(cliCommands, 'rules list', {
      run: async (call) => (await import('./commands.ts')).listRules(rules, call),
    });
    ctx.contribute(cliCommands, 'rules show', {
      run: async (call) => (await import('./commands.ts')).showRule(rules, call),
    });
  },
});
