/** The built program: a message in Telegram starts a real run, its question and an approval are answered there. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith } from '@tenon/test-kit/processes';
import { ended, Home } from '@tenon/test-kit/program';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import { FakeTelegram, TELEGRAM_TOKEN } from './fakes/telegram.ts';

const ME = 42;
/** A CLI that asks, and writes down what it hears. */
const CLI = `#!/bin/sh
task="$*"
session=$(printf '%s' "$task" | grep -o '"session": [0-9]*' | tail -1 | grep -o '[0-9]*')
signal() { printf '\\n\\n\`\`\`signal\\n%s\\n\`\`\`\\n' "$1"; }
case "$task" in
  *"answers to your questions"*) printf '%s' "$task" > heard.txt; echo "I use what you said."; signal "{\\"session\\": $session, \\"status\\": \\"done\\"}";;
  *) echo "I need to know."; signal "{\\"session\\": $session, \\"status\\": \\"questions\\", \\"questions\\": [{\\"id\\": \\"db\\", \\"text\\": \\"Which database?\\"}]}";;
esac
`;

test('a message starts a run, its question and an approval are answered from the chat', async () => {
  const telegram = await new FakeTelegram(-77).start();
  const home = new Home();
  later(async () => {
    await until(() => processesWith(home.folder, 'runs\0keep').length === 0, 'the end of the keeper');
    home.remove();
  });
  home.put('bin/hand', CLI);
  const program = join(home.folder, 'bin/hand');
  chmodSync(program, 0o755);
  const threads = { cwd: home.work, worker: 'hand', worktree: 'never' };
  const phone = { kind: 'telegram', to: '-77', users: [String(ME)], server: telegram.origin, threads };
  const settings = {
    channels: { delaySeconds: 0, use: { phone } },
    workers: { custom: { hand: { program, args: ['{prompt}'], output: 'text', versionArgs: ['--version'] } } },
  };
  home.put('home/config/settings.yml', JSON.stringify(settings));
  const token = { TELEGRAM_BOT_TOKEN: TELEGRAM_TOKEN };
  expect(home.tenon(['channels', 'list']).out).toMatch(/^phone {2}telegram -77 {2}1 person may answer, starts runs/);
  expect(home.tenon(['channels', 'list']).out).toContain('no credential: tenon auth login telegram');

  const serving = home.start(['channels', 'serve'], {
    env: home.environment(token),
    stdio: 'ignore',
  });
  const over = ended(serving);
  later(async () => {
    serving.kill('SIGINT');
    await over;
  });
  await until(() => telegram.polls > 0, 'the poll');
  expect(await home.bash('tenon channels serve', token)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Another process serves'),
  });

  const first = telegram.say(ME, 'add a database');
  const asked = () => telegram.messages.find(({ text }) => text.includes('Which database?'));
  await until(() => asked() !== undefined, 'the question');
  expect(asked()?.replyTo).toBe(first);
  telegram.say(ME, 'SQLite, please', { reply_to_message: { message_id: asked()?.id } });
  await until(() => telegram.messages.some(({ text }) => text.includes('I use what you said.')), 'the result');
  expect(readFileSync(join(home.work, 'heard.txt'), 'utf8')).toContain('SQLite, please');
  expect(asked()?.text).toMatch(/Answered by 42 through phone: SQLite, please$/);

  home.put('work/old/file', 'x');
  const command = ['tool', 'run', 'bash', '--input', JSON.stringify({ command: 'rm -rf old' })];
  expect(home.tenon(command).code).not.toBe(0);
  const approval = () => telegram.messages.find(({ text }) => text.includes('asks for approval'));
  await until(() => (approval()?.buttons.length ?? 0) > 0, 'the approval');
  const message = approval();
  if (!message) throw new Error('no approval');
  expect(message.entities.map(({ offset, length }) => message.text.slice(offset, offset + length))).toEqual([
    'rm -rf old',
  ]);
  telegram.press(message, 'Allow once', ME);
  await until(() => message.buttons.length === 0, 'the mark');
  expect(home.tenon(command)).toMatchObject({ code: 0 });
  expect(existsSync(join(home.work, 'old'))).toBe(false);
});
