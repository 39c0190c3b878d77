/** The modules that extensions find under the names they import. */
import * as typebox from '@sinclair/typebox';
import * as typeboxCompiler from '@sinclair/typebox/compiler';
import * as typeboxErrors from '@sinclair/typebox/errors';
import * as typeboxValue from '@sinclair/typebox/value';
import * as zod from 'zod';
import type { Bridge, SessionScope } from '../../protocol.ts';
import { createAi } from './ai.ts';
import { createCodingAgent } from './coding-agent.ts';
import { withMissing } from './missing.ts';
import type { PiTheme } from './theme.ts';
import * as tui from './tui.ts';
import { typeboxOne } from './typebox-one.ts';
import { piUtils } from './pi-utils.ts';

/** Modules by name, and those that `pi` itself carries. */
export interface ForeignModules {
  readonly byName: Readonly<Record<string, unknown>>;
  readonly injected: { readonly zod: unknown; readonly typebox: unknown; readonly pi: unknown };
}

/** Under these scopes the same packages were and are published. */
const SCOPES = ['@oh-my-pi', '@mariozechner', '@earendil-works'] as const;

const SCOPED = new RegExp(`^(?:${SCOPES.join('|')})/(pi-[a-z-]+)(/.*)?$`);

/** Makes the modules for one extension. */
export function createModules(about: {
  readonly home: string;
  readonly cwd: string;
  /** The name of the extension, when it runs in a sandbox. */
  readonly confined: string | undefined;
  readonly bridge: Bridge;
  readonly theme: PiTheme;
  place(): SessionScope;
}): ForeignModules {
  const agent = withMissing('pi-coding-agent', createCodingAgent(about));
  const ai = withMissing(
    'pi-ai',
    createAi(about.bridge, () => about.place()),
  );
  const screen = withMissing('pi-tui', { ...tui });
  const core = withMissing('pi-agent-core', {
    ThinkingLevel: { off: 'off', minimal: 'minimal', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh' },
  });
  const packages: Readonly<Record<string, unknown>> = {
    'pi-coding-agent': agent,
    'pi-ai': ai,
    'pi-tui': screen,
    'pi-agent-core': core,
    'pi-utils': withMissing('pi-utils', piUtils),
    'pi-natives': withMissing('pi-natives', {}),
  };
  // zod's own namespace has a `z` inside, so that both `const { z } = pi.zod` and `pi.zod.object()` work.
  const z = { ...zod, z: zod.z, default: zod.z };
  const others: Readonly<Record<string, unknown>> = {
    '@sinclair/typebox': { ...typebox, default: typebox },
    '@sinclair/typebox/value': typeboxValue,
    '@sinclair/typebox/compiler': typeboxCompiler,
    '@sinclair/typebox/errors': typeboxErrors,
    ...typeboxOne,
    zod: z,
    'zod/v4': z,
  };
  return { byName: byName(packages, others), injected: { zod: z, typebox: { ...typebox }, pi: agent } };
}

/** Answers to every path inside the packages of pi: which file a name lives in changes from version to version. */
function byName(
  packages: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const find = (name: string | symbol): unknown => {
    if (typeof name !== 'string') return undefined;
    if (Object.hasOwn(others, name)) return others[name];
    const [, which = '', path] = SCOPED.exec(name) ?? [];
    if (!Object.hasOwn(packages, which)) return undefined;
    return path === '/package.json'
      ? { name: name.replace(/\/package\.json$/, ''), version: '0.0.0' }
      : packages[which];
  };
  return new Proxy({}, { has: (_target, name) => find(name) !== undefined, get: (_target, name) => find(name) });
}
