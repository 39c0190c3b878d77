/** What `tenon doctor` says about language servers. */
import type { DoctorFinding } from '@tenon/doctor/api';
import type { ServerDesk } from '../servers/desk.ts';
import { statusOf } from './status.ts';

/** Looks at the servers for the working folder; starts none. */
export async function findings(desk: ServerDesk, cwd: string): Promise<readonly DoctorFinding[]> {
  const { servers } = await statusOf(desk, await desk.workplace(cwd));
  const used = servers.filter((server) => server.used).map(({ name }) => name);
  const installed = servers.filter(({ program }) => program !== undefined).map(({ name }) => name);
  const text =
    used.length > 0
      ? `for this folder: ${used.join(', ')}`
      : installed.length > 0
        ? `none for this folder; installed: ${installed.join(', ')}`
        : 'none installed; definitions and references come from search';
  return [{ name: 'language servers', status: 'ok', text }];
}
