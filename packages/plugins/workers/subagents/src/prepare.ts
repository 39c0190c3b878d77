/** What all tasks of one call share: model, tools, schema, and how the subagent is told what it is. */
import type { AgentSession } from '@tenon/agent/api';
import type { JsonSchema } from '@tenon/kernel';
import type { ModelRegistry, ThinkingLevel } from '@tenon/models/api';
import { SEARCH_TOOL, type ToolCatalogue, type ToolScope } from '@tenon/tools/api';
import type { KnownAgent } from './definitions.ts';
import type { Family } from './family.ts';
import { chooseModel, type ModelChoice } from './model-choice.ts';
import { outputSchema } from './output-schema.ts';
import { ownToolNames } from './tool-names.ts';

/** Tools that belong to the conversation with the user: a subagent has none. */
export const OWNED: ReadonlySet<string> = new Set(['ask', 'todo_write', 'checkpoint', 'rewind', 'submit_plan']);
/** What a subagent may use while the user wants a plan. The gate refuses whatever would change something all the same. */
const LOOKING: ReadonlySet<string> = new Set([
  'read',
  'find',
  'search',
  'ast_grep',
  'lsp',
  'fetch',
  'web_search',
  'recall',
]);
/** The tool that starts subagents. */
export const TASK = 'task';

/** What the preparation needs. */
export interface PrepareHost {
  readonly family: Family;
  readonly modelOverrides: Readonly<Record<string, string>>;
  models(): Promise<Pick<ModelRegistry, 'find' | 'forRole'>>;
  catalogue(): Promise<Pick<ToolCatalogue, 'find' | 'standard'>>;
  isPlanning(session: string): Promise<boolean>;
}

/** One call, as far as the subagents depend on it. */
export interface Caller {
  readonly scope: Pick<ToolScope, 'session' | 'cwd' | 'toolbox'>;
  /** The agent that calls; none for a call by hand. */
  readonly agent: AgentSession | undefined;
  /** The id of the call; none for a call by hand. */
  readonly call?: string;
  readonly signal: AbortSignal;
}

/** What is the same for all tasks of a call. */
export interface Prepared extends ModelChoice {
  readonly definition: KnownAgent;
  readonly tools: readonly string[];
  readonly spawns: readonly string[];
  readonly depth: number;
  readonly schema?: JsonSchema;
  readonly isPlanning: boolean;
  readonly warnings: readonly string[];
}

/** Makes a subagent ready to work for a session. */
export async function prepare(
  host: PrepareHost,
  definition: KnownAgent,
  caller: Caller,
  schema: unknown,
): Promise<Prepared> {
  const { scope, agent } = caller;
  const { family } = host;
  const member = family.get(scope.session);
  const depth = family.depthBelow(scope.session);
  const isPlanning = await host.isPlanning(scope.session);
  const spawns = !isPlanning && family.maySpawnAt(depth) ? (definition.spawns ?? []) : [];
  const output = await outputSchema([
    { schema: definition.output, source: `the definition of "${definition.name}"` },
    { schema, source: '`schema` of the call' },
    { schema: member?.schema, source: 'the schema of the caller' },
  ]);
  const model = await modelFor(host, definition, agent);
  const tools = await toolsFor(host, definition, caller);
  const usable = tools.names.filter((name) => !OWNED.has(name) && name !== TASK && (!isPlanning || LOOKING.has(name)));
  return {
    ...model,
    definition,
    tools: [...usable, ...(spawns.length > 0 ? [TASK] : [])],
    spawns,
    depth,
    isPlanning,
    ...(output && { schema: output }),
    warnings: [...(model.warning === undefined ? [] : [model.warning]), ...tools.problems],
  };
}

async function modelFor(host: PrepareHost, definition: KnownAgent, agent: AgentSession | undefined) {
  const models = await host.models();
  const state: { model: ModelChoice['model']; thinking?: ThinkingLevel } =
    agent?.state ?? (await models.forRole('default'));
  const override = host.modelOverrides[definition.name];
  return chooseModel(models, {
    parent: state.model,
    parentThinking: state.thinking ?? 'off',
    ...(override !== undefined && { override }),
    ...(definition.model !== undefined && { model: definition.model }),
    ...(definition.thinking !== undefined && { thinking: definition.thinking }),
  });
}

/** The tools that the definition names; without a list, those of the agent that calls. */
async function toolsFor(
  host: PrepareHost,
  { tools, metadata, from }: KnownAgent,
  { scope, signal }: Caller,
): Promise<{ readonly names: readonly string[]; readonly problems: readonly string[] }> {
  const catalogue = await host.catalogue();
  const known = async (name: string) => (await catalogue.find({ cwd: scope.cwd, names: [name], signal })).names;
  const wanted =
    tools === undefined
      ? { names: scope.toolbox?.active() ?? (await catalogue.standard()).names, problems: [] }
      : ownToolNames(tools);
  const off = new Set(ownToolNames(texts(metadata['disallowedTools'] ?? metadata['disallowed-tools'])).names);
  const names = new Set<string>();
  const problems: string[] = [...wanted.problems];
  for (const name of wanted.names) {
    const matches = OWNED.has(name) || name === TASK ? [name] : await known(name);
    // Ours name tools of plugins that may be switched off; a list of somebody's own is meant.
    if (matches.length === 0 && tools !== undefined && from !== 'bundled') problems.push(`there is no tool "${name}"`);
    for (const match of matches) if (!off.has(match)) names.add(match);
  }
  // Who may not have everything must not find the rest by search.
  if (tools !== undefined && !tools.includes(SEARCH_TOOL)) names.delete(SEARCH_TOOL);
  return { names: [...names], problems };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
