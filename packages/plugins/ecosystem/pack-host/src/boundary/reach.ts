/** What a manifest reaches for: what the user must agree to, and what no pack may have. Known before any code runs. */
import { kernelTokens, type Manifest, type Permissions } from '@tenon/kernel';
import { keyProblem } from './keys.ts';
import { ASKED_WITH_A_WAY_OUT, boundaryRow, type BoundaryRow, consentText, type Use } from './table.ts';

interface Reached {
  readonly kind: BoundaryRow['kind'];
  readonly id: string;
  readonly use: Use;
}

function reachedBy({ contributes = {}, sources = [], needs = [], ...manifest }: Manifest): Reached[] {
  const { handles = [], handlesWhenActive = [] } = manifest;
  return [
    ...Object.keys(contributes).map((id): Reached => ({ kind: 'slot', id, use: 'contribute' })),
    ...sources.map((id): Reached => ({ kind: 'slot', id, use: 'discover' })),
    ...[...handles, ...handlesWhenActive].map((id): Reached => ({ kind: 'hook', id, use: 'handle' })),
    ...needs.map((id): Reached => ({ kind: 'service', id, use: 'find' })),
  ];
}

/** Everything that the user must agree to: what the manifest asks for, and what it reaches for that shows or changes their work. */
export function wantedPermissions(manifest: Manifest): Permissions {
  const { permissions = {} } = manifest;
  const isOut = hasWayOut(permissions);
  const reached = reachedBy(manifest).filter(
    ({ kind, id }) => boundaryRow(kind, id)?.consent !== undefined || (isOut && ASKED_WITH_A_WAY_OUT.has(id)),
  );
  const uses = [...new Set([...(permissions.uses ?? []), ...reached.map(({ id }) => id)])];
  return uses.length === 0 ? permissions : { ...permissions, uses };
}

/** True when a pack could tell somebody what it sees. */
export function hasWayOut({ net = [], exec = [], fs = {} }: Permissions): boolean {
  return net.length > 0 || exec.length > 0 || (fs.write ?? []).length > 0;
}

/** The complaint about an entry of `permissions.uses`, if nobody can agree to it. */
export function usesProblem(value: string): { readonly reason: string; readonly instead: string } | undefined {
  if (consentText(value) !== undefined) return undefined;
  return {
    reason: 'nothing that needs consent has this name',
    instead: 'Leave it out; what a manifest contributes, handles and needs is asked about without it.',
  };
}

/**
 * Why a manifest reaches for something that is not for packs, one sentence each. `others` are the plugins that are part of
 * Tenon; what packs define themselves is open to all packs, and everything else only as the table says.
 */
export function reachProblems(manifest: Manifest, others: readonly Manifest[], packs: readonly Manifest[]): string[] {
  const definedBy = (plugins: readonly Manifest[], kind: BoundaryRow['kind'], id: string) =>
    plugins.some(({ defines }) => defines?.[`${kind}s`]?.includes(id));
  const defined = (kind: BoundaryRow['kind'], id: string) =>
    boundaryRow(kind, id) !== undefined ||
    kernelTokens.some((token) => token.kind === kind && token.id === id) ||
    definedBy(others, kind, id);
  const isOpen = ({ kind, id, use }: Reached) =>
    defined(kind, id) ? boundaryRow(kind, id)?.may.includes(use) === true : definedBy([manifest, ...packs], kind, id);
  const closed = reachedBy(manifest).filter((reached) => !isOpen(reached));
  const redefined = (['slot', 'service', 'hook'] as const).flatMap((kind) =>
    (manifest.defines?.[`${kind}s`] ?? []).filter((id) => defined(kind, id)).map((id) => `${kind} "${id}"`),
  );
  const provided = (manifest.provides ?? []).filter((id) => defined('service', id));
  const verbs = { contribute: 'contributes to', discover: 'discovers entries of', handle: 'handles', find: 'needs' };
  return [
    ...closed.map(({ kind, id, use }) => `it ${verbs[use as keyof typeof verbs]} the ${kind} "${id}"`),
    ...redefined.map((what) => `it defines the ${what}, which is Tenon's`),
    ...provided.map((id) => `it provides the service "${id}", which is Tenon's`),
    ...takenWords(manifest, others),
    ...othersCards(manifest),
    ...Object.entries(manifest.contributes ?? {}).flatMap(([slot, keys]) =>
      Object.keys(keys).flatMap((key) => keyProblem(slot, key, manifest.id) ?? []),
    ),
  ];
}

/** A longer command would win over a shorter one: `plugin trust my-pack` over `plugin trust`. */
function takenWords({ contributes = {} }: Manifest, others: readonly Manifest[]): string[] {
  const own = Object.keys(contributes['cli-commands'] ?? {});
  return own.flatMap((command) => {
    const owner = others.find((other) =>
      Object.keys(other.contributes?.['cli-commands'] ?? {}).some(
        (taken) => taken !== command && firstWord(taken) === firstWord(command),
      ),
    );
    return owner ? [`its command "${command}" begins like one of the plugin "${owner.id}"`] : [];
  });
}

/** A card shows the input and the result of a call: a pack draws those of its own tools. */
function othersCards({ contributes = {} }: Manifest): string[] {
  const own = contributes['tools'] ?? {};
  return Object.keys(contributes['renderers'] ?? {})
    .filter((tool) => tool === '*' || !Object.hasOwn(own, tool))
    .map((tool) => `its card "${tool}" is of no tool that its manifest names`);
}

/** What a command line begins with. */
export function firstWord(command: string): string {
  return command.split(' ', 1)[0] ?? '';
}
