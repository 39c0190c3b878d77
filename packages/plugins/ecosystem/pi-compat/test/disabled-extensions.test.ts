import { makeFixture } from '@tenon/test-kit/discovery-fixture';
import { expect, it } from 'vitest';
import { switchedOffByOwner } from '../src/host/disabled-extensions.ts';
import { findModules, type FoundModule } from '../src/host/modules.ts';

const MODULE = 'export default () => {};';

async function reasons(files: Record<string, string>): Promise<Record<string, string | undefined>> {
  const { discovery, home, project } = await makeFixture(files);
  const wanted = { configured: [], named: [], discover: true };
  const { modules } = await findModules(discovery, wanted, { cwd: project, home, cache: home });
  const off = await switchedOffByOwner(discovery, project);
  return Object.fromEntries(modules.map((module: FoundModule) => [module.name, off(module)]));
}

it('leaves out the extensions that config.yml of oh-my-pi disables, by file and by folder', async () => {
  const found = await reasons({
    'home/.omp/agent/config.yml': 'disabledExtensions:\n  - extension-module:foo\n  - extension-module:bar\n',
    'home/.omp/agent/extensions/foo.ts': MODULE,
    'home/.omp/agent/extensions/bar/index.ts': MODULE,
    'home/.omp/agent/extensions/kept.ts': MODULE,
    'project/.omp/extensions/foo.ts': MODULE,
  });
  expect(found['foo']).toContain('"disabledExtensions" in ');
  expect(found['bar']).toContain('config.yml');
  expect(found['kept']).toBeUndefined();
});

it('lets a project disable its own extensions, never those of the user', async () => {
  const found = await reasons({
    'project/.omp/settings.json': '{ "disabledExtensions": ["extension-module:guard", "extension-module:own"] }',
    'home/.omp/agent/extensions/guard.ts': MODULE,
    'project/.omp/extensions/own.ts': MODULE,
  });
  expect(found['guard']).toBeUndefined();
  expect(found['own']).toContain('settings.json');
});
