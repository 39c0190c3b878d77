/** `tenon plugin install|upgrade|uninstall|rollback`. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { directTarget, isDirect, type Target, targetOf } from '../catalogue/direct.ts';
import { parseId } from '../catalogue/names.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import type { Prepared } from '../installer.ts';
import { isMore, isOtherCode } from '../review/changes.ts';
import { idleText } from '../review/idle.ts';
import { changesText, reviewText } from '../review/review-text.ts';
import type { ScopeFiles } from '../scopes.ts';
import type { Locked } from '../store/lock-files.ts';
import { pinText, versionTexts } from '../store/pins.ts';
import {
  agree,
  argument,
  argumentList,
  installedPlugin,
  isSet,
  originOptions,
  type Run,
  scopeOf,
  scopesOf,
  show,
} from './parts.ts';

/** What came of one plugin. */
interface Outcome {
  readonly id: string;
  readonly scope: ScopeFiles['scope'];
  readonly state: 'installed' | 'upgraded' | 'restored' | 'current' | 'looked at' | 'failed';
  readonly from?: string;
  readonly before?: Locked;
  readonly version?: string;
  readonly prepared?: Prepared;
  readonly fault?: unknown;
}

/** `tenon plugin install`. */
export const install: Run = async (engine, call) => {
  if (isSet(call, 'restore')) return restore(engine, call);
  const wanted = argumentList(call, 'plugins');
  if (wanted.length === 0)
    throw errors.create('MARKETPLACE_PLUGIN_UNKNOWN', { plugin: '', hint: ' Name one, or use --restore.' });
  return each(call, wanted, (text) => installOne(engine, call, text));
};

async function installOne(engine: Engine, call: CommandCall, text: string): Promise<Outcome> {
  const files = scopeOf(engine, call);
  const { id, market, entry } =
    directTarget(text, engine.config, call.cwd, engine.folders.home) ??
    (await engine.marketplaces.find(text, call.cwd, call.signal));
  const before = (await files.readLock()).plugins[id];
  const { scope } = files;
  if (before && !isSet(call, 'force'))
    throw errors.create('MARKETPLACE_ALREADY_INSTALLED', { plugin: id, version: before.version, scope });
  const prepared = await engine.installer.prepare(id, entry, market, files, originOptions(call));
  return settle(engine, call, files, prepared, 'installed', async () => {
    await show(call, headText(prepared) + reviewText(prepared.review));
    if (before)
      await show(call, `Compared with ${before.version}, which is installed:\n${changesText(prepared.changes)}`);
    if (isSet(call, 'dry-run')) return false;
    await agree(call, {
      question: `Install ${id} for the ${scope}?`,
      done: 'installed',
      isMore: isMore(prepared.changes),
    });
    return true;
  });
}

/** `tenon plugin upgrade`. */
export const upgrade: Run = async (engine, call) => {
  const wanted = argumentList(call, 'plugins');
  const targets = [];
  for (const text of wanted) targets.push(await installedPlugin(engine, call, text));
  if (wanted.length === 0) {
    for (const files of scopesOf(engine, call)) {
      for (const [id, locked] of Object.entries((await files.readLock()).plugins)) targets.push({ id, files, locked });
    }
  }
  if (targets.length === 0 && !isSet(call, 'json')) await call.io.err('Nothing is installed.\n');
  const refreshed = new Set<string>();
  return each(call, targets, async ({ id, files, locked }) => {
    await refresh(engine, call, id, refreshed);
    return upgradeOne(engine, call, id, files, locked);
  });
};

async function upgradeOne(
  engine: Engine,
  call: CommandCall,
  id: string,
  files: ScopeFiles,
  before: Locked,
): Promise<Outcome> {
  const { market, entry } = await newestOf(engine, call, id, before);
  const prepared = await engine.installer.prepare(id, entry, market, files, originOptions(call));
  if (prepared.content === before.content) {
    await engine.installer.discard(prepared);
    return { id, scope: files.scope, state: 'current', version: before.version };
  }
  return settle(engine, call, files, prepared, 'upgraded', async () => {
    const { changes } = prepared;
    await show(call, `${headText(prepared, before)}${changesText(changes)}`);
    if (isSet(call, 'dry-run')) return false;
    // Without anything new that runs there is nothing to agree to: the user asked for the upgrade.
    if (isMore(changes) || isOtherCode(changes)) {
      const question = isMore(changes) ? 'It could do more than before. Upgrade?' : 'Upgrade?';
      await agree(call, { question, done: 'upgraded', isMore: isMore(changes) });
    }
    return true;
  });
}

/** Brings back what lock files list and is not here, or not what it was. What was never agreed to is asked about. */
async function restore(engine: Engine, call: CommandCall): Promise<number> {
  const targets = [];
  for (const files of scopesOf(engine, call)) {
    for (const [id, locked] of Object.entries((await files.readLock()).plugins)) {
      const tampering = await engine.installer.tampering(locked, { full: true, signal: call.signal });
      if (tampering?.length !== 0) targets.push({ id, files, locked, isAccepted: tampering !== undefined });
    }
  }
  if (targets.length === 0 && !isSet(call, 'json')) await call.io.out('Everything is here, and what it was.\n');
  return each(call, targets, async ({ id, files, locked, isAccepted }) => {
    const prepared = await engine.installer.prepareLocked(id, locked, originOptions(call));
    return settle(engine, call, files, prepared, 'restored', async () => {
      if (isAccepted) return true;
      const { scope } = files;
      await show(call, headText(prepared) + reviewText(prepared.review));
      if (isSet(call, 'dry-run')) return false;
      await agree(call, {
        question: `Install ${id}, which the ${scope} uses?`,
        done: 'installed',
        isMore: isMore(prepared.changes),
      });
      return true;
    });
  });
}

/** Commits what was agreed to, and leaves nothing behind of what was not. */
async function settle(
  engine: Engine,
  call: CommandCall,
  files: ScopeFiles,
  prepared: Prepared,
  state: Outcome['state'],
  agreed: () => Promise<boolean>,
): Promise<Outcome> {
  const { id, before, definition } = prepared;
  const outcome = {
    id,
    scope: files.scope,
    version: definition.version,
    prepared,
    ...(before && { from: before.version, before }),
  };
  let isAgreed = false;
  try {
    isAgreed = await agreed();
    call.signal.throwIfAborted();
  } finally {
    if (!isAgreed) await engine.installer.discard(prepared);
  }
  if (!isAgreed) return { ...outcome, state: 'looked at' };
  await engine.installer.commit(prepared, files);
  return { ...outcome, state };
}

/** Does the same with each; one that fails does not stop the others, but is reported and counts. */
async function each<T>(
  call: CommandCall,
  targets: readonly T[],
  work: (target: T) => Promise<Outcome>,
): Promise<number> {
  const outcomes: Outcome[] = [];
  for (const target of targets) {
    try {
      const outcome = await work(target);
      outcomes.push(outcome);
      if (!isSet(call, 'json')) await call.io.out(outcomeText(outcome));
    } catch (fault) {
      call.signal.throwIfAborted();
      if (targets.length === 1) throw fault;
      const id = typeof target === 'string' ? target : (target as { id: string }).id;
      outcomes.push({ id, scope: 'user', state: 'failed', fault });
      if (!isSet(call, 'json')) await call.io.err(faultText(id, fault));
    }
  }
  if (isSet(call, 'json')) await call.io.json(outcomes.map(outcomeData));
  return outcomes.some(({ state }) => state === 'failed') ? EXIT.failure : EXIT.ok;
}

/** `tenon plugin uninstall`. */
export const uninstall: Run = async (engine, call) => {
  const { id, files, locked } = await installedPlugin(engine, call, argument(call, 'plugin') ?? '');
  await engine.installer.uninstall(id, files);
  if (isSet(call, 'json'))
    return call.io.json({ id, scope: files.scope, version: locked.version, state: 'uninstalled' });
  await call.io.out(`Plugin "${id}" ${locked.version} was uninstalled for the ${files.scope}.\n`);
};

/** `tenon plugin rollback`. */
export const rollback: Run = async (engine, call) => {
  const { id, files, locked } = await installedPlugin(engine, call, argument(call, 'plugin') ?? '');
  const back = await engine.installer.rollback(id, files, call.signal);
  if (isSet(call, 'json'))
    return call.io.json({ id, scope: files.scope, from: locked.version, version: back.version, pin: back.pin });
  const [now, was] = versionTexts(back, locked);
  // Of two versions that change places, the one that was installed later is the one to come forward to.
  const isForward = back.installedAt > locked.installedAt;
  await call.io.out(
    isForward
      ? `Plugin "${id}" is at ${now} again (was ${was}). \`tenon plugin rollback ${id}\` goes back once more.\n`
      : `Plugin "${id}" is back at ${now} (was ${was}). \`tenon plugin rollback ${id}\` goes forward again.\n`,
  );
};

/** Where the newest state of an installed plugin is. */
export async function newestOf(engine: Engine, call: CommandCall, id: string, { pin }: Locked): Promise<Target> {
  return isDirect(id) ? targetOf(id, pin) : engine.marketplaces.find(id, call.cwd, call.signal);
}

/** Fetches a marketplace's catalogue anew, once. That it cannot be reached leaves what is known. */
export async function refresh(engine: Engine, call: CommandCall, id: string, done: Set<string>): Promise<void> {
  const { marketplace: name = '' } = parseId(id);
  if (done.has(name) || isDirect(id) || isSet(call, 'offline')) return;
  done.add(name);
  const market = await engine.marketplaces.get(name, call.cwd);
  try {
    await engine.marketplaces.update(market, call.cwd, originOptions(call));
  } catch (fault) {
    call.signal.throwIfAborted();
    const isUnreachable =
      fault instanceof TenonError && ['MARKETPLACE_GIT_FAILED', 'MARKETPLACE_FETCH_FAILED'].includes(fault.code);
    if (!isUnreachable) throw fault;
    await call.io.err(
      `${plainLine(fault.message)}\n  The catalogue of "${name}" from ${market.record.updatedAt.slice(0, 10)} is used.\n`,
    );
  }
}

/** What failed, for people. */
export function faultText(what: string, fault: unknown): string {
  const next = fault instanceof TenonError ? `  ${plainLine(fault.next)}\n` : '';
  return `${what}: ${plainLine(messageOf(fault))}\n${next}`;
}

function headText({ definition, pin, content, signing, notes }: Prepared, before?: Locked): string {
  const shown = before ? versionTexts(before, { version: definition.version, pin, content }) : [definition.version];
  const about = definition.manifest['description'];
  const lines = [
    ...(typeof about === 'string' ? [about.slice(0, 300)] : []),
    `from ${pinText(pin)}`,
    signing.text,
    ...notes,
    ...definition.notRun,
  ];
  return [`${definition.id} ${shown.join(' -> ')}`, ...lines.map((line) => `  ${plainLine(line)}`), ''].join('\n');
}

function outcomeText({ id, scope, state, version = '', before, prepared }: Outcome): string {
  switch (state) {
    case 'current':
      return `${id} ${version} is up to date.\n`;
    case 'looked at':
      return 'Nothing was changed.\n';
    case 'upgraded': {
      const shown = before && prepared ? versionTexts(before, { version, ...prepared }) : [];
      return `Plugin "${id}" was upgraded from ${shown.join(' to ')} for the ${scope}. Back with \`tenon plugin rollback ${id}\`.\n`;
    }
    default: {
      const idle = prepared && idleText(prepared.review);
      const unused = idle === undefined ? '' : ` ${idle}`;
      const pack = prepared?.pack ? ` It is the pack "${prepared.pack.id}" and runs isolated.` : '';
      return `Plugin "${id}" ${version} was ${state} for the ${scope}.${pack}${unused}\n`;
    }
  }
}

function outcomeData({ prepared, fault, before: _before, ...outcome }: Outcome): unknown {
  if (fault !== undefined)
    return { ...outcome, error: fault instanceof TenonError ? fault.toJSON() : { message: messageOf(fault) } };
  if (!prepared) return outcome;
  const { pin, content, signing, notes, review, changes, definition } = prepared;
  return {
    ...outcome,
    pin,
    content,
    signature: signing.text,
    notes: [...notes, ...definition.notRun],
    review,
    changes,
  };
}
