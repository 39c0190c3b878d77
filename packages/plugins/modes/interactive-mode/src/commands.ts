/** Slash commands that only make sense on a screen. Those of every mode are in the plugin slash-commands; without arguments some open a list here. */
import type { SlashCommandInfo } from '@tenon/slash-commands/api';

/** What a command of the screen does. */
export interface ScreenCommand {
  readonly summary: string;
  readonly arguments?: string;
  /** True when the command of every mode takes over as soon as something follows the name. */
  readonly onlyAlone?: boolean;
  run(args: string): void | Promise<void>;
}

/** The commands of the screen by name. */
export class ScreenCommands {
  readonly #commands: Readonly<Record<string, ScreenCommand>>;
  readonly #ready: () => Promise<unknown>;

  /** `ready` resolves when there is an agent, which most commands are about. */
  constructor(commands: Readonly<Record<string, ScreenCommand>>, ready: () => Promise<unknown>) {
    this.#commands = commands;
    this.#ready = ready;
  }

  /** Runs a command; false when it is not the screen's. */
  async run(name: string, args: string): Promise<boolean> {
    const command = Object.hasOwn(this.#commands, name) ? this.#commands[name] : undefined;
    if (!command || (command.onlyAlone === true && args !== '')) return false;
    await this.#ready();
    await command.run(args);
    return true;
  }

  /** What lists show beside the commands of every mode. */
  list(): readonly SlashCommandInfo[] {
    return Object.entries(this.#commands).map(([name, { summary, arguments: hint }]) => ({
      name,
      kind: 'screen',
      description: summary,
      ...(hint !== undefined && { argumentHint: hint }),
    }));
  }
}
