import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import { reasonsOf, worstTier } from '../src/judge/finding.ts';
import { makeHome } from './support.ts';

const home = makeHome();
afterAll(() => home.remove());
const { cwd } = home.folders;
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const assess = async (command: string) => (await assessCommand({ command, cwd }, home.world)).findings;

describe('scripts of the workspace', () => {
  it('run like any build', async () => {
    write('build.sh', '#!/bin/sh\nset -e\ntmp=$(mktemp -d)\ntar xf a.tar -C "$tmp"\nrm -rf "$tmp" dist\nnpm install\n');
    expect(worstTier(await assess('bash build.sh'))).toBe(1);
    expect(worstTier(await assess('./build.sh'))).toBe(1);
  });

  it('ask when they destroy, and say what', async () => {
    write('clean.sh', '#!/usr/bin/env bash\ngit push --force\n');
    const findings = await assess('bash clean.sh');
    expect(worstTier(findings)).toBe(2);
    expect(reasonsOf(findings).join()).toContain('overwrites the history');
  });

  it('that call themselves or each other end', async () => {
    write('loop.sh', 'bash loop.sh\nbash other.sh\n');
    write('other.sh', '. ./loop.sh\n');
    expect(worstTier(await assess('sh loop.sh'))).toBe(1);
  });

  it('that are no text are judged by their place', async () => {
    writeFileSync(join(cwd, 'program'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
    expect(worstTier(await assess('./program'))).toBe(1);
  });
});
