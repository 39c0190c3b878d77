/** The policies that hold here: the user's own, and the project's, which may only tighten unless the folder is trusted. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { ExampleHost } from './examples.ts';
import type { PolicyOrigin } from './load.ts';
import type { PolicyRule } from './rule.ts';

/** What reading policies needs. */
export interface PolicyHost extends ExampleHost {
  readonly config: string;
  isTrusted(folder: string): Promise<boolean>;
}

/** One file and what it holds. */
export interface LoadedPolicy {
  readonly file: string;
  readonly isProject: boolean;
  readonly rules: readonly PolicyRule[];
  /** Allow rules of a project that is not trusted. */
  readonly ignored: readonly PolicyRule[];
}

/** The policy of the user. */
export function userPolicyFile(config: string): string {
  return join(config, 'policy.yml');
}

/** The nearest policy of a project, from a folder up to the repository's root. */
function projectPolicyFile(cwd: string, home: string): string | undefined {
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    const file = join(folder, '.tenon', 'policy.yml');
    // A link that leads nowhere is there all the same, and reading it will say so.
    if (lstatSync(file, { throwIfNoEntry: false })) return file;
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return undefined;
  }
  return undefined;
}

interface Cached {
  readonly stamp: string;
  readonly rules: readonly PolicyRule[];
}

/** Reads the policies again whenever a file has changed. */
export class Policies {
  readonly #host: PolicyHost;
  readonly #cache = new Map<string, Cached>();

  constructor(host: PolicyHost) {
    this.#host = host;
  }

  /** The files that could hold a policy for work in a folder. */
  origins(cwd: string): readonly (PolicyOrigin & { readonly isProject: boolean })[] {
    const { config, home } = this.#host;
    const project = projectPolicyFile(cwd, home);
    return [
      { file: userPolicyFile(config), isProject: false },
      ...(project === undefined ? [] : [{ file: project, base: dirname(dirname(project)), isProject: true }]),
    ];
  }

  /** Whether there is any policy; costs a few looks at the disk. */
  exist(cwd: string): boolean {
    return this.origins(cwd).some(({ file }) => stampOf(file) !== undefined);
  }

  /** All policies. Throws when one is invalid: nobody may then assume what it would have said. */
  async load(cwd: string): Promise<readonly LoadedPolicy[]> {
    const loaded: LoadedPolicy[] = [];
    for (const origin of this.origins(cwd)) {
      const rules = await this.read(origin);
      if (rules === undefined) continue;
      const { file, isProject } = origin;
      const mayAllow = !isProject || (await this.#host.isTrusted(dirname(dirname(file))));
      const ignored = mayAllow ? [] : rules.filter((rule) => rule.decide === 'allow');
      loaded.push({ file, isProject, rules: rules.filter((rule) => !ignored.includes(rule)), ignored });
    }
    return loaded;
  }

  /** One file, or nothing when it is not there. */
  async read(origin: PolicyOrigin): Promise<readonly PolicyRule[] | undefined> {
    const stamp = stampOf(origin.file);
    if (stamp === undefined) return undefined;
    const cached = this.#cache.get(origin.file);
    if (cached?.stamp === stamp) return cached.rules;
    const text = await readRegular(origin.file).catch((fault: unknown) => {
      throw errors.create('APPROVAL_POLICY_UNREADABLE', { file: origin.file, reason: messageOf(fault) }, fault);
    });
    const [{ parsePolicy }, { checkExamples }] = await Promise.all([import('./load.ts'), import('./examples.ts')]);
    const rules = parsePolicy(text, origin);
    await checkExamples(rules, this.#host);
    this.#cache.set(origin.file, { stamp, rules });
    return rules;
  }
}

/** Asked before every call of a tool and mostly answered with "not there", which costs a wait and an error if not done at once. */
function stampOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats && `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw errors.create('APPROVAL_POLICY_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** A project can make its policy a link to a device, which never ends. */
async function readRegular(file: string): Promise<string> {
  if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
  return readFile(file, 'utf8');
}
