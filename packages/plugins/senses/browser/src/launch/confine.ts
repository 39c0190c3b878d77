/** What holds a browser: the sandbox where one works, and the proxy that decides about hosts in any case. */
import { type Confinement, type Sandboxes, startHostProxy, withheldVariables } from '@tenon/sandbox/api';
import { type Logger, TenonError } from '@tenon/kernel';
import type { BrowserSettings } from '../generated/settings.ts';

/** How a browser is held. */
export interface Hold {
  /** Words to put before the program. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The proxy's address; undefined where there is no network at all. */
  readonly proxy: string | undefined;
  readonly isSandboxed: boolean;
  /** For people: what holds it. */
  readonly description: string;
  /** Hosts that were refused since this was asked last. */
  takeRefused(): readonly string[];
  dispose(): Promise<void>;
}

/** What a hold is made from. */
export interface HoldParts {
  readonly settings: Pick<BrowserSettings, 'allowHosts' | 'network' | 'sandbox' | 'headless'>;
  readonly sandboxes: Sandboxes | undefined;
  /** The folder that the call works in. */
  readonly cwd: string;
  /** The only folder that the browser may change. */
  readonly data: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

/** Prepares what holds the next browser. */
export async function prepareHold(parts: HoldParts): Promise<Hold> {
  const confinement = await confinementFor(parts);
  if (confinement !== undefined) {
    return {
      argv: confinement.argv,
      env: { ...withheldVariables(parts.env), ...confinement.env },
      proxy: confinement.env['HTTP_PROXY'],
      isSandboxed: true,
      description: confinement.describe(),
      takeRefused: () => confinement.takeRefusedHosts(),
      dispose: () => confinement.dispose(),
    };
  }
  const { allowHosts, network } = parts.settings;
  const proxy = await startHostProxy({ hosts: allowHosts, public: network === 'public' }, parts.log);
  return {
    argv: [],
    env: { ...withheldVariables(parts.env), ...(parts.settings.headless ? {} : display(parts.env)) },
    proxy: `http://127.0.0.1:${proxy.port}`,
    isSandboxed: false,
    description: 'No sandbox around the browser; hosts are judged by the proxy.',
    takeRefused: () => proxy.takeRefused(),
    dispose: () => proxy.close(),
  };
}

/** Undefined where the browser's own sandbox has to do: macOS, Landlock alone, a window to show, or the user wants it so. */
async function confinementFor({ settings, sandboxes, cwd, data }: HoldParts): Promise<Confinement | undefined> {
  const { allowHosts, network, sandbox, headless } = settings;
  const isRequired = sandboxes?.isRequired === true;
  if (sandboxes === undefined || (!isRequired && (sandbox === 'off' || !headless || process.platform !== 'linux')))
    return undefined;
  if ((await sandboxes.profileFor({ cwd })) === 'full' && !isRequired) return undefined;
  try {
    return await sandboxes.wrap({
      cwd,
      profile: 'read-only',
      extraWrite: [data],
      hosts: allowHosts,
      ...(network === 'public' && { network }),
    });
  } catch (fault) {
    // Landlock cannot tell hosts apart. The browser's own sandbox and our proxy can do without it.
    if (!isRequired && fault instanceof TenonError && fault.code === 'SANDBOX_ALLOW_LIST') return undefined;
    throw fault;
  }
}

/** What a window needs. */
function display(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const names = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR'];
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}
