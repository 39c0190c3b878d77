import { builtIn } from '@tenon/test-kit/plugins';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandCall, type CommandIo } from '@tenon/command-line/api';
import { folders, kernelView, type KernelView } from '@tenon/host';
import { createKernel, type Kernel, settingsEngine } from '@tenon/kernel';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { settingsOverrides } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let folder: string;
let globalFile: string;
let environment: Record<string, string | undefined>;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-config-')));
  globalFile = join(folder, 'config', 'settings.yml');
  environment = {};
  mkdirSync(join(folder, 'repo', '.git'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function services(kernel: Kernel, assignments: string[] = []) {
  const places = { config: join(folder, 'config'), cwd: join(folder, 'repo') };
  const engine = () => kernel.find(settingsEngine);
  const settings: Partial<KernelView['settings']> = {
    get: async (key) => (await engine()).get(key),
    list: async () => (await engine()).list(),
    load: async () => (await engine()).load(),
    set: async (key, value, options) => (await engine()).set(key, value, options),
    unset: async (key, options) => (await engine()).unset(key, options),
    layers: async () => (await engine()).layers(),
    schema: async () => (await engine()).schema(),
  };
  return [
    [folders, places],
    [kernelView, { ...kernel, version: '1.0.0', folders: places, settings }],
    [settingsOverrides, { assignments, environment }],
  ] as const;
}

const SAMPLE_SETTINGS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    memory: { type: 'integer', default: 512, minimum: 1, description: 'How much.' },
    name: { type: 'string' },
    trust: { type: 'string', default: 'none', 'x-scope': 'user' },
  },
};

async function start(assignments: string[] = []) {
  const kernel = createKernel();
  kernel.install(
    provideServices(services(kernel, assignments)),
    await builtIn('settings'),
    await builtIn('settings-files'),
    inlineCandidate({ id: 'sample', activate: () => undefined }, { settings: SAMPLE_SETTINGS }),
  );
  return kernel;
}

async function config(
  command: string,
  given: { args?: CommandCall['args']; flags?: CommandCall['flags']; io?: Partial<CommandIo>; set?: string[] } = {},
) {
  const kernel = await start(given.set);
  const { args = {}, flags = {} } = given;
  const io = { width: 120, ...given.io };
  try {
    const run = await runCommand(kernel, `config ${command}`, { args, flags, io, cwd: folder });
    return { ...run, warnings: kernel.diagnostics().map(({ error }) => error.message) };
  } finally {
    await kernel.dispose();
  }
}

const put = (file: string, text: string) => {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
};

describe('the settings-files plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source: manifest, plugin, services: services(createKernel()) });
  });
});

describe('tenon config', () => {
  it('list shows every setting, its value and where it came from', async () => {
    put(globalFile, 'sample:\n  memory: 64\n');
    const { out } = await config('list', { args: { prefix: 'sample' } });
    expect(out).toMatch(/^sample\.memory +64 +.*settings\.yml:2:3$/m);
    expect(out).toMatch(/^sample\.name +\(not set\) +default$/m);
    const json = JSON.parse((await config('list', { flags: { json: true, changed: true } })).out) as { key: string }[];
    expect(json.map(({ key }) => key)).toEqual(['sample.memory']);
  });

  it('list says so when nothing fits', async () => {
    expect((await config('list', { args: { prefix: 'zzz' } })).err).toContain('No setting starts with "zzz"');
    expect((await config('list', { flags: { changed: true } })).err).toBe('Every setting has its default.\n');
  });

  it('set checks a value, writes it, and get reads it back', async () => {
    put(globalFile, '# mine\n');
    await config('set', { args: { key: 'sample.memory', value: '128' } });
    await config('set', { args: { key: 'sample.name', value: '007' } });
    expect(readFileSync(globalFile, 'utf8')).toBe('# mine\nsample:\n  memory: 128\n  name: "007"\n');
    expect((await config('get', { args: { key: 'sample.memory' } })).out).toBe('128\n');
    expect((await config('get', { args: { key: 'sample.name' }, flags: { json: true } })).json).toBe('007');
  });

  it('set refuses what the schema refuses, and leaves the file alone', async () => {
    put(globalFile, 'sample:\n  memory: 1\n');
    await expect(config('set', { args: { key: 'sample.memory', value: 'much' } })).rejects.toMatchObject({
      code: 'SETTINGS_FILES_REFUSED',
      message: '"much" is not a value of "sample.memory": it must be integer.',
    });
    await expect(config('set', { args: { key: 'sample.memroy', value: '1' } })).rejects.toThrow(
      /Did you mean "sample\.memory"/,
    );
    expect(readFileSync(globalFile, 'utf8')).toBe('sample:\n  memory: 1\n');
  });

  it('set says when another layer still decides', async () => {
    const { err } = await config('set', { args: { key: 'sample.memory', value: '2' }, set: ['sample.memory=9'] });
    expect(err).toContain('the value in use is 9');
  });

  it('set --project writes into the repository, unless only the user may set it', async () => {
    await config('set', { args: { key: 'sample.memory', value: '3' }, flags: { project: true } });
    expect(readFileSync(join(folder, 'repo', '.tenon', 'settings.yml'), 'utf8')).toBe('sample:\n  memory: 3\n');
    const refused = config('set', { args: { key: 'sample.trust', value: 'full' }, flags: { project: true } });
    await expect(refused).rejects.toMatchObject({ code: 'SETTINGS_FILES_USER_ONLY' });
  });

  it('ignores what a repository must not decide, and says so', async () => {
    put(join(folder, 'repo', '.tenon', 'settings.yml'), 'sample:\n  trust: full\n  memory: 7\n');
    const { out, warnings } = await config('get', { args: { key: 'sample.trust' } });
    expect(out).toBe('none\n');
    expect(warnings.join()).toMatch(/"sample\.trust"; .*settings\.yml:2:3/);
    // Nobody trusts the project, so that it decides nothing else either.
    expect(warnings.join()).toMatch(/"sample\.memory" are ignored .*settings\.yml:3:3/);
    expect((await config('get', { args: { key: 'sample.memory' } })).out).toBe('512\n');
  });

  it('unset brings the default back', async () => {
    put(globalFile, 'sample:\n  memory: 1 # x\nother: {}\n');
    const { err } = await config('unset', { args: { key: 'sample.memory' } });
    expect(err).toContain('It is 512 now');
    expect(readFileSync(globalFile, 'utf8')).toBe('other: {}\n');
  });

  it('path names the places, lowest first', async () => {
    const rows = JSON.parse((await config('path', { flags: { json: true } })).out) as {
      name: string;
      file: string | null;
    }[];
    expect(rows.map(({ name }) => name)).toEqual(['global', 'project', 'environment', 'flags']);
    expect(rows[0]?.file).toBe(globalFile);
  });

  it('schema --write stores the schema and points the file to it once', async () => {
    put(globalFile, '# mine\n');
    await config('schema', { flags: { write: true } });
    await config('schema', { flags: { write: true } });
    expect(readFileSync(globalFile, 'utf8')).toBe('# yaml-language-server: $schema=./settings.schema.json\n# mine\n');
    const schema = JSON.parse(readFileSync(join(folder, 'config', 'settings.schema.json'), 'utf8')) as {
      properties: object;
    };
    expect(Object.keys(schema.properties)).toContain('sample');
  });

  it('a broken file fails with its place, and the settings in it are not guessed', async () => {
    put(globalFile, 'sample:\n  memory: 1\n  memory: 2\n');
    await expect(config('get', { args: { key: 'sample.memory' } })).rejects.toThrow(/settings\.yml:3:3: the same key/);
  });
});

describe('tenon config edit', () => {
  /** An editor that is a real program: it replaces the file's text by each of the given ones in turn. */
  const editor = (...texts: string[]) => {
    const script = join(folder, 'editor.sh');
    texts.forEach((text, index) => writeFileSync(join(folder, `text-${index + 1}`), text));
    const count = join(folder, 'count');
    writeFileSync(
      script,
      `#!/bin/sh\necho x >> ${count}\ncat "${folder}/text-$(wc -l < ${count} | tr -d ' ')" > "$1"\n`,
    );
    chmodSync(script, 0o755);
    environment['EDITOR'] = script;
  };
  const leftovers = () => readdirSync(join(folder, 'config')).filter((name) => name !== 'settings.yml');

  it('puts a valid file in place and leaves no copy', async () => {
    put(globalFile, 'sample:\n  memory: 1\n');
    editor('sample:\n  memory: 2 # more\n');
    expect((await config('edit')).err).toContain('Saved');
    expect(readFileSync(globalFile, 'utf8')).toBe('sample:\n  memory: 2 # more\n');
    expect(leftovers()).toEqual([]);
  });

  it('asks what to do with an invalid file, and can go back to the editor', async () => {
    put(globalFile, 'sample:\n  memory: 1\n');
    editor('sample:\n  memory: much\n', 'sample:\n  memory: 3\n');
    const asked: string[] = [];
    const { err } = await config('edit', { io: { ask: async (question) => (asked.push(question), 'e') } });
    expect(asked).toHaveLength(1);
    expect(err).toMatch(/:2:3: sample\.memory must be integer/);
    expect(readFileSync(globalFile, 'utf8')).toBe('sample:\n  memory: 3\n');
  });

  it('keeps the copy and names it when nobody can be asked', async () => {
    put(globalFile, 'sample:\n  memory: 1\n');
    editor('sample: [\n');
    const fault = await config('edit').catch((error: { next: string; code: string }) => error);
    expect(fault).toMatchObject({ code: 'SETTINGS_FILES_EDIT_KEPT' });
    expect(readFileSync(globalFile, 'utf8')).toBe('sample:\n  memory: 1\n');
    const [copy = ''] = leftovers();
    expect((fault as { next: string }).next).toContain(copy);
    expect(readFileSync(join(folder, 'config', copy), 'utf8')).toBe('sample: [\n');
  });

  it('keeps the copy when the file changed meanwhile', async () => {
    put(globalFile, 'sample:\n  memory: 1\n');
    const script = join(folder, 'editor.sh');
    writeFileSync(script, `#!/bin/sh\necho 'sample: {memory: 5}' > "$1"\necho 'sample: {memory: 6}' > ${globalFile}\n`);
    chmodSync(script, 0o755);
    environment['VISUAL'] = script;
    await expect(config('edit')).rejects.toThrow(/changed by someone else/);
    expect(readFileSync(globalFile, 'utf8')).toBe('sample: {memory: 6}\n');
    expect(leftovers()).toHaveLength(1);
  });

  it('changes nothing and leaves nothing when the text stayed the same or the editor failed', async () => {
    put(globalFile, 'a: 1\n');
    environment['EDITOR'] = 'true';
    expect((await config('edit')).err).toContain('was not changed');
    environment['EDITOR'] = 'exit 3 #';
    await expect(config('edit')).rejects.toMatchObject({ code: 'SETTINGS_FILES_EDITOR' });
    expect(leftovers()).toEqual([]);
  });

  it('starts a file that is not there yet with a word about it', async () => {
    const script = join(folder, 'editor.sh');
    writeFileSync(script, '#!/bin/sh\necho "sample: {memory: 5}" >> "$1"\n');
    chmodSync(script, 0o755);
    environment['EDITOR'] = script;
    await config('edit');
    expect(readFileSync(globalFile, 'utf8')).toMatch(/^# Settings of Tenon\..*\nsample: \{memory: 5\}\n$/);
  });
});
