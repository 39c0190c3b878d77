/** Of everything that sources found: what counts, and why the rest does not. */
import type { Entry, TenonError } from '@tenon/kernel';
import type { Bundle, ContextFile, Discovered, Findings, Ignored, McpServerConfig, Skill } from './api.ts';
import { overlapReason, overrideReason, overridesAmong } from './context-overlap.ts';
import type { Kind } from './kind-table.ts';
import { isSwitch } from './readers/mcp-servers.ts';
import { skillRefused, switchedOff } from './switches.ts';
import type { DiscoverySettings } from './generated/settings.ts';

/** At the same priority, these families come before all others, in this order. */
const TIES = ['claude-plugins', 'agents', 'codex', 'cursor', 'windsurf'];

interface Candidate<V> extends Discovered<V> {
  readonly order: number;
  readonly identity: string | undefined;
  readonly ignored: string | undefined;
}

/** A rule against something that another file brings. */
export interface Denial {
  readonly name: string;
  readonly file: string;
}

/** Decides. Only what is not refused for another reason shadows what comes after it. */
export function merge<V>(
  kind: Kind,
  entries: readonly Entry<V>[],
  settings: DiscoverySettings,
  denials: readonly Denial[] = [],
): Omit<Findings<V>, 'problems'> {
  const items: Discovered<V>[] = [];
  const ignored: Ignored<V>[] = [];
  const byKey = new Map<string, Discovered<V>>();
  const byIdentity = new Map<string, Discovered<V>>();
  /** What the tool that owns a file refuses is not used by way of another family either. */
  const refusedBy = new Map<string, string>();
  const candidates = entries.flatMap(candidate).sort(byRank);
  const overrides = kind.slot.id === 'context-files' ? overridesAmong(candidates) : NO_SWITCHES;
  const switches =
    kind.slot.id === 'mcp-servers' ? switchesAmong(candidates as readonly Candidate<McpServerConfig>[]) : NO_SWITCHES;
  for (const { order: _order, identity, ignored: refused, ...item } of candidates) {
    const twin = identity === undefined ? undefined : byIdentity.get(identity);
    const denial = denials.length === 0 ? undefined : denials.find(({ name }) => name === item.key);
    const off = switches.get(item.key);
    const shadow = byKey.get(item.key);
    const refusal = refused ?? (identity === undefined ? undefined : refusedBy.get(identity));
    if (refused !== undefined && identity !== undefined) refusedBy.set(identity, refused);
    const reason =
      switchedOff(settings, kind.slot.id, kind.singular, item) ??
      refusal ??
      overrideReason(item.file, overrides) ??
      reasonOfKind(kind, item, items, settings) ??
      (denial && `switched off by "disabledServers" in ${denial.file}`) ??
      (off !== undefined && off !== item.file ? `switched off by "enabled": false in ${off}` : undefined) ??
      (twin &&
        (twin.file === item.file ? `already read by the family ${twin.family}` : `the same file as ${twin.file}`)) ??
      (shadow && `shadowed by ${shadow.file}`);
    if (reason !== undefined) {
      ignored.push({ ...item, reason });
      continue;
    }
    items.push(item);
    byKey.set(item.key, item);
    if (identity !== undefined) byIdentity.set(identity, item);
  }
  return { items, ignored };
}

const NO_SWITCHES: ReadonlyMap<string, string> = new Map();

/** Server -> the file that does nothing but switch it off. A project may do that to servers of the user, too; a pack may not. */
function switchesAmong(candidates: readonly Candidate<McpServerConfig>[]): ReadonlyMap<string, string> {
  const switches = candidates.filter(({ value, pack }) => pack === undefined && isSwitch(value));
  return new Map(switches.map(({ key, file }) => [key, file]));
}

function candidate<V>({ key, value, data, source, priority }: Entry<V>): readonly Candidate<V>[] {
  if (value === undefined) return [];
  // What a pack says about its entries does not decide about those of others.
  const told = source.foreign === true ? {} : data;
  const { order, identity, bundle, ignored, family, pack } = told as Readonly<
    Record<string, string | number | undefined>
  >;
  return [
    {
      key,
      value,
      family: source.foreign === true ? `pack ${source.plugin}` : (text(family) ?? source.source ?? source.plugin),
      level: source.level === 'project' || source.foreign === true ? 'project' : 'user',
      // A built-in plugin that runs foreign code says in whose name it brings something.
      ...(source.foreign === true ? { pack: source.plugin } : typeof pack === 'string' && { pack }),
      file: source.file ?? '',
      priority,
      order: typeof order === 'number' ? order : 0,
      identity: text(identity),
      ignored: text(ignored),
      ...(typeof bundle === 'string' && { bundle }),
    },
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function byRank(a: Candidate<unknown>, b: Candidate<unknown>): number {
  const packsLast = Number(a.pack !== undefined) - Number(b.pack !== undefined);
  return packsLast || b.priority - a.priority || compareFamilies(a.family, b.family) || a.order - b.order;
}

function compareFamilies(a: string, b: string): number {
  if (a === b) return 0;
  const rank = (family: string) => (TIES.includes(family) ? TIES.indexOf(family) : TIES.length);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function reasonOfKind<V>(
  kind: Kind,
  item: Discovered<V>,
  before: readonly Discovered<V>[],
  settings: DiscoverySettings,
): string | undefined {
  switch (kind.slot.id) {
    case 'skills':
      return skillRefused(settings, item.value as Skill);
    case 'bundles':
      return (item.value as Bundle).disabled;
    case 'context-files':
      return overlapReason(
        item as Discovered<ContextFile>,
        before as readonly Discovered<ContextFile>[],
        settings.contextFiles,
      );
    default:
      return undefined;
  }
}

/** Each problem once, whoever met it. */
export function uniqueProblems(problems: readonly TenonError[]): readonly TenonError[] {
  return [...new Map(problems.map((problem) => [`${problem.code} ${problem.message}`, problem])).values()];
}
