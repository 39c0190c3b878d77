import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { authStore, type Endpoint, endpoints } from '@tenon/models/api';
import { runs } from '@tenon/runs/api';
import { secretMasks } from '@tenon/secrets/api';
import { workflows } from '@tenon/workflows/api';
import manifest from '../package.json' with { type: 'json' };
import { channels, channelServer, questionSources } from './api.ts';
import type { ChannelKind } from './channel.ts';
import type { ChannelsSettings } from './generated/settings.ts';
import type { QuestionSource } from './question.ts';

/** Loaded when a channel of that kind is opened. */
const KINDS: Readonly<Record<string, () => Promise<ChannelKind>>> = {
  discord: async () => (await import('./kinds/discord/discord.ts')).discord,
  telegram: async () => (await import('./kinds/telegram.ts')).telegram,
  slack: async () => (await import('./kinds/slack/slack.ts')).slack,
  webhook: async () => (await import('./kinds/webhook/webhook.ts')).webhook,
  ntfy: async () => (await import('./kinds/ntfy.ts')).ntfy,
  desktop: async () => (await import('./kinds/desktop.ts')).desktop,
};

/** Questions, approvals and threads reach a person where they are: Discord, Telegram, Slack, webhooks, ntfy, the desktop. */
export default definePlugin({
  id: 'channels',
  config: Type.Unsafe<ChannelsSettings>({}),
  needs: { folders },
  defines: [channels, questionSources, channelServer],
  activate(ctx) {
    const { config } = ctx;
    const own = ctx.needs.folders;
    const known = manifest.tenon.contributes.endpoints;
    const make = async () => {
      const { ChannelsService } = await import('./service.ts');
      return new ChannelsService({
        folders: own,
        settings: config,
        env: process.env,
        log: ctx.log,
        kinds: ctx.read(channels),
        sources: ctx.read(questionSources),
        variables: Object.fromEntries(Object.entries(known).map(([name, { env }]) => [name, env])),
        runs: () => ctx.find(runs),
        approvals: () => ctx.findOptional(approvals),
        auth: () => ctx.findOptional(authStore),
        masks: () => ctx.findOptional(secretMasks),
      });
    };
    let made: ReturnType<typeof make> | undefined;
    const service = () => (made ??= make());
    for (const [name, load] of Object.entries(KINDS))
      ctx.contribute(channels, name, { open: async (parts) => (await load()).open(parts) });
    const sourceOf = (load: () => Promise<QuestionSource>): QuestionSource => {
      let source: Promise<QuestionSource> | undefined;
      const loaded = () => (source ??= load());
      return {
        open: async () => (await loaded()).open(),
        answer: async (id, answer, by) => (await loaded()).answer(id, answer, by),
      };
    };
    ctx.contribute(
      questionSources,
      'runs',
      sourceOf(async () => (await import('./sources/runs.ts')).runsSource(() => ctx.find(runs))),
    );
    ctx.contribute(
      questionSources,
      'approvals',
      sourceOf(async () => (await import('./sources/approvals.ts')).approvalsSource(() => ctx.findOptional(approvals))),
    );
    ctx.contribute(
      questionSources,
      'workflows',
      sourceOf(async () => (await import('./sources/workflows.ts')).workflowsSource(() => ctx.findOptional(workflows))),
    );
    // So that `tenon auth login discord` keeps its token where the keys are.
    for (const [name, endpoint] of Object.entries(known)) ctx.contribute(endpoints, name, endpoint as Endpoint);
    ctx.provide(channelServer, {
      isConfigured: () => Object.keys(config.use).length > 0,
      serve: async (options) => (await service()).serve(options),
    });
    const load = () => import('./commands.ts');
    ctx.contribute(cliCommands, 'channels list', {
      run: async (call) => (await load()).listChannels(await service(), own.state, call),
    });
    ctx.contribute(cliCommands, 'channels test', {
      run: async (call) => (await load()).testChannel(await service(), call),
    });
    ctx.contribute(cliCommands, 'channels serve', {
      run: async (call) => (await load()).serveChannels(await service(), call),
    });
  },
});
