/** A home of its own for a subagent's process: one model, one key, no settings, no sessions, no other account. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_VARIABLE, type Folders } from '@tenon/host';
import type { Model } from '@tenon/models/api';
import { isSecretVariable } from '@tenon/sandbox/api';
import { isAlive, type ProcessMark, thisProcess } from '@tenon/state-files';

/** The variable with the key. */
const KEY = 'TENON_SUBAGENT_KEY';
/** Nobody vouches for the definition, so a yes is for one call; and nothing of this machine is looked for. */
const SETTINGS = { providers: { probeLocal: false }, approval: { lastingAnswers: false } };
/** Says whose home it is. */
const OWNER = 'owner.json';
/** Variables that mean the parent, or that would lead elsewhere. */
const OF_PARENT =
  /^(?:TENON_.*|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME|NODE_OPTIONS|NODE_CHANNEL_FD|NODE_UNIQUE_ID|npm_.*|GIT_.*)$/;

/** A home, and the environment that leads to it. */
export interface OwnHome {
  readonly folder: string;
  readonly sessionFile: string;
  /** Where what the subagent is told about itself is written. */
  readonly promptFile: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Makes it. */
export async function makeHome(
  folders: Pick<Folders, 'cache'>,
  model: Model,
  keys: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<OwnHome> {
  const parent = join(folders.cache, 'subagents-homes');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await sweepHomes(parent);
  const folder = mkdtempSync(join(parent, 'home-'));
  writeFileSync(join(folder, OWNER), JSON.stringify(thisProcess()), { mode: 0o600 });
  await mkdir(join(folder, 'config'), { mode: 0o700 });
  writeFileSync(join(folder, 'config/models.yml'), JSON.stringify(modelsFile(model, keys.length > 0)), { mode: 0o600 });
  writeFileSync(join(folder, 'config/settings.yml'), JSON.stringify(SETTINGS), {
    mode: 0o600,
  });
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !OF_PARENT.test(name) && !isSecretVariable(name, value),
  );
  return {
    folder,
    sessionFile: join(folder, 'session.jsonl'),
    promptFile: join(folder, 'system-prompt.md'),
    env: {
      ...(Object.fromEntries(kept) as Record<string, string>),
      TENON_HOME: folder,
      [AGENT_VARIABLE]: String(process.pid),
      ...(keys.length > 0 && { [KEY]: keys.join(',') }),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Removes the homes of processes that were killed. */
async function sweepHomes(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    let owner: ProcessMark;
    try {
      owner = JSON.parse(readFileSync(join(folder, OWNER), 'utf8')) as ProcessMark;
    } catch {
      continue; // Another process makes or removes it at this moment.
    }
    if (!isAlive(owner)) await rm(folder, { recursive: true, force: true });
  }
}

/** The one model, whole: nothing of the user's own list is needed. */
function modelsFile(
  { provider, isRules: _rules, onlyByName: _byName, needsKey: _key, ...model }: Model,
  hasKey: boolean,
): unknown {
  const { api, baseUrl, headers, quirks, ...rest } = model;
  const endpoint = {
    api,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(headers && { headers }),
    ...(hasKey ? { apiKey: `$${KEY}` } : { keyOptional: true }),
    models: [{ ...rest, ...(quirks && { quirks }) }],
  };
  return { providers: { [provider]: endpoint } };
}
