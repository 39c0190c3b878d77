/** Who hears of an event, and how several of them are asked. */
import type { HookScope } from '@tenon/agent/api';
import type { SessionScope } from '../protocol.ts';
import type { Extension } from './extension.ts';
import type { ExtensionSet } from './extension-set.ts';

/** Data of an event or an answer. */
export type Fields = Readonly<Record<string, unknown>>;

/** How those who pass events on find extensions. */
export interface Sets {
  /** Loads those of a folder. */
  open(cwd: string): Promise<ExtensionSet>;
  /** Those that hear of a session, if they were loaded. */
  of(session: string): ExtensionSet | undefined;
}

/** The extensions of a set that want to hear of an event. */
export function hearing(set: ExtensionSet, event: string): Extension[] {
  return set.extensions.filter((extension) => extension.hears(event));
}

/** Tells all of them, and waits for all of them. */
export async function tellAll(set: ExtensionSet, place: SessionScope, name: string, event: Fields): Promise<void> {
  await Promise.all(hearing(set, name).map((extension) => extension.askOrReport(name, event, place)));
}

/** The extensions of the session that a hook is about. */
export function setOf(sets: Sets, scope: HookScope | undefined): ExtensionSet | undefined {
  return scope?.session === undefined ? undefined : sets.of(scope.session);
}

/** The place that a hook is about. */
export function placeOf(scope: HookScope, set: ExtensionSet): SessionScope {
  return { cwd: scope.cwd ?? set.cwd, ...(scope.session !== undefined && { session: scope.session }) };
}
