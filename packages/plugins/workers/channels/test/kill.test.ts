/** The serving process is killed again and again: nothing is lost, and nothing is said twice. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended, Home } from '@tenon/test-kit/program';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import type { ChannelsState } from '../src/state/state.ts';
import { DISCORD_TOKEN, FakeDiscord } from './fakes/discord.ts';

const ROUNDS = 3;
const COMMANDS = ['rm -rf one', 'rm -rf two', 'rm -rf three'];

test('questions are announced once each, and an answer that came in between counts', async () => {
  const discord = await new FakeDiscord('111222333').start();
  const home = new Home();
  later(() => home.remove());
  const team = { kind: 'discord', to: '111222333', users: ['42'], server: discord.server };
  home.put('home/config/settings.yml', JSON.stringify({ channels: { delaySeconds: 0, use: { team } } }));
  const env = home.environment({ DISCORD_BOT_TOKEN: DISCORD_TOKEN });
  for (const command of COMMANDS) home.tenon(['tool', 'run', 'bash', '--input', JSON.stringify({ command })]);
  /** Serves until something holds, and is then ended. */
  const serve = async (holds: () => boolean | Promise<boolean>, signal: 'SIGKILL' | 'SIGINT') => {
    const serving = home.start(['channels', 'serve'], { env, stdio: 'ignore' });
    const over = ended(serving);
    try {
      await until(holds, 'what the process is for');
    } finally {
      serving.kill(signal);
      await over;
    }
  };
  const file = join(home.folder, 'home', 'state', 'channels', 'state.json');
  const noted = () => {
    const { questions = {}, outbox = [] } = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as ChannelsState)
      : {};
    const all = Object.values(questions).filter(({ announced }) => announced['team'] !== undefined);
    return outbox.length === 0 ? all.length : 0;
  };
  for (let round = 0; round < ROUNDS; round++)
    await serve(async () => {
      await sleep(Math.random() * 30);
      return discord.connections > 0 && discord.messages.length >= round;
    }, 'SIGKILL');
  await serve(() => noted() === COMMANDS.length, 'SIGKILL');
  const [message] = discord.messages;
  if (!message) throw new Error('no message');
  discord.say('42', 'deny', { type: 19, message_reference: { message_id: message.id } });
  await serve(() => message.content.includes('Answered by 42 through team: Deny'), 'SIGINT');
  const shown = COMMANDS.map((command) => discord.messages.filter(({ content }) => content.includes(command)).length);
  expect(shown).toEqual([1, 1, 1]);
  expect(discord.messages).toHaveLength(COMMANDS.length);
});
