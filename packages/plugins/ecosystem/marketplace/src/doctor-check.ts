import { counted } from '@tenon/wording';
import type { DoctorFinding } from '@tenon/doctor/api';
import { usablePlugins } from './bundles.ts';
import type { Engine } from './engine.ts';

/** The part of `tenon doctor` about plugins of marketplaces. */
export async function checkMarketplaces(engine: Engine, cwd: string, signal: AbortSignal): Promise<DoctorFinding[]> {
  const { plugins, problems } = await usablePlugins(engine, cwd, { signal });
  const broken = [...problems, ...plugins.flatMap(({ problem }) => (problem ? [problem] : []))];
  const markets = await engine.marketplaces.list(cwd);
  const count: DoctorFinding = {
    name: 'installed',
    status: 'ok',
    text: `${counted(plugins.length, 'plugin')} of ${counted(markets.length, 'marketplace')}`,
  };
  return [
    count,
    ...broken.map(({ message, next, code }): DoctorFinding => {
      const status = code === 'MARKETPLACE_NOT_HERE' ? 'warning' : 'problem';
      return { name: 'plugin', status, text: message, next };
    }),
  ];
}
