/** Which subagents there are in a folder: those of the project, of the user, and those that Tenon brings. */
import {
  type AgentDefinition,
  agents,
  type Discovery,
  matchesName,
  splitFrontmatter,
  splitList,
} from '@tenon/discovery/api';
import { didYouMean, plainLine } from '@tenon/wording';
import { bundledTexts } from './agents/index.ts';
import { errors } from './errors.ts';

/** A subagent and where it is from. */
export interface KnownAgent extends AgentDefinition {
  readonly from: 'project' | 'user' | 'bundled';
  /** The folder whose trust counts, for those of a project. */
  readonly project?: string;
  /** True when an isolated pack brings it: nobody of this machine wrote it. */
  readonly isForeign: boolean;
  /** The entry of `subagents.disabled` that switches it off. */
  readonly disabledBy?: string;
}

/** What the list is made from. */
export interface BookHost {
  discovery(): Promise<Discovery | undefined>;
  /** Whether a definition may work in this process, and take the place of another one of its name. */
  isTrusted(agent: KnownAgent): Promise<boolean>;
  readonly disabled: readonly string[];
}

/** The subagents of folders. */
export class AgentBook {
  readonly #host: BookHost;
  #bundled: readonly KnownAgent[] | undefined;

  constructor(host: BookHost) {
    this.#host = host;
  }

  /** All of a folder, by name, switched off ones too. */
  async list(cwd: string, signal?: AbortSignal): Promise<readonly KnownAgent[]> {
    const found = await (await this.#host.discovery())?.load(agents, cwd, signal);
    const own = new Map(this.#own().map((agent) => [agent.name, agent]));
    const rest: KnownAgent[] = [];
    // Those of the user that a definition of the project hides come first, so that it takes their place only where it may.
    const hidden = (found?.ignored ?? []).filter(
      ({ level, pack, reason }) => level === 'user' && pack === undefined && reason.startsWith('shadowed by '),
    );
    for (const { value, level, project, pack } of [...hidden, ...(found?.items ?? [])]) {
      const isForeign = pack !== undefined;
      const agent = { ...value, from: level, isForeign, ...(project !== undefined && { project }) };
      if (await this.#host.isTrusted(agent)) own.set(agent.name, agent);
      else rest.push(agent);
    }
    // A name that is taken says who is meant: a folder that nobody trusts does not become the user's reviewer.
    for (const agent of rest) if (!own.has(agent.name)) own.set(agent.name, agent);
    return [...own.values()].map((agent) => this.#marked(agent)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The one that is meant; an error that says which ones there are. */
  async get(name: string, cwd: string, signal?: AbortSignal): Promise<KnownAgent> {
    const all = await this.list(cwd, signal);
    const usable = all.filter(({ disabledBy }) => disabledBy === undefined).map((agent) => plainLine(agent.name));
    const known = usable.join(', ');
    const agent =
      all.find((one) => one.name === name) ?? all.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!agent) throw errors.create('SUBAGENTS_UNKNOWN', { agent: name, hint: didYouMean(name, usable), known });
    if (agent.disabledBy !== undefined)
      throw errors.create('SUBAGENTS_DISABLED', { agent: agent.name, pattern: agent.disabledBy, known });
    return agent;
  }

  #marked(agent: KnownAgent): KnownAgent {
    const disabledBy = this.#host.disabled.find((pattern) => matchesName(pattern, agent.name));
    return disabledBy === undefined ? agent : { ...agent, disabledBy };
  }

  #own(): readonly KnownAgent[] {
    this.#bundled ??= Object.entries(bundledTexts).map(([name, { text, changes = {} }]) => {
      const { data, body } = splitFrontmatter(text);
      return bundledAgent(name, { ...data, ...changes }, body);
    });
    return this.#bundled;
  }
}

function bundledAgent(name: string, data: Readonly<Record<string, unknown>>, systemPrompt: string): KnownAgent {
  const { description, tools, model, thinking, spawns, output } = data;
  return {
    name,
    path: '',
    description: String(description),
    systemPrompt,
    metadata: {},
    from: 'bundled',
    isForeign: false,
    ...(typeof tools === 'string' && { tools: splitList(tools) }),
    ...(typeof model === 'string' && { model }),
    ...(typeof thinking === 'string' && { thinking }),
    ...(typeof spawns === 'string' && { spawns: splitList(spawns) }),
    ...(output !== undefined && { output }),
  };
}
