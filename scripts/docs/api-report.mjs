/**
 * The report of the kernel's public API, made from the declarations that the compiler emits. It is committed, so that
 * a change of what plugins can rely on shows up in review.
 *
 * The compiler prints declarations in one fixed form: a statement starts in the first column, its inner lines are
 * indented. That is all this file needs to know about the language.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

import { runCommand } from '../setup/run-command.mjs';

const PACKAGE = 'packages/kernel';

/** @typedef {{ name: string, text: string }} Declaration */

/** packages/kernel/api-report.md. @param {string} root */
export async function apiReportFiles(root) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-api-'));
  try {
    await emitDeclarations(root, folder);
    const modules = readModules(folder);
    const entries = ['index', 'testing'].filter((name) => modules.has(name));
    const sections = entries.map((entry) => {
      const name = entry === 'index' ? '@tenon/kernel' : `@tenon/kernel/${entry}`;
      const declarations = publicDeclarations(modules, entry);
      const blocks = declarations.map(({ text }) => text).join('\n\n');
      return `## ${name}\n\n${declarations.length} exports.\n\n\`\`\`ts\n${blocks}\n\`\`\`\n`;
    });
    const head = `<!-- Made by \`node scripts/generate-docs.mjs\`. Do not edit. -->
# API of the kernel

All that plugins may use of the kernel, as the compiler sees it. A change here is a change of the contract with every
plugin: it needs an entry in the changelog, and a new major version when it takes something away.
`;
    return [{ path: `${PACKAGE}/api-report.md`, text: `${head}\n${sections.join('\n')}` }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function emitDeclarations(root, folder) {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const options = [
    '--emitDeclarationOnly',
    '--declarationMap',
    'false',
    '--composite',
    'false',
    '--incremental',
    'false',
  ];
  const project = ['-p', join(root, PACKAGE, 'tsconfig.json'), '--outDir', folder, '--tsBuildInfoFile', 'null'];
  const result = await runCommand(tsc, [...project, ...options], { cwd: root });
  if (!existsSync(join(folder, 'index.d.ts'))) throw new Error(`no declarations of the kernel:\n${result.output}`);
}

/** Module name -> its statements. @returns {Map<string, { exported: Declaration[], reexports: Reexport[] }>} */
function readModules(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.d.ts'));
  return new Map(
    files.map((file) => {
      const statements = splitStatements(readFileSync(join(folder, file), 'utf8'));
      const exported = statements.flatMap(declarationOf);
      const reexports = statements.flatMap(reexportOf);
      return [file.slice(0, -'.d.ts'.length).replaceAll('\\', '/'), { exported, reexports }];
    }),
  );
}

/** @param {string} text @returns {string[]} each with the doc comment above it */
export function splitStatements(text) {
  const statements = [];
  let current = [];
  let inComment = false;
  let hasCode = false;
  for (const line of text.split('\n')) {
    const startsStatement = /^(export|declare|interface|type|class|function|const|import|abstract|\/\*\*)/.test(line);
    if (!inComment && startsStatement && hasCode) {
      statements.push(current.join('\n').trimEnd());
      current = [];
      hasCode = false;
    }
    if (line.startsWith('/**')) inComment = true;
    if (!inComment && line.trim() !== '') hasCode = true;
    if (inComment && line.includes('*/')) inComment = false;
    current.push(line);
  }
  if (hasCode) statements.push(current.join('\n').trimEnd());
  return statements;
}

function declarationOf(statement) {
  const code = statement.replace(/^\/\*\*[\s\S]*?\*\/\n/, '');
  const match =
    /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|var) ([A-Za-z_$][\w$]*)/.exec(code);
  return match ? [{ name: match[1], text: statement }] : [];
}

/** @typedef {{ from: string, names: Map<string, string> | '*' }} Reexport exported name -> name there */
function reexportOf(statement) {
  const all = /^export (?:type )?\* from ['"](.+)['"]/m.exec(statement);
  if (all) return [{ from: all[1], names: '*' }];
  const match = /export (?:type )?\{([\s\S]*?)\}(?: from ['"](.+)['"])?;/.exec(statement);
  if (!match?.[2]) return [];
  const names = match[1]
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((part) => part.split(' as ').map((word) => word.trim()))
    .map(([there, here = there]) => [here, there]);
  return [{ from: match[2], names: new Map(names) }];
}

function publicDeclarations(modules, entry) {
  const byName = new Map(collect(modules, entry).map((declaration) => [declaration.name, declaration]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @returns {Declaration[]} */
function collect(modules, name) {
  const module = modules.get(name);
  if (!module) throw new Error(`the kernel's declarations lack the module "${name}"`);
  const inherited = module.reexports.flatMap(({ from, names }) => {
    if (!from.startsWith('.')) {
      const shown = names === '*' ? ['*'] : [...names.keys()];
      return shown.map((here) => ({ name: here, text: `export { ${here} } from '${from}';` }));
    }
    const target = posix.normalize(posix.join(dirname(name), from)).replace(/(\.d)?\.[jt]s$/, '');
    const there = collect(modules, target);
    if (names === '*') return there;
    return [...names].map(([here, original]) => {
      const declaration = there.find(({ name: own }) => own === original);
      if (!declaration) throw new Error(`"${original}" is not declared in ${target}`);
      return { ...declaration, name: here };
    });
  });
  return [...module.exported, ...inherited];
}
