/** Where the built program works in these tests: a home, a git repository, a web server and a scripted model, all on this machine. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { ended, type Finished, Home } from './program.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{\n  "name": "shop",\n  "scripts": { "check": "echo all good" }\n}\n',
  'README.md': '# Shop\n\nTODO: say what this is.\n',
  'src/cart.ts': [
    "import { priceOf } from './prices.ts';",
    '',
    '/** What a cart costs. */',
    'export function total(items: readonly string[]): number {',
    '  let sum = 0;',
    '  for (const item of items) sum = add(sum, priceOf(item));',
    '  return sum;',
    '}',
    '',
    'export const add = (a: number, b: number) => a + b;',
    '',
  ].join('\n'),
  'src/prices.ts': [
    '// TODO: read these from a file',
    'const PRICES: Record<string, number> = { apple: 2, pear: 3 };',
    '',
    'export function priceOf(item: string): number {',
    "  if (!(item in PRICES)) console.log('no price for', item);",
    '  return PRICES[item] ?? 0;',
    '}',
    '',
  ].join('\n'),
};

const PAGE = `<!doctype html><html><head><title>Rounding</title></head><body><nav>Menu</nav>
  <article><h1>Rounding money</h1><p>Money is counted in <b>cents</b>, and rounded once, at the end of a calculation.</p>
  <p>Whoever rounds each part loses a cent here and there, and nobody finds out where it went.</p></article></body></html>`;

/** All that one test works with. */
export interface Workshop {
  readonly home: Home;
  readonly model: FakeModels;
  /** The address of the web server. */
  readonly web: string;
  /** Runs the program; the model and the web are reached while it runs. */
  tenon(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  git(...words: string[]): string;
  close(): Promise<void>;
}

/** The machine does not change between tests: the first one asks. */
let sandboxProfile: string | undefined;

/** Opens a workshop. */
export async function openWorkshop(): Promise<Workshop> {
  const home = new Home();
  rmSync(`${home.work}/.git`, { recursive: true });
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: home.work, env: home.environment(), encoding: 'utf8' });
  for (const [name, text] of Object.entries(FILES)) home.put(`work/${name}`, text);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=Shop');

  const model = await startFakeModels();
  const server = serveWeb();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  home.put('home/config/models.yml', JSON.stringify(modelsFile(model.baseUrl('openai-completions'))));
  const surroundings = { SEARXNG_ENDPOINT: `http://${host}`, TENON_SET: 'providers.probeLocal=false' };
  const tenon: Workshop['tenon'] = (words, env = {}) => {
    const child = home.start(words, { env: home.environment({ ...surroundings, ...env }) });
    child.stdin?.end();
    return ended(child);
  };
  // What a person does once who wants the agent to read a server of their own.
  const settings = {
    'web-tools': { allowHosts: [host] },
    browser: { allowHosts: [host] },
    github: { hosts: { [host]: { api: `http://${host}/api/v3` } } },
    ssh: { hosts: { web: { host: '127.0.0.1' } } },
  };
  // Without a sandbox cells of code ask, and nobody could answer here.
  sandboxProfile ??= JSON.parse((await tenon(['sandbox', 'status', '--json'])).out).profile as string;
  const approval = sandboxProfile === 'full' ? { approval: { mode: 'yolo' } } : {};
  home.put('home/config/settings.yml', JSON.stringify({ ...settings, ...approval }));
  return {
    home,
    model,
    web: `http://${host}`,
    git,
    tenon,
    async close() {
      await model.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      home.remove();
    },
  };
}

function modelsFile(baseUrl: string): unknown {
  const model = { id: 'm', name: 'M', contextWindow: 200_000, maxTokens: 8_000, input: ['text'], reasoning: false };
  return { providers: { fake: { baseUrl, apiKey: 'none-needed', api: 'openai-completions', models: [model] } } };
}

/** One page, and an engine that speaks SearXNG's format. */
function serveWeb(): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/search') {
      const results = [
        { title: 'Rounding money', url: 'https://example.com/rounding', content: `About ${searchParams.get('q')}.` },
      ];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results, answers: [] }));
    } else if (pathname === '/api/v3/repos/acme/tool/issues/5') {
      const issue = {
        number: 5,
        title: 'Round once',
        state: 'open',
        user: { login: 'ada' },
        body: 'Please.',
        comments: 0,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(issue));
    } else if (pathname === '/rounding') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
  });
}
