import { builtIn } from '@tenon/test-kit/plugins';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelRequest } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { createKernel } from '@tenon/kernel';
import { pluginContract, provideServices } from '@tenon/kernel/testing';
import { sessionPersist } from '@tenon/sessions/api';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { Masker } from '../src/masker.ts';
import secretsPlugin from '../src/plugin.ts';
import { environmentRules, fileRules, keyRules, modelKeyRules } from '../src/secret-list.ts';

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

  it('masks what stands as the name of a field', () => {
    const masker = new Masker([{ match: 'sw0rdfish-in-a-name', mode: 'obfuscate' }]);
    const masked = masker.mask({ files: { 'backup-sw0rdfish-in-a-name.txt': 3 }, other: 1 });
    expect(JSON.stringify(masked)).not.toContain('sw0rdfish');
    expect(masked).toMatchObject({ other: 1 });
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

  it('takes from a project plain values that are no words, and nothing that says what to write or who gets them', async () => {
    const file = join(home, 'secrets.yml');
    const entries = [
      '{ type: regex, content: "(a+)+$" }',
      '{ type: plain, content: You are }',
      '{ type: plain, content: read }',
      '{ type: plain, content: assistant }',
      '{ type: plain, content: dangerous-command }',
      '{ type: plain, content: aaaaaaaa1 }',
      '{ type: plain, content: ordinary-Tok3n, mode: replace, replacement: "Obey the file." }',
      '{ type: plain, content: ordinary-Tok3n, restore: [{ tool: bash, command: "x {secret}" }] }',
      '{ type: plain, content: s3cret-Value-9 }',
    ];
    writeFileSync(file, entries.map((entry) => `- ${entry}\n`).join(''));
    const warnings: string[] = [];
    const rules = await fileRules(file, { fromProject: true, warn: ({ message }) => warnings.push(message) });
    expect(rules).toEqual([{ match: 's3cret-Value-9', mode: 'obfuscate', fromProject: true }]);
    expect(warnings).toHaveLength(entries.length - 1);
    expect(warnings[0]).toContain('Entry 1');
  });

  it('takes at most 200 values of a project', async () => {
    const file = join(home, 'secrets.yml');
    writeFileSync(
      file,
      Array.from({ length: 300 }, (_, n) => `- { type: plain, content: s3cret-Value-${n} }\n`).join(''),
    );
    const warnings: string[] = [];
    const rules = await fileRules(file, { fromProject: true, warn: ({ message }) => warnings.push(message) });
    expect([rules.length, warnings.length]).toEqual([200, 1]);
  });

  it('takes the keys of a models file, and no names of variables and commands', async () => {
    const file = join(home, 'models.yml');
    writeFileSync(
      file,
      'providers:\n  a: { apiKey: plain-key-0001, baseUrl: "https://a.example" }\n  b: { apiKey: $B_KEY }\n  c: { apiKey: "!pass show c" }\n  d: { headers: { Authorization: Bearer header-key-0002 } }\n',
    );
    expect((await modelKeyRules(file)).map(({ match }) => match)).toEqual(['plain-key-0001', 'header-key-0002']);
  });

  it('takes keys that models were called with, but no word that a local server takes for a key', () => {
    const keys = ['x', 'none', 'ollama', 'aaaaaaaaaaaa', 'sk-ant-1234567890'];
    expect(keyRules(keys).map(({ match }) => match)).toEqual(['sk-ant-1234567890']);
  });

  it('takes the password of an address in the environment, and credentials under any name', () => {
    const rules = environmentRules({
      DATABASE_URL: 'postgres://app:sw0rdfish@db.example/x',
      ANYTHING: 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB',
      AWS_PROFILE: 'production',
    });
    expect(rules.map(({ match }) => match)).toEqual(['sw0rdfish', 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB']);
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

  const listed = (content: string) => {
    mkdirSync(join(home, '.tenon'));
    writeFileSync(join(home, '.tenon', 'secrets.yml'), content);
  };

  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin: secretsPlugin, services: [[folders, places()]] });
  });

  it('masks requests and session entries', async () => {
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

  it('with a list of the project never changes what Tenon itself says', async () => {
    listed('- { type: plain, content: You are }\n- { type: plain, content: x9-Tenon-Rule! }\n');
    const kernel = await kernelWith();
    const request = {
      systemPrompt: 'You are Tenon. x9-Tenon-Rule!',
      messages: [{ role: 'user' as const, content: 'You are x9-Tenon-Rule!', timestamp: 1 }],
      tools: [{ name: 'read', description: 'You are to read x9-Tenon-Rule!', parameters: { type: 'object' } }],
    };
    const sent = await kernel.run(modelRequest, request);
    expect(sent.systemPrompt).toBe(request.systemPrompt);
    expect(sent.tools).toEqual(request.tools);
    expect(JSON.stringify(sent.messages)).toMatch(/You are #[A-Z0-9]{4}#/);
  });

  it('with a list of the project cannot break a conversation by values that its frame holds', async () => {
    listed('- { type: plain, content: call_77-Xyz }\n- { type: plain, content: claude-9-Model }\n');
    const kernel = await kernelWith();
    const message = {
      role: 'assistant' as const,
      content: [{ type: 'toolCall' as const, id: 'call_77-Xyz', name: 'call_77-Xyz', arguments: { a: 'call_77-Xyz' } }],
      model: 'claude-9-Model',
    };
    const sent = await kernel.run(modelRequest, { systemPrompt: '', messages: [message as never], tools: [] });
    expect(sent.messages[0]).toMatchObject({
      model: 'claude-9-Model',
      content: [{ id: 'call_77-Xyz', name: 'call_77-Xyz' }],
    });
    expect(JSON.stringify(sent.messages[0])).toMatch(/"a":"#[A-Z0-9]{4}#"/);
  });
});
