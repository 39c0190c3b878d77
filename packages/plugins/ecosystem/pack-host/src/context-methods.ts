/**
 * What an isolated pack can ask of Tenon: the plugin context, answered on this side. Every request is checked here, because
 * what arrives may come from code that pretends to be the host: tokens must be open to packs, and
 * values of other plugins cross only as data, since calling their functions would lend the pack their permissions.
 */
import {
  type ContributeOptions,
  type Entry,
  type HandlerOptions,
  type LoadContext,
  messageOf,
  type PluginContext,
  type Service,
  type Slot,
  type SlotSource,
  TenonError,
  type Token,
} from '@tenon/kernel';
import { cliCommands } from '@tenon/command-line/api';
import { tools } from '@tenon/tools/api';
import { plainText } from '@tenon/wording';
import { type EntryOwner, guardedEntry, toolData } from './boundary/entries.ts';
import { handlerAnswer, handlerOptions } from './boundary/handlers.ts';
import { guardedService } from './boundary/services.ts';
import { firstWord } from './boundary/reach.ts';
import { boundaryRow, type Use } from './boundary/table.ts';
import { errors } from './errors.ts';
import type { BrokeredRequest, createFetchBroker } from './fetch-broker.ts';
import type { Connection } from './connection.ts';
import type { Registrations } from './registrations.ts';
import { marshal, unmarshal, type Wire } from './wire/marshal.ts';
import type { Method } from './wire/peer.ts';

/** What the methods work with. */
export interface ContextParts {
  readonly ctx: PluginContext;
  /** The tokens that the pack itself defines. */
  readonly ownTokens: readonly Token[];
  readonly registrations: Registrations<Connection>;
  readonly fetch: ReturnType<typeof createFetchBroker>;
  /** Whose requests these are: what it contributes gets its level and its permissions. */
  readonly owner: EntryOwner;
}

type Kind = Token['kind'];
type OfKind<K extends Kind> = Extract<Token, { kind: K }>;

/** Requests that the pack awaits. */
export function contextMethods(parts: ContextParts): Readonly<Record<string, Method>> {
  const { ctx } = parts;
  const find = tokenFinder(parts);
  const guarded = async (service: Service<unknown>, value: Promise<unknown>) =>
    guardedService(service.id, await value, ctx.id);
  return {
    token: async ([kind, id]) => find(kindOf(kind), textOf(id)),
    run: ([id, ...rest], peer) =>
      peer.serveArguments(rest, async ([input, signal]) =>
        // Hooks of Tenon are run by Tenon: some carry out what they are given.
        ctx.run(await find('hook', textOf(id), 'run'), input, signal as AbortSignal | undefined),
      ),
    find: ([id, ...rest], peer) =>
      peer.serveArguments(rest, async ([signal]) => {
        const service = (await find('service', textOf(id), 'find')) as Service<unknown>;
        return guarded(service, ctx.find(service, signal as AbortSignal | undefined));
      }),
    findOptional: ([id, ...rest], peer) =>
      peer.serveArguments(rest, async ([signal]) => {
        const service = (await find('service', textOf(id), 'find').catch(unlessUnknown)) as
          | Service<unknown>
          | undefined;
        return service && guarded(service, ctx.findOptional(service, signal as AbortSignal | undefined));
      }),
    resolve: async ([id, key]) => {
      const registry = ctx.read(await find('slot', textOf(id), 'read'));
      const value = await registry.resolve(textOf(key));
      const owner = registry.get(textOf(key))?.source.plugin;
      return owner === ctx.id
        ? value
        : dataOnly(value, () => notOwn(ctx.id, `"${textOf(key)}" of slot "${textOf(id)}"`));
    },
    resolveAll: async ([id]) => {
      const entries = await ctx.read(await find('slot', textOf(id), 'read')).resolveAll();
      return entries.map((entry) => ({ ...shown(entry), value: valueFor(ctx.id, entry) }));
    },
    load: ([id, ...rest], peer) =>
      peer.serveArguments(rest, async ([context, signal]) => {
        const registry = ctx.read(await find('slot', textOf(id), 'read'));
        const { entries, shadowed, problems } = await registry.load(
          context as LoadContext,
          signal as AbortSignal | undefined,
        );
        const present = (entry: Entry<unknown>) => ({ ...shown(entry), value: valueFor(ctx.id, entry) });
        return { entries: entries.map(present), shadowed: shadowed.map(present), problems };
      }),
    report: async ([error, severity]) => {
      const finding = unmarshal(error ?? null, REFUSE_REFERENCES);
      if (!(finding instanceof TenonError)) throw new TypeError('only errors of a catalogue can be reported');
      // Whatever the pack says about itself, the finding is about the pack.
      const { code, message, next, details, cause } = finding;
      const own = new TenonError({
        code,
        owner: ctx.id,
        message: plainText(message),
        next: plainText(next),
        details: { ...details, plugin: ctx.id },
        cause,
      });
      ctx.report(own, severity === 'warning' ? 'warning' : 'error');
    },
    fetch: (params, peer) =>
      peer.serveArguments(params, ([request, signal]) =>
        parts.fetch(request as BrokeredRequest, signal as AbortSignal | undefined),
      ),
  };
}

/** Questions for which the pack waits. */
export function contextQuestions(parts: ContextParts, connection: Connection): Readonly<Record<string, Method>> {
  const { ctx, registrations, owner } = parts;
  const find = tokenFinder(parts);
  const slotOf = async (id: Wire | undefined, use: Use = 'read') =>
    (await find('slot', textOf(id), use)) as Slot<unknown>;
  const take: Registrations<Connection>['take'] = (name, wire, caller, publish) =>
    registrations.take(name, wire, caller, publish);
  const dataOf = <T>(wire: Wire | undefined) => unmarshal(wire ?? null, REFUSE_REFERENCES) as T;
  return {
    contribute: async ([id, key, value = null, options]) => {
      const slot = await slotOf(id, 'contribute');
      const name = `the entry "${textOf(key)}" of slot "${slot.id}"`;
      const { priority, data } = dataOf<ContributeOptions | undefined>(options) ?? {};
      return take(name, value, connection, (made) => {
        const entry = reporting(ctx, () => {
          if (slot.id === cliCommands.id) refuseTakenWord(ctx, slot, textOf(key));
          return guardedEntry(slot.id, textOf(key), made, owner);
        });
        const declared = ctx.read(slot).get(textOf(key));
        const known = data ?? (declared?.source.plugin === ctx.id ? declared.data : {});
        return reporting(ctx, () =>
          ctx.contribute(slot, textOf(key), entry, {
            ...(typeof priority === 'number' && Number.isFinite(priority) && { priority }),
            ...(slot.id === tools.id ? { data: toolData(known, owner.permissions) } : data && { data }),
          }),
        );
      });
    },
    source: async ([id, source = null]) => {
      const slot = await slotOf(id, 'discover');
      return take(`a source of slot "${slot.id}"`, source, connection, (made) => {
        const remote = made as SlotSource<unknown>;
        return ctx.source(slot, {
          id: String(remote.id),
          load: async (context, { signal }) => foundBy(slot.id, await remote.load(context, { signal }), owner),
        });
      });
    },
    provide: async ([id, value = null]) => {
      const service = (await find('service', textOf(id), 'provide')) as Service<unknown>;
      return take(`the service "${service.id}"`, value, connection, (made) => ctx.provide(service, made));
    },
    on: async ([id, handler = null, options]) => {
      const hook = await find('hook', textOf(id), 'handle');
      const settings = handlerOptions(hook, dataOf<HandlerOptions | undefined>(options));
      return take(`a handler of hook "${hook.id}"`, handler, connection, (made) => {
        const remote = made as (input: unknown, call: { readonly signal: AbortSignal }) => Promise<unknown>;
        const answer = async (input: unknown, call: { readonly signal: AbortSignal }) =>
          handlerAnswer(hook, input, await remote(input, { signal: call.signal })) as never;
        return ctx.on(hook, answer, settings);
      });
    },
    drop: async ([key]) => {
      await registrations.drop(textOf(key));
    },
    get: async ([id, key]) => {
      const entry = ctx.read(await slotOf(id)).get(textOf(key));
      return entry && shown(entry);
    },
    list: async ([id]) =>
      ctx
        .read(await slotOf(id))
        .list()
        .map(shown),
    all: async ([id]) =>
      ctx
        .read(await slotOf(id))
        .all()
        .map(shown),
    watch: async ([id, listener = null]) => {
      const slot = await slotOf(id);
      return take(`a watcher of slot "${slot.id}"`, listener, connection, (made) => {
        const tell = made as (change: unknown) => Promise<void>;
        return ctx.read(slot).watch(({ added, removed, changed }) => {
          tell({ added: added.map(shown), removed: removed.map(shown), changed: changed.map(shown) }).catch(
            (fault: unknown) => ctx.log.warn(`a watcher of slot "${slot.id}" was not told about a change`, { fault }),
          );
        });
      });
    },
  };
}

/** The manifest says `*` where keys come at run time: they are held to what `reach.ts` says about those of a manifest. */
function refuseTakenWord(ctx: PluginContext, slot: Slot<unknown>, key: string): void {
  const taken = ctx
    .read(slot)
    .list()
    .find(
      (other) =>
        other.source.plugin !== ctx.id &&
        other.source.foreign !== true &&
        other.key !== key &&
        firstWord(other.key) === firstWord(key),
    );
  if (!taken) return;
  const reason = `it begins like a command of the plugin "${taken.source.plugin}"`;
  throw errors.create('PACK_HOST_ENTRY_REFUSED', { plugin: ctx.id, slot: slot.id, key, reason });
}

/** A refusal of an entry concerns the user, too: a pack may not mention it. */
function reporting<T>(ctx: PluginContext, contribute: () => T): T {
  try {
    return contribute();
  } catch (fault) {
    const isRefusal = fault instanceof TenonError && REFUSALS.has(fault.code);
    if (isRefusal) ctx.report(fault);
    throw fault;
  }
}

/** What a source of a pack found, without what it says about whose it is. */
function foundBy(
  slot: string,
  found: Awaited<ReturnType<SlotSource<unknown>['load']>>,
  owner: EntryOwner,
): Awaited<ReturnType<SlotSource<unknown>['load']>> {
  const warnings = Array.isArray(found.warnings) ? found.warnings.map(messageOf) : [];
  const items = (Array.isArray(found.items) ? found.items : []).map(({ key, value }) => ({
    key: String(key),
    value: guardedEntry(slot, String(key), value, owner),
    file: owner.file,
    level: 'pack',
    priority: 0,
  }));
  return { items, warnings };
}

/** Finds tokens for a pack: those of packs as they are, those of Tenon only for what the table of the boundary says. */
function tokenFinder({ ctx, ownTokens, owner }: ContextParts) {
  return async <K extends Kind>(kind: K, id: string, use?: Use | 'run' | 'provide'): Promise<OfKind<K>> => {
    const token = await ctx.token(kind, id);
    // A pack may define a token of the same name as one of Tenon's; the one that counts is who defined it first.
    if (ownTokens.includes(token)) return token as OfKind<K>;
    const row = boundaryRow(kind, id);
    const isOpen = row === undefined || use === undefined || row.may.some((allowed) => allowed === use);
    if (token.access !== 'packs' || !isOpen)
      throw errors.create('PACK_HOST_TOKEN_INTERNAL', { plugin: ctx.id, kind, id });
    if (use !== undefined && use !== 'read' && row?.consent !== undefined && !owner.permissions.uses?.includes(id))
      throw errors.create('PACK_HOST_USE_REFUSED', { plugin: ctx.id, kind, id, consent: row.consent });
    return token as OfKind<K>;
  };
}

/** A service that no installed plugin defines is missing like one that none provides. */
function unlessUnknown(fault: unknown): undefined {
  if (fault instanceof TenonError && fault.code === 'KERNEL_TOKEN_UNKNOWN') return undefined;
  throw fault;
}

/** An entry without its value and without paths of the user's machine. */
function shown({ key, data, source, priority, shadowed }: Entry<unknown>): Omit<Entry<unknown>, 'value'> {
  return { key, data, source: { plugin: source.plugin }, priority, shadowed };
}

function valueFor(reader: string, { value, source }: Entry<unknown>): unknown {
  return source.plugin === reader ? value : dataOnly(value, () => undefined);
}

class HasReferences extends Error {}

/** The value if it is plain data, else what `otherwise` says. */
function dataOnly<T>(value: unknown, otherwise: () => T): unknown {
  const refuse = () => {
    throw new HasReferences();
  };
  try {
    marshal(value, { exportFunction: refuse, exportSignal: refuse, stacks: false });
    return value;
  } catch (fault) {
    if (fault instanceof HasReferences) {
      const other = otherwise();
      if (other instanceof Error) throw other;
      return other;
    }
    throw fault;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['KERNEL_KEY_TAKEN', 'PACK_HOST_ENTRY_REFUSED']);

const REFUSE_REFERENCES = {
  importFunction: () => {
    throw new TypeError('options are plain data');
  },
  importSignal: () => {
    throw new TypeError('options are plain data');
  },
};

function notOwn(plugin: string, what: string): Error {
  return errors.create('PACK_HOST_NOT_OWN', { plugin, what });
}

function textOf(wire: Wire | undefined): string {
  if (typeof wire !== 'string') throw new TypeError('a text was expected');
  return wire;
}

function kindOf(wire: Wire | undefined): Kind {
  if (wire === 'slot' || wire === 'service' || wire === 'hook') return wire;
  throw new TypeError('a kind of token was expected');
}
