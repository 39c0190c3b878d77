import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DoctorCheck, type DoctorFinding, doctorChecks } from '@tenon/doctor/api';
import type { Kernel, Registry } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { modelsWorld } from './models-world.ts';

const { start } = modelsWorld();

async function findings(kernel: Kernel): Promise<readonly DoctorFinding[]> {
  const checks: Registry<DoctorCheck>[] = [];
  kernel.install(
    inlineCandidate(
      { id: 'reader', defines: [doctorChecks], activate: (ctx) => void checks.push(ctx.read(doctorChecks)) },
      { defines: { slots: ['doctor-checks'] } },
    ),
  );
  await kernel.activate('reader');
  const check = await checks[0]?.resolve('models');
  return (await check?.run({ signal: new AbortController().signal })) ?? [];
}

async function server(answer: unknown) {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const close = () => void listening.close(() => {});
  return { port: (listening.address() as AddressInfo).port, asked, close };
}

describe('the doctor about models', () => {
  it('names who has a key and where it comes from, and never shows the key', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-very-secret-value');
    const { kernel, auth } = await start();
    await auth.store('anthropic', { kind: 'api-key', key: 'another-secret-value' });
    const found = await findings(kernel);
    expect(found).toContainEqual({ name: 'openai', status: 'ok', text: 'api-key $OPENAI_API_KEY' });
    expect(found).toContainEqual({ name: 'anthropic', status: 'ok', text: 'api-key stored (key file)' });
    expect(found.at(-1)).toMatchObject({ name: 'default', status: 'ok', text: expect.stringMatching(/^anthropic\//) });
    expect(JSON.stringify(found)).not.toMatch(/secret|value/);
  });

  it('warns where only the offline model answers, and says what to do', async () => {
    const { kernel } = await start({ withOffline: true });
    expect(await findings(kernel)).toMatchObject([
      { name: 'servers', status: 'ok', text: expect.stringContaining('no local server answers (') },
      { name: 'default', status: 'warning', next: expect.stringContaining('tenon auth login') },
    ]);
  });

  it('says that nobody looked for local servers where that is switched off, and by what', async () => {
    const { kernel } = await start({ probeLocal: false });
    const servers = (await findings(kernel)).find(({ name }) => name === 'servers');
    expect(servers).toMatchObject({
      status: 'ok',
      text: expect.stringMatching(/does not look for local servers: providers\.probeLocal is false \(.+\)/),
    });
  });

  it('counts the models of servers on this machine', async () => {
    const { port, close } = await server({ data: [{ id: 'a', max_model_len: 4096 }, { id: 'b' }] });
    vi.stubEnv('VLLM_BASE_URL', `http://127.0.0.1:${port}/v1`);
    const { kernel } = await start();
    const found = await findings(kernel);
    close();
    expect(found).toContainEqual({ name: 'vllm', status: 'ok', text: `2 models at 127.0.0.1:${port}` });
  });

  it('asks nobody when a server is on another machine', async () => {
    const { port, asked, close } = await server({ data: [{ id: 'a' }] });
    vi.stubEnv('VLLM_BASE_URL', `http://127.0.0.1:${port}/v1`);
    vi.stubEnv('OLLAMA_BASE_URL', 'http://user:word@192.0.2.1:11434/v1');
    const { kernel } = await start({ withOffline: true });
    const found = await findings(kernel);
    close();
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'servers', text: expect.stringContaining('ollama at 192.0.2.1:11434') }),
    );
    expect(JSON.stringify(found)).not.toContain('word');
    expect(asked).toEqual([]);
  });
});
