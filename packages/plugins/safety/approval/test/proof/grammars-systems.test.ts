import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLocalAddress } from '../../src/proof/languages/web-address.ts';
import { loudOnes, othersThan, quietOnes, quoted, readCommands, understandingOf } from './understanding.ts';

const { everyday, risky } = readCommands('systems');

describe('the grammars of the network, containers, databases and the machine', () => {
  it('prove what developers do every day', async () => {
    expect(await loudOnes(everyday)).toEqual([]);
  });

  it('never prove what reaches out, changes systems or runs programs', async () => {
    expect(await quietOnes(risky)).toEqual([]);
  });

  it('take no value of a flag for a subcommand', async () => {
    expect(
      await quietOnes(`
      kubectl --as get delete ns prod
      kubectl --as=get delete ns prod
      kubectl -n get delete pod x
      docker --log-level ps rm -f web
      docker --context ps rm -f web
      systemctl --type status poweroff
      tenon --cwd stats approval allow ID
      tenon --cwd=stats approval allow ID
      helm --namespace list uninstall web
    `),
    ).toEqual([]);
    expect(await othersThan(3, 'kubectl --as get delete ns prod\nsystemctl --type status poweroff')).toEqual([]);
  });

  it('understand only reading commands of Tenon itself', async () => {
    expect(
      await othersThan(0, 'tenon doctor\ntenon approval list\ntenon --json config list\ntenon trust status'),
    ).toEqual([]);
    expect(
      await othersThan(
        3,
        `
      tenon approval allow x
      tenon approval clear
      tenon trust add .
      tenon config set approval.mode yolo
      tenon config edit
      tenon plugin trust x --full
      tenon plugin link x
      tenon mcp add x
      tenon extension allow x
      tenon auth login
      tenon --set approval.mode=yolo approval list
      tenon tool run bash
      tenon marketplace add x
      tenon --cwd stats approval allow ID
      tenon --cwd=stats approval allow ID
      tenon $X approval allow ID
      tenon doctor --set approval.mode=yolo
      npx tenon approval allow x
      npm exec tenon approval allow x
      bunx tenon approval allow x
      node tenon.mjs approval allow x
    `,
      ),
    ).toEqual([]);
    expect(await othersThan(2, 'tenon -p hi')).toEqual([]);
  });
});

describe('an address', () => {
  it('is local only in a form that every program reads in the same way', () => {
    for (const address of [
      'http://localhost:3000/health',
      'localhost',
      '127.0.0.1:8080',
      'https://[::1]:1/x?a=b',
      'http://localhost/@scope/x',
    ])
      expect([address, isLocalAddress(address)]).toEqual([address, true]);
  });

  it('is not local when the URL standard finds another host in it', () => {
    const part = fc.constantFrom(
      'localhost',
      '127.0.0.1',
      'evil.com',
      '@',
      ':',
      '/',
      '?',
      '#',
      '\\',
      '.',
      '80',
      'http://',
      '//',
      '[::1]',
      '%40',
      ' ',
      '\t',
      '{',
      '}',
      ',',
      'ftp://',
      '0',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
        const address = parts.join('');
        if (!isLocalAddress(address)) return;
        const { hostname, username, password } = new URL(/^https?:\/\//.test(address) ? address : `http://${address}`);
        expect([address, hostname]).toEqual([
          address,
          expect.stringMatching(/^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])$/),
        ]);
        expect(username + password).toBe('');
      }),
      { numRuns: caseCount(5000) },
    );
  });
});

describe('SQL for sqlite3', () => {
  it('is never proven when it names a function, a command or a file that could do more', async () => {
    const start = fc.constantFrom(
      '',
      'select 1; ',
      'SELECT 1;\n',
      "select 'a'; ",
      '-- x\n',
      '/* */ ',
      "select ''';', ",
      'select "a";',
      ' ',
    );
    const bad = fc.constantFrom(
      '.shell x',
      '.system x',
      '.output x',
      '.once x',
      '.load x',
      '.import x y',
      '.read x',
      '.open x',
      '.cd /',
      '.save x',
      '.backup x',
      '.clone x',
      '.excel',
      '.log x',
      '.archive -x',
      '.parameter init',
      '.restore x',
      "select writefile('x','y')",
      "select readfile('x')",
      "select load_extension('x')",
      "select edit('x')",
      "select fts3_tokenizer('x')",
      "attach 'x' as y",
      "vacuum into 'x'",
      'drop table t',
      'delete from t',
    );
    await fc.assert(
      fc.asyncProperty(start, bad, async (before, text) => {
        const command = `sqlite3 data.db ${quoted(before + text)}`;
        expect([command, await understandingOf(command)]).not.toEqual([command, 0]);
        expect([command, await understandingOf(command)]).not.toEqual([command, 1]);
      }),
      { numRuns: caseCount(300) },
    );
  });
});
