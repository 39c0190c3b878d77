/** A kernel with the browser, and real pages on the loopback interface. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { findInPath } from '@tenon/host';
import { inlineCandidate } from '@tenon/kernel/testing';
import { later } from '@tenon/test-kit/temporary';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

/** Whether the tests can run; they say why when not. */
export const chromium = findInPath('chromium', process.env) ?? findInPath('google-chrome', process.env);

/** Stands in for the agent, whose hooks end browsers. */
export const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown, sessionSwitch], activate() {} },
  { defines: { hooks: [sessionShutdown.id, sessionSwitch.id] } },
);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A page by its path: HTML, or a function that answers. */
export type Site = Record<string, string | Answer>;

/** Serves pages; everything else is 404. Requests are kept. */
export async function serve(
  site: Site,
): Promise<{ origin: string; host: string; port: number; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const page = site[new URL(request.url ?? '/', 'http://x').pathname];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page ?? 'not here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, host: `localhost:${port}`, port, requests };
}

/** Opens a workbench with the browser. */
export async function openBrowserBench(
  settings: Record<string, unknown> = {},
  { sandbox = 'full', files = {} }: { sandbox?: string; files?: Record<string, string> } = {},
): Promise<Workbench> {
  const bench = await openWorkbench(['browser', 'sandbox', 'documents', 'web-tools'], {
    settings: { browser: settings, sandbox: { profile: sandbox } },
    files,
    ownFolder: 'own',
  });
  bench.kernel.install(agentHooks);
  return bench;
}

/** The processes whose command line or program has a text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false; // It ended just now.
      }
    })
    .map(Number);
}
