import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { authStore, type Endpoint, endpoints } from '@tenon/models/api';
import { tools } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { type UrlScheme, urlSchemes } from '@tenon/urls/api';
import manifest from '../package.json' with { type: 'json' };
import { type Forge, forges } from './api.ts';
import { gitea } from './forges/gitea.ts';
import { github } from './forges/github.ts';
import { gitlab } from './forges/gitlab.ts';
import type { GithubSettings } from './generated/settings.ts';
import { createGithubTool } from './github-tool.ts';
import type { Servers } from './servers.ts';

const FORGES: Readonly<Record<string, Forge>> = { github, gitea, gitlab };

/** Issues, pull requests, reviews, checks and runs of GitHub and servers like it. */
export default definePlugin({
  id: 'github',
  config: Type.Unsafe<GithubSettings>({}),
  needs: { folders },
  defines: [forges],
  activate(ctx) {
    const { config } = ctx;
    const own = ctx.needs.folders;
    let opened: Promise<Servers> | undefined;
    const open = async (): Promise<Servers> => {
      const [{ Servers }, { Tokens }] = await Promise.all([import('./servers.ts'), import('./tokens.ts')]);
      const { env } = process;
      const tokens = new Tokens({
        env,
        folders: own,
        useGh: config.useGh,
        authStore: () => ctx.findOptional(authStore),
      });
      const userAgent = `Tenon/${manifest.version} (coding agent)`;
      return new Servers({ forges: ctx.read(forges), settings: config, env, tokens, userAgent });
    };
    ctx.defer(async () => {
      await (await opened)?.close();
    });
    const servers = () => (opened ??= open());
    for (const [name, forge] of Object.entries(FORGES)) ctx.contribute(forges, name, forge);
    // So that `tenon auth login github` keeps its token where the keys are.
    for (const [name, endpoint] of Object.entries(manifest.tenon.contributes.endpoints))
      ctx.contribute(endpoints, name, endpoint as Endpoint);
    const tool = createGithubTool({
      folders: own,
      pollMs: config.pollSeconds * 1000,
      watchMs: config.watchMinutes * 60_000,
      trust: () => ctx.findOptional(workspaceTrust),
      servers,
    });
    ctx.contribute(tools, 'github', tool);
    for (const kind of ['issue', 'pr'] as const) {
      const scheme = async () => (await import('./url-schemes.ts')).issueScheme({ folders: own, servers }, kind);
      const read: UrlScheme['read'] = async (url, call) => (await scheme()).read(url, call);
      ctx.contribute(urlSchemes, kind, { read });
    }
  },
});
