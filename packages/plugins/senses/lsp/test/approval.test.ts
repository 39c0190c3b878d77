/** What a language server wants to be changed is judged as every other change: by the files that it touches. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench(['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'approval', 'lsp'], {
    ownFolder: '.local',
    settings: { lsp: { waitMs: 20_000 } },
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "allowImportingTsExtensions": true }, "files": ["a.ts", "b.ts", ".vscode/task.ts"] }',
      'package.json': '{ "type": "module" }',
      'a.ts': 'export const mine = 1;\nexport const ours = 2;\n',
      'b.ts': "import { mine } from './a.ts';\n\nexport const more = mine;\n",
      // What an editor runs by itself.
      '.vscode/task.ts': "import { ours } from '../a.ts';\n\nexport const task = ours;\n",
    },
  });
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
});
afterAll(() => bench.dispose());

const file = (name: string) => readFileSync(join(bench.root, name), 'utf8');
const rename = (line: number, symbol: string, name: string) => ({
  action: 'rename',
  file: 'a.ts',
  line,
  symbol,
  new_name: name,
  apply: true,
});

describe('a rename that is applied at once', () => {
  it('changes files of the workspace', async () => {
    expect(await bench.ok('lsp', rename(1, 'mine', 'own'))).toContain('Applied: Rename mine to own');
    expect(file('b.ts')).toContain('more = own');
  });

  it('asks where it touches a protected place, and without a yes changes nothing', async () => {
    const before = file('a.ts');
    const result = await bench.run('lsp', rename(2, 'ours', 'theirs'));
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /was not applied, and nothing was changed[^]*\.vscode\/task\.ts \(a protected place\)/,
    );
    expect([file('a.ts'), file('.vscode/task.ts')]).toEqual([before, expect.stringContaining('import { ours }')]);
  });
});
