/**
 * A conversation goes to the provider that the user chose. Two providers with keys; the other one must not hear a word,
 * whichever part of Tenon asks a model, unless the settings name it for a role.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import { type Answer, type FakeModels, type RecordedRequest, startFakeModels } from '@tenon/model-fakes';
import { createTenon, type TenonOptions } from '@tenon/sdk';
import { HERMETIC } from '@tenon/test-kit/program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';

const long = (word: string) => `${word} `.repeat(2_000);
const PICTURE = {
  type: 'image' as const,
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
};

/** The user talks to OpenAI; a key for Anthropic, which comes first where nobody has chosen, is there as well. */
async function world(settings: TenonOptions['settings'] = {}) {
  const [openai, anthropic] = [await startFakeModels(), await startFakeModels()];
  later(() => openai.close());
  later(() => anthropic.close());
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  put(
    'config/models.yml',
    `providers:
  openai:
    baseUrl: ${openai.baseUrl('openai-responses')}
    apiKey: openai-key
    models: [{ id: blind, input: [text], contextWindow: 20000 }]
  anthropic:
    baseUrl: ${anthropic.baseUrl('anthropic-messages')}
    apiKey: anthropic-key
`,
  );
  put('config/commands/quick.md', '---\nmodel: haiku\n---\nSay something quickly.');
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'prompt', prompt: 'Is this fine? $ARGUMENTS' }] }] };
  put('.claude/settings.json', JSON.stringify({ hooks }));
  const tenon = await createTenon({
    home,
    cwd,
    packs: false,
    environment: { ...HERMETIC, HOME: home, PATH: process.env['PATH'] },
    settings: { 'approval.mode': 'yolo', 'agent.compaction.keepRecentTokens': 100, ...settings },
  });
  later(() => tenon.dispose());
  openai.otherwise(answer);
  anthropic.otherwise(answer);
  return { openai, anthropic, tenon };
}

/** Answers what the parts of Tenon ask, and talks otherwise. */
function answer({ body }: RecordedRequest): Answer {
  const asked = JSON.stringify(body);
  const text = (said: string): Answer => ({
    content: [{ type: 'text', text: said }],
    usage: { input: Math.ceil(asked.length / 4), output: 5 },
  });
  if (asked.includes('Is this fine?')) return text('{"ok": true}');
  if (asked.includes('You summarize')) return text('A short summary.');
  return text('No document, just talk.');
}

async function talk(agent: AgentSession, words = ['one', 'two', 'three']) {
  for (const word of words) await agent.prompt(long(word));
}

const models = ({ requests }: FakeModels) => new Set(requests.map(({ body }) => body['model']));

describe('the provider that the user did not choose', () => {
  it('hears nothing of summaries, branches, handovers, hooks and commands', async () => {
    const { openai, anthropic, tenon } = await world();
    const { session: agent } = await tenon.createAgentSession({ model: 'openai/gpt-5', session: 'memory' });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    await talk(agent);
    await agent.compact();
    const target = agent.session.leafId;
    await talk(agent, ['four']);
    await agent.branchTo(target, { summarize: true });
    await agent.prompt('/quick');
    expect(agent.state.model.id).toBe('gpt-5');
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices).toContainEqual(expect.stringMatching(/"haiku", which openai does not have.*"anthropic\/claude-/));
    await agent.handoff();
    expect(anthropic.requests).toEqual([]);
    expect(openai.requests.some(({ body }) => JSON.stringify(body).includes('Is this fine?'))).toBe(true);
    expect([...models(openai)].sort()).toEqual(['gpt-5', expect.stringMatching(/^gpt-.*luna/)]);
    await agent.dispose();
  });

  it('hears nothing when the conversation outgrows its window, nor of an image', async () => {
    const { openai, anthropic, tenon } = await world();
    const { session: agent } = await tenon.createAgentSession({ model: 'openai/blind', session: 'memory' });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    await talk(agent, ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']);
    expect(events.some((event) => event.type === 'auto_compaction_end' && event.tokensAfter !== undefined)).toBe(true);
    await agent.prompt('What is it?', { images: [PICTURE] });
    expect(anthropic.requests).toEqual([]);
    expect(models(openai).size).toBeGreaterThan(1);
    await agent.dispose();
  });

  it('does not go on with a session whose own provider is gone, unless the settings or the user say so', async () => {
    const { anthropic, tenon } = await world();
    const store = await tenon.sessions();
    const stored = await store.create({ cwd: tenon.cwd });
    await stored.append('model_change', { model: 'nowhere/large' });
    await stored.append('message', { message: { role: 'user', content: 'a secret', timestamp: 1 } });
    await stored.close();
    const open = { open: stored.file ?? '' };
    await expect(tenon.createAgentSession({ session: open })).rejects.toMatchObject({ code: 'AGENT_MODEL_GONE' });
    // The session that could not be opened is not left claimed.
    const { session: agent } = await tenon.createAgentSession({ session: open, model: 'openai/gpt-5' });
    await agent.prompt('go on');
    expect(anthropic.requests).toEqual([]);
    await agent.dispose();
  });

  it('answers for the role that the settings give it, and for that one only', async () => {
    const { openai, anthropic, tenon } = await world({
      'models.roles.small': 'anthropic/claude-haiku-4-5',
      'models.roles.default': 'anthropic/claude-opus-4-6',
    });
    const { session: agent } = await tenon.createAgentSession({ model: 'openai/gpt-5', session: 'memory' });
    await talk(agent);
    await agent.compact();
    await agent.handoff();
    expect([...models(anthropic)]).toEqual(['claude-haiku-4-5']);
    expect([...models(openai)]).toEqual(['gpt-5']);
    await agent.dispose();
  });

  it('does not answer for a role whose own model cannot be used', async () => {
    const { openai, anthropic, tenon } = await world({
      'models.roles.small': 'mistral/mistral-small-latest',
      'models.roles.vision': 'mistral/pixtral-large-latest',
    });
    const { session: agent } = await tenon.createAgentSession({ model: 'openai/blind', session: 'memory' });
    await talk(agent);
    await agent.compact();
    await agent.prompt('What is it?', { images: [PICTURE] });
    expect(anthropic.requests).toEqual([]);
    expect(openai.requests.length).toBeGreaterThan(3);
    await agent.dispose();
  });
});
