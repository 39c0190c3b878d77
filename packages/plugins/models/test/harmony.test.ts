import { describe, expect, it } from 'vitest';
import { AnswerBuilder, NO_USAGE } from '../src/api.ts';
import { findHarmonyLeak, HarmonyGuard, leaksHarmony } from '../src/call/harmony.ts';

const LEAKS = [
  'os_install_system_change_observer);】【"】【analysis to=functions.edit code above เงินไทยฟรี',
  'return x;\n}Japgolly to=functions.eval code code_output\nCell 1:',
  'changedFiles to=functions.edit code {"path"',
  'foo 大发时时彩 to=functions.bash code ',
  'ok assistant to=functions.read code 天天中彩票',
];
const CLEAN = [
  'The header `to=functions.edit` names the tool.',
  'const marker = /to=functions\\./;',
  'Send it to functions. Then code on.',
  'analysis of the code to=functions',
  '大发 is a word; to=functions.edit is a header',
];

describe('finding leaked routing headers', () => {
  it.each(LEAKS)('finds it in: %s', (text) => {
    expect(findHarmonyLeak(text, false)).toBeGreaterThanOrEqual(0);
  });

  it.each(CLEAN)('leaves this alone: %s', (text) => {
    expect(findHarmonyLeak(text, true)).toBe(-1);
  });

  it.each(LEAKS)('finds it however the text is cut into deltas: %s', (text) => {
    for (const size of [1, 2, 5, 17]) {
      const builder = new AnswerBuilder({ api: 'openai-responses', provider: 'openai', id: 'gpt-5.4' });
      const guard = new HarmonyGuard();
      builder.beginText('t');
      let seen = false;
      for (let at = 0; at < text.length; at += size)
        for (const event of builder.delta('t', text.slice(at, at + size))) seen ||= guard.sees(event);
      for (const event of builder.finish('stop', NO_USAGE)) seen ||= guard.sees(event);
      expect(seen, `in pieces of ${size}`).toBe(true);
    }
  });

  it('watches the models that show the defect and no others', () => {
    const watched = (api: string, id: string, quirks = {}) => leaksHarmony({ api, id, quirks });
    expect(watched('openai-responses', 'gpt-5.4')).toBe(true);
    expect(watched('openai-completions', 'openai/gpt-5.3-codex')).toBe(true);
    expect(watched('anthropic-messages', 'claude-opus-5')).toBe(false);
    expect(watched('openai-completions', 'gpt-4.1')).toBe(false);
    expect(watched('openai-responses', 'gpt-5.4', { harmony: false })).toBe(false);
  });
});
