import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import type { DiagnosticReport, WorkerAdapter } from '../src/api.ts';
import { adapter as amp } from '../src/adapters/amp.ts';
import { adapter as claude } from '../src/adapters/claude.ts';
import { adapter as codex } from '../src/adapters/codex.ts';
import { adapter as gemini } from '../src/adapters/gemini.ts';
import { diagnose } from '../src/probe/diagnose.ts';
import { headroom, orUsedUp } from '../src/probe/headroom.ts';
import { versionIn } from '../src/probe/version.ts';
import { program } from './programs.ts';

/** A provider that answers all requests alike. */
async function provider(status: number, headers: Record<string, string> = {}) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(status, headers).end('{"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  later(close);
  return { requests, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const check = ({ checks }: DiagnosticReport, id: string) => checks.find((each) => each.id === id);
const probe = (adapter: WorkerAdapter, env: NodeJS.ProcessEnv, offline = false) =>
  diagnose(adapter, { PATH: '/nowhere', ...env }, AbortSignal.timeout(30_000), { offline });

describe('the check of the program', () => {
  it('gives path and version', async () => {
    const PATH = program('claude', '[ "$1" = --version ] && echo "2.1.325 (Claude Code)"');
    const found = check(await probe(claude, { PATH }), 'cli-installed');
    expect(found).toMatchObject({ status: 'pass', detail: { version: '2.1.325' } });
    expect(found?.detail?.['path']).toMatch(/\/claude$/);
  });

  it('says how one is installed that is missing', async () => {
    expect(check(await probe(claude, {}), 'cli-installed')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
    });
  });

  it('says why one does not start', async () => {
    const PATH = program('claude', 'echo "Node 22 is needed" >&2; exit 1');
    expect(check(await probe(claude, { PATH }), 'cli-installed')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/cannot be started: Node 22 is needed/),
    });
  });

  it.each([
    ['2.1.325 (Claude Code)', '2.1.325'],
    ['codex-cli 0.166.0\n', '0.166.0'],
    ['Aider v0.86.1.dev', '0.86.1.dev'],
    ['\u001B[31mpi/0.73.1\u001B[0m', '0.73.1'],
    ['2025.09.18-7ae6800', '2025.09.18-7ae6800'],
    ['no number', undefined],
  ])('reads %j', (output, version) => {
    expect(versionIn(output)).toBe(version);
  });
});

describe('the check of the key', () => {
  it('asks the provider for its models, where the CLI would ask', async () => {
    const { url, requests } = await provider(200, {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
    });
    const report = await probe(claude, { ANTHROPIC_API_KEY: 'any-form', ANTHROPIC_BASE_URL: `${url}/` });
    expect(requests.map(({ url: path, headers }) => [path, headers['x-api-key']])).toEqual([
      ['/v1/models', 'any-form'],
    ]);
    expect(check(report, 'key-valid')).toMatchObject({ status: 'pass' });
    expect(check(report, 'rate-limit')).toMatchObject({
      status: 'pass',
      message: 'There is room: 49 of 50 requests left.',
      detail: { windows: [{ window: 'requests', remaining: 49, limit: 50 }] },
    });
  });

  it.each([401, 403])('fails for a key that the provider refuses with %i', async (status) => {
    const { url } = await provider(status);
    const report = await probe(codex, { OPENAI_API_KEY: 'sk-secret-1', OPENAI_BASE_URL: url });
    expect(check(report, 'key-valid')).toMatchObject({
      status: 'fail',
      detail: { variable: 'OPENAI_API_KEY', status },
    });
    expect(JSON.stringify(report)).not.toContain('sk-secret-1');
  });

  it.each([
    [{ 'anthropic-ratelimit-tokens-reset': '2026-01-01T01:00:00Z' }, '2026-01-01T01:00:00.000Z'],
    [{ 'x-ratelimit-reset-tokens': '6m0s' }, '2026-01-01T00:06:00.000Z'],
    [{ 'x-ratelimit-reset-tokens': '1.5s' }, '2026-01-01T00:00:01.500Z'],
    [{ 'x-ratelimit-reset-tokens': '30' }, '2026-01-01T00:00:30.000Z'],
    [{ 'x-ratelimit-reset-tokens': '1767229200' }, '2026-01-01T01:00:00.000Z'],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, undefined],
  ])('reads when a limit ends: %j', (more, resetsAt) => {
    const prefix =
      'anthropic-ratelimit-tokens-reset' in more
        ? 'anthropic-ratelimit-tokens-remaining'
        : 'x-ratelimit-remaining-tokens';
    const headers = new Headers({ [prefix]: '1', ...more } as Record<string, string>);
    const [found] = headroom(headers, Date.UTC(2026, 0, 1));
    expect(found).toEqual({ window: 'tokens', remaining: 1, ...(resetsAt !== undefined && { resetsAt }) });
  });

  it('takes a refusal without numbers for a limit of requests', () => {
    const headers = new Headers({ 'retry-after': '20' });
    expect(orUsedUp(headroom(headers), headers, Date.UTC(2026, 0, 1))).toEqual([
      { window: 'requests', remaining: 0, resetsAt: '2026-01-01T00:00:20.000Z' },
    ]);
  });

  it('fails for a rate limit that is reached', async () => {
    const { url } = await provider(429, { 'retry-after': '20', 'x-ratelimit-remaining-tokens': '0' });
    const report = await probe(codex, { CODEX_API_KEY: 'k', OPENAI_BASE_URL: url });
    expect(check(report, 'key-valid')?.status).toBe('pass');
    expect(check(report, 'rate-limit')).toMatchObject({
      status: 'fail',
      message: 'The rate limit is reached: 0 tokens left, try again in 20 s.',
    });
  });

  it('knows nothing when the provider is broken or away', async () => {
    const { url } = await provider(500);
    expect(check(await probe(gemini, { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url }), 'key-valid')?.status).toBe(
      'skip',
    );
    const closed = await provider(200);
    await closed.close();
    const away = await probe(gemini, { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: closed.url });
    expect(check(away, 'key-valid')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('gives the key to nobody else', async () => {
    const other = await provider(200);
    const { url } = await provider(302, { location: other.url });
    await probe(gemini, { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url });
    expect(other.requests).toEqual([]);
  });

  it('looks at the form without asking', async () => {
    expect(check(await probe(claude, { ANTHROPIC_API_KEY: 'AIza' }, true), 'key-valid')?.status).toBe('fail');
    expect(check(await probe(claude, { ANTHROPIC_API_KEY: 'sk-ant-1' }, true), 'key-valid')?.status).toBe('pass');
  });

  it('passes where the CLI has a login of its own', async () => {
    expect(check(await probe(claude, {}), 'key-valid')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('uses its own login'),
    });
    expect(check(await probe(amp, {}), 'key-valid')?.status).toBe('skip');
    const PATH = program('gcloud', '[ "$1 $2" = "auth print-access-token" ] && echo token-5');
    const report = await probe(gemini, { PATH });
    expect(check(report, 'key-valid')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('gcloud auth'),
    });
    expect(JSON.stringify(report)).not.toContain('token-5');
  });
});
