/** Every built-in plugin starts with its switches turned: a handler or service that is then missing would make the kernel refuse the plugin, and with it every call that it guards. */
import type { Kernel } from '@tenon/kernel';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { afterEach, describe, expect, it } from 'vitest';
import { pluginPackages } from '../../../scripts/workspace.mjs';

interface Schema {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const plugins = pluginPackages()
  .map(({ name, json }) => ({
    name: String(name).replace('@tenon/', ''),
    id: String(json['tenon'].id),
    settings: json['tenon'].settings as Schema | undefined,
  }))
  // Reads files of the user, which the settings of the test take the place of.
  .filter(({ id }) => id !== 'settings-files');

/** Values for all switches of a schema but those that `isLeft` names: the opposite of what they are. */
function turned({ properties = {} }: Schema, isLeft: (name: string) => boolean): Record<string, unknown> {
  const entries = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (schema.type === 'object') return [[name, turned(schema, isLeft)]];
    return schema.type === 'boolean' && !isLeft(name) ? [[name, schema.default !== true]] : [];
  });
  return Object.fromEntries(entries);
}

let kernel: Kernel | undefined;
afterEach(async () => {
  if (kernel) await endKernel(kernel);
  kernel = undefined;
});

describe('all built-in plugins start', () => {
  it.each([
    ['with every switch turned', () => false],
    ['switched on, with every other switch turned', (name: string) => /enabled$/i.test(name)],
  ])('%s', async (_title, isLeft) => {
    const settings = Object.fromEntries(
      plugins.flatMap(({ id, settings: schema }) => (schema ? [[id, turned(schema, isLeft)]] : [])),
    );
    const folders = separateFolders(temporaryFolder('switches'));
    kernel = await startKernel({ folders, plugins: plugins.map(({ name }) => name), settings });
    const refused: string[] = [];
    for (const { id } of plugins)
      await kernel.activate(id).catch((error: Error) => refused.push(`${id}: ${error.message}`));
    expect(refused).toEqual([]);
  });
});
