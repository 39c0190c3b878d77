import { type CliCommand, type CommandCall, EXIT } from '@tenon/command-line/api';
import { errors } from './errors.ts';

/** `tenon acp --login`: what an editor starts in a terminal when a model is missing. */
export async function login(command: CliCommand, call: CommandCall): Promise<number> {
  const { io } = call;
  if (!io.ask) throw errors.create('ACP_NO_MODEL');
  const provider = (await io.ask('Provider (anthropic, openai, google, … see `tenon auth list --all`): ')).trim();
  if (provider === '') throw errors.create('ACP_NO_MODEL');
  return (await command.run({ ...call, args: { provider }, flags: {} })) ?? EXIT.ok;
}
