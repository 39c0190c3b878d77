/**
 * What packs contribute, as Tenon uses it. Whatever an entry says about itself, here it gets the level and the permissions of
 * its pack: what could lend it more is left out.
 */
import type { AskOptions, CliCommand, CommandIo } from '@tenon/command-line/api';
import type { Permissions } from '@tenon/kernel';
import type { Tool, ToolData, ToolRisk } from '@tenon/tools/api';
import { plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import { ruleFor } from '../net-rules.ts';
import { keyProblem } from './keys.ts';
import { keyAction, linesOfCalls, statusText } from './screen-entries.ts';
import { contextFileOf, hookOf, serverOf } from './settings-entries.ts';
import { terminalText } from './terminal-text.ts';

/** Whose entry it is. */
export interface EntryOwner {
  readonly plugin: string;
  readonly permissions: Permissions;
  /** The pack's package.json. */
  readonly file: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** The entry as it may be published. */
export function guardedEntry(slot: string, key: string, value: unknown, owner: EntryOwner): unknown {
  const reason = keyProblem(slot, key, owner.plugin);
  if (reason !== undefined) throw errors.create('PACK_HOST_ENTRY_REFUSED', { plugin: owner.plugin, slot, key, reason });
  const guard = Object.hasOwn(GUARDS, slot) ? GUARDS[slot] : undefined;
  return guard ? guard(key, value, owner) : value;
}

const GUARDS: Readonly<Record<string, (key: string, value: unknown, owner: EntryOwner) => unknown>> = {
  tools: (_key, value) => claiming(value as Tool),
  'cli-commands': (_key, value) => plainCommand(value as CliCommand),
  'url-schemes': (_key, value) => withoutFiles(value as Fields),
  'slash-command-providers': (_key, value) => withoutGrants(value as Fields),
  keybindings: keyAction,
  renderers: linesOfCalls,
  'status-items': statusText,
  scrapers: (_key, value, owner) => withinNet(value as Fields, owner),
  'context-files': contextFileOf,
  'external-hooks': hookOf,
  'mcp-servers': serverOf,
};

/** What a pack declares about its tools is a claim: it may make the judgement stricter, never milder. */
function claiming(tool: Tool): Tool {
  const { touches } = tool;
  if (!touches) return tool;
  return { ...tool, touches: async (input, call) => ({ ...(await touches(input, call)), anything: true }) };
}

const RISKS: readonly ToolRisk[] = ['read', 'net', 'write', 'exec'];

/** What is said about a tool of a pack: at least as risky as what the pack may do, and of no origin but the pack's. */
export function toolData(data: Fields, { exec = [], net = [], fs = {} }: Permissions): Fields {
  const { origin: _origin, risk, ...rest } = data as Partial<ToolData>;
  const may: ToolRisk[] = [
    ...(exec.length > 0 ? (['exec'] as const) : []),
    ...((fs.write ?? []).length > 0 ? (['write'] as const) : []),
    ...(net.length > 0 ? (['net'] as const) : []),
  ];
  // Without a word about it a tool counts as the dangerous kind.
  const said = RISKS.find((known) => known === risk) ?? 'exec';
  const worst = RISKS.findLast((known) => known === said || may.includes(known)) ?? 'exec';
  return { ...rest, risk: worst };
}

/** What a command of a pack prints cannot drive the terminal. */
function plainCommand(command: CliCommand): CliCommand {
  return {
    run: (call) => {
      const { handOver: _handOver, ask, ...io } = call.io;
      const plain: CommandIo = {
        ...io,
        out: (text) => io.out(terminalText(String(text))),
        err: (text) => io.err(terminalText(String(text))),
        ...(ask && {
          ask: (question: string, options?: AskOptions) =>
            ask(plainText(String(question)), { secret: options?.secret === true }),
        }),
      };
      return command.run({ ...call, io: plain });
    },
  };
}

/** A scheme gives contents, never paths: Tenon would hand the file behind one to programs and readers, with its own rights. */
function withoutFiles({ read, write }: Fields): Fields {
  return {
    read: async (...args: readonly unknown[]) => {
      const { content, bytes, contentType, notes, immutable, isExtract } = (await (read as Call)(...args)) as Fields;
      return {
        content: typeof content === 'string' ? content : '',
        ...(bytes instanceof Uint8Array && { bytes }),
        ...(typeof contentType === 'string' && { contentType }),
        ...(Array.isArray(notes) && { notes: notes.map(String) }),
        ...(immutable === true && { immutable }),
        ...(isExtract === true && { isExtract }),
      };
    },
    ...(typeof write === 'function' && { write: (...args: readonly unknown[]) => (write as Call)(...args) }),
  };
}

/** A command gives a prompt; it chooses no model and lets no tool through without a question. */
function withoutGrants({ list, run }: Fields): Fields {
  return {
    list: async (...args: readonly unknown[]) => {
      const listed = await (list as Call)(...args);
      return Array.isArray(listed) ? listed.filter((info: Fields | null) => typeof info?.['name'] === 'string') : [];
    },
    run: async (...args: readonly unknown[]) => {
      const outcome = (await (run as Call)(...args)) as Fields | undefined;
      const said = (name: string) => (typeof outcome?.[name] === 'string' ? outcome[name] : undefined);
      if (outcome?.['kind'] === 'prompt') return { kind: 'prompt', text: said('text') ?? '' };
      const next = said('next');
      if (outcome?.['kind'] === 'refused')
        return {
          kind: 'refused',
          reason: said('reason') ?? 'no reason was given',
          ...(next !== undefined && { next }),
        };
      const text = said('text');
      return outcome?.['kind'] === 'handled' ? { kind: 'handled', ...(text !== undefined && { text }) } : undefined;
    },
  };
}

/** A scraper asks servers through Tenon; it reaches no others than its pack. */
function withinNet({ scrape }: Fields, { plugin, permissions: { net = [] } }: EntryOwner): Fields {
  return {
    scrape: (url: unknown, call: Fields) => {
      const get = call['get'] as Call;
      const guarded = (address: unknown, headers: unknown) => {
        const text = String(address);
        if (URL.canParse(text) && ruleFor(new URL(text), net)) return get(text, headers);
        const host = URL.canParse(text) ? new URL(text).host : text.slice(0, 200);
        throw errors.create('PACK_HOST_NET_REFUSED', { plugin, host, reason: 'it does not declare this host' });
      };
      return (scrape as Call)(url, { ...call, get: async (...args: unknown[]) => guarded(args[0], args[1]) });
    },
  };
}
