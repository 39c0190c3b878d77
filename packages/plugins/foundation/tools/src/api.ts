/** What other plugins may use of the tools: the slot, the hooks around a call, and the service that makes one. */
import { hook, type JsonSchema, service, slot, type TenonError } from '@tenon/kernel';

/** How much harm a tool can do. */
export type ToolRisk = 'read' | 'write' | 'exec' | 'net';

/** One piece of a tool's answer. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** Something beside the answer that models do not take: a sound, or a document with its address. */
export type ToolAttachment =
  /** `data` is base64. */
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  /** `blob` is base64. */
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string | undefined;
      } & ({ readonly text: string } | { readonly blob: string });
    };

/** What a tool gives back. An expected failure is a result with `isError`, whose text says what to do next. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** For clients that can use them: MCP clients get them as they are. The model gets only `content`, which should say what they are. */
  readonly attachments?: readonly ToolAttachment[];
  /** Facts for programs and user interfaces; the model does not see them. */
  readonly details?: unknown;
  readonly isError?: boolean;
}

/** A file for output that is too long for a conversation. */
export interface ToolArtifact {
  /** The part of `artifact://ID` after the slashes. */
  readonly id: string;
  readonly path: string;
}

/** The tools that a session's model can use. */
export interface ToolBox {
  active(): readonly string[];
  /** Those of the active ones that were found by search, oldest first. */
  selected(): readonly string[];
  /** Adds tools that were found by search. When the room for tools is full, those found longest ago are put back. */
  activate(
    names: readonly string[],
  ): Promise<{ readonly activated: readonly string[]; readonly putBack: readonly string[] }>;
}

/** Where a call belongs. Tools keep shells, previews and what was read apart by session. */
export interface ToolScope {
  readonly session: string;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Makes an empty file for full output. */
  artifact?(name: string): Promise<ToolArtifact>;
  /** The file behind `artifact://ID`. */
  artifactPath?(id: string): Promise<string | undefined>;
  /** The tools of the session. */
  readonly toolbox?: ToolBox;
}

/** Something that a sandbox has refused to a command. */
export interface SandboxRefusal {
  readonly kind: 'network' | 'write' | 'read';
  /** The host or path; empty when it is not known. */
  readonly what: string;
  /**
   * `seen`: the sandbox noticed it. `checked`: the output of the command names something that the sandbox does refuse.
   * `claimed`: only the output says so, and it may say anything. `expected`: it has not run; its words ask for this.
   */
  readonly evidence: 'seen' | 'checked' | 'claimed' | 'expected';
}

/** How far a call may leave the sandbox: only to the public network, or altogether. */
export type WayOut = 'network' | 'outside';

/** A command, or code in another language, that a call runs. */
export interface TouchedCommand {
  readonly text: string;
  /** What it is written in; shell when absent. */
  readonly language?: string;
  /** The folder that it runs in, absolute. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What earlier commands have defined in the shell that it runs in. */
  readonly definitions?: ShellDefinitions;
  /** Why it must run outside of the sandbox, when it asks for that. */
  readonly unsandboxed?: string;
  /** What the sandbox has refused when the command ran in it: it would run a second time. Tools cannot declare this. */
  readonly refused?: readonly SandboxRefusal[];
  /** True when it would be enough to open the network, with the sandbox around the files left as it is. */
  readonly needsNetworkOnly?: boolean;
}

/** Names that mean something else in a shell than on the machine. What a shell says about itself is a claim, and good enough inside its sandbox. */
export interface ShellDefinitions {
  /** Functions by name, each with its definition as the shell prints it. */
  readonly functions: Readonly<Record<string, string>>;
  /** What aliases stand for, by name. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** What a call touches, known before it runs. Paths are absolute. */
export interface Touches {
  /** Files and folders that it reads. */
  readonly reads?: readonly string[];
  /** Folders and globs of which it lists the names. */
  readonly lists?: readonly string[];
  /** Files, folders and globs that it looks through: it reads every file below. */
  readonly searches?: readonly string[];
  /** Files that it changes. An empty list says that it changes something without a path. */
  readonly writes?: readonly string[];
  /** Addresses that it contacts. An empty list says that they are known only when it runs. */
  readonly hosts?: readonly string[];
  readonly commands?: readonly TouchedCommand[];
  /** True when it may touch more than is listed here: the tool declares nothing, or cannot be held to what it declares. */
  readonly anything?: boolean;
}

/** What a tool gets to declare what a call touches. */
export interface TouchCall {
  readonly signal: AbortSignal;
  /** Absent for calls outside of a session. */
  readonly scope?: ToolScope;
  /** True while a model still writes the input: parts of it may be missing, and the last text may be cut short. */
  readonly partial?: boolean;
}

/** One call of a tool. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Absent for calls outside of a session. */
  readonly scope?: ToolScope;
  /** What the tool declared and the gate approved; absent when a tool is called without the runner. */
  readonly touches?: Touches;
  /** Shows the result so far; each update replaces the one before. */
  update(partial: ToolResult): Promise<void>;
}

/** Something that the agent can do. */
export interface Tool {
  /** What the model reads: when to use it and how. */
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly parameters: JsonSchema;
  /**
   * Declares what a call touches, with the code that `execute` finds its files with. Without it, a call counts as touching
   * anything. What it throws refuses the call.
   */
  touches?(input: Readonly<Record<string, unknown>>, call: TouchCall): Touches | Promise<Touches>;
  execute(input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<ToolResult>;
  /** Input that does not fit, as other agents' tools of this kind take it, in the form of this tool; undefined when it says something else. */
  translate?(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined;
  /** The form of the tool for a model that takes another one better: other parameters, the same job. */
  forModel?(model: ToolModel): Tool | undefined;
}

/** The model that is offered a tool. */
export interface ToolModel {
  readonly provider: string;
  readonly id: string;
}

/** What the manifest says about a tool. */
export interface ToolData {
  /** One line for lists. */
  readonly summary: string;
  readonly risk?: ToolRisk;
  /** True when no other tool may run at the same time; by default for tools that write or execute. */
  readonly exclusive?: boolean;
  /** True for tools that are found by search and not offered from the start. */
  readonly discoverable?: boolean;
  /** True for tools that act on the conversation of Tenon's own agent: other agents are not offered them. */
  readonly ownConversation?: boolean;
  /** Other words that a search should find it by. */
  readonly keywords?: readonly string[];
  /** How user interfaces show a call and its result. */
  readonly render?: ToolRenderHint;
  /** True when its results stay in a long conversation: the model would only ask for them again. */
  readonly keepResult?: boolean;
  /** Where a tool is from that its plugin only passes on. */
  readonly origin?: ToolOrigin;
}

/** The MCP server or extension that a tool is from. */
export interface ToolOrigin {
  readonly kind: 'mcp-server' | 'extension';
  readonly name: string;
  /** Differs when something else is behind the name: another program, address or project. */
  readonly identity?: string;
}

/** How a call and its result are best shown. */
export interface ToolRenderHint {
  /** What the text of the result is. */
  readonly shows?: 'text' | 'files' | 'matches' | 'diff' | 'terminal' | 'diagram' | 'list';
  /** The part of the input that says in one line what the call does. */
  readonly title?: string;
}

/** Tools by name. The data of an entry is a `ToolData`. */
export const tools = slot<Tool>('tools', { access: 'packs' });

/** Which tools of a folder somebody wants. */
export interface ToolRequest {
  readonly cwd: string;
  /** Names, and patterns with `*`; everything that there is when absent. */
  readonly names?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Brings tools that depend on the folder: those of MCP servers and of extensions. */
export interface ToolSource {
  /**
   * Puts its tools for a folder into the slot `tools`, and starts no more for that than it must: nothing whose tools are
   * known, nothing of a project that is not trusted. The user is not asked anything. Gives what is missing and why; when no names
   * are given it is also reported, because then no caller waits for a certain tool.
   */
  offer(request: ToolRequest): Promise<readonly TenonError[]>;
}

/** A source of tools that depend on the folder. Sources are asked one after the other until all requested tools are there. */
export const toolSources = slot<ToolSource>('tool-sources');

/** A tool is about to run. */
export interface ToolCallEvent {
  readonly tool: string;
  readonly callId: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the call touches. */
  readonly touches: Touches;
  /** What the manifest says about the tool; absent for tools of the embedding program. */
  readonly risk?: ToolRisk;
  /** Where the tool is from, when it is no plugin's own; `program` is the one that embeds Tenon. */
  readonly origin?: ToolOrigin['kind'] | 'program';
  /** What a stranger says about a tool of theirs, as a hash: with other words or parameters it is another tool. Absent for Tenon's own. */
  readonly fingerprint?: string;
  /** Where the call belongs; absent for calls outside of a session. */
  readonly scope?: { readonly session: string; readonly cwd: string };
}

/** A tool has run. */
export interface ToolResultEvent extends ToolCallEvent {
  readonly result: ToolResult;
}

/** A person may be asked here, so a handler gets far longer than elsewhere. */
const GATE_DEADLINE_MS = 60_000;

/** A call whose input may still change. */
export interface ToolInputEvent extends ToolCallEvent {
  /** What handlers put right, for the model: sentences without a full stop. */
  readonly repairs?: readonly string[];
  /** Why the call cannot be made, for the model. It is refused before the gate. */
  readonly problem?: string;
}

/**
 * May change the input of a call before it is judged. What comes out must fit the tool's schema too; a handler that fails
 * refuses the call, because the input that it would have made harmless must not run.
 */
export const toolInput = hook<'reduce', ToolInputEvent>('tool.input', 'reduce', {
  access: 'packs',
  deadlineMs: GATE_DEADLINE_MS,
  strict: true,
});

/** Asked before a tool runs; any refusal or fault denies the call. */
export const toolCall = hook<'gate', ToolCallEvent>('tool.call', 'gate', {
  access: 'packs',
  deadlineMs: GATE_DEADLINE_MS,
});

/** A part of a text, by the positions of its first character and of the one behind its last. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A call that a person would have to decide about. */
export interface PermissionQuestion extends ToolCallEvent {
  /** What makes it so risky. */
  readonly reasons: readonly string[];
  /** The whole of what would be done: the command, or the input of the tool. */
  readonly text: string;
  /** The parts of the text that are risky or not understood, as far as they can be told. */
  readonly spans: readonly TextSpan[];
  /** All of it as a person should read it: nothing is cut, and nothing in it moves a cursor. */
  readonly question: string;
  /** The ways out of the sandbox that would help; absent where it stops nothing. */
  readonly ways?: readonly WayOut[];
}

/** Decides instead of a person. */
export interface PermissionAnswer {
  readonly allow: boolean;
  /** The plugin that decides. */
  readonly by: string;
  readonly reason?: string;
  /** How far a yes lets the call out of the sandbox: one of the ways in the question. */
  readonly way?: WayOut;
}

/** Asked before a person is, where policy does not decide. Not for packs: they must not let themselves through. */
export const toolPermission = hook<'first', PermissionQuestion, PermissionAnswer>('tool.permission', 'first', {
  deadlineMs: GATE_DEADLINE_MS,
});

/**
 * Asked before somebody is offered to let a call out of its sandbox: whoever runs it says what the call would be there, with
 * the folder and the variables that it would have. No answer: it cannot leave.
 */
export const toolLeave = hook<'first', ToolCallEvent, ToolCallEvent>('tool.leave', 'first');

/** May change a tool's result before anybody sees it. */
export const toolResult = hook<'reduce', ToolResultEvent>('tool.result', 'reduce', { access: 'packs' });

/** Told when a call is over that was let through: it ran, failed or was cancelled, and handlers have seen its result. */
export const toolEnd = hook<'notify', ToolCallEvent>('tool.end', 'notify', { deadlineMs: GATE_DEADLINE_MS });

/** Runs tools: looks the tool up, checks the input, asks the gate, executes, lets handlers change the result. */
export interface ToolRunner {
  /** Rejects only on cancellation or a defect; everything expected, a refusal too, is a result with `isError`. */
  run(
    name: string,
    input: unknown,
    options?: {
      readonly signal?: AbortSignal;
      /** The model's id for the call; made up when there is none. */
      readonly callId?: string;
      /** Runs this tool instead of the one in the slot: a tool of the embedding program. */
      readonly tool?: Tool;
      /** How much harm `tool` can do; for tools of the slot the manifest says so. */
      readonly risk?: ToolRisk;
      readonly scope?: ToolScope;
      /** The model that calls: it gets the form of the tool that it was offered. */
      readonly model?: ToolModel;
      onUpdate?(partial: ToolResult): void | Promise<void>;
    },
  ): Promise<ToolResult>;
}

/** Runs tools. */
export const toolRunner = service<ToolRunner>('tool-runner');

/** The tools that a session starts with. */
export interface ToolChoice {
  readonly names: readonly string[];
  /** Tools that did not fit into the budget; they are found by search. */
  readonly overBudget: readonly string[];
}

/** A tool that fits a query. */
export interface ToolMatch {
  readonly name: string;
  readonly summary: string;
  readonly plugin: string;
  /** The names of its parameters. */
  readonly keys: readonly string[];
  readonly score: number;
}

/** What names and patterns stand for. */
export interface NamedTools {
  readonly names: readonly string[];
  /** The first unknown name, with sentences that help: similar names, servers that cannot be reached. */
  readonly unknown?: { readonly name: string; readonly hint: string };
}

/** What tools there are, what they cost in a prompt, and which fit a query. */
export interface ToolCatalogue {
  /** Has the sources bring the tools of a folder; gives what is missing and why. */
  gather(request: ToolRequest): Promise<readonly TenonError[]>;
  /** What names and patterns (`mcp__files__*`) stand for in a folder. Sources are asked only for what is not there. */
  find(request: ToolRequest & { readonly names: readonly string[] }): Promise<NamedTools>;
  /** How many tokens the descriptions and schemas of a session's tools may take together. */
  readonly budget: number;
  /** What one tool takes of the budget, estimated. */
  costOf(name: string, tool: Pick<Tool, 'description' | 'parameters'>): number;
  /** What a session starts with by default: the essential tools first, as many as the budget (or less) allows. */
  standard(budget?: number): Promise<ToolChoice>;
  /** The tools that fit a query, best first, without those in `except`. */
  search(
    query: string,
    except: readonly string[],
  ): Promise<{ readonly matches: readonly ToolMatch[]; readonly total: number }>;
}

/** What tools there are. */
export const toolCatalogue = service<ToolCatalogue>('tool-catalogue');

/** The tool that finds the others. */
export const SEARCH_TOOL = 'search_tool_bm25';

export { inputShape } from './input-shape.ts';
export { ANYTHING, textsIn, touchesOf } from './touches.ts';
export { buildResult, noticesOf, type ResultBuilder, type ResultMeta, type Truncation } from './result-builder.ts';

/** For those who write tools: paths as models write them, results that are bounded and say what to do next, output of any length. */
export { absolutePath, cleanPath, displayPath, pathForms, resolvePath, unwrapPath } from './paths.ts';
export { OutputSink, type SinkOptions, type SinkSummary, type SpillFile } from './output-sink.ts';
export { scopeOf } from './scope.ts';
export { spillFile, spillFolder } from './spill-file.ts';
export { explainFailures, fitLines, MAX_OUTPUT_BYTES, textResult } from './tool-output.ts';
