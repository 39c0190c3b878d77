/** Puts the hub together from what the kernel gives; loaded with the first use, because it brings most of the plugin's code. */
import type { LiveAgents } from '@tenon/agent/api';
import type { Folders, UserInterface } from '@tenon/host';
import type { CommandFile, Discovery } from '@tenon/discovery/api';
import type { Documents } from '@tenon/documents/api';
import type { ContributeOptions, Disposable, Logger, TenonError } from '@tenon/kernel';
import type { ModelRegistry } from '@tenon/models/api';
import type { PackHosts } from '@tenon/pack-host/api';
import type { Tool } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import { ownFile } from './config/own-files.ts';
import { errors } from './errors.ts';
import { Hub } from './hub.ts';
import type { LoginKeeper } from './oauth/login-store.ts';
import { PromptOffer } from './offer/prompts.ts';
import { placeOf, ToolOffer } from './offer/tool-offer.ts';
import type { McpSettings } from './generated/settings.ts';

/** What the hub is made of. */
export interface HubParts {
  readonly config: McpSettings;
  readonly folders: Folders;
  readonly log: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  version(): Promise<string>;
  discovery(): Promise<Discovery>;
  trust(): Promise<WorkspaceTrust>;
  models(): Promise<ModelRegistry>;
  logins(): Promise<LoginKeeper>;
  agents(): Promise<LiveAgents>;
  packs(): Promise<Pick<PackHosts, 'rightsOf'> | undefined>;
  userInterface(): Promise<UserInterface | undefined>;
  documents(): Promise<Documents | undefined>;
  contributeTool(key: string, tool: Tool, options: ContributeOptions): Disposable;
  contributeCommand(key: string, command: CommandFile, file: string): Disposable;
  report(error: TenonError): void;
}

/** Makes the hub. Nothing is started. */
export async function makeHub(parts: HubParts): Promise<Hub> {
  const { config, folders, userInterface, report } = parts;
  const answers = new Map<string, Promise<string | undefined>>();
  return new Hub({
    config,
    version: await parts.version(),
    cacheFolder: folders.cache,
    stateFolder: folders.state,
    userFile: ownFile('user', folders),
    log: parts.log,
    discovery: parts.discovery,
    trust: parts.trust,
    logins: parts.logins,
    agents: parts.agents,
    packs: parts.packs,
    report,
    requests: {
      policy: config.sampling,
      elicitation: config.elicitation,
      models: parts.models,
      leadingModel: async (cwd) => {
        const agents = (await parts.agents()).list().filter((agent) => agent.cwd === cwd);
        return (agents.find(({ state }) => state.isStreaming) ?? agents.at(-1))?.state.model;
      },
      userInterface,
    },
    variables: {
      env: parts.environment,
      home: folders.home,
      // Several servers may want the same; a person answers once.
      ask(question) {
        const asked = answers.get(question) ?? ask(userInterface, question);
        answers.set(question, asked);
        return asked;
      },
    },
    tools: new ToolOffer({
      cwd: folders.cwd,
      toolMs: config.toolTimeoutMs,
      readOnlyHints: config.readOnlyHints,
      maxBytes: config.maxOutputBytes,
      documents: parts.documents,
      foldersAbove: async (session) => foldersAbove(await parts.agents(), session),
      contribute: parts.contributeTool,
      leftOut: (about) => report(errors.create('MCP_TOOL_LEFT_OUT', about)),
    }),
    prompts: new PromptOffer(parts.contributeCommand),
  });
}

function foldersAbove(agents: LiveAgents, session: string): readonly string[] {
  const folders: string[] = [];
  const seen = new Set<string>();
  for (let { parent } = agents.get(session) ?? {}; parent && !seen.has(parent.session);) {
    seen.add(parent.session);
    const agent = agents.get(parent.session);
    folders.push(placeOf(parent.session), ...(agent ? [agent.cwd] : []));
    parent = agent?.parent;
  }
  return folders;
}

async function ask(ui: HubParts['userInterface'], question: string): Promise<string | undefined> {
  const current = await ui();
  return current?.canAsk() === true ? current.input(question) : undefined;
}
