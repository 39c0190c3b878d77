/** Python projects: the tests, with the tool that the project shows signs of. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectKind } from '../project.ts';

const SIGNS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini', 'pytest.ini', 'requirements.txt', 'noxfile.py'];

/** Finds the steps of a Python project. */
export const pythonProject: ProjectKind = ({ root }) => {
  const sign = SIGNS.find((name) => existsSync(join(root, name)));
  if (sign === undefined) return undefined;
  const test = testCommand(root);
  if (!test) return undefined;
  return { isScoped: false, how: `python (${sign})`, steps: [{ title: test.join(' '), argv: test, cwd: root }] };
};

function testCommand(root: string): readonly string[] | undefined {
  const has = (name: string) => existsSync(join(root, name));
  const mentions = (name: string, pattern: RegExp) => has(name) && pattern.test(readFileSync(join(root, name), 'utf8'));
  const usesPytest =
    has('pytest.ini') ||
    has('conftest.py') ||
    has('tests/conftest.py') ||
    mentions('pyproject.toml', /\bpytest\b/) ||
    mentions('setup.cfg', /tool:pytest/) ||
    mentions('requirements-dev.txt', /^pytest\b/m) ||
    mentions('requirements.txt', /^pytest\b/m);
  if (usesPytest) return [...environment(root), '-m', 'pytest', '-q'];
  if (has('tox.ini')) return ['tox'];
  if (has('noxfile.py')) return ['nox'];
  const folder = ['tests', 'test'].find((name) => has(name) && readdirSync(join(root, name)).some(isTestFile));
  if (folder !== undefined) return [...environment(root), '-m', 'unittest', 'discover', '-s', folder, '-t', '.'];
  return readdirSync(root).some(isTestFile) ? [...environment(root), '-m', 'unittest', 'discover'] : undefined;
}

/** The Python that has the project's packages. */
function environment(root: string): readonly string[] {
  if (existsSync(join(root, 'uv.lock'))) return ['uv', 'run', 'python'];
  if (existsSync(join(root, 'poetry.lock'))) return ['poetry', 'run', 'python'];
  for (const name of ['.venv', 'venv'])
    if (existsSync(join(root, name, 'bin/python'))) return [join(root, name, 'bin/python')];
  return ['python3'];
}

function isTestFile(name: string): boolean {
  return /^test.*\.py$/.test(name);
}
