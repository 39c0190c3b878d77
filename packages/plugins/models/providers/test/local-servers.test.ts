import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '@tenon/models/api';
import { afterEach, describe, expect, it } from 'vitest';
import { localBaseUrl, localServers } from '../src/local-servers.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(answers: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === 'locked' && request.headers.authorization !== 'Bearer right')
      return void response.writeHead(401).end('{"error":{"code":401,"message":"Invalid API Key"}}');
    if (answer === 'locked') return void response.writeHead(200).end('{}');
    if (answer === 'hang') return;
    if (answer === undefined) return void response.writeHead(404).end();
    response.writeHead(200).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const endpoint = (probe: 'ollama' | 'openai', baseUrl: string): Endpoint => ({
  name: 'Local',
  api: 'openai-completions',
  baseUrl,
  probe,
  keyOptional: true,
});

async function find(found: Endpoint, env: Record<string, string> = {}) {
  const source = localServers({ endpoints: () => new Map([['local', found]]), env, timeoutMs: 2_000 });
  const signal = new AbortController().signal;
  const { items, warnings } = await source.load({ cwd: '/', home: '/', trusted: false }, { signal });
  return { models: items.map(({ value }) => value), warnings };
}

describe('looking for local servers', () => {
  it('learns from Ollama what each model can do', async () => {
    const url = await serve({
      '/api/tags': { models: [{ name: 'qwen3-vl:8b' }] },
      '/api/show': {
        model_info: { 'qwen3.context_length': 262_144 },
        capabilities: ['completion', 'vision', 'tools', 'thinking'],
      },
    });
    const { models } = await find(endpoint('ollama', url));
    expect(models).toMatchObject([
      { id: 'qwen3-vl:8b', baseUrl: `${url}/v1`, contextWindow: 262_144, input: ['text', 'image'], reasoning: true },
    ]);
  });

  it('reads the context of vLLM from its list and that of llama.cpp from its properties', async () => {
    const vllm = await serve({ '/v1/models': { data: [{ id: 'm', max_model_len: 4096 }] } });
    expect((await find(endpoint('openai', `${vllm}/v1`))).models).toMatchObject([
      { contextWindow: 4096, maxTokens: 1024 },
    ]);
    const llama = await serve({
      '/v1/models': { data: [{ id: 'm' }] },
      '/props': { default_generation_settings: { n_ctx: 16_384 } },
    });
    expect((await find(endpoint('openai', `${llama}/v1`))).models).toMatchObject([{ contextWindow: 16_384 }]);
  });

  it('takes the window that llama.cpp was started with, not the one that its model was trained with', async () => {
    const props = { default_generation_settings: { n_ctx: 2_048 }, total_slots: 1 };
    const older = { data: [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }] };
    const newer = { data: [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx: 2_048, n_ctx_train: 131_072 } }] };
    for (const answers of [
      { '/v1/models': older, '/props': props },
      { '/v1/models': newer, '/props': props },
      { '/v1/models': newer },
    ]) {
      const url = await serve(answers);
      const { models, warnings } = await find(endpoint('openai', `${url}/v1`));
      expect(models).toMatchObject([{ contextWindow: 2_048, maxTokens: 512 }]);
      expect(models[0]).not.toHaveProperty('needsKey');
      expect(warnings).toEqual([]);
    }
  });

  it('says of a server that wants a key that it does, also when its list is open to everybody', async () => {
    const list = { data: [{ id: 'm', meta: { n_ctx: 2_048, n_ctx_train: 8_192 } }] };
    const url = await serve({ '/v1/models': list, '/props': 'locked' });
    const keyed = { ...endpoint('openai', `${url}/v1`), env: ['LOCAL_KEY'] };
    const { models, warnings } = await find(keyed);
    expect(models).toMatchObject([{ id: 'm', needsKey: true, contextWindow: 2_048 }]);
    expect(warnings).toMatchObject([{ code: 'PROVIDERS_LOCAL_KEY', next: expect.stringContaining('LOCAL_KEY') }]);
    const opened = await find(keyed, { LOCAL_KEY: 'right' });
    expect(opened.warnings).toEqual([]);
    expect(opened.models[0]).not.toHaveProperty('needsKey');
    const closed = await serve({ '/v1/models': 'locked' });
    expect((await find(endpoint('openai', `${closed}/v1`))).warnings).toMatchObject([{ code: 'PROVIDERS_LOCAL_KEY' }]);
  });

  it('takes nobody, another kind of server, and one that hangs for no server', async () => {
    const page = await serve({ '/v1/models': '<html>hello</html>' });
    const other = await serve({ '/v1/models': { data: 'nothing of use' } });
    const hanging = await serve({ '/v1/models': 'hang' });
    for (const url of [page, other, hanging, 'http://127.0.0.1:9'])
      expect(await find(endpoint('openai', `${url}/v1`)), url).toEqual({ models: [], warnings: [] });
  });

  it('uses the address of the environment, with or without the version', () => {
    const ollama = { ...endpoint('ollama', 'http://127.0.0.1:11434/v1'), baseUrlEnv: 'OLLAMA_BASE_URL' };
    expect(localBaseUrl(ollama, {})).toBe('http://127.0.0.1:11434/v1');
    expect(localBaseUrl(ollama, { OLLAMA_BASE_URL: 'http://box:1/' })).toBe('http://box:1/v1');
    expect(localBaseUrl(ollama, { OLLAMA_BASE_URL: 'http://box:1/v1' })).toBe('http://box:1/v1');
  });
});
