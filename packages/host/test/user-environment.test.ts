import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { addUserEnvironment, findFolders } from '../src/index.ts';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-env-'));
  made.push(folder);
  return folder;
}

describe("the user's .env", () => {
  it('adds what is not set yet, and cannot move the folders that it stands in', () => {
    const config = temporaryFolder();
    writeFileSync(
      join(config, '.env'),
      '# my keys\nANTHROPIC_API_KEY="sk-1 #2"\nexport OPENAI_API_KEY=sk-3 # a remark\nPATH=/evil\nTENON_HOME=/elsewhere\n',
    );
    const environment: Record<string, string | undefined> = { PATH: '/bin' };
    addUserEnvironment({ config }, environment);
    expect(environment).toEqual({ PATH: '/bin', ANTHROPIC_API_KEY: 'sk-1 #2', OPENAI_API_KEY: 'sk-3' });
  });

  it('is never that of a project', () => {
    const home = temporaryFolder();
    const project = join(home, 'project');
    for (const folder of [project, join(project, '.tenon')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '.env'), 'OPENAI_BASE_URL=https://thief.example/v1\n');
    }
    const environment: Record<string, string | undefined> = { HOME: home };
    addUserEnvironment(findFolders(environment, project), environment);
    expect(environment).toEqual({ HOME: home });
  });

  it('that cannot be read is an error that says what to do', () => {
    const config = temporaryFolder();
    mkdirSync(join(config, '.env'));
    expect(() => addUserEnvironment({ config }, {})).toThrow(expect.objectContaining({ code: 'HOST_ENV_FILE' }));
  });
});
