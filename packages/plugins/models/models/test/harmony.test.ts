import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerBuilder, NO_USAGE } from '../src/api.ts';
import { findHarmonyLeak, HarmonyGuard, leaksHarmony } from '../src/call/harmony.ts';

const LEAKS = [
  'os_install_system_change_observer);】【"】【analysis to=functions.edit code above เงินไทยฟรี',
  'return x;\n}Japgolly to=functions.eval code code_output\nCell 1:',
  'changedFiles to=functions.edit code {"path"',
  'foo 大发时时彩 to=functions.bash code ',
  'ok assistant to=functions.read code 天天中彩票',
  'x();】【"】【analysis to=functions.edit  大发时时彩',
  'return value; Japgolly to=functions.edit 天天中',
  'Hello assistant to=functions.read  commentary json {"path":"x"}',
  String.raw`{"patch":"x();\n】【analysis to=functions.edit\nเงินไทย`,
];
const CLEAN = [
  'The header `to=functions.edit` names the tool.',
  'const marker = /to=functions\\./;',
  'Send it to functions. Then code on.',
  'analysis of the code to=functions',
  '大发 is a word; to=functions.edit is a header',
  'The channel is called analysis; to=functions.edit names the tool.',
  'In the commentary to=functions.edit stands before the name of the tool.',
  '在 Harmony 协议里，analysis to=functions.edit 表示把消息发给工具',
  '这个路由头是 to=functions.edit',
  'Заголовок assistant to=functions.read означает вызов инструмента',
];

const CODE = ['const', 'value', '=', 'call(arg);', '\n', '}', 'return', 'install();', 'x', '//', 'next'];
const SPAM = ['大发时时彩', 'เงินไทยฟรี', 'казино', 'დიდი', 'సమాచారం', 'അവൻ', 'հայերեն', 'مجانا'];
const JUNK = [
  'analysis',
  'commentary',
  'assistant',
  'user',
  '】【',
  '】【"】【analysis',
  'Japgolly',
  'Jsii_commentary',
  'RTLU',
];
const TOOLS = ['edit', 'eval', 'bash', 'mcp.server_tool'];
const PROSE: readonly (readonly string[])[] = [
  ['маршрут', 'сообщение', 'вызов', 'означает', 'инструмент', 'заголовок'],
  ['工具调用', '这个路由头', '表示消息', '协议里面', '把它发送'],
  ['the', 'header', 'means', 'that', 'a', 'tool', 'is', 'meant', 'here'],
  ['คำสั่ง', 'หมายถึง', 'เครื่องมือ', 'ข้อความ'],
];
const some = (words: readonly string[], minLength: number) =>
  fc.array(fc.constantFrom(...words), { minLength, maxLength: 12 }).map((list) => list.join(' '));

/** True when the guard sees a leak in a text that comes in pieces of these sizes. */
function seenIn(text: string, sizes: readonly number[]): boolean {
  const builder = new AnswerBuilder({ api: 'openai-responses', provider: 'openai', id: 'gpt-5.4' });
  const guard = new HarmonyGuard();
  builder.beginText('t');
  let seen = false;
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    for (const event of builder.delta('t', text.slice(at, at + size))) seen ||= guard.sees(event);
    at += size;
  }
  for (const event of builder.finish('stop', NO_USAGE)) seen ||= guard.sees(event);
  return seen;
}
const SIZES = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('finding leaked routing headers', () => {
  it('finds them in code, whatever the junk and the spam, however they come, as text and as JSON', () => {
    fc.assert(
      fc.property(
        some(CODE, 6),
        fc.constantFrom(...JUNK),
        fc.constantFrom(...TOOLS),
        fc.constantFrom(' ', '  ', '\n', ''),
        fc.constantFrom(...SPAM),
        some([...CODE, ...SPAM], 0),
        SIZES,
        fc.boolean(),
        (code, junk, tool, gap, spam, rest, sizes, asJson) => {
          const text = `${code} ${junk} to=functions.${tool}${gap}${spam} ${rest}`;
          expect(seenIn(asJson ? JSON.stringify({ patch: text }) : text, sizes)).toBe(true);
        },
      ),
    );
  });

  it('leaves people alone who write about them, in any language', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROSE).chain((words) => fc.tuple(some(words, 4), some(words, 1))),
        fc.constantFrom('', ...JUNK.filter((junk) => /^[a-z]+$/.test(junk))),
        fc.constantFrom(...TOOLS),
        SIZES,
        ([before, after], channel, tool, sizes) => {
          expect(seenIn(`${before} ${channel} to=functions.${tool} ${after}.`, sizes)).toBe(false);
        },
      ),
    );
  });

  it.each(LEAKS)('finds it in: %s', (text) => {
    expect(findHarmonyLeak(text, false)).toBeGreaterThanOrEqual(0);
  });

  it.each(CLEAN)('leaves this alone: %s', (text) => {
    expect(findHarmonyLeak(text, true)).toBe(-1);
  });

  it.each(LEAKS)('finds it however the text is cut into deltas: %s', (text) => {
    for (const size of [1, 2, 5, 17]) expect(seenIn(text, [size]), `in pieces of ${size}`).toBe(true);
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
