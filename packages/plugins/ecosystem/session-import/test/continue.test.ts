/** Conversations of the real agents are imported, and models of each protocol go on with them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Protocol } from '@tenon/model-fakes';
import { beforeAll, describe, expect, it } from 'vitest';
import { IDS, importWorld, type ImportWorld } from './support/import-world.ts';

const SIGNATURE = 'c2lnbmVkLWJ5LWFub3RoZXItYWNjb3VudA==';
const PROTOCOLS: readonly Protocol[] = [
  'anthropic-messages',
  'openai-responses',
  'openai-completions',
  'google-generative-ai',
];
/** Those in which two files were read at once, one of which is missing. */
const WITH_CALLS = ['claude', 'codex', 'gemini', 'pi', 'omp'] as const;

/** Where some of them keep it, and how the line of the summary begins. */
const SUMMARIES: Partial<Record<string, { agent: string; mark: string }>> = {
  claude: { agent: '.claude', mark: 'compact_boundary' },
  pi: { agent: '.pi', mark: '{"type":"compaction"' },
};

type Fields = Record<string, unknown>;

let world: ImportWorld;
beforeAll(async () => void (world = await importWorld()));

/** Ids of the calls and of the results in a request, in their order, whatever the protocol. */
function callsIn(body: Fields): { calls: unknown[]; results: unknown[] } {
  const [calls, results]: unknown[][] = [[], []];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const item = value as Fields;
    if (item['type'] === 'tool_use') calls?.push(item['id']);
    else if (item['type'] === 'tool_result') results?.push(item['tool_use_id']);
    else if (item['type'] === 'function_call') calls?.push(item['call_id']);
    else if (item['type'] === 'function_call_output') results?.push(item['call_id']);
    else if (item['type'] === 'function') calls?.push(item['id']);
    else if (item['role'] === 'tool') results?.push(item['tool_call_id']);
    else if (item['functionCall'] !== undefined) calls?.push((item['functionCall'] as Fields)['name']);
    else if (item['functionResponse'] !== undefined) results?.push((item['functionResponse'] as Fields)['name']);
    Object.values(item).forEach(visit);
  };
  visit(body['messages'] ?? body['input'] ?? body['contents']);
  return { calls: calls ?? [], results: results ?? [] };
}

describe.each(PROTOCOLS)('over %s', (protocol) => {
  it.each(WITH_CALLS)('%s: every call goes out with its result, and no signature', async (name) => {
    const { id } = await world.imported(withoutSummary(name));
    const { body } = await world.goOn(id, protocol);
    const text = JSON.stringify(body);
    const { calls, results } = callsIn(body);
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(results).toEqual(calls);
    expect(text).not.toContain(SIGNATURE);
    expect(text).toContain('Do you remember?');
    expect(text).toMatch(/The heron is grey\.[^]*No such file or directory[^]*heron is grey; missing/);
  });
});

/** A recorded conversation up to its summary, so that the calls are still in the context; its id where it has none. */
function withoutSummary(name: (typeof WITH_CALLS)[number]): string {
  const { agent, mark } = SUMMARIES[name] ?? {};
  if (agent === undefined || mark === undefined) return IDS[name];
  const folder = join(world.folders.home, agent);
  const [path = ''] = readdirSync(folder, { recursive: true }).filter((file) =>
    String(file).endsWith(`${IDS[name]}.jsonl`),
  );
  const lines = readFileSync(join(folder, String(path)), 'utf8').split('\n');
  const file = join(world.folders.home, `${name}-before_${IDS[name]}.jsonl`);
  writeFileSync(
    file,
    lines
      .slice(
        0,
        lines.findIndex((line) => line.includes(mark)),
      )
      .join('\n'),
  );
  return file;
}

describe('a model of the same name', () => {
  it('gets no thought that was signed for another account', async () => {
    const { id, session } = await world.imported(withoutSummary('claude'));
    const stored = session.context().messages.find((message) => message.role === 'assistant');
    expect(stored).toMatchObject({
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'thinking', thinking: 'I look at both files at once.' }, {}, {}, {}],
    });
    const { body } = await world.goOn(id, 'anthropic-messages', { provider: 'anthropic', id: 'claude-sonnet-4-5' });
    const text = JSON.stringify(body['messages']);
    expect(text).toContain('I read both files.');
    expect(text).not.toContain('I look at both files at once.');
    expect(text).not.toContain('"thinking"');
  });
});

describe('images and summaries', () => {
  it.each(['codex', 'gemini', 'omp'] as const)('%s: the image goes out', async (name) => {
    const { id } = await world.imported(IDS[name]);
    const { body } = await world.goOn(id, 'anthropic-messages');
    expect(JSON.stringify(body)).toMatch(
      /"type":"base64","media_type":"image\/(?:png|webp)","data":"[A-Za-z0-9+/]{50}/,
    );
  });

  it.each([
    ['claude', 'This session is being continued', 'I read both files.'],
    ['codexRewound', 'Another language model started', 'The right turn.'],
    ['pi', 'A title', 'I read both files.'],
  ] as const)('%s: the summary stands for what was before it', async (name, summary, before) => {
    const { id } = await world.imported(IDS[name]);
    const { body } = await world.goOn(id, 'openai-completions');
    const text = JSON.stringify(body['messages']);
    expect(text).toContain(summary);
    expect(text).not.toContain(before);
    expect(text).toMatch(/Which colour\?[^]*After the summary: grey\.[^]*Do you remember\?/);
  });

  it('Codex keeps the prompts beside its summary, and so do we', async () => {
    const { session } = await world.imported(IDS.codexRewound);
    const [summary] = session.context().messages;
    expect(summary).toMatchObject({ role: 'compactionSummary' });
    expect(JSON.stringify(summary)).toContain('> First things first.');
    expect(JSON.stringify(summary)).not.toContain('Go astray');
  });
});
