/**
 * One choice per accelerator: native, then WASM, then JavaScript. The choice is made on first use, is kept, and can
 * be explained: `report()` says for each accelerator what serves and why the better implementations do not.
 */
import type { Addon } from './addon.ts';
import { type AddonAttempt, type AddonLookup, findAddon, type FindAddonOptions } from './loader.ts';

/** The kinds of implementation, best first. */
export const KINDS = ['native', 'wasm', 'js'] as const;

/** One kind of implementation. */
export type Kind = (typeof KINDS)[number];

/** Every accelerator by name; each implementation of one gives the same answers. */
export interface Accelerators {
  scan: ReturnType<(typeof import('./scan/native.ts'))['fromAddon']>;
  search: ReturnType<(typeof import('./search/native.ts'))['fromAddon']>;
  syntax: ReturnType<(typeof import('./syntax/native.ts'))['fromAddon']>;
  hashline: ReturnType<(typeof import('./hashline/native.ts'))['fromAddon']>;
  shell: ReturnType<(typeof import('./shell/native.ts'))['fromAddon']>;
  sandbox: ReturnType<(typeof import('./sandbox/native.ts'))['fromAddon']>;
  text: ReturnType<(typeof import('./text/native.ts'))['fromAddon']>;
  'code-map': ReturnType<(typeof import('./code-map/native.ts'))['fromAddon']>;
  images: ReturnType<(typeof import('./images/native.ts'))['fromAddon']>;
  memory: ReturnType<(typeof import('./memory/native.ts'))['fromAddon']>;
}

/** The name of an accelerator. */
export type AcceleratorName = keyof Accelerators;

interface Sources<C> {
  readonly native: (addon: Addon) => Promise<C>;
  readonly wasm?: () => Promise<C>;
  readonly js?: () => Promise<C>;
}

/** Code is imported when an implementation is loaded, not before. */
const SOURCES: { readonly [N in AcceleratorName]: Sources<Accelerators[N]> } = {
  scan: {
    native: async (addon) => (await import('./scan/native.ts')).fromAddon(addon),
    js: async () => (await import('./scan/js.ts')).createJs(),
  },
  search: {
    native: async (addon) => (await import('./search/native.ts')).fromAddon(addon),
    js: async () => (await import('./search/js.ts')).createJs(),
  },
  syntax: {
    native: async (addon) => (await import('./syntax/native.ts')).fromAddon(addon),
    wasm: async () => (await import('./syntax/wasm.ts')).createWasm(),
  },
  hashline: {
    native: async (addon) => (await import('./hashline/native.ts')).fromAddon(addon),
    js: async () => (await import('./hashline/js.ts')).createJs(),
  },
  shell: {
    native: async (addon) => (await import('./shell/native.ts')).fromAddon(addon),
    js: async () => (await import('./shell/js.ts')).createJs(),
  },
  sandbox: {
    native: async (addon) => (await import('./sandbox/native.ts')).fromAddon(addon),
    js: async () => (await import('./sandbox/js.ts')).createJs(),
  },
  text: {
    native: async (addon) => (await import('./text/native.ts')).fromAddon(addon),
    js: async () => (await import('./text/js.ts')).createJs(),
  },
  'code-map': {
    native: async (addon) => (await import('./code-map/native.ts')).fromAddon(addon),
    wasm: async () => (await import('./code-map/wasm.ts')).createWasm(),
  },
  images: {
    native: async (addon) => (await import('./images/native.ts')).fromAddon(addon),
    js: async () => (await import('./images/js.ts')).createJs(),
  },
  memory: {
    native: async (addon) => (await import('./memory/native.ts')).fromAddon(addon),
    js: async () => (await import('./memory/js.ts')).createJs(),
  },
};

/** The names of all accelerators. */
export const ACCELERATOR_NAMES = Object.keys(SOURCES) as AcceleratorName[];

/** Why an implementation does not serve. */
export interface SkippedImplementation {
  readonly kind: Kind;
  readonly reason: string;
}

/** One accelerator's line in `tenon doctor`. */
export interface AcceleratorReport {
  readonly name: AcceleratorName;
  /** Undefined when nothing serves; then `skipped` says why for every kind. */
  readonly serves: Kind | undefined;
  readonly skipped: readonly SkippedImplementation[];
}

/** Everything `tenon doctor` says about accelerators. */
export interface AcceleratorsReport {
  readonly forced: Kind | undefined;
  readonly addon: { readonly path?: string; readonly sourceHash?: string; readonly attempts: readonly AddonAttempt[] };
  readonly accelerators: readonly AcceleratorReport[];
}

/** No implementation of an accelerator can serve as asked; the message says why and what to do. */
export class AcceleratorUnavailableError extends Error {
  override readonly name = 'AcceleratorUnavailableError';
  readonly accelerator: AcceleratorName;
  readonly skipped: readonly SkippedImplementation[];

  constructor(accelerator: AcceleratorName, message: string, skipped: readonly SkippedImplementation[]) {
    super(message);
    this.accelerator = accelerator;
    this.skipped = skipped;
  }
}

/** How a set of accelerators is chosen; the process environment serves when nothing is given. */
export interface AcceleratorOptions extends FindAddonOptions {
  /** Serve every accelerator by this kind (`TENON_ACCEL`). */
  readonly accel?: Kind | undefined;
}

/** An implementation together with its kind, for suites that run against all of them. */
export interface Implementation<N extends AcceleratorName> {
  readonly kind: Kind;
  readonly implementation: Accelerators[N];
}

/** A lazily made, then fixed choice of implementations. */
export interface AcceleratorSet {
  /** The chosen implementation, or exactly the given kind. */
  load<N extends AcceleratorName>(name: N, kind?: Kind): Promise<Accelerators[N]>;
  /** Every implementation that can serve here, best first. */
  implementations<N extends AcceleratorName>(name: N): Promise<Implementation<N>[]>;
  /** What serves and why; loads whatever was not loaded yet. */
  report(): Promise<AcceleratorsReport>;
}

interface Choice<N extends AcceleratorName> {
  readonly kind: Kind;
  readonly implementation: Accelerators[N];
  readonly skipped: readonly SkippedImplementation[];
}

/** The answer of `make` when there is no implementation of that kind. */
class Unusable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Makes a set of its own, apart from the one that the process shares. */
export function createAccelerators(options: AcceleratorOptions = {}): AcceleratorSet {
  const env = options.env ?? process.env;
  const choices = new Map<AcceleratorName, Promise<Choice<AcceleratorName>>>();
  const pendingImplementations = new Map<string, Promise<unknown>>();
  let lookup: AddonLookup | undefined;
  const addon = (): AddonLookup => (lookup ??= findAddon(options));

  /** The implementation of exactly this kind, or the reason why there is none. */
  async function make<N extends AcceleratorName>(name: N, kind: Kind): Promise<Accelerators[N] | Unusable> {
    const sources: Sources<Accelerators[N]> = SOURCES[name];
    const start = startOf(sources, kind, addon);
    if (typeof start === 'string') return new Unusable(start);
    const key = `${name}/${kind}`;
    const pending = (pendingImplementations.get(key) as Promise<Accelerators[N]> | undefined) ?? start();
    pendingImplementations.set(key, pending);
    try {
      return await pending;
    } catch (error) {
      return new Unusable(`load error: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async function choose<N extends AcceleratorName>(name: N): Promise<Choice<N>> {
    const forced = options.accel ?? forcedKind(env);
    const skipped: SkippedImplementation[] = [];
    for (const kind of preference(forced)) {
      const result = await make(name, kind);
      if (!(result instanceof Unusable)) {
        for (const better of KINDS.slice(0, KINDS.indexOf(kind))) {
          if (skipped.every((entry) => entry.kind !== better)) {
            const exists = better === 'native' || SOURCES[name][better] !== undefined;
            skipped.push({ kind: better, reason: exists ? `forced to ${forced} by TENON_ACCEL` : noTwin(better) });
          }
        }
        return { kind, implementation: result, skipped };
      }
      skipped.push({ kind, reason: result.reason });
      if (forced === 'native') {
        throw new AcceleratorUnavailableError(
          name,
          `TENON_ACCEL=native, but the native ${name} accelerator cannot serve: ${result.reason}. ` +
            'Fix that, or unset TENON_ACCEL to let a slower implementation serve.',
          skipped,
        );
      }
    }
    const reasons = skipped.map((entry) => `${entry.kind}: ${entry.reason}`).join('; ');
    throw new AcceleratorUnavailableError(name, `nothing serves the ${name} accelerator (${reasons})`, skipped);
  }

  function choiceOf<N extends AcceleratorName>(name: N): Promise<Choice<N>> {
    const choice = choices.get(name) ?? choose(name);
    choices.set(name, choice);
    return choice as Promise<Choice<N>>;
  }

  return {
    async load(name, kind) {
      if (kind === undefined) return (await choiceOf(name)).implementation;
      const result = await make(name, kind);
      if (!(result instanceof Unusable)) return result;
      const skipped = [{ kind, reason: result.reason }];
      throw new AcceleratorUnavailableError(name, `${name} has no usable ${kind} part: ${result.reason}`, skipped);
    },

    async implementations<N extends AcceleratorName>(name: N) {
      const usable: Implementation<N>[] = [];
      const forced = options.accel ?? forcedKind(env);
      for (const kind of KINDS) {
        if (forced !== undefined && kind !== (await choiceOf(name)).kind) continue;
        const result = await make(name, kind);
        if (!(result instanceof Unusable)) usable.push({ kind, implementation: result });
      }
      return usable;
    },

    async report() {
      const accelerators: AcceleratorReport[] = [];
      for (const name of ACCELERATOR_NAMES) {
        try {
          const { kind, skipped } = await choiceOf(name);
          accelerators.push({ name, serves: kind, skipped });
        } catch (error) {
          if (!(error instanceof AcceleratorUnavailableError)) throw error;
          accelerators.push({ name, serves: undefined, skipped: error.skipped });
        }
      }
      const { addon: _raw, ...lookupResult } = addon();
      return { forced: options.accel ?? forcedKind(env), addon: lookupResult, accelerators };
    },
  };
}

/** The kind that `TENON_ACCEL` asks for; a word it does not know is refused, not ignored. */
function forcedKind(env: NodeJS.ProcessEnv): Kind | undefined {
  const word = env['TENON_ACCEL'];
  if (!word || word === 'auto') return undefined;
  const kind = KINDS.find((candidate) => candidate === word);
  if (!kind) throw new RangeError(`TENON_ACCEL=${word} is not one of ${KINDS.join(', ')}, auto`);
  return kind;
}

/** A forced kind comes first; where an accelerator lacks it, the other non-native kind serves and the report says so. */
function preference(forced: Kind | undefined): readonly Kind[] {
  if (forced === undefined) return KINDS;
  if (forced === 'native') return ['native'];
  return forced === 'wasm' ? ['wasm', 'js'] : ['js', 'wasm'];
}

function startOf<C>(sources: Sources<C>, kind: Kind, lookup: () => AddonLookup): (() => Promise<C>) | string {
  if (kind === 'native') {
    const { addon, attempts } = lookup();
    return addon ? () => sources.native(addon) : describeAttempts(attempts);
  }
  return sources[kind] ?? noTwin(kind);
}

function noTwin(kind: Kind): string {
  return `there is no ${kind} twin of it`;
}

function describeAttempts(attempts: readonly AddonAttempt[]): string {
  return attempts.map((attempt) => `${attempt.path}: ${attempt.reason ?? 'usable'}`).join('; ');
}
