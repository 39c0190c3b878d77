/** The `client` that plugins are given: writing a log line and showing a message work, everything else says that it does not. */

/** Sends something to Tenon. */
export type Tell = (method: string, ...args: readonly unknown[]) => Promise<unknown>;

type Fields = Readonly<Record<string, unknown>>;

/** Makes a client for one module. */
export function createClient(tell: Tell, place: { readonly cwd: string; readonly worktree: string }): unknown {
  const served: Readonly<Record<string, (given: unknown) => Promise<unknown>>> = {
    'app.log': async (given) => {
      const { level, message, service, extra } = bodyOf(given);
      await tell('log', String(level ?? 'info'), String(message ?? ''), { service, extra });
      return { data: true };
    },
    'tui.showToast': async (given) => {
      const { message, title, variant } = bodyOf(given);
      await tell('toast', [title, message].filter((part) => typeof part === 'string').join(': '), String(variant));
      return { data: true };
    },
    'path.get': async () => ({ data: { directory: place.cwd, worktree: place.worktree } }),
    'project.current': async () => ({ data: { id: place.worktree, worktree: place.worktree } }),
  };
  const node = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_target, name) =>
        typeof name === 'symbol' || name === 'then' ? undefined : node(path === '' ? name : `${path}.${name}`),
      apply: async (_target, _this, [given]: unknown[]) => {
        const answer = Object.hasOwn(served, path) ? served[path] : undefined;
        if (answer) return answer(given);
        await tell('unsupported', `client.${path}()`);
        throw new Error(`client.${path}() is not available to plugins of OpenCode in Tenon`);
      },
    });
  return node('');
}

/** Older versions put everything under `body`. */
function bodyOf(given: unknown): Fields {
  const fields = (typeof given === 'object' && given !== null ? given : {}) as Fields;
  const { body } = fields;
  return typeof body === 'object' && body !== null ? (body as Fields) : fields;
}
