import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grammarFindings } from '../src/doctor-check.ts';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import { type Home, makeHome } from './support.ts';

let home: Home;
let grammars: string;
beforeEach(() => {
  home = makeHome();
  grammars = mkdtempSync(join(tmpdir(), 'tenon-grammars-'));
});
afterEach(() => {
  home.remove();
  rmSync(grammars, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(join(grammars, name), text);
const assess = (command: string) => assessCommand({ command, cwd: home.folders.cwd }, { ...home.world, grammars });
const mistakes = async () =>
  (await grammarFindings(grammars)).filter(({ status }) => status === 'warning').map(({ text }) => text);

describe('a grammar of the user', () => {
  it('makes a program understood, as strictly as every grammar', async () => {
    expect((await assess('frobnicate -v a.txt')).understood).toBe(false);
    write('frobnicate.yml', 'flags: { -v --verbose: , -o: write }\noperands: read\n');
    expect(await assess('frobnicate -v a.txt')).toMatchObject({ understood: true });
    expect(worstTier((await assess('frobnicate -o out.txt a.txt')).findings)).toBe(1);
    expect(worstTier((await assess('frobnicate -o ../out.txt a.txt')).findings)).toBe(2);
    expect((await assess('frobnicate --other a.txt')).understood).toBe(false);
  });

  it('counts from the moment that it is changed', async () => {
    write('frobnicate.yml', 'operands: read\n');
    expect((await assess('frobnicate a.txt')).understood).toBe(true);
    rmSync(join(grammars, 'frobnicate.yml'));
    expect((await assess('frobnicate a.txt')).understood).toBe(false);
  });

  it('does not give a program that Tenon knows another meaning, and the doctor says so', async () => {
    write('mine.yml', 'names: [rm, curl]\noperands: text\n');
    expect(worstTier((await assess('rm -rf ~')).findings)).toBe(3);
    expect(await mistakes()).toEqual([
      'mine.yml: Tenon has a grammar of rm, and keeps it',
      'mine.yml: Tenon has a grammar of curl, and keeps it',
    ]);
  });

  it.each([
    ['operands: raed', /"raed" is not a role/],
    ['flags: [', /mine\.yml/],
    ['tier: 7', /tier from 0 to 3/],
    ['words: no-such-reader', /no reader "no-such-reader"/],
    ['operands: code.no-such', /no reader "no-such"/],
    ['operands: read\ncheck: ../../../evil', /no check/],
    ['just a text', /is not a map/],
    ['', /is not a map/],
  ])('with a mistake counts as not there, and the doctor shows it: %s', async (text, shown) => {
    write('mine.yml', text);
    expect((await assess('mine a.txt')).understood).toBe(false);
    expect((await mistakes()).join()).toMatch(shown);
  });

  it('that is a folder is a mistake', async () => {
    mkdirSync(join(grammars, 'mine.yml'));
    expect(await mistakes()).toEqual(['mine.yml: is not a file, or is too large']);
  });
});

describe('the doctor', () => {
  it('names the programs, or says that there are none', async () => {
    expect(await grammarFindings(join(grammars, 'nowhere'))).toMatchObject([{ status: 'ok' }]);
    write('frobnicate.yml', 'operands: read\n');
    expect(await grammarFindings(grammars)).toMatchObject([{ status: 'ok', text: 'frobnicate' }]);
  });
});
