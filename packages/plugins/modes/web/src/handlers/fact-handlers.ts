/** Routes that only show: what was used, settings, marketplaces. */
import { execFile } from 'node:child_process';
import type { Fleet } from '@tenon/fleet/api';
import type { Settings } from '@tenon/kernel';
import { secretHider } from '@tenon/log';
import type { Ledger } from '@tenon/usage/api';
import type { RunParts } from './run-handlers.ts';
import { errors } from '../errors.ts';
import type { Handlers } from '../server/app.ts';
import type { Plugins } from '../shapes.ts';
import { usageOf } from './usage.ts';

/** What these routes work with. */
export interface FactParts extends Pick<RunParts, 'cwd' | 'runs' | 'accounts'> {
  /** Undefined where the plugin is switched off. */
  fleet(): Promise<Fleet | undefined>;
  readonly settings: Pick<Settings, 'list'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly program: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
}

const DAY = 86_400_000;
const PROGRAM_MS = 60_000;
const MAX_OUTPUT = 8 * 1024 * 1024;

/** The routes. */
export function factHandlers(parts: FactParts): Pick<Handlers, 'usage' | 'listSettings' | 'listPlugins' | 'listHosts'> {
  return {
    async usage({ query }) {
      const since = sinceOf(query?.days);
      const runs = await parts.runs();
      let damagedLines = 0;
      const sums = await usageOf({
        ...(since !== undefined && { since }),
        records: parts.ledger.read(since ?? null, () => (damagedLines += 1)),
        runs: await runs.list(),
        accounts: (await (await parts.accounts())?.list()) ?? [],
        async sessionsOf(run) {
          const newest = run.cliSession === undefined ? [] : [run.cliSession];
          if (run.session <= 1) return newest;
          return (await runs.details(run)).sessions.flatMap(({ cliSession }) => cliSession ?? []);
        },
      });
      return { ...sums, damagedLines };
    },
    async listHosts() {
      const fleet = await parts.fleet();
      return fleet?.isSetUp() === true ? { fleet: await fleet.status() } : {};
    },
    async listSettings() {
      const all = await parts.settings.list();
      const hidden = secretHider(parts.env);
      const settings = all.map(({ key, value, layer, where, description }) => {
        const shown = JSON.stringify(hidden(key, value)) ?? '';
        return { key, value: shown, layer, where, description };
      });
      return { settings };
    },
    async listPlugins() {
      const [markets, installed] = await Promise.all([
        ask(parts, ['marketplace', 'list', '--json']),
        ask(parts, ['plugin', 'list', '--json']),
      ]);
      return { marketplaces: records(markets).map(marketRow), plugins: records(installed).map(pluginRow) };
    },
  };
}

function sinceOf(days: string | undefined): string | undefined {
  if (days === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw errors.create('WEB_INVALID', { problems: `"${days}" is not a number of days` });
  // Whole days: a chart whose first day is half would mislead.
  return `${new Date(Date.now() - (Number(days) - 1) * DAY).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

/** Asks Tenon itself, in a process of its own: catalogues belong to a plugin that shows them only there. */
function ask({ program: [command, ...first], cwd, env }: FactParts, words: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: PROGRAM_MS, maxBuffer: MAX_OUTPUT };
    execFile(command, [...first, ...words], options, (fault, out, err) => {
      try {
        resolve(JSON.parse(out));
      } catch {
        // It has said what is wrong instead.
        const reason = err.trim().slice(0, 500) || (fault?.message ?? 'no answer');
        reject(errors.create('WEB_COMMAND_REFUSED', { reason }));
      }
    });
  });
}

type Row = Readonly<Record<string, unknown>>;

function records(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : [];
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function marketRow({ name, scope, source, plugins, error }: Row): Plugins['marketplaces'][number] {
  return {
    name: text(name),
    scope: text(scope),
    // An address may carry a password.
    source: text(source).replace(/\/\/[^/@\s]*@/, '//'),
    ...(typeof plugins === 'number' && { plugins }),
    ...(typeof error === 'string' && { problem: error }),
  };
}

function pluginRow({ id, version, state, level, folder }: Row): Plugins['plugins'][number] {
  return { id: text(id), version: text(version), state: text(state), from: text(level) || text(folder) };
}
