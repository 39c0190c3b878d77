/** Which servers there are for a folder and how they are, for the tool, the command and the doctor. */
import { displayPath } from '@tenon/tools/api';
import { plainLine } from '@tenon/wording';
import type { ServerDesk, Workplace } from '../servers/desk.ts';

/** A server of a status. */
export interface ServerStatus {
  readonly name: string;
  readonly command: string;
  readonly languages: readonly string[];
  /** Undefined when it is not installed. */
  readonly program: string | undefined;
  readonly root: string;
  /** Whether the folder's files ask for it and it is installed. */
  readonly used: boolean;
  readonly state: 'running' | 'starting' | 'failed' | 'not started';
  readonly reason?: string;
}

/** What there is for a folder. */
export interface LspStatus {
  readonly trusted: boolean;
  readonly servers: readonly ServerStatus[];
}

/** Looks at a folder; starts nothing. */
export async function statusOf(desk: ServerDesk, place: Workplace): Promise<LspStatus> {
  const running = desk.pool.list();
  const survey = await desk.survey(place);
  const servers = survey.map(({ name, data, root, program, unused }): ServerStatus => {
    const own = running.find((one) => one.name === name && (one.root === root || unused !== undefined));
    return {
      name,
      command: data.command,
      languages: [...new Set(Object.values(data.languages))],
      program: program?.path,
      root: own?.root ?? root,
      used: (unused === undefined && program !== undefined) || own !== undefined,
      state: own?.state ?? 'not started',
      ...(own?.reason !== undefined && { reason: own.reason }),
    };
  });
  return { trusted: place.trusted, servers: servers.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The status in words. */
export function statusText({ servers, trusted }: LspStatus, cwd: string): string {
  const used = servers.filter((server) => server.used);
  const installed = servers.filter((server) => !server.used && server.program !== undefined).map(({ name }) => name);
  const missing = servers.filter((server) => server.program === undefined).map(({ name }) => name);
  const rows = used.map(({ name, state, root, program, reason }) =>
    plainLine(
      `  ${name}: ${state} (${program ?? 'not found'}) for ${displayPath(cwd, root)}${reason ? `: ${reason}` : ''}`,
    ),
  );
  return [
    ...(used.length > 0
      ? ['Language servers of this project:', ...rows.map((row) => `  ${row}`)]
      : ['No language server fits the files at the top of this project.']),
    ...(installed.length > 0 ? [`Installed, for other files: ${installed.join(', ')}`] : []),
    ...(missing.length > 0 ? [`Not installed: ${missing.join(', ')}`] : []),
    ...(trusted ? [] : ['The folder is not trusted: programs of the project (node_modules/.bin, .venv) are not used.']),
  ].join('\n');
}
