/** Lets an extension hear what is typed, for a bounded time: typing must never wait for it longer. */

const PATIENCE_MS = 200;
/** After so many answers that came too late in a row, it is not asked any more. */
const MAX_LATE = 3;

/** The way of input through one extension. */
export class InputListener {
  readonly #owner: { readonly isTrusted: boolean; fault(where: string, message: string): void };
  readonly #ask: (data: string) => Promise<unknown>;
  readonly #giveUp: () => void;
  #late = 0;

  constructor(
    owner: { readonly isTrusted: boolean; fault(where: string, message: string): void },
    ask: (data: string) => Promise<unknown>,
    giveUp: () => void,
  ) {
    this.#owner = owner;
    this.#ask = ask;
    this.#giveUp = giveUp;
  }

  /**
   * What goes on in place of the input; nothing when the extension kept it. In the sandbox an extension may keep input, not
   * change it: it would type in the user's name.
   */
  async hear(data: string): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), PATIENCE_MS)));
    // When the process is gone, input goes its own way.
    const answer = await Promise.race([this.#ask(data).catch(() => ({ data })), late]);
    clearTimeout(timer);
    if (answer === 'late') {
      if (++this.#late === MAX_LATE) {
        this.#owner.fault('ui.onTerminalInput()', 'it answers too slowly and hears no more input');
        this.#giveUp();
      }
      return data;
    }
    this.#late = 0;
    const given = (answer as { data?: unknown } | null)?.data;
    if (typeof given !== 'string') return undefined;
    return this.#owner.isTrusted ? given : data;
  }
}
