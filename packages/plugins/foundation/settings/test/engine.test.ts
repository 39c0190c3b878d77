import {
  createKernel,
  type LayerContent,
  settingsEngine,
  type SettingsLayer,
  settingsLayers,
  settingsChanged,
  Type,
} from '@tenon/kernel';
import { folderTrust } from '@tenon/host';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import settingsPlugin from '../src/plugin.ts';

const colour = Type.Object(
  {
    theme: Type.String({ default: 'dark', description: 'Colours of the screen.' }),
    size: Type.Integer({ default: 12, minimum: 1 }),
    nested: Type.Object({ deep: Type.Boolean({ default: false }) }),
    exec: Type.Optional(Type.String({ 'x-scope': 'user' })),
  },
  { additionalProperties: false },
);

/** A layer in memory whose values have positions, as files do. */
function layer(
  name: string,
  rank: number,
  values: Record<string, unknown>,
  extra: Partial<SettingsLayer> = {},
): SettingsLayer & { values: Record<string, unknown> } {
  const self = {
    name,
    rank,
    values,
    read: async (): Promise<LayerContent> => ({
      values: self.values,
      origin: `/${name}.yml`,
      locate: (path: readonly string[]) => ({ line: path.length, column: 1 }),
    }),
    write: async (edits: readonly { path: readonly string[]; value?: unknown }[]) => {
      for (const { path, value } of edits) {
        const [section = '', key = ''] = path;
        self.values = { ...self.values, [section]: { ...(self.values[section] as object), [key]: value } };
      }
    },
    ...extra,
  };
  return self;
}

function world(...layers: SettingsLayer[]) {
  const kernel = createKernel();
  const seen: unknown[] = [];
  kernel.install(
    { manifest: { ...source.tenon, version: source.version }, file: 'settings', load: async () => settingsPlugin },
    inlineCandidate(
      { id: 'layers', activate: (ctx) => layers.forEach((one) => void ctx.contribute(settingsLayers, one.name, one)) },
      { contributes: { 'settings-layers': Object.fromEntries(layers.map(({ name }) => [name, {}])) } },
    ),
    inlineCandidate(
      { id: 'paint', config: colour, activate: (ctx) => void seen.push(ctx.config) },
      { settings: JSON.parse(JSON.stringify(colour)), renamedSettings: { colour: 'theme' } },
    ),
    inlineCandidate({ id: 'plain', activate: () => undefined }),
  );
  return { kernel, seen, engine: () => kernel.find(settingsEngine) };
}

describe('the settings engine', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin: settingsPlugin });
  });

  it('merges defaults, global, project and overrides by rank, key by key', async () => {
    const { kernel, seen } = world(
      layer('flags', 30, { paint: { nested: { deep: true } } }),
      layer('global', 10, { paint: { theme: 'light', size: 20 } }),
      layer('project', 20, { paint: { size: 30 } }),
    );
    await kernel.activate('paint');
    expect(seen).toEqual([{ theme: 'light', size: 30, nested: { deep: true } }]);
  });

  it('names file, line, plugin and key of an invalid value; only that plugin does not start', async () => {
    const { kernel } = world(layer('global', 10, { paint: { size: 'big' } }));
    await expect(kernel.activate('paint')).rejects.toThrow(
      'Setting "paint.size" of plugin "paint" is invalid (/global.yml:2:1): must be integer',
    );
    await kernel.activate('plain');
  });

  it('never falls back to defaults silently when a layer cannot be read', async () => {
    const { kernel } = world(
      layer('global', 10, {}, { file: '/global.yml', read: () => Promise.reject(new Error('bad YAML at 3:7')) }),
    );
    await expect(kernel.activate('paint')).rejects.toThrow(
      'Settings layer "global" cannot be read: /global.yml: bad YAML at 3:7',
    );
    const said = world(
      layer('global', 10, {}, { file: '/global.yml', read: () => Promise.reject(new Error('/global.yml:3:7: bad')) }),
    );
    await expect(said.kernel.activate('paint')).rejects.toThrow(
      'Settings layer "global" cannot be read: /global.yml:3:7: bad',
    );
    await kernel.activate('plain');
  });

  it('ignores what only the user may set when a project sets it, and says so', async () => {
    const { kernel, engine } = world(
      layer('global', 10, { paint: { exec: 'mine' } }),
      layer('project', 20, { paint: { exec: 'theirs', size: 3 } }, { fromProject: true }),
    );
    expect(await (await engine()).get('paint.exec')).toBe('mine');
    expect(kernel.diagnostics().map(({ error }) => error.message)).toContain(
      'A project cannot set "paint.exec"; that is ignored (/project.yml:2:1).',
    );
  });

  describe('of a project', () => {
    const sections = {
      free: { type: 'integer', default: 1, 'x-scope': 'project' },
      plain: { type: 'string', default: 'mine' },
      guard: { type: 'boolean', default: true, 'x-scope': 'tighten:true' },
      seconds: { type: 'number', default: 60, 'x-scope': 'tighten:lower' },
      mode: { type: 'string', enum: ['yolo', 'ask', 'strict'], default: 'ask', 'x-scope': 'tighten:yolo<ask<strict' },
      hidden: { type: 'array', items: { type: 'string' }, default: ['a'], 'x-scope': 'tighten:add' },
      languages: { type: 'array', items: { type: 'string' }, default: ['py', 'js'], 'x-scope': 'tighten:remove' },
      own: {
        type: 'object',
        'x-scope': 'user',
        properties: { inner: { type: 'string', default: 'mine', 'x-scope': 'project' } },
      },
      typo: { type: 'string', default: 'mine', 'x-scope': 'porject' },
    };
    async function taken(theirs: unknown, { trusted = false, mine = {} } = {}) {
      const { kernel, engine } = world(
        layer('global', 10, { guarded: mine }),
        layer('project', 20, { guarded: theirs }, { fromProject: true, file: '/p/.tenon/settings.yml' }),
      );
      const asked: string[] = [];
      const stateOf = async (folder: string) => (
        asked.push(folder),
        trusted ? ('trusted' as const) : ('unknown' as const)
      );
      kernel.install(
        provideServices([[folderTrust, { stateOf }]]),
        inlineCandidate(
          { id: 'guarded', config: Type.Unsafe<unknown>({}), activate: () => undefined },
          { settings: { type: 'object', additionalProperties: false, properties: sections } },
        ),
      );
      const values = (await (await engine()).get('guarded')) as Record<string, unknown>;
      return { values, asked, codes: kernel.diagnostics().map(({ error }) => error.code), kernel };
    }
    const DEFAULTS = {
      free: 1,
      plain: 'mine',
      guard: true,
      seconds: 60,
      mode: 'ask',
      hidden: ['a'],
      languages: ['py', 'js'],
      own: { inner: 'mine' },
      typo: 'mine',
    };
    const looser = {
      guard: false,
      seconds: 61,
      mode: 'yolo',
      hidden: [],
      languages: ['py', 'js', 'sh'],
      own: { inner: 'theirs' },
      typo: 'theirs',
    };

    it.each([false, true])('nothing gets looser, trusted: %s', async (trusted) => {
      const { values } = await taken(looser, { trusted });
      expect(values).toEqual(DEFAULTS);
    });

    it('all that can be tightened is, against what the user has', async () => {
      const stricter = { guard: true, seconds: 5, mode: 'strict', hidden: ['b'], languages: ['py'] };
      const { values, asked } = await taken(stricter, { mine: { guard: false, seconds: 10, hidden: ['c'] } });
      expect(values).toMatchObject({ guard: true, seconds: 5, mode: 'strict', hidden: ['c', 'b'], languages: ['py'] });
      // Nothing of that needs trust, so nobody looked whether there is some.
      expect(asked).toEqual([]);
      expect((await taken({ seconds: 20 }, { mine: { seconds: 10 } })).values['seconds']).toBe(10);
    });

    it('what says nothing about it counts only where the project is trusted', async () => {
      const untrusted = await taken({ plain: 'theirs', free: 2 });
      expect(untrusted.values).toMatchObject({ plain: 'mine', free: 2 });
      expect([untrusted.asked, untrusted.codes]).toEqual([['/p'], ['SETTINGS_NEED_TRUST']]);
      expect((await taken({ plain: 'theirs' }, { trusted: true })).values['plain']).toBe('theirs');
    });

    it.each([{ bogus: 1 }, { free: 'no number' }, 'no section', [1], { seconds: null }, { own: 5 }])(
      'nothing keeps a plugin from starting that says %j',
      async (theirs) => {
        const { values, kernel } = await taken(theirs);
        expect(values).toEqual(DEFAULTS);
        await kernel.activate('guarded');
      },
    );
  });

  it('reads a renamed setting under its new name and says where it stands', async () => {
    const { kernel, engine } = world(layer('global', 10, { paint: { colour: 'red' } }));
    expect(await (await engine()).get('paint.theme')).toBe('red');
    expect(kernel.diagnostics()).toMatchObject([{ severity: 'warning', error: { code: 'SETTINGS_RENAMED' } }]);
  });

  it('warns of a section that belongs to no plugin, with a suggestion', async () => {
    const { kernel, engine } = world(layer('global', 10, { pant: { theme: 'red' } }));
    await (await engine()).list();
    await (await engine()).get('paint.theme');
    expect(
      kernel
        .diagnostics()
        .map(({ error }) => error.message)
        .join(),
    ).toContain('Did you mean "paint"?');
  });

  it('checks a value before it writes it', async () => {
    const global = layer('global', 10, {});
    const { engine } = world(global);
    await expect((await engine()).set('paint.size', 0)).rejects.toThrow('must be >= 1');
    await expect((await engine()).set('paint.siz', 1)).rejects.toThrow('Did you mean "paint.size"?');
    await expect((await engine()).set('paint.size', 4, { layer: 'nowhere' })).rejects.toMatchObject({
      next: 'Write to one of: global.',
    });
    expect(global.values).toEqual({});
    await (await engine()).set('paint.size', 4);
    expect(global.values).toEqual({ paint: { size: 4 } });
  });

  it('tells watchers and the hook what changed, and nothing when nothing did', async () => {
    const { kernel, engine } = world(layer('global', 10, {}));
    const changes: unknown[] = [];
    kernel.install(
      inlineCandidate(
        { id: 'listener', activate: (ctx) => void ctx.on(settingsChanged, (change) => void changes.push(change)) },
        { handles: ['settings.changed'] },
      ),
    );
    const settings = await engine();
    const values: unknown[] = [];
    settings.watch('paint', (value) => values.push(value));
    await settings.get('paint.size');
    await settings.set('paint.size', 5);
    await settings.load();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(changes).toEqual([{ keys: ['paint.size'], plugins: ['paint'] }]);
    expect(values).toMatchObject([{ size: 5 }]);
  });

  it('lists every setting with its value, default, layer, place and description', async () => {
    const { engine } = world(layer('global', 10, { paint: { theme: 'light' } }));
    const list = await (await engine()).list();
    expect(list.find(({ key }) => key === 'paint.theme')).toEqual({
      key: 'paint.theme',
      plugin: 'paint',
      value: 'light',
      default: 'dark',
      layer: 'global',
      where: '/global.yml:2:1',
      description: 'Colours of the screen.',
    });
    expect(list.find(({ key }) => key === 'paint.nested.deep')).toMatchObject({
      value: false,
      layer: 'default',
      where: 'default',
    });
  });

  it('gives one JSON Schema for all settings', async () => {
    const { engine } = world();
    expect((await engine()).schema()).toMatchObject({
      type: 'object',
      properties: { paint: { properties: { size: { minimum: 1 } } }, kernel: {} },
    });
  });

  it('does not let a settings file reach the prototype of objects', async () => {
    const { engine } = world(
      layer(
        'global',
        10,
        JSON.parse('{"__proto__": {"polluted": true}, "paint": {"__proto__": {"x": 1}}}') as Record<string, unknown>,
      ),
    );
    await (await engine()).list();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('lets the user choose between two plugins that contribute the same key', async () => {
    const { kernel } = world(layer('global', 10, { kernel: { prefer: { 'things/saw': 'second' } } }));
    const { slot, plugins } = await import('@tenon/kernel');
    const things = slot<string>('things');
    const maker = (id: string) =>
      inlineCandidate(
        { id, activate: (ctx) => void ctx.contribute(things, 'saw', id) },
        { contributes: { things: { saw: {} } } },
      );
    kernel.install(
      inlineCandidate(
        {
          id: 'finder',
          activate: (ctx) =>
            void ctx.source(plugins, {
              id: 'found',
              load: async () => ({
                items: [maker('first'), maker('second')].map((value) => ({ key: value.manifest.id, value })),
              }),
            }),
        },
        { sources: ['plugins'] },
      ),
      maker('zeroth'),
    );
    await kernel.discover({ cwd: '/', home: '/', trusted: true });
    expect(await kernel.read(things).resolve('saw')).toBe('second');
    expect(kernel.diagnostics()).toEqual([]);
  });
});
