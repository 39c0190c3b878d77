import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtureFiles } from './fixture-files.ts';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';
import { KINDS } from '../src/kind-table.ts';
import { uniqueProblems } from '../src/merge.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeFixture(fixtureFiles);
  await mkdir(join(fixture.home, '.agents/skills/linked'), { recursive: true });
  await symlink(
    join(fixture.home, '.claude/skills/claude-skill/SKILL.md'),
    join(fixture.home, '.agents/skills/linked/SKILL.md'),
  );
});
afterAll(() => fixture.dispose());

describe('a home and a project with every format of every source', () => {
  test('give one listing: what counts, what does not and why, what is broken', async () => {
    const cwd = join(fixture.project, 'packages/app');
    const lines: string[] = [];
    const problems = [];
    const short = (text: string) => text.replaceAll(`${fixture.root}/`, '');
    for (const kind of KINDS) {
      const findings = await fixture.discovery.load(kind.slot, cwd);
      lines.push(`# ${kind.slot.id}`);
      for (const { key, family, level, file, bundle, priority, value } of findings.items) {
        const where = `${family} ${level} ${priority}${bundle === undefined ? '' : ` of ${bundle}`}`;
        lines.push(short(`+ ${key} | ${where} | ${file} | ${kind.describe(value as never)}`));
      }
      for (const { key, family, level, file, reason } of findings.ignored)
        lines.push(short(`- ${key} | ${family} ${level} | ${file} | ${reason}`));
      problems.push(...findings.problems);
    }
    lines.push('# problems', ...uniqueProblems(problems).map(({ code, message }) => short(`${code} ${message}`)));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('fixtures/listing.txt');
  });

  test('are all translated into the shapes of kinds.ts', async () => {
    const values: Record<string, Record<string, unknown>> = {};
    for (const { slot } of KINDS) {
      const { items } = await fixture.discovery.load(slot, fixture.project);
      values[slot.id] = Object.fromEntries(items.map(({ key, value }) => [key, value]));
    }
    const text = JSON.stringify(values, undefined, 1).replaceAll(`${fixture.root}/`, '');
    await expect(`${text}\n`).toMatchFileSnapshot('fixtures/values.json');
  });
});
