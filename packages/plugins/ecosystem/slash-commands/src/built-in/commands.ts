/** What each built-in command does. Their table is in package.json; `/mcp` and `/skills` are in those plugins. */
import { relative } from 'node:path';
import { contextFiles, type Discovery } from '@tenon/discovery/api';
import type { ModelRegistry } from '@tenon/models/api';
import type { PlanMode } from '@tenon/planning-tools/api';
import type { SessionExporter } from '@tenon/session-export/api';
import type { Undo } from '@tenon/undo/api';
import type { BuiltInCommand, SlashCommands } from '../api.ts';
import { prompts } from '../prompts/index.ts';
import { cost, help, status } from './facts.ts';
import { branch, compact, exportSession, handoff, model, plan, tree } from './moves.ts';
import { agentOf } from './provider.ts';
import { undo } from './undo.ts';

/** Whose work the commands do. */
export interface BuiltInHost {
  readonly service: SlashCommands;
  readonly discovery: Discovery;
  models(): Promise<ModelRegistry>;
  exporter(): Promise<SessionExporter>;
  plans(): Promise<PlanMode>;
  isPlanning(session: string): Promise<boolean>;
  undo(): Promise<Undo | undefined>;
}

type Run = (host: BuiltInHost, ...given: Parameters<BuiltInCommand['run']>) => ReturnType<BuiltInCommand['run']>;

/** The commands of this plugin, by name. */
export const builtIns = {
  branch: async (_host, args, call) => branch(agentOf(call, 'branch'), args),
  compact: async (_host, args, call) => compact(agentOf(call, 'compact'), args),
  cost: async (_host, _args, call) => cost(agentOf(call, 'cost')),
  export: async (host, args, call) => exportSession(agentOf(call, 'export'), await host.exporter(), args),
  handoff: async (_host, args, call) => handoff(agentOf(call, 'handoff'), args),
  help: async ({ service }, _args, { agent: _agent, ...scope }) => help(await service.list(scope, scope.signal)),
  init: async ({ discovery }, args, { cwd, signal }) => {
    const { items } = await discovery.load(contextFiles, cwd, signal);
    const own = items.filter(({ level }) => level === 'project').map(({ file }) => relative(cwd, file));
    return { kind: 'prompt', text: prompts.init({ args, existing: [...new Set(own)].sort().join(', ') }) };
  },
  model: async (host, args, call) => model(agentOf(call, 'model'), await host.models(), args),
  plan: async (host, args, call) => plan(agentOf(call, 'plan'), await host.plans(), args),
  review: async (_host, args) => ({ kind: 'prompt', text: prompts.review({ args }) }),
  status: async (host, _args, call) => {
    const agent = agentOf(call, 'status');
    return status(agent, await host.isPlanning(agent.session.id));
  },
  tree: async (host, args, call) => tree(agentOf(call, 'tree'), await host.exporter(), args),
  undo: async (host, args, call) => undo(agentOf(call, 'undo'), await host.undo(), args),
} satisfies Readonly<Record<string, Run>>;
