/** `tenon plugin discover|installed|outdated|verify|hash`. */
import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { usablePlugins } from '../bundles.ts';
import { idText, parseId } from '../catalogue/names.ts';
import { sourceText } from '../catalogue/sources.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { pluginStatement } from '../review/signatures.ts';
import type { ScopeFiles } from '../scopes.ts';
import type { Locked } from '../store/lock-files.ts';
import { type Pin, pinText, versionTexts } from '../store/pins.ts';
import { folderEntries } from '../tree/read-folder.ts';
import { writeTree } from '../tree/write-tree.ts';
import { newestOf, refresh } from './install.ts';
import { argument, argumentList, isSet, originOptions, type Run, scopesOf } from './parts.ts';

/** `tenon plugin discover`. */
export const discover: Run = async (engine, call) => {
  const query = (argument(call, 'query') ?? '').toLowerCase();
  const only = call.flags['marketplace'];
  const markets =
    typeof only === 'string'
      ? [await engine.marketplaces.get(only, call.cwd)]
      : await engine.marketplaces.list(call.cwd);
  const { plugins: installed } = await usablePlugins(engine, call.cwd, { signal: call.signal });
  const versions = new Map(installed.map(({ id, locked }) => [id, locked.version]));
  const rows = [];
  const problems: { readonly marketplace: string; readonly problem: string }[] = [];
  for (const market of markets) {
    try {
      const catalogue = await engine.marketplaces.catalogue(market, call.signal);
      problems.push(...catalogue.problems.map((problem) => ({ marketplace: market.name, problem })));
      for (const { components: _components, strict: _strict, source, ...entry } of catalogue.plugins) {
        const id = idText({ name: entry.name, marketplace: market.name });
        const words = [id, entry.description, entry.category, ...entry.tags].join(' ').toLowerCase();
        if (!words.includes(query)) continue;
        const installedVersion = versions.get(id);
        rows.push({
          id,
          marketplace: market.name,
          ...entry,
          source: sourceText(source),
          ...(installedVersion !== undefined && { installed: installedVersion }),
        });
      }
    } catch (fault) {
      call.signal.throwIfAborted();
      problems.push({ marketplace: market.name, problem: messageOf(fault) });
    }
  }
  if (isSet(call, 'json')) return call.io.json({ plugins: rows, problems });
  for (const { id, version, category, description, installed: has } of rows) {
    const facts = [version, category, has === undefined ? undefined : `installed ${has}`].filter(
      (line) => line !== undefined,
    );
    await call.io.out(`${id}${facts.length > 0 ? `  ${plainLine(facts.join(', '))}` : ''}\n`);
    if (description !== undefined) await call.io.out(`  ${plainLine(description).slice(0, 300)}\n`);
  }
  for (const { marketplace, problem } of problems) await call.io.err(`${marketplace}: ${plainLine(problem)}\n`);
  if (markets.length === 0)
    await call.io.err('No marketplace was added yet. Add one with `tenon marketplace add SOURCE`.\n');
  else if (rows.length === 0)
    await call.io.err('No plugin fits. `tenon marketplace update` fetches newer catalogues.\n');
};

/** `tenon plugin installed`. */
export const installed: Run = async (engine, call) => {
  const { plugins, problems } = await usablePlugins(engine, call.cwd, { signal: call.signal });
  const scope = call.flags['scope'];
  const chosen = plugins.filter((plugin) => scope === undefined || plugin.scope === scope);
  if (isSet(call, 'json')) {
    const rows = chosen.map(({ id, scope: where, locked, folder, disabled, definition }) => ({
      id,
      scope: where,
      version: locked.version,
      format: definition?.format,
      pack: locked.pack,
      content: locked.content,
      pin: locked.pin,
      installedAt: locked.installedAt,
      previous: locked.previous?.version,
      folder,
      disabled,
    }));
    return call.io.json({ plugins: rows, problems: problems.map((problem) => problem.toJSON()) });
  }
  for (const { id, scope: where, locked, disabled } of chosen) {
    const what = locked.pack === undefined ? '' : `, pack ${locked.pack}`;
    await call.io.out(`${id} ${locked.version}  ${where}${what}\n  ${plainLine(pinText(locked.pin))}\n`);
    if (disabled !== undefined) await call.io.out(`  DISABLED: ${plainLine(disabled)}\n`);
  }
  for (const { message, next } of problems) await call.io.err(`${plainLine(message)}\n  ${plainLine(next)}\n`);
  if (chosen.length === 0 && problems.length === 0)
    await call.io.err('Nothing is installed. See `tenon plugin discover`.\n');
};

interface OutdatedRow {
  readonly id: string;
  readonly scope: string;
  readonly version: string;
  readonly outdated: boolean;
  /** The version that an upgrade would bring; the installed one where there is none. */
  readonly newest?: string;
  readonly problem?: string;
}

/** `tenon plugin outdated`; the exit code is 1 when something is. */
export const outdated: Run = async (engine, call) => {
  const rows: (OutdatedRow & { readonly shown?: string })[] = [];
  const refreshed = new Set<string>();
  for (const files of scopesOf(engine, call)) {
    for (const [id, locked] of Object.entries((await files.readLock()).plugins)) {
      const base = { id, scope: files.scope, version: locked.version };
      try {
        await refresh(engine, call, id, refreshed);
        rows.push({ ...base, ...(await newsOf(engine, call, id, files, locked)) });
      } catch (fault) {
        call.signal.throwIfAborted();
        rows.push({ ...base, outdated: false, problem: messageOf(fault) });
      }
    }
  }
  const isSomething = rows.some((row) => row.outdated);
  if (isSet(call, 'json')) await call.io.json(rows.map(({ shown: _shown, ...row }): OutdatedRow => row));
  else {
    for (const { id, scope, version, shown, problem, outdated: isOld } of rows) {
      if (isOld) await call.io.out(`${id} ${plainLine(shown ?? `${version} -> a newer state`)}  ${scope}\n`);
      if (problem !== undefined) await call.io.err(`${id}: ${plainLine(problem)}\n`);
    }
    await call.io.err(isSomething ? '`tenon plugin upgrade` shows what is new and asks.\n' : 'Nothing is outdated.\n');
  }
  return isSomething ? EXIT.failure : EXIT.ok;
};

type News = Pick<OutdatedRow, 'outdated' | 'newest' | 'problem'> & { readonly shown?: string };

/** What an upgrade of a plugin would bring. */
async function newsOf(engine: Engine, call: CommandCall, id: string, files: ScopeFiles, locked: Locked): Promise<News> {
  const { market, entry } = await newestOf(engine, call, id, locked);
  const newest = await engine.origin.newest(id, entry, market.record, originOptions(call));
  const none: News = { outdated: false, newest: locked.version };
  if (newest && isState(locked.pin, newest.state)) return none;
  if (newest?.version !== undefined && newest.version !== locked.version)
    return { outdated: true, newest: newest.version, shown: `${locked.version} -> ${newest.version}` };
  // A registry tells the number of a version; elsewhere it stands in the plugin itself.
  try {
    const prepared = await engine.installer.prepare(id, entry, market, files, originOptions(call));
    await engine.installer.discard(prepared);
    const { content, pin, definition } = prepared;
    if (content === locked.content) return none;
    const shown = versionTexts(locked, { version: definition.version, pin, content }).join(' -> ');
    return { outdated: true, newest: definition.version, shown };
  } catch (fault) {
    call.signal.throwIfAborted();
    // There is something newer, though it could not be installed as it is.
    if (newest) return { outdated: true, problem: messageOf(fault) };
    throw fault;
  }
}

function isState(pin: Pin, state: string): boolean {
  if (pin.kind === 'git') return pin.folder === state || pin.commit === state;
  return pin.kind === 'npm' && pin.version === state;
}

/** `tenon plugin verify`: reads every file; the exit code is 1 when one is not what was installed. */
export const verify: Run = async (engine, call) => {
  const wanted = argumentList(call, 'plugins');
  const { plugins, problems } = await usablePlugins(engine, call.cwd, { full: true, signal: call.signal });
  const chosen = plugins.filter(
    ({ id }) => wanted.length === 0 || wanted.some((text) => id === text || parseId(id).name === text),
  );
  const missing = wanted.find((text) => !chosen.some(({ id }) => id === text || parseId(id).name === text));
  if (missing !== undefined) throw errors.create('MARKETPLACE_NOT_INSTALLED', { plugin: missing, where: '', hint: '' });
  const results = chosen.map(({ id, scope, locked, problem }) => ({
    id,
    scope,
    version: locked.version,
    content: locked.content,
    ok: problem === undefined,
    ...(problem && { problem: problem.message, next: problem.next }),
  }));
  if (isSet(call, 'json'))
    await call.io.json({ plugins: results, problems: problems.map((problem) => problem.toJSON()) });
  else {
    for (const { id, version, ok, problem, next } of results)
      await call.io.out(ok ? `✓ ${id} ${version}\n` : `✗ ${plainLine(problem ?? '')}\n  ${next ?? ''}\n`);
    for (const { message, next } of problems) await call.io.out(`✗ ${plainLine(message)}\n  ${plainLine(next)}\n`);
    if (results.length === 0 && problems.length === 0) await call.io.err('Nothing is installed.\n');
  }
  return problems.length > 0 || results.some(({ ok }) => !ok) ? EXIT.failure : EXIT.ok;
};

/** `tenon plugin hash`: what authors sign. */
export const hash: Run = async (engine, call) => {
  const path = resolve(call.cwd, argument(call, 'dir') ?? '.');
  const { maxMegabytes, maxFiles } = engine.config;
  const limits = { maxBytes: maxMegabytes * 1024 * 1024, maxFiles };
  const copy = await mkdtemp(join(tmpdir(), 'tenon-hash-'));
  try {
    const files = await writeTree(folderEntries(realFolder(path), path), copy, {
      what: path,
      limits,
      signal: call.signal,
    });
    const statement = pluginStatement(files);
    if (isSet(call, 'json')) return await call.io.json({ hash: statement.trim(), files });
    await call.io.out(statement);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
};

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (fault) {
    if (fault instanceof TenonError) throw fault;
    throw errors.create('MARKETPLACE_UNREADABLE', { file: path, reason: messageOf(fault) }, fault);
  }
}
