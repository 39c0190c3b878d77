/** What Tenon offers to a worker over MCP: its own tools, how the server is started, and what the worker and people read about them. */
import type { McpLaunch } from '../api.ts';
import { prompts } from '../prompts/index.ts';
import { type Meaning, MEANINGS, RISK_CATEGORIES } from './meanings.ts';

/** `raw`: every tool under its own name. `semantic`: those that help a worker, under names that say what they do. */
export type ToolSurface = 'raw' | 'semantic';

/** A tool of Tenon's, as its manifest describes it. */
export interface ContractTool {
  readonly name: string;
  readonly summary?: string;
  readonly risk?: 'read' | 'write' | 'exec' | 'net';
}

/** A tool that is offered. */
export interface OfferedTool {
  /** What the worker calls it. */
  readonly name: string;
  /** What Tenon calls it. */
  readonly tool: string;
  readonly category: string;
  readonly isDestructive: boolean;
  readonly description: string;
}

/** The contract with a worker. */
export interface AgentContract {
  readonly surface: ToolSurface;
  readonly tools: readonly OfferedTool[];
  /** Short, for a prompt: the tools by category. */
  readonly promptGuidance: string;
  /** A Markdown table, for people and long contexts. */
  readonly docsGuidance: string;
  /** How the server is started. */
  readonly launch: McpLaunch;
}

/** How a contract is made. */
export interface ContractOptions {
  /** `semantic` when absent. */
  readonly surface?: ToolSurface;
  /** Also offers tools that change files and run programs. Of the semantic surface alone; the raw one has all. */
  readonly allowChanges?: boolean;
  /** What the server is called in the worker's configuration; `tenon` when absent. */
  readonly server?: string;
}

/** Makes a contract. `program` are the words that start Tenon. */
export function agentContract(
  known: readonly ContractTool[],
  program: readonly [string, ...string[]],
  options: ContractOptions = {},
): AgentContract {
  const { surface = 'semantic', allowChanges = false, server = 'tenon' } = options;
  const tools = (surface === 'raw' ? known.map(asItIs) : known.flatMap((tool) => renamed(tool, allowChanges))).sort(
    (a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1),
  );
  const [command, ...words] = program;
  const names = tools.map(({ name, tool }) => (name === tool ? tool : `${name}=${tool}`));
  return {
    surface,
    tools,
    promptGuidance: tools.length === 0 ? '' : guidance(tools, server),
    docsGuidance: docsTable(tools),
    launch: { command, args: [...words, 'mcp', 'serve', ...(surface === 'raw' ? [] : ['--tools', names.join(',')])] },
  };
}

const CATEGORIES = ['files', 'search', 'web', 'helpers', 'changes', 'commands', 'agents', 'other'];

function order({ category }: OfferedTool): number {
  return CATEGORIES.indexOf(category);
}

function asItIs(tool: ContractTool): OfferedTool {
  const meaning = meaningOf(tool);
  return { ...described(tool, meaning), name: tool.name };
}

function renamed(tool: ContractTool, allowChanges: boolean): readonly OfferedTool[] {
  const meaning = meaningOf(tool);
  const offered = described(tool, meaning);
  if (meaning.isForWorkers === false) return [];
  return offered.isDestructive && !allowChanges ? [] : [offered];
}

function meaningOf({ name, risk = 'exec' }: ContractTool): Meaning {
  const known = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
  return known ?? { category: RISK_CATEGORIES[risk] };
}

function described({ name, summary = name, risk = 'exec' }: ContractTool, meaning: Meaning): OfferedTool {
  return {
    name: meaning.name ?? name,
    tool: name,
    category: meaning.category,
    isDestructive: meaning.isDestructive ?? (risk === 'write' || risk === 'exec'),
    description: summary,
  };
}

function guidance(tools: readonly OfferedTool[], server: string): string {
  const categories = CATEGORIES.map((name) => ({ name, tools: tools.filter(({ category }) => category === name) }));
  return prompts.offeredTools({
    server,
    isReadOnly: tools.every(({ isDestructive }) => !isDestructive),
    categories: categories.filter((category) => category.tools.length > 0),
  });
}

function docsTable(tools: readonly OfferedTool[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = tools.map(
    ({ name, category, isDestructive, description }) =>
      `| \`${name}\` | ${category} | ${isDestructive ? 'yes' : 'no'} | ${cell(description)} |`,
  );
  return ['| Tool | Category | Destructive | Description |', '|---|---|---|---|', ...rows].join('\n');
}
