import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalDecision, ApprovalQuestion, DialogOptions, UserInterface } from '@tenon/host';
import { until } from '@tenon/test-kit/waiting';
import { approvalQuestion, approvals, type HeldApproval } from '../src/api.ts';
import { answerBy } from '../src/decision.ts';
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

/** An interface that decides, and must not be asked in the poorer way. */
function deciding(
  decide: (question: ApprovalQuestion, dialog?: DialogOptions) => ApprovalDecision | undefined,
): Partial<UserInterface> & { asked: ApprovalQuestion[] } {
  const asked: ApprovalQuestion[] = [];
  return {
    asked,
    canAsk: () => true,
    select: () => Promise.reject(new Error('select was called')),
    decide: async (question, dialog) => (asked.push(question), decide(question, dialog)),
  };
}

const idOf = (question: ApprovalQuestion, label: string): string =>
  question.choices.find((choice) => choice.label === label)?.id ?? 'none';

describe('an interface that can decide', () => {
  it('gets the whole call in pieces, the tier, the reasons and the rules of each answer', async () => {
    const ui = deciding((question) => ({ choice: idOf(question, 'Allow once') }));
    tenon = await startTenon(home.folders, { ui });
    await tenon.call('bash', { command: 'npm test\ngit push --force origin \u202emain' }, { session: 's' });
    const [question] = ui.asked;
    expect(question?.pieces.map(({ text }) => text).join('')).toBe('npm test\ngit push --force origin \\u{202e}main');
    expect(question?.pieces.filter(({ isRisky }) => isRisky).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^git push --force/),
    ]);
    expect(question).toMatchObject({ tool: 'bash', folder: home.folders.cwd, session: 's', isSecondRun: false });
    expect(question?.choices.map(({ label, extent, allows }) => [label, extent, allows])).toEqual([
      ['Allow once', 'once', true],
      ['Allow for this session', 'session', true],
      ['Always allow', 'always', true],
      ['Deny', undefined, false],
    ]);
    expect(question?.choices[2]?.rules?.join()).toMatch(/^allow bash: /);
    expect(tenon.ran).toHaveLength(1);
  });

  it('offers and takes no answer that lasts, where a yes is for one call', async () => {
    const said: string[] = [];
    const ui = deciding((question) => ({ choice: idOf(question, said.shift() ?? '') }));
    tenon = await startTenon(home.folders, { ui, lastingAnswers: false });
    said.push('Allow once', 'Always allow');
    const push = () => (tenon as Tenon).call('bash', { command: 'git push' }, { session: 's' });
    expect((await push()).isError).toBeUndefined();
    expect((await push()).isError).toBe(true);
    expect(ui.asked.map(({ choices }) => choices.map(({ label }) => label))).toEqual([
      ['Allow once', 'Deny'],
      ['Allow once', 'Deny'],
    ]);
    const service = await tenon.kernel.find(approvals);
    const [held] = await service.held();
    for (const extent of ['session', 'always'] as const)
      await expect(service.answer(held?.id ?? '', 'allow', { extent })).rejects.toThrow('can be allowed once');
    expect(existsSync(join(home.folders.config, 'policy.yml'))).toBe(false);
  });

  it('is shown no secrets', async () => {
    const ui = deciding(() => undefined);
    const masks = { mask: <T>(value: T) => hide(value) };
    tenon = await startTenon(home.folders, { ui, masks });
    await tenon.call('bash', { command: 'git push https://me:hunter2@example.com', env: { TOKEN: 'hunter2' } });
    expect(ui.asked).toHaveLength(1);
    expect(JSON.stringify(ui.asked)).not.toContain('hunter2');
    expect(ui.asked[0]?.notes.join()).toContain('TOKEN=####');
  });

  it('says no with a reason, or with another command, and the model is told', async () => {
    const answers: Partial<ApprovalDecision>[] = [{ reason: 'not today' }, { instead: 'git push --dry-run' }, {}];
    const ui = deciding((question) => ({ choice: idOf(question, 'Deny'), ...answers.shift() }));
    tenon = await startTenon(home.folders, { ui });
    const said = async () => textOf(await (tenon as Tenon).call('bash', { command: 'git push' }));
    expect(await said()).toContain('the user said no, and wrote: not today\nDo what the user wrote.');
    expect(await said()).toContain(
      'the user wants another command instead. Run exactly this one, and nothing else for it:\ngit push --dry-run',
    );
    expect(await said()).toContain('the user said no. Do not try');
    expect(tenon.ran).toEqual([]);
  });

  it('that names no offered answer has not decided: the call stays held', async () => {
    for (const choice of ['none', '', '99', '-1', '0.5', 'NaN', '__proto__']) {
      const ui = deciding(() => ({ choice }));
      tenon = await startTenon(home.folders, { ui });
      expect(textOf(await tenon.call('bash', { command: 'git push' })), choice).toContain('tenon approval allow');
      expect(tenon.ran).toEqual([]);
      await tenon.end();
    }
  });

  it('is told when somebody else has answered', async () => {
    let signal: AbortSignal | undefined;
    const ui: Partial<UserInterface> = {
      canAsk: () => true,
      decide: (_question, dialog) => {
        signal = dialog?.signal;
        return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined)));
      },
    };
    tenon = await startTenon(home.folders, { ui });
    const service = await tenon.kernel.find(approvals);
    const calling = tenon.call('bash', { command: 'git push' });
    await until(async () => (await service.held()).length === 1, 'the question is held');
    await service.answer((await service.held())[0]?.id ?? '', 'allow');
    expect((await calling).isError).toBeUndefined();
    expect(signal?.aborted).toBe(true);
  });
});

describe('answers about the sandbox', () => {
  const held: HeldApproval = {
    id: 'x',
    tool: 'bash',
    input: { command: 'npm ci' },
    folder: '/w',
    session: 's',
    summary: '',
    text: 'npm ci',
    spans: [],
    tier: 1,
    reasons: ['installs packages'],
    state: 'waiting',
    since: '',
    until: '',
  };
  const refusal = { kind: 'network', what: 'example.com', evidence: 'expected' } as const;

  it('offer the ways out that would help, the narrowest first, and say how far each goes', () => {
    const expected = { ...held, expected: [refusal], ways: ['network', 'outside'] as const };
    const { choices, notes, command } = approvalQuestion(expected, true);
    expect(choices.map(({ label }) => label)).toEqual([
      'Allow once, with the network, still in the sandbox',
      'Allow once, outside of the sandbox',
      'Allow once, in the sandbox as it is',
      'Allow for this session, with the network, still in the sandbox',
      'Always allow, with the network, still in the sandbox',
      'Deny',
    ]);
    expect(notes.join(' ')).toContain('The sandbox would stop it');
    expect(command).toBe('npm ci');
    expect(answerBy({ choice: choices[0]?.id ?? '' }, expected, true)).toEqual({
      choice: { extent: 'once', way: 'network' },
    });
  });

  it('that last are not among them where a yes is for one call', () => {
    const refused = [{ ...refusal, evidence: 'seen' } as const];
    for (const more of [{ expected: [refusal] }, { refused }]) {
      const once = { ...held, ...more, ways: ['network', 'outside'] as const, onlyOnce: true as const };
      const { choices } = approvalQuestion(once, true);
      expect(choices.filter(({ allows }) => allows).map(({ extent }) => extent)).not.toContain('always');
      expect(choices.filter(({ allows }) => allows).map(({ extent }) => extent)).not.toContain('session');
      expect(choices.filter(({ allows }) => !allows)).toHaveLength(1);
    }
  });

  it('after a run that the sandbox has refused offer no run without a way out', () => {
    const again = { ...held, refused: [{ ...refusal, evidence: 'seen' } as const], ways: ['outside'] as const };
    const { choices, isSecondRun, notes } = approvalQuestion(again, true);
    expect(isSecondRun).toBe(true);
    expect(notes.join(' ')).toContain('the sandbox refused the network (example.com)');
    expect(choices.filter(({ allows }) => allows).every(({ way }) => way === 'outside')).toBe(true);
  });
});
