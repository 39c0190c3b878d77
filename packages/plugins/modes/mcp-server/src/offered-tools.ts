/** Tenon's tools as an MCP client sees them. Every call goes through the tool runner, so that gates, approval and sandbox hold. */
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import type { Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { Tool, ToolAttachment, ToolData, ToolResult, ToolRisk, ToolRunner, ToolScope } from '@tenon/tools/api';
import { errors } from './errors.ts';

/** A tool that is offered beside those of the slot. */
export interface ExtraTool {
  readonly tool: Tool;
  readonly data: ToolData;
}

/** What offering tools needs. */
export interface OfferHost {
  readonly registry: Registry<Tool>;
  readonly runner: ToolRunner;
  readonly extra: Readonly<Record<string, ExtraTool>>;
  /** Only these, under their own names or, as `NEW=NAME`, under others; all that make sense if absent. */
  readonly names?: readonly string[];
}

/** A client has no conversation of Tenon's own agent, and tools of other servers and extensions are not ours to offer. */
const isOffered = ({ ownConversation, origin }: Partial<ToolData>) => ownConversation !== true && origin === undefined;

/** The tools that are offered. */
export class OfferedTools {
  readonly #host: OfferHost;
  /** The tool behind each offered name; absent when all are offered. */
  readonly #tools: ReadonlyMap<string, string> | undefined;

  constructor(host: OfferHost) {
    this.#host = host;
    this.#tools = host.names && new Map(host.names.map(nameAndTool));
    const known = [...host.registry.list().map(({ key }) => key), ...Object.keys(host.extra)];
    const unknown = [...(this.#tools?.values() ?? [])].find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw errors.create('MCP_SERVE_TOOL_UNKNOWN', { tool: unknown, hint: didYouMean(unknown, known) });
    }
  }

  has(name: string): boolean {
    if (this.#tools) return this.#tools.has(name);
    const { registry, extra } = this.#host;
    const data = extra[name]?.data ?? (registry.get(name)?.data as Partial<ToolData> | undefined);
    return data !== undefined && isOffered(data);
  }

  async list(): Promise<McpTool[]> {
    const { registry, extra } = this.#host;
    const all = [...registry.list().map(({ key }) => key), ...Object.keys(extra)];
    const offered = this.#tools ?? new Map(all.filter((name) => this.has(name)).map((name) => [name, name]));
    const described = await Promise.all(
      [...offered].map(async ([shown, name]) => {
        const own = extra[name];
        if (own) return [describe(shown, own.tool, own.data)];
        const data = (registry.get(name)?.data ?? {}) as Partial<ToolData>;
        // A tool whose plugin does not start is left out: the others can still be used.
        const tool = await registry.resolve(name).catch(() => undefined);
        return tool ? [describe(shown, tool, data)] : [];
      }),
    );
    return described.flat();
  }

  async call(
    shown: string,
    input: unknown,
    call: { readonly signal: AbortSignal; readonly scope: ToolScope; onUpdate(partial: ToolResult): Promise<void> },
  ): Promise<CallToolResult> {
    const name = this.#tools?.get(shown) ?? shown;
    const own = this.#host.extra[name];
    const ownTool = own && { tool: own.tool, ...(own.data.risk !== undefined && { risk: own.data.risk }) };
    const {
      content,
      attachments = [],
      isError,
      details,
    } = await this.#host.runner.run(name, input, { ...call, ...ownTool });
    const structured = own ? (details as Record<string, unknown> | undefined) : undefined;
    return {
      content: [...content.map((part) => ({ ...part })), ...attachments.map(blockOf)],
      ...(structured && !isError && { structuredContent: structured }),
      ...(isError && { isError }),
    };
  }
}

function blockOf(attachment: ToolAttachment): CallToolResult['content'][number] {
  if (attachment.type === 'audio') return { ...attachment };
  const { uri, mimeType, ...body } = attachment.resource;
  return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), ...body } };
}

/** `NEW=NAME`, or a name that stays. */
function nameAndTool(text: string): [string, string] {
  const [shown = '', name = shown] = text.split('=', 2);
  return [shown, name];
}

function describe(name: string, { description, parameters }: Tool, { summary, risk }: Partial<ToolData>): McpTool {
  return {
    name,
    description,
    inputSchema: { ...(parameters as object), type: 'object' } as McpTool['inputSchema'],
    annotations: { ...(summary !== undefined && { title: summary }), ...hintsOf(risk) },
  };
}

function hintsOf(risk: ToolRisk | undefined): McpTool['annotations'] {
  if (risk === 'read') return { readOnlyHint: true, openWorldHint: false };
  if (risk === 'net') return { readOnlyHint: true, openWorldHint: true };
  return { readOnlyHint: false, destructiveHint: true };
}
