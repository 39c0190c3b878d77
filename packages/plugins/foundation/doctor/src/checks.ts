import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { release, type } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { shellWord } from '@tenon/wording';
import type { Folders, KernelView } from '@tenon/host';
import { checkSchema, loadSchemaCompiler, messageOf, TenonError } from '@tenon/kernel';
import { satisfies } from '@tenon/schema';
import { addonRemedy } from './addon-remedy.ts';
import type { DoctorFinding } from './api.ts';

type Check = (kernel: KernelView, signal: AbortSignal) => Promise<DoctorFinding[]>;

const run = promisify(execFile);

/** The oldest versions that work; package.json says the same about Node. */
const NODE_RANGE = '>=20.19.0';
const GIT_RANGE = '>=2.30.0';

/** The doctor's own checks. */
export const checks = {
  async versions(kernel, signal) {
    const node = process.versions.node;
    const nodeFits = satisfies(node, NODE_RANGE) === true;
    return [
      ok('tenon', kernel.version),
      nodeFits
        ? ok('node', `${node} (${process.execPath})`)
        : problem('node', `${node} is too old`, `Install Node ${NODE_RANGE.replace('>=', '')} or newer.`),
      ok('system', `${type()} ${release()} ${process.arch}`),
      await gitVersion(signal),
    ];
  },

  async accelerators() {
    const { acceleratorReport } = await import('@tenon/native');
    const { addon, forced, accelerators } = await acceleratorReport();
    const remedy = addonRemedy(addon.attempts);
    const reasons = addon.attempts.flatMap(({ path, reason }) => (reason === undefined ? [] : `${path}: ${reason}`));
    const head = addon.path
      ? ok('addon', `${addon.path}${forced ? `; TENON_ACCEL=${forced} decides what serves` : ''}`)
      : warning(
          'addon',
          `not in use, so everything works but slower (${reasons.join('; ') || 'none was found'})`,
          remedy,
        );
    return [
      head,
      ...accelerators.map(({ name, serves, skipped }): DoctorFinding => {
        const why = skipped.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ');
        if (serves === undefined) return problem(name, `nothing serves it (${why})`, remedy);
        // The addon's own line has said why it is missing.
        const explained = serves === 'native' || !addon.path ? '' : ` (${why})`;
        return ok(name, `${serves}${explained}`);
      }),
    ];
  },

  async plugins(kernel) {
    const all = kernel.status();
    const counted = (state: string) => all.filter((status) => status.state === state).length;
    const findings = [
      ok(
        'installed',
        `${all.length} (${counted('active')} running, ${counted('disabled')} disabled, the rest start on first use)`,
      ),
    ];
    const explained = new Set<string>();
    for (const { id, state, error, reason } of all) {
      if (state === 'failed' && error) {
        explained.add(error.message);
        findings.push(problem(id, error.message, error.next));
      } else if (state === 'disabled') findings.push(ok(id, `disabled${reason ? `: ${reason}` : ''}`));
    }
    for (const { severity, error } of kernel.diagnostics()) {
      if (explained.has(error.message) || isAboutSettings(error)) continue;
      const name = typeof error.details['plugin'] === 'string' ? error.details['plugin'] : error.owner;
      findings.push(
        severity === 'error' ? problem(name, error.message, error.next) : warning(name, error.message, error.next),
      );
    }
    return findings;
  },

  async folders({ folders }) {
    const named = ['config', 'data', 'state', 'cache'] as const satisfies readonly (keyof Folders)[];
    const findings = await Promise.all(named.map((name) => folderFinding(name, folders[name])));
    return [...findings, ok('project', folders.project ?? 'none (no .tenon folder here)')];
  },

  async sandbox() {
    const { loadAccelerator } = await import('@tenon/native');
    const sandbox = await loadAccelerator('sandbox');
    const probe = await sandbox.probe();
    const self = sandbox.selfRestriction();
    const parts = [
      ['bubblewrap', probe.bubblewrap],
      ['landlock', probe.landlock],
      ['seccomp', probe.seccomp],
      ['user namespaces', probe.userNamespaces],
      ['seatbelt', probe.seatbelt],
    ] as const;
    const canIsolate =
      probe.bubblewrap.available ||
      probe.seatbelt.available ||
      (probe.landlock.available && probe.seccomp.available && self.available);
    const advice =
      probe.platform === 'linux'
        ? 'Install bubblewrap (Debian, Ubuntu: `apt install bubblewrap`).'
        : 'Only packs with full trust can run here.';
    const relevant = parts.filter(
      ([name, { available }]) => available || (name === 'seatbelt') === (probe.platform === 'darwin'),
    );
    return [
      canIsolate
        ? ok('packs', 'can be isolated')
        : warning('packs', 'cannot be isolated, so they do not start', advice),
      ...relevant.map(([name, { available, detail }]) =>
        ok(name, `${available ? 'available' : 'not available'}: ${detail}`),
      ),
      ...(probe.surroundings.length > 0 ? [ok('surroundings', probe.surroundings.join(', '))] : []),
    ];
  },

  async settings(kernel) {
    const findings: DoctorFinding[] = [];
    try {
      await kernel.settings.load();
      const values = await kernel.settings.list();
      const changed = values.filter(({ layer }) => layer !== 'default').length;
      findings.push(
        ok(
          'settings',
          `${values.length}, of which ${changed} ${changed === 1 ? 'differs from its' : 'differ from their'} default`,
        ),
      );
      const schema = await kernel.settings.schema();
      await loadSchemaCompiler();
      for (const { key, where, value } of values) {
        const property = schemaAt(schema, key.split('.'));
        const [first] = property && value !== undefined ? checkSchema(property, structuredClone(value)) : [];
        if (first)
          findings.push(
            problem(key, `${where}: ${first.message}`, `Correct it with \`tenon config set ${key} VALUE\`.`),
          );
      }
    } catch (fault) {
      if (!(fault instanceof TenonError)) throw fault;
      findings.push(problem('settings', fault.message, fault.next));
    }
    for (const { severity, error } of kernel.diagnostics().filter((diagnostic) => isAboutSettings(diagnostic.error))) {
      findings.push(
        severity === 'error'
          ? problem('settings', error.message, error.next)
          : warning('settings', error.message, error.next),
      );
    }
    return findings;
  },
} as const satisfies Record<string, Check>;

function ok(name: string, text: string): DoctorFinding {
  return { name, status: 'ok', text };
}

function warning(name: string, text: string, next: string): DoctorFinding {
  return { name, status: 'warning', text, ...(next && { next }) };
}

function problem(name: string, text: string, next: string): DoctorFinding {
  return { name, status: 'problem', text, ...(next && { next }) };
}

function isAboutSettings({ owner, code }: TenonError): boolean {
  return owner === 'settings' || owner === 'settings-files' || code.includes('SETTINGS');
}

async function gitVersion(signal: AbortSignal): Promise<DoctorFinding> {
  const advice = 'Install git; everything that works with repositories needs it.';
  try {
    const { stdout } = await run('git', ['--version'], { signal, timeout: 5_000 });
    const version = /(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1] ?? stdout.trim();
    return satisfies(version, GIT_RANGE) === false
      ? warning('git', `${version} is older than ${GIT_RANGE.replace('>=', '')}`, 'Update git.')
      : ok('git', version);
  } catch (fault) {
    signal.throwIfAborted();
    const missing = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    return problem('git', missing ? 'is not installed' : `does not run: ${messageOf(fault)}`, advice);
  }
}

/** Whether a folder can be written, or made where it does not exist yet. Nothing is made to find out. */
async function folderFinding(name: string, folder: string): Promise<DoctorFinding> {
  const advice = 'Correct its permissions, or set TENON_HOME to a folder that you can write to.';
  const info = await stat(folder).catch((fault: NodeJS.ErrnoException) => fault);
  if (info instanceof Error) {
    if (info.code !== 'ENOENT') return problem(name, `${folder}: ${info.message}`, advice);
    const parent = await existingParent(folder);
    return (await isWritable(parent))
      ? ok(name, `${folder} (made on first use)`)
      : problem(name, `${folder} does not exist, and ${parent} cannot be written`, advice);
  }
  if (!info.isDirectory()) return problem(name, `${folder} is not a folder`, 'Move the file away, or set TENON_HOME.');
  if (!(await isWritable(folder))) return problem(name, `${folder} cannot be written`, advice);
  if ((info.mode & 0o002) !== 0)
    return warning(name, `${folder} can be written by everybody`, `Run \`chmod 700 ${shellWord(folder)}\`.`);
  return ok(name, folder);
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function existingParent(path: string): Promise<string> {
  const parent = dirname(path);
  const exists = await stat(parent).then(
    () => true,
    () => false,
  );
  return exists || parent === path ? parent : existingParent(parent);
}

function schemaAt(schema: object, path: readonly string[]): Record<string, unknown> | undefined {
  let current: unknown = schema;
  for (const key of path) {
    const { properties, additionalProperties } = (current ?? {}) as Record<string, Record<string, unknown> | undefined>;
    current = properties?.[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  }
  return current as Record<string, unknown> | undefined;
}
