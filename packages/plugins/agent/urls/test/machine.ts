/** A kernel with the URL plugin and real sessions over a temporary folder. */
import { builtIn } from '@tenon/test-kit/plugins';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveAgents } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { createKernel } from '@tenon/kernel';
import { provideServices } from '@tenon/kernel/testing';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { agentOutputs, urlRouter } from '../src/api.ts';

const { signal } = new AbortController();

/** Starts it all. */
export async function openMachine() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-urls-')));
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const live = new Map<string, { session: Session }>();
  const kernel = createKernel();
  kernel.install(
    provideServices([
      [folders, { config: home, data: join(home, 'data'), state: join(home, 'state'), cache: home, home, cwd }],
      [liveAgents, { get: (id: string) => live.get(id), list: () => [...live.values()] }],
    ]),
    await builtIn('settings'),
    await builtIn('sessions'),
    await builtIn('urls'),
  );
  const router = await kernel.find(urlRouter);
  const store = await kernel.find(sessionStore);
  const call = (session = 'by-hand') => ({ signal, scope: { session, cwd } });
  return {
    home,
    cwd,
    kernel,
    router,
    store,
    live,
    call,
    outputs: await kernel.find(agentOutputs),
    read: async (url: string, session?: string) => (await router.read(url, call(session))).content,
    write: (url: string, text: string, session?: string) => router.write(url, text, call(session)),
    async dispose() {
      await kernel.dispose();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
