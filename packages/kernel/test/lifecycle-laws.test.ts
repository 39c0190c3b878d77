import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { createKernel, hook, type Kernel, type PluginCandidate, service, slot } from '../src/index.ts';
import { inlineCandidate, registrySnapshot } from '../src/testing.ts';

/** Six plugins with needs among them, shared keys at different priorities, sources, hooks and clean-ups. */
const PLUGINS = 6;
const items = slot<string>('items');
const ping = hook<'notify', number>('ping', 'notify');
const serviceOf = (index: number) => service<string>(`service-${index}`);

type Action =
  | { readonly kind: 'activate' | 'unload' | 'reload' | 'uninstall' | 'install'; readonly plugin: number }
  | { readonly kind: 'run' | 'resolveAll' }
  | { readonly kind: 'break'; readonly plugin: number; readonly how: 'load' | 'activate' | 'cleanup' | undefined };

class World {
  readonly kernel: Kernel = createKernel({ limits: { activateMs: 1_000, unloadGraceMs: 50 } });
  readonly broken = new Map<number, 'load' | 'activate' | 'cleanup'>();
  readonly opened = new Map<number, number>();
  readonly #needs: readonly (readonly number[])[];

  constructor(needs: readonly (readonly number[])[]) {
    this.#needs = needs;
    this.kernel.install(...this.candidates());
  }

  candidates(): PluginCandidate[] {
    return Array.from({ length: PLUGINS }, (_, index) => this.candidate(index));
  }

  candidate(index: number): PluginCandidate {
    // Needs only point to lower numbers, so the generated graphs have no circles.
    const needs = Object.fromEntries(
      (this.#needs[index] ?? []).filter((need) => need < index).map((need) => [`n${need}`, serviceOf(need)]),
    );
    const candidate = inlineCandidate(
      {
        id: `p${index}`,
        needs,
        activate: (ctx) => {
          this.opened.set(index, (this.opened.get(index) ?? 0) + 1);
          ctx.defer(() => {
            this.opened.set(index, (this.opened.get(index) ?? 0) - 1);
            if (this.broken.get(index) === 'cleanup') throw new Error('cannot clean up');
          });
          ctx.provide(serviceOf(index), `value ${index}`);
          ctx.contribute(items, `key-${index % 3}`, `item of ${index}`);
          ctx.contribute(items, `dynamic-${index}`, 'run-time');
          ctx.on(ping, () => undefined);
          if (this.broken.get(index) === 'activate') throw new Error('cannot start');
        },
      },
      {
        provides: [serviceOf(index).id],
        handles: ['ping'],
        contributes: { items: { [`key-${index % 3}`]: { priority: index }, '*': {} } },
      },
    );
    return {
      ...candidate,
      load: () => (this.broken.get(index) === 'load' ? Promise.reject(new Error('cannot load')) : candidate.load()),
    };
  }

  async perform(action: Action): Promise<void> {
    const { kernel } = this;
    const installed = (plugin: number) => kernel.status().some(({ id }) => id === `p${plugin}`);
    switch (action.kind) {
      case 'run':
        return kernel.run(ping, 1);
      case 'resolveAll':
        return void (await kernel.read(items).resolveAll());
      case 'break':
        return void (action.how ? this.broken.set(action.plugin, action.how) : this.broken.delete(action.plugin));
      case 'install':
        if (!installed(action.plugin)) kernel.install(this.candidate(action.plugin));
        return;
      default:
        // Failing starts and clean-ups are part of the game; what counts is what is left behind.
        if (installed(action.plugin)) await kernel[action.kind](`p${action.plugin}`).catch(() => undefined);
    }
  }

  /** What must hold at every quiet moment. */
  checkQuiet(): void {
    for (const { id, state } of this.kernel.status()) {
      const live = this.kernel.registrations(id);
      if (id !== 'kernel' && state !== 'active') expect(live, `${id} is ${state}`).toEqual([]);
    }
    for (const [index, open] of this.opened) {
      const state = this.kernel.status().find(({ id }) => id === `p${index}`)?.state;
      expect(open, `resources of p${index} (${state})`).toBe(state === 'active' ? 1 : 0);
    }
  }
}

const plugin = fc.nat({ max: PLUGINS - 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('activate', 'unload', 'reload', 'uninstall', 'install'), plugin }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('run', 'resolveAll') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('break' as const),
      plugin,
      how: fc.constantFrom('load', 'activate', 'cleanup', undefined),
    }),
  },
) as fc.Arbitrary<Action>;
const needs = fc.array(fc.uniqueArray(plugin, { maxLength: 3 }), { minLength: PLUGINS, maxLength: PLUGINS });

describe('lifecycle laws', () => {
  it('random sequences of starts, stops, reloads and failures leave zero registrations and the registry of a fresh start', async () => {
    await fc.assert(
      fc.asyncProperty(needs, fc.array(action, { maxLength: 40 }), async (graph, actions) => {
        const world = new World(graph);
        for (const step of actions) {
          await world.perform(step);
          world.checkQuiet();
        }
        world.broken.clear();
        await world.kernel.dispose().catch(() => undefined);
        expect(world.kernel.registrations()).toEqual([]);
        expect([...world.opened.values()].every((open) => open === 0)).toBe(true);
        for (let index = 0; index < PLUGINS; index++) await world.perform({ kind: 'install', plugin: index });
        expect(registrySnapshot(world.kernel)).toEqual(registrySnapshot(new World(graph).kernel));
      }),
      { numRuns: caseCount(200) },
    );
  });

  it('actions at the same time end in a state that can be stopped cleanly', async () => {
    await fc.assert(
      fc.asyncProperty(needs, fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 6 }), async (graph, rounds) => {
        const world = new World(graph);
        for (const round of rounds) {
          await Promise.all(round.map((step) => world.perform(step)));
          world.checkQuiet();
        }
        world.broken.clear();
        await world.kernel.dispose().catch(() => undefined);
        expect(world.kernel.registrations()).toEqual([]);
        expect([...world.opened.values()].every((open) => open === 0)).toBe(true);
      }),
      { numRuns: caseCount(200) },
    );
  });
});
