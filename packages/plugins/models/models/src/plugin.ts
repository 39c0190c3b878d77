import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { folders } from '@tenon/host';
import { definePlugin, settingsEngine, Type } from '@tenon/kernel';
import { authStore, endpoints, modelRegistry, models, modelSources, providers } from './api.ts';
import { LayeredAuthStore } from './auth/auth-store.ts';
import { keychain, keyFile } from './auth/master-key.ts';
import { CredentialVault } from './auth/vault.ts';
import { errors } from './errors.ts';
import { type CatalogueModel, ModelBook } from './model-book.ts';
import { BookRegistry } from './registry.ts';
import type { ModelsSettings } from './generated/settings.ts';

async function catalogue(): Promise<Readonly<Record<string, readonly CatalogueModel[]>>> {
  const { default: content } = await import('./generated/catalogue.json', { with: { type: 'json' } });
  return content.models as unknown as Record<string, CatalogueModel[]>;
}

/** Provides the model registry and the credential store. */
export default definePlugin({
  id: 'models',
  config: Type.Unsafe<ModelsSettings>({}),
  needs: { folders },
  defines: [providers, models, endpoints, modelSources, modelRegistry, authStore],
  activate(ctx) {
    const { config: configFolder, data, cwd, home } = ctx.needs.folders;
    const modelsFile = join(configFolder, 'models.yml');
    const { credentialStore } = ctx.config;
    const keyPath = join(configFolder, 'credentials.key');
    const sources = [
      ...(credentialStore === 'file' ? [] : [keychain()]),
      ...(credentialStore === 'keychain' ? [] : [keyFile(keyPath)]),
    ];
    const auth = new LayeredAuthStore({
      vault: new CredentialVault(join(data, 'credentials.json'), sources, (reason) =>
        ctx.report(errors.create('MODELS_KEY_IN_FILE', { file: keyPath, reason }), 'warning'),
      ),
      env: process.env,
      modelsFile,
      endpoints: () => book.endpoints(),
      report: (error) => ctx.report(error, 'warning'),
    });
    const book: ModelBook = new ModelBook({
      models: ctx.read(models),
      endpoints: ctx.read(endpoints),
      protocols: ctx.read(providers),
      modelsFile,
      context: { cwd, home, trusted: false },
      env: process.env,
      catalogue,
      hasKey: (provider) => auth.hasKey(provider),
      report: (error) => ctx.report(error, 'warning'),
    });
    const registry = new BookRegistry({ book, auth, providers: ctx.read(providers), config: ctx.config, modelsFile });
    ctx.provide(authStore, auth);
    ctx.provide(modelRegistry, registry);

    const parts = { registry, auth, book, modelsFile };
    const probingOff = async () => {
      const list = await (await ctx.findOptional(settingsEngine))?.list();
      const setting = list?.find(({ key }) => key === 'providers.probeLocal');
      return setting?.value === false ? setting.where : undefined;
    };
    const commands = () => import('./commands.ts');
    ctx.contribute(cliCommands, 'models list', { run: async (call) => (await commands()).listModels(parts, call) });
    ctx.contribute(cliCommands, 'auth list', { run: async (call) => (await commands()).listCredentials(parts, call) });
    ctx.contribute(cliCommands, 'auth login', { run: async (call) => (await commands()).logIn(parts, call) });
    ctx.contribute(cliCommands, 'auth logout', { run: async (call) => (await commands()).logOut(parts, call) });
    ctx.contribute(doctorChecks, 'models', {
      run: async () => (await import('./doctor-check.ts')).modelFindings({ ...parts, probingOff }),
    });
  },
});
