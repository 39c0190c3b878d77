import { cliCommands } from '@tenon/command-line/api';
import { modelRequest, sessionStart } from '@tenon/agent/api';
import { folders, userInterface } from '@tenon/host';
import { doctorChecks } from '@tenon/doctor/api';
import { definePlugin, installedPlugins, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { programFolders, protectedPlaces, protectedPlacesOf, sandboxes } from './api.ts';
import { findMechanism } from './find-mechanism.ts';
import { PrivateFolders } from './private-folders.ts';
import { foldersToShow } from './program-folders.ts';
import { chooseProfile, createSandboxes, INSIDE } from './sandboxes.ts';
import { StartNotice } from './start-notice.ts';
import type { SandboxSettings } from './generated/settings.ts';

/** Starts programs so that they cannot leave a profile. */
export default definePlugin({
  id: 'sandbox',
  config: Type.Unsafe<SandboxSettings>({}),
  defines: [programFolders, protectedPlaces, sandboxes],
  needs: { folders, installed: installedPlugins },
  activate(ctx) {
    const { folders: places, installed } = ctx.needs;
    const settings = ctx.config;
    const privateFolders = new PrivateFolders();
    ctx.defer(() => privateFolders.close());
    const { config, data, state, cache, home } = places;
    const around = {
      home,
      own: [config, data, state, cache],
      places: () => protectedPlacesOf(installed.manifests()),
    };
    const sources = () => {
      const registry = ctx.read(programFolders);
      return Promise.all(registry.list().map(({ key }) => registry.resolve(key)));
    };
    const service = createSandboxes({
      settings,
      surroundings: {
        ...around,
        programFolders: async (cwd) => foldersToShow(await sources(), cwd, around),
      },
      folders: privateFolders,
      log: ctx.log,
      env: process.env,
      accelerator: () => loadAccelerator('sandbox'),
    });
    ctx.provide(sandboxes, service);

    const look = async (cwd: string) => {
      const choice = await findMechanism(await loadAccelerator('sandbox'), settings.mechanism, process.env);
      return { choice, profile: chooseProfile(settings, choice, cwd, home), settings };
    };
    const tell = async (cwd: string) => {
      // Looking takes a moment; who wants no sandbox, or nothing without one, needs no notice.
      if (settings.profile !== 'auto' || settings.required) return;
      // A worker of Tenon: the sandbox around it holds its programs, too.
      if (process.env[INSIDE]) return;
      const { choice, profile } = await look(cwd);
      const text = (await import('./doctor-check.ts')).noticeOf(choice, profile, settings);
      if (text !== undefined) (await ctx.findOptional(userInterface))?.notify(text, 'warning');
    };
    const notice = new StartNotice();
    ctx.on(sessionStart, ({ session, cwd, parent }) => {
      // A subagent's user was told when the session began that it works for.
      if (parent === undefined)
        notice.begin(session, () =>
          tell(cwd).catch((error: unknown) => ctx.log.warn('no notice about the sandbox', { error })),
        );
    });
    ctx.on(modelRequest, (request) => {
      notice.requested();
      return request;
    });
    ctx.defer(() => notice.finish());
    ctx.contribute(cliCommands, 'sandbox status', {
      run: async (call) => (await import('./commands.ts')).showStatus(service, await look(call.cwd), call),
    });
    ctx.contribute(cliCommands, 'sandbox run', {
      run: async (call) => (await import('./commands.ts')).runConfined(service, call),
    });
    ctx.contribute(doctorChecks, 'command-sandbox', {
      run: async () => {
        const { choice, profile } = await look(places.cwd);
        return (await import('./doctor-check.ts')).findingsOf(choice, profile, settings);
      },
    });
  },
});
