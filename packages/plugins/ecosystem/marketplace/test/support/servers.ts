/** Real servers on loopback: git over HTTP, plain files, and a registry that speaks as npm's do. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that runs. */
export interface Running {
  readonly url: string;
  /** What was asked for, method and path. */
  readonly requests: string[];
  stop(): Promise<void>;
}

/** Starts a server on a free port of loopback. */
export async function serve(listener: RequestListener): Promise<Running> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Serves the repositories below a folder with git's own HTTP program. */
export function serveGit(root: string): Promise<Running> {
  return serve((request, response) => void answerGit(root, request, response));
}

function answerGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://loopback.invalid');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      all
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const),
    );
    response.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers);
    response.end(all.subarray(end + 4));
  });
}

/** Serves files by path; what is changed in the map is changed on the server. */
export function serveFiles(files: Map<string, string | Uint8Array>): Promise<Running> {
  return serve((request, response) => {
    const found = files.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' });
    response.end(found);
  });
}

/** One version in the registry. */
export interface Published {
  readonly version: string;
  readonly packed: Uint8Array;
  /** What the registry claims instead of the truth. */
  readonly dist?: Readonly<Record<string, unknown>>;
}

/** A registry; what is changed in the map is changed in the registry. */
export async function serveRegistry(
  packages: Map<string, Published[]>,
  options: { keys?: unknown; token?: string } = {},
): Promise<Running> {
  let base = '';
  const running = await serve((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const send = (status: number, body: string | Uint8Array) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`)
      return send(401, '{}');
    if (path === '/-/npm/v1/keys')
      return options.keys ? send(200, JSON.stringify({ keys: options.keys })) : send(404, '{}');
    const [, name = '', version = ''] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const versions = packages.get(name);
    if (!versions) return send(404, '{}');
    if (version !== '') {
      const found = versions.find((one) => one.version === version);
      return found ? send(200, found.packed) : send(404, '{}');
    }
    const described = versions.map(({ version: one, packed, dist }) => [
      one,
      {
        name,
        version: one,
        dist: {
          tarball: `${base}/${name}/-/${one}.tgz`,
          integrity: `sha512-${createHash('sha512').update(packed).digest('base64')}`,
          ...dist,
        },
      },
    ]);
    send(
      200,
      JSON.stringify({
        name,
        'dist-tags': { latest: versions.at(-1)?.version },
        versions: Object.fromEntries(described),
      }),
    );
  });
  base = running.url;
  return running;
}
