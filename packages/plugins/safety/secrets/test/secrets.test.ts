import { builtIn } from '@tenon/test-kit/plugins';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelRequest, streamFilters } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { createKernel } from '@tenon/kernel';
import { pluginContract, provideServices } from '@tenon/kernel/testing';
import { type AssistantMessage, NO_USAGE, type StreamEvent } from '@tenon/models/api';
import { sessionPersist } from '@tenon/sessions/api';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { Masker } from '../src/masker.ts';
import secretsPlugin from '../src/plugin.ts';
import { restoreStream } from '../src/restore-stream.ts';
import { environmentRules, fileRules } from '../src/secret-list.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tenon-secrets-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const plain = (match: string) => ({ match, mode: 'obfuscate' as const });
const places = () => ({
  config: home,
  data: home,
  state: home,
  cache: home,
  home,
  cwd: home,
  project: join(home, '.tenon'),
});
const options = { fromProject: false, warn: () => undefined };

describe('the masker', () => {
  it('masks and restores at any depth, the same way every time, and leaves pictures alone', () => {
    const value = { a: ['my hunter2-pass here'], image: { type: 'image', data: 'hunter2-pass' } };
    const masked = new Masker([plain('hunter2-pass')]).mask(value);
    expect(masked.a[0]).toMatch(/^my #[A-Z0-9]{4}# here$/);
    expect(masked.image.data).toBe('hunter2-pass');
    expect(new Masker([plain('hunter2-pass')]).restore(masked)).toEqual(value);
  });

  it('masks the longer of two secrets that overlap, whole', () => {
    const masker = new Masker([plain('password'), plain('password-and-more')]);
    expect(masker.mask('password-and-more')).toMatch(/^#[A-Z0-9]{4}#$/);
  });

  it('replaces one way where asked to', () => {
    const masker = new Masker([{ match: /postgres:\/\/\S+/g, mode: 'replace', replacement: 'postgres://***' }]);
    expect(masker.restore(masker.mask('at postgres://u:p@h/db now'))).toBe('at postgres://*** now');
  });

  it('gives different secrets different placeholders', () => {
    const secrets = Array.from({ length: 3_000 }, (_, index) => `secret-number-${index}`);
    const masker = new Masker(secrets.map(plain));
    expect(new Set(secrets.map((secret) => masker.mask(secret))).size).toBe(secrets.length);
  });

  it('undoes what it did beside a text that looks like the beginning of a placeholder', () => {
    const masker = new Masker([plain('swordfish-1')]);
    for (const text of ['#000Aswordfish-1', '#000A#swordfish-1#', 'swordfish-1000A#'])
      expect(masker.restore(masker.mask(text))).toBe(text);
  });

  it('undoes what it did, for any text around any secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.array(fc.string()), (secret, parts) => {
        fc.pre(!/#[A-Z0-9]{4}#/.test(secret) && !parts.join(secret).match(/#[A-Z0-9]{0,4}#/));
        const masker = new Masker([plain(secret)]);
        const text = parts.join(secret);
        const masked = masker.mask(text);
        if (parts.length > 1) expect(masked.includes(secret)).toBe(false);
        expect(masker.restore(masked)).toBe(text);
      }),
      { numRuns: caseCount(100) },
    );
  });

  it('restores a text that comes in pieces exactly as one that comes whole, wherever it is cut', () => {
    const masker = new Masker([plain('swordfish-1'), plain('swordfish-2')]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('swordfish-1', 'swordfish-2', 'x', '#', '##', '#A', 'B1#', ' ')),
        fc.array(fc.nat({ max: 40 })),
        (words, cuts) => {
          const masked = masker.mask(words.join(''));
          const places_ = [...new Set([0, ...cuts.filter((cut) => cut < masked.length), masked.length])].sort(
            (a, b) => a - b,
          );
          const restorer = masker.restorer();
          let out = '';
          for (let index = 1; index < places_.length; index++)
            out += restorer.push(masked.slice(places_[index - 1], places_[index]));
          expect(out + restorer.end()).toBe(masker.restore(masked));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('a streamed answer', () => {
  it('is restored although the placeholder comes in two deltas, in texts and in tool arguments', async () => {
    const masker = new Masker([plain('swordfish-1')]);
    const placeholder = masker.mask('swordfish-1');
    const message = (text: string): AssistantMessage => ({
      role: 'assistant',
      content: [
        { type: 'text', text },
        { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: `login ${placeholder}` } },
      ],
      api: 'a',
      provider: 'p',
      model: 'm',
      usage: NO_USAGE,
      stopReason: 'toolUse',
      timestamp: 1,
    });
    const source_ = async function* (): AsyncGenerator<StreamEvent> {
      yield { type: 'text_start', contentIndex: 0, partial: message('') };
      yield { type: 'text_delta', contentIndex: 0, delta: `it is ${placeholder.slice(0, 3)}`, partial: message('') };
      yield { type: 'text_delta', contentIndex: 0, delta: `${placeholder.slice(3)}, and #`, partial: message('') };
      yield { type: 'text_end', contentIndex: 0, content: `it is ${placeholder}, and #`, partial: message('') };
      yield { type: 'done', reason: 'toolUse', message: message(`it is ${placeholder}, and #`) };
    };
    const events: StreamEvent[] = [];
    for await (const event of restoreStream(source_(), masker)) events.push(event);
    expect(events.flatMap((event) => ('delta' in event ? [event.delta] : [])).join('')).toBe(
      'it is swordfish-1, and #',
    );
    expect(events.at(-1)).toMatchObject({
      message: { content: [{ text: 'it is swordfish-1, and #' }, { arguments: { command: 'login swordfish-1' } }] },
    });
  });
});

describe('where secrets are known from', () => {
  it('takes environment variables by name, but not paths, numbers and short values', () => {
    const rules = environmentRules({
      API_KEY: 'abcdefgh1',
      SSH_AUTH_SOCK: '/run/agent.sock',
      TOKEN: 'short',
      KEY_COUNT: '1234567890',
      HOME: 'plain-value',
    });
    expect(rules.map(({ match }) => match)).toEqual(['abcdefgh1']);
  });

  it('reads plain and pattern entries of a file, and refuses what it does not understand, with the place', async () => {
    const file = join(home, 'secrets.yml');
    writeFileSync(file, '- { type: plain, content: abc }\n- { type: regex, content: "/key=\\\\w+/i" }\n');
    expect((await fileRules(file, options)).map(({ match }) => String(match))).toEqual(['abc', '/key=\\w+/gi']);
    writeFileSync(file, '- { type: regex, content: "(" }\n');
    await expect(fileRules(file, options)).rejects.toThrow('entry 1 has a pattern that cannot be used');
    writeFileSync(file, 'a: [\n');
    await expect(fileRules(file, options)).rejects.toThrow(file);
    expect(await fileRules(join(home, 'none.yml'), options)).toEqual([]);
  });

  it('does not take patterns from a project', async () => {
    const file = join(home, 'secrets.yml');
    writeFileSync(file, '- { type: regex, content: "(a+)+$" }\n- { type: plain, content: mine }\n');
    const warnings: string[] = [];
    const rules = await fileRules(file, { fromProject: true, warn: ({ message }) => warnings.push(message) });
    expect(rules).toHaveLength(1);
    expect(warnings[0]).toContain('Entry 1');
  });
});

describe('the plugin', () => {
  const kernelWith = async () => {
    const kernel = createKernel();
    kernel.install(provideServices([[folders, places()]]), await builtIn('secrets'));
    return kernel;
  };
  const request = {
    systemPrompt: 'x',
    messages: [{ role: 'user' as const, content: 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB', timestamp: 1 }],
    tools: [],
  };

  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin: secretsPlugin, services: [[folders, places()]] });
  });

  it('masks requests and session entries, and offers a filter for answers', async () => {
    const kernel = await kernelWith();
    expect(JSON.stringify(await kernel.run(modelRequest, request))).not.toContain('ghp_');
    const entry = {
      type: 'message' as const,
      id: 'a',
      parentId: null,
      timestamp: 't',
      message: request.messages[0] as never,
    };
    expect(JSON.stringify(await kernel.run(sessionPersist, { session: 's', entry }))).not.toContain('ghp_');
    expect(await kernel.read(streamFilters).resolveAll()).toHaveLength(1);
  });

  it('masks again what was masked before when it is another text now', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB';
    const kernel = await kernelWith();
    const parameters = { type: 'object', description: secret };
    for (const text of ['plain', `now with ${secret}`, 'plain', `also ${secret}`]) {
      const tools = [{ name: 'act', description: text, parameters }];
      const sent = await kernel.run(modelRequest, { ...request, systemPrompt: text, tools });
      expect(JSON.stringify(sent)).not.toContain('ghp_');
      expect(sent.systemPrompt).toContain(text.split(' ')[0]);
      expect(sent.tools[0]?.description).toBe(sent.systemPrompt);
    }
  });

  it('writes an entry with its fields in the order that they had', async () => {
    const kernel = await kernelWith();
    const message = { role: 'user' as const, content: 'nothing secret', timestamp: 1 };
    const entry = { type: 'message' as const, id: 'a', parentId: null, timestamp: 't', message };
    const { entry: written } = await kernel.run(sessionPersist, { session: 's', entry });
    expect(JSON.stringify(written)).toBe(JSON.stringify(entry));
  });

  it('lets nothing out when its list cannot be read', async () => {
    mkdirSync(join(home, '.tenon'));
    writeFileSync(join(home, 'secrets.yml'), 'not a list');
    const kernel = await kernelWith();
    await expect(kernel.run(modelRequest, request)).rejects.toThrow('it is not a list');
    expect(kernel.diagnostics()[0]?.error.message).toContain('it is not a list');
  });
});
