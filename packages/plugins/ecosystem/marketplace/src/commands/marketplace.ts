/** `tenon marketplace add|remove|update|list`. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { counted, plainLine } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { parseId } from '../catalogue/names.ts';
import { sourceText } from '../catalogue/sources.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import type { Market, MarketNews } from '../marketplaces.ts';
import { scopesFor } from '../scopes.ts';
import { faultText } from './install.ts';
import { argument, isSet, originOptions, type Run, scopeOf } from './parts.ts';

/** `tenon marketplace add`. */
export const addMarketplace: Run = async (engine, call) => {
  const text = (name: string) => {
    const value = call.flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const news = await engine.marketplaces.add(
    argument(call, 'source') ?? '',
    scopeOf(engine, call),
    call.cwd,
    { key: text('key'), as: text('name') },
    originOptions(call),
  );
  if (isSet(call, 'json')) return call.io.json(newsData(news));
  const { name, catalogue, signing } = news;
  await call.io.out(
    `Marketplace "${name}" of ${plainLine(catalogue.owner)} was added: ${counted(catalogue.plugins.length, 'plugin')}, ${signing.text}.\n` +
      `${problemText(news)}See them with \`tenon plugin discover --marketplace ${name}\`.\n`,
  );
};

/** `tenon marketplace update`. */
export const updateMarketplaces: Run = async (engine, call) => {
  const name = argument(call, 'name');
  const markets =
    name === undefined ? await engine.marketplaces.list(call.cwd) : [await engine.marketplaces.get(name, call.cwd)];
  const results: { readonly market: Market; readonly news?: MarketNews; readonly fault?: unknown }[] = [];
  for (const market of markets) {
    try {
      results.push({ market, news: await engine.marketplaces.update(market, call.cwd, originOptions(call)) });
    } catch (fault) {
      call.signal.throwIfAborted();
      if (name !== undefined) throw fault;
      results.push({ market, fault });
    }
  }
  if (isSet(call, 'json')) {
    await call.io.json(
      results.map(({ market, news, fault }) =>
        news ? newsData(news) : { name: market.name, error: faultData(fault) },
      ),
    );
  } else if (results.length === 0)
    await call.io.err('No marketplace was added yet. Add one with `tenon marketplace add SOURCE`.\n');
  for (const { market, news, fault } of isSet(call, 'json') ? [] : results) {
    if (news) {
      const what = news.changed ? 'was updated' : 'has nothing new';
      await call.io.out(
        `${market.name} ${what}: ${counted(news.catalogue.plugins.length, 'plugin')}, ${news.signing.text}\n${problemText(news)}`,
      );
    } else await call.io.err(faultText(market.name, fault));
  }
  return results.some(({ fault }) => fault !== undefined) ? EXIT.failure : EXIT.ok;
};

/** `tenon marketplace list`. */
export const listMarketplaces: Run = async (engine, call) => {
  const rows = [];
  for (const { name, scope, record } of await engine.marketplaces.list(call.cwd)) {
    const known = await engine.marketplaces.catalogue({ name, scope, record }, call.signal).then(
      ({ plugins, problems, owner, description }) => ({ owner, description, plugins: plugins.length, problems }),
      (fault: unknown) => ({ error: messageOf(fault) }),
    );
    const { source, ...facts } = record;
    rows.push({ name, scope, kind: source.kind, source: sourceText(source), ...facts, ...known });
  }
  if (isSet(call, 'json')) return call.io.json(rows);
  if (rows.length === 0)
    return call.io.err('No marketplace was added yet. Add one with `tenon marketplace add SOURCE`.\n');
  for (const row of rows) {
    const what = 'error' in row ? row.error : counted(row.plugins, 'plugin');
    const signed = row.key === undefined ? '' : ', signed';
    await call.io.out(
      `${row.name}  ${row.scope}, ${plainLine(what)}${signed}, updated ${row.updatedAt.slice(0, 10)}\n  ${plainLine(row.source)}\n`,
    );
  }
};

/** `tenon marketplace remove`. */
export const removeMarketplace: Run = async (engine, call) => {
  const market = await engine.marketplaces.get(argument(call, 'name') ?? '', call.cwd);
  const plugins = await pluginsOf(engine, call, market.name);
  if (plugins.length > 0 && !isSet(call, 'force'))
    throw errors.create('MARKETPLACE_IN_USE', { marketplace: market.name, plugins });
  await engine.marketplaces.remove(market, call.cwd);
  if (isSet(call, 'json')) return call.io.json({ name: market.name, scope: market.scope, kept: plugins });
  await call.io.out(`Marketplace "${market.name}" was removed.\n`);
};

async function pluginsOf(engine: Engine, call: CommandCall, marketplace: string): Promise<string[]> {
  const ids = new Set<string>();
  for (const files of scopesFor(engine.folders, call.cwd)) {
    for (const id of Object.keys((await files.readLock()).plugins))
      if (parseId(id).marketplace === marketplace) ids.add(id);
  }
  return [...ids];
}

function problemText({ catalogue }: MarketNews): string {
  return catalogue.problems.map((problem) => `  left out: ${plainLine(problem)}\n`).join('');
}

function newsData({ name, scope, record, catalogue, signing, changed }: MarketNews) {
  const { owner, description, plugins, problems } = catalogue;
  const source = sourceText(record.source);
  return {
    name,
    scope,
    source,
    owner,
    description,
    plugins: plugins.length,
    problems,
    signature: signing.text,
    changed,
  };
}

function faultData(fault: unknown): unknown {
  return fault instanceof TenonError ? fault.toJSON() : { message: messageOf(fault) };
}
