import { describe, expect, it } from 'vitest';
import { modelsWorld } from './models-world.ts';

const world = modelsWorld();
const { start, run } = world;

const BROKEN = `
providers:
  nowhere: { api: openai-completions, models: [{ id: m }] }
  odd: { api: openai-completion, baseUrl: "http://127.0.0.1:1/v1", models: [{ id: m }] }
  typed: { baseUrl: "localhost:8080/v1", models: [{ id: m }] }
  mixed:
    baseUrl: http://127.0.0.1:1/v1
    models: [{ id: good }, { id: bad, api: nope }]
  anthropic: { headers: { x-team: red } }
  scattered: { models: [{ id: m, baseUrl: "http://127.0.0.1:1/v1" }] }
  fine: { baseUrl: "http://127.0.0.1:1/v1", models: [{ id: m }] }
`;

describe('a models file that describes what cannot work', () => {
  it('is reported when it is read, also by `tenon models list`, and the rest of it serves', async () => {
    const { kernel } = await start({ file: BROKEN });
    const { out } = await run('models list');
    const said = kernel.diagnostics().map(({ error }) => error.message);
    expect(said).toHaveLength(4);
    expect(said[0]).toMatch(/"nowhere" in .*models\.yml cannot be used: it has no `baseUrl`/);
    expect(said[1]).toMatch(
      /"odd".*"openai-completion", which no plugin provides\. Did you mean "openai-completions"\?/,
    );
    expect(said[2]).toMatch(/"typed".*"localhost:8080\/v1" is not an address/);
    expect(said[3]).toMatch(/"mixed".*the `api` of the model "bad" is "nope"/);
    expect(out).toContain('fine/m');
    expect(out).toContain('scattered/m');
    expect(out).not.toMatch(/nowhere|odd|typed|mixed/);
  });

  it('leaves nothing that could be called by mistake', async () => {
    const { registry } = await start({ file: BROKEN });
    for (const wanted of ['nowhere/m', 'odd/m', 'mixed/good']) expect(await registry.find(wanted)).toBeUndefined();
    expect((await registry.find('claude-opus-4-6'))?.model.headers).toEqual({ 'x-team': 'red' });
  });
});

describe('a login in the models file', () => {
  it('needs its addresses, unless the provider is known', async () => {
    const { kernel, registry } = await start({
      file: `
providers:
  ours: { baseUrl: "http://127.0.0.1:1/v1", oauth: { clientId: x } }
  other: { baseUrl: "http://127.0.0.1:1/v1", access: { url: "http://127.0.0.1:1/" } }
  gitlab-duo: { oauth: { clientId: mine }, access: { url: "https://gitlab.example.com/direct" } }
`,
    });
    await run('models list');
    const said = kernel.diagnostics().map(({ error }) => error.message);
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/"ours".*its `oauth` needs `authorizeUrl` and `tokenUrl`/);
    expect(said[1]).toMatch(/"other".*`access`/);
    expect((await registry.find('gitlab-duo/claude-x'))?.model.baseUrl).toBe(
      'https://cloud.gitlab.com/ai/v1/proxy/anthropic/v1',
    );
  });
});
