/** `tenon worker …`: which CLIs there are, whether they work, and what they can do. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { counted, plainLine } from '@tenon/wording';
import type { DiagnosticReport, WorkerAdapter, WorkerRegistry } from '../api.ts';
import { fingerprint, normalizeCapabilities } from '../capabilities/fingerprint.ts';
import { type CapabilityIssue, capabilityIssues } from '../capabilities/issues.ts';
import type { OptionsSchema } from '../command/options.ts';
import { diagnose } from '../probe/diagnose.ts';
import { programVersion } from '../probe/version.ts';
import { columns, optionFlag, paint, supportText } from './words.ts';

/** Lists all CLIs, installed or not. */
export async function listWorkers(registry: WorkerRegistry, { flags, io, signal }: CommandCall): Promise<void> {
  const all = await Promise.all(
    (await registry.list()).map(async (adapter) => {
      const path = await registry.locate(adapter);
      const found = path === undefined ? undefined : await versionOf(adapter, path, signal);
      return { adapter, path, version: found && 'version' in found ? found.version : undefined };
    }),
  );
  const shown = flags['installed'] === true ? all.filter(({ path }) => path !== undefined) : all;
  if (flags['json'] === true)
    return io.json({ workers: shown.map(({ adapter, path, version }) => describe(adapter, path, version)) });
  const rows = shown.map(({ adapter: { spec }, path, version }) => [
    spec.id,
    path === undefined ? 'not installed' : (version ?? 'installed'),
    spec.vendor,
    supportText(spec.capabilities),
  ]);
  await io.out(columns(['WORKER', 'VERSION', 'ACCOUNTS OF', 'WORKS'], rows, io));
  const missing = shown.filter(({ path }) => path === undefined).length;
  if (missing > 0) await io.out(`\n\`tenon worker doctor NAME\` says how to install one.\n`);
}

function versionOf({ spec, start }: WorkerAdapter, path: string, signal: AbortSignal) {
  return programVersion(start?.() ?? [path], spec.versionArgs, process.env, signal);
}

function describe(adapter: WorkerAdapter, path: string | undefined, version?: string) {
  const { id, name, program, vendor, homepage, install, verified, hosts, state, capabilities } = adapter.spec;
  return {
    id,
    name,
    program,
    vendor,
    isInstalled: path !== undefined,
    ...(path !== undefined && { path }),
    ...(version !== undefined && { version }),
    ...(verified !== undefined && { verified }),
    ...(homepage !== undefined && { homepage }),
    ...(install !== undefined && { install }),
    hosts,
    state: state.map((place) => place.path),
    capabilities: normalizeCapabilities(capabilities),
    fingerprint: fingerprint(capabilities),
  };
}

/** Checks them. Fails for what is installed, or was asked for by name, and does not work. */
export async function checkWorkers(registry: WorkerRegistry, call: CommandCall): Promise<number> {
  const { args, flags, io, signal } = call;
  const name = args['name'];
  const adapters = typeof name === 'string' ? [await registry.find(name)] : await registry.list();
  const checked = await Promise.all(
    adapters.map(async (adapter) => {
      const isInstalled = (await registry.locate(adapter)) !== undefined;
      const counts = isInstalled || typeof name === 'string';
      const offline = flags['offline'] === true || !counts;
      const report = await diagnose(adapter, process.env, signal, { offline });
      const issues = capabilityIssues(adapter);
      const hasFailed = report.checks.some(({ status }) => status === 'fail') || issues.length > 0;
      return { adapter, isInstalled, report, issues, isProblem: counts && hasFailed };
    }),
  );
  const problems = checked.filter(({ isProblem }) => isProblem).length;
  const exit = problems > 0 ? EXIT.failure : EXIT.ok;
  if (flags['json'] === true) {
    await io.json({
      isHealthy: problems === 0,
      workers: checked.map(({ adapter, isInstalled, report, issues, isProblem }) => ({
        id: adapter.spec.id,
        isInstalled,
        isHealthy: !isProblem,
        fingerprint: fingerprint(adapter.spec.capabilities),
        checks: report.checks,
        issues,
      })),
    });
    return exit;
  }
  const counting = checked.filter(({ isInstalled }) => isInstalled || typeof name === 'string');
  for (const { adapter, report, issues } of counting) await io.out(reportText(adapter, report, issues, io));
  const others = checked.filter((each) => !counting.includes(each)).map(({ adapter }) => adapter.spec.id);
  if (others.length > 0) await io.out(`not installed: ${others.join(', ')}\n`);
  const fine = `${counted(counting.length, 'worker')} checked, all well.\n`;
  await io.out(problems > 0 ? `${counted(problems, 'worker')} with problems.\n` : fine);
  return exit;
}

const MARKS = { pass: ['ok', 32], fail: ['fail', 31], skip: ['-', 2] } as const;

function reportText(
  { spec }: WorkerAdapter,
  { checks }: DiagnosticReport,
  issues: readonly CapabilityIssue[],
  io: CommandCall['io'],
): string {
  const lines = checks.map(({ id, status, message }) => {
    const [mark, colour] = MARKS[status];
    return `  ${paint(io, colour, mark.padEnd(4))}  ${id.padEnd(13)}  ${plainLine(message)}\n`;
  });
  const wrong = issues.map(
    ({ rule, message }) => `  ${paint(io, 31, 'fail')}  ${'description'.padEnd(13)}  ${plainLine(message)} (${rule})\n`,
  );
  return `${plainLine(spec.name)} (${spec.id})\n${lines.join('')}${wrong.join('')}`;
}

/** Shows what they can do. */
export async function showCapabilities(registry: WorkerRegistry, { args, flags, io }: CommandCall): Promise<void> {
  const name = args['name'];
  const adapters = typeof name === 'string' ? [await registry.find(name)] : await registry.list();
  if (flags['json'] === true)
    return io.json({
      workers: adapters.map(({ spec }) => ({
        id: spec.id,
        fingerprint: fingerprint(spec.capabilities),
        capabilities: normalizeCapabilities(spec.capabilities),
        sideEffects: spec.sideEffects,
        options: spec.options,
      })),
    });
  for (const [index, { spec }] of adapters.entries()) {
    const { tools, ...claims } = normalizeCapabilities(spec.capabilities);
    const rows = [
      ...Object.entries(claims)
        .filter(([key]) => key !== 'version')
        .map(([key, value]) => [`  ${key}`, wordOf(value)]),
      ['  tools', tools.map((tool) => tool.name).join(', ') || 'none'],
      ['  fingerprint', fingerprint(spec.capabilities)],
    ];
    await io.out(`${index === 0 ? '' : '\n'}${plainLine(spec.name)} (${spec.id})\n${columns(undefined, rows, io)}`);
    if (typeof name === 'string') await io.out(optionsText(spec.options as Partial<OptionsSchema>, io));
  }
}

/** Shows what Tenon offers to workers. */
export async function showContract(registry: WorkerRegistry, { flags, io }: CommandCall): Promise<void> {
  const contract = await registry.contract({
    surface: flags['surface'] === 'raw' ? 'raw' : 'semantic',
    allowChanges: flags['allow-changes'] === true,
  });
  if (flags['json'] === true) return io.json(contract);
  await io.out(`${contract.docsGuidance}\n`);
}

function optionsText({ properties = {} }: Partial<OptionsSchema>, io: CommandCall['io']): string {
  const rows = Object.entries(properties).map(([key, option]) => [
    `  ${key}`,
    optionFlag(option),
    option.description ?? '',
  ]);
  return rows.length === 0 ? '' : `\nOptions (\`tenon run --option NAME=VALUE\`):\n${columns(undefined, rows, io)}`;
}

function wordOf(value: unknown): string {
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}
