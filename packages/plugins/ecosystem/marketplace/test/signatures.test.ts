import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKey, signatureProblem } from '../src/review/minisign.ts';
import { makeSigner } from './support/minisign.ts';
import { marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, World } from './support/tenon.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

const FILE = '.claude-plugin/marketplace.json';

describe('minisign', () => {
  it('accepts what the program of that name made', () => {
    const key = parseKey('RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3');
    const signature = [
      'untrusted comment: signature from minisign secret key',
      'RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=',
      'trusted comment: timestamp:1633700835\tfile:test\tprehashed',
      'wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==',
    ];
    const problem = (message: string, lines: readonly string[]) =>
      signatureProblem(Buffer.from(message), lines.join('\n'), key);
    expect(key.id).toBe('E7620F1842B4E81F');
    expect(problem('test', signature)).toBeUndefined();
    expect(problem('Test', signature)).toContain('does not fit');
    expect(problem('test', signature.with(2, 'trusted comment: another'))).toContain('trusted comment was changed');
    expect(problem('test', signature.slice(0, 2))).toContain('not a minisign signature');
    expect(signatureProblem(Buffer.from('test'), signature.join('\n'), parseKey(makeSigner().key))).toContain(
      'was made with the key',
    );
    expect(() => parseKey('nonsense')).toThrow(/not a minisign public key/);
  });
});

describe('a signed catalogue', () => {
  const files = marketplace({ quiet: quietPlugin() });
  const text = files[FILE] ?? '';

  it('keeps its key from the first time on: other keys, bad and missing signatures are refused', async () => {
    const [mine, other] = [makeSigner(), makeSigner()];
    world.put('market', { ...files, [`${FILE}.minisig`]: mine.sign(text), '.claude-plugin/minisign.pub': mine.pub });
    const added = await world.run('marketplace add', { args: { source: world.at('market') } });
    expect(added.out).toMatch(/signed with the key [0-9A-F]{16} \(seen for the first time/);
    expect((await world.run('marketplace update')).out).toContain('(known from before)');

    const update = () => world.run('marketplace update', { args: { name: 'acme' } });
    world.put('market', { [`${FILE}.minisig`]: other.sign(text), '.claude-plugin/minisign.pub': other.pub });
    expect(await codeOf(update())).toBe('MARKETPLACE_SIGNATURE');
    writeFileSync(world.at('market', FILE), `${text} `);
    world.put('market', { [`${FILE}.minisig`]: mine.sign(text) });
    expect(await codeOf(update())).toBe('MARKETPLACE_SIGNATURE');
    rmSync(world.at('market', `${FILE}.minisig`));
    expect(await codeOf(update())).toBe('MARKETPLACE_SIGNATURE');
    // A folder is read anew each time, so this is noticed there too.
    expect(await codeOf(world.run('plugin install', { args: { plugins: ['quiet@acme'] }, flags: { yes: true } }))).toBe(
      'MARKETPLACE_SIGNATURE',
    );
  });

  it('is held to the key that the user gives', async () => {
    const [mine, other] = [makeSigner(), makeSigner()];
    world.put('market', { ...files, [`${FILE}.minisig`]: other.sign(text), '.claude-plugin/minisign.pub': other.pub });
    const add = (key: string) => world.run('marketplace add', { args: { source: world.at('market') }, flags: { key } });
    expect(await codeOf(add(mine.key))).toBe('MARKETPLACE_SIGNATURE');
    expect(await codeOf(add('RWnonsense'))).toBe('MARKETPLACE_KEY_INVALID');
    expect((await add(other.key)).out).toContain('known from before');
  });
});

describe('a signed plugin', () => {
  const hash = async (dir: string) => (await world.run('plugin hash', { args: { dir } })).out;

  it('says who signed it, is refused with a bad signature, and asks again when the signer changes', async () => {
    const [mine, other] = [makeSigner(), makeSigner()];
    const sign = async (signer: typeof mine) => {
      world.put('market/plugins/quiet', { '.claude-plugin/plugin.pub': signer.pub });
      world.put('market/plugins/quiet', {
        '.claude-plugin/plugin.minisig': signer.sign(await hash(world.at('market/plugins/quiet'))),
      });
    };
    const install = () => world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    world.put('market', marketplace({ quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    await sign(mine);
    world.put('market/plugins/quiet', quietPlugin('1.0.0', 'changed after it was signed'));
    expect(await codeOf(install())).toBe('MARKETPLACE_SIGNATURE');
    await sign(mine);
    expect((await install()).out).toContain(`signed with the key ${parseKey(mine.key).id}`);

    world.put('market/plugins/quiet', quietPlugin('1.1.0'));
    await sign(mine);
    expect((await world.run('plugin upgrade')).out).toContain('(known from before)');
    world.put('market/plugins/quiet', quietPlugin('1.2.0'));
    await sign(other);
    expect(await codeOf(world.run('plugin upgrade', { args: { plugins: ['quiet'] }, flags: { yes: true } }))).toBe(
      'MARKETPLACE_CONFIRM',
    );
    const upgraded = await world.run('plugin upgrade', { answer: 'y' });
    expect(upgraded.out).toContain('+ it is signed with another key than before');
    rmSync(world.at('market/plugins/quiet/.claude-plugin/plugin.minisig'));
    rmSync(world.at('market/plugins/quiet/.claude-plugin/plugin.pub'));
    expect((await world.run('plugin upgrade', { answer: 'y' })).out).toContain('+ it is no longer signed');
  });
});
