import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { authStore } from '@tenon/models/api';
import { type Accounts, accounts } from './api.ts';

/** Accounts of the coding CLIs. */
export default definePlugin({
  id: 'accounts',
  needs: { folders },
  defines: [accounts],
  activate(ctx) {
    const { data, state, home } = ctx.needs.folders;
    let made: Promise<Accounts> | undefined;
    const load = () =>
      (made ??= import('./accounts.ts').then(({ createAccounts }) =>
        createAccounts({ data, state, home, auth: () => ctx.find(authStore) }),
      ));
    const commands = () => import('./commands.ts');
    ctx.provide(accounts, {
      list: async (...args) => (await load()).list(...args),
      add: async (...args) => (await load()).add(...args),
      remove: async (...args) => (await load()).remove(...args),
      enable: async (...args) => (await load()).enable(...args),
      next: async (...args) => (await load()).next(...args),
      inject: async (...args) => (await load()).inject(...args),
      secrets: async (...args) => (await load()).secrets(...args),
      markExhausted: async (...args) => (await load()).markExhausted(...args),
      record: async (...args) => (await load()).record(...args),
    });
    ctx.contribute(cliCommands, 'account add', {
      run: async (call) => (await commands()).addAccount(await load(), call),
    });
    ctx.contribute(cliCommands, 'account list', {
      run: async (call) => (await commands()).listAccounts(await load(), call),
    });
    ctx.contribute(cliCommands, 'account remove', {
      run: async (call) => (await commands()).removeAccount(await load(), call),
    });
    ctx.contribute(cliCommands, 'account enable', {
      run: async (call) => (await commands()).enableAccount(await load(), call, true),
    });
    ctx.contribute(cliCommands, 'account disable', {
      run: async (call) => (await commands()).enableAccount(await load(), call, false),
    });
  },
});
