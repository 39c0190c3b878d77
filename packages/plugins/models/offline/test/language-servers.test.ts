/** Questions that a language server answers, when there is one. */
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, describe, expect, it } from 'vitest';

const FILES = {
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "allowImportingTsExtensions": true } }',
  'package.json': '{ "type": "module" }',
  'src/user.ts': 'export function loadUser(id: string): string {\n  return id;\n}\n',
  'src/app.ts':
    "import { loadUser } from './user.ts';\n\n// loadUser is mentioned here\nexport const user: number = loadUser('1');\n",
};
let open: Workshop | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
async function withServers(files: Readonly<Record<string, string>>): Promise<Workshop> {
  open = await openWorkshop(files, { extra: ['command-line', 'doctor', 'trust', 'lsp'] });
  // Nothing confines servers here, so they run only in a trusted folder.
  await (await open.kernel.find(workspaceTrust)).grant(open.root);
  return open;
}

describe('the rules ask a language server', () => {
  it('for references, and so leave out what only looks like one', async () => {
    const shop = await withServers(FILES);
    const answer = await shop.ask('find references of loadUser');
    expect(shop.calls()).toContain('lsp');
    expect(answer).toContain('The language server finds 3 references');
    expect(answer).toContain('src/app.ts:4:29');
    expect(answer).not.toContain('src/app.ts:3:');
  });

  it('for definitions and for what the type checker says', async () => {
    const shop = await withServers(FILES);
    expect(await shop.ask('where is loadUser defined?')).toContain('src/user.ts:1:17');
    const said = await shop.ask('what does the type checker say about src/app.ts?');
    expect(said).toContain("Type 'string' is not assignable to type 'number'");
    expect(await shop.ask('are there errors in src/user.ts?')).toContain('finds no problem');
  });

  it('and search as before where no server fits', async () => {
    const shop = await withServers({ 'src/a.zzz': 'function alpha() {}\n', 'src/b.zzz': 'alpha()\n' });
    expect(await shop.ask('who calls alpha')).toContain('mentioned on 1 other line');
    const said = await shop.ask('type check src/a.zzz');
    expect(said).toContain('No language server fits src/a.zzz');
  });

  it('and say so where the tool is not there', async () => {
    open = await openWorkshop(FILES);
    expect(await open.ask('find references of loadUser')).toContain('mentioned on');
    expect(await open.ask('what does the type checker say about src/app.ts')).toContain('no language server tool');
  });
});
