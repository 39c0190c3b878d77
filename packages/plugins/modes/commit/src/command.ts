/** `tenon commit`. */
import type { CommandCall } from '@tenon/command-line/api';
import { type Model, type ModelRegistry, unknownModel } from '@tenon/models/api';
import type { SecretMasks } from '@tenon/secrets/api';
import { counted, plainLine, plainText } from '@tenon/wording';
import type { Answer } from './answer.ts';
import { type AskHost, askForMessage } from './ask-model.ts';
import { type Changelog, findChangelog } from './changelog.ts';
import { errors } from './errors.ts';
import { type Git, gitIn } from './git.ts';
import { makeCommits } from './make-commits.ts';
import { type Proposal, textOf } from './message.ts';
import { messageByRules } from './rules.ts';
import { refuseSecrets } from './secrets.ts';
import { stageTracked } from './stage-tracked.ts';
import { readStaged, type Staged, topFolder, withAllStaged } from './staged.ts';

/** Whose work the command does. */
export interface CommitParts {
  models(): Promise<ModelRegistry>;
  /** Absent when secrets are not looked for. */
  masks(): Promise<SecretMasks | undefined>;
  readonly change: AskHost['change'];
}

/** What is proposed, and by whom. */
interface Proposed extends Answer {
  /** `provider/id`, or nothing when the rules made it. */
  readonly model?: string;
}

/** Proposes messages for what is staged, and commits it. */
export async function commit(parts: CommitParts, call: CommandCall): Promise<void> {
  const { flags, io, cwd, signal } = call;
  const git = gitIn(await topFolder(gitIn(cwd, signal)), signal);
  const all = flags['all'] === true;
  const staged = all ? await withAllStaged(git, (env) => readStaged(git, env)) : await readStaged(git);
  const masks = await parts.masks();
  if (masks) refuseSecrets(staged.files, masks);
  else await io.err('The plugin "secrets" is off, so nobody has looked for secrets in the changes.\n');
  const changelog = await changelogFor(git, staged, flags['no-changelog'] === true);
  const proposed = await propose(parts, call, staged, changelog !== undefined);
  const single: Proposal = { message: proposed.single, files: staged.files.map(({ path }) => path) };
  const isDry = flags['dry-run'] === true;
  if (!isDry || flags['json'] !== true) await show(call, proposed, single, changelog);
  const choice = isDry ? 'nothing' : await choose(call, proposed);
  if (choice === 'no') throw errors.create('COMMIT_DECLINED');
  const proposals = choice === 'split' && proposed.split ? proposed.split : [single];
  // An entry is a change that the user has not staged, so somebody has to agree to it.
  const mayAdd = changelog !== undefined && choice !== 'unasked';
  if (choice !== 'nothing' && all) await stageTracked(git);
  const host = { git, tell: (text: string) => void io.err(plainText(text)), ...(mayAdd && { changelog }) };
  const made = choice === 'nothing' ? [] : await makeCommits(host, staged, proposals);
  if (flags['json'] === true) return io.json(report(proposed, single, made, isDry));
  for (const { hash, title, files } of made)
    await io.out(`${hash.slice(0, 7)} ${plainLine(title)} (${counted(files.length, 'file')})\n`);
}

/** The changelog, unless the user has written an entry or wants none. */
async function changelogFor(git: Git, { files }: Staged, isUnwanted: boolean): Promise<Changelog | undefined> {
  const changelog = isUnwanted ? undefined : await findChangelog(git);
  return changelog && !files.some(({ path }) => path === changelog.path) ? changelog : undefined;
}

async function propose(
  parts: CommitParts,
  call: CommandCall,
  staged: Staged,
  hasChangelog: boolean,
): Promise<Proposed> {
  const { flags, args, io, signal } = call;
  if (flags['offline'] === true) return { single: messageByRules(staged.files) };
  const models = await parts.models();
  const model = await modelFor(models, flags['model']);
  if (model.isRules) {
    if (flags['model'] === undefined)
      await io.err('No model is set up. See `tenon auth login` and `tenon models list`.\n');
    return { single: messageByRules(staged.files) };
  }
  const about = Array.isArray(args['about']) ? args['about'].join(' ') : '';
  const wishes = { about, hasChangelog, maySplit: flags['single'] !== true && staged.files.length > 1 };
  const answer = await askForMessage({ models, model, change: parts.change, signal }, staged, wishes);
  return { ...answer, model: `${model.provider}/${model.id}` };
}

/** The named one, else the small model of the provider whose default model would answer. */
async function modelFor(models: ModelRegistry, name: unknown): Promise<Model> {
  if (typeof name === 'string') {
    const match = await models.find(name);
    if (!match) throw await unknownModel(models, name);
    return match.model;
  }
  const { model } = await models.forRole('default');
  return (await models.forRole('small', { beside: model })).model;
}

async function show(
  { io, flags }: CommandCall,
  { model, split }: Proposed,
  single: Proposal,
  changelog: Changelog | undefined,
): Promise<void> {
  const say = (text: string) => (flags['dry-run'] === true ? io.out(text) : io.err(text));
  const entry = ({ message }: Proposal) =>
    changelog && message.changelog !== undefined ? `${changelog.path}: ${plainLine(message.changelog)}\n` : '';
  const block = (proposal: Proposal) => `${plainText(textOf(proposal.message))}${entry(proposal)}`;
  await say(`${block(single)}\n`);
  for (const [at, proposal] of (split ?? []).entries()) {
    const files = proposal.files.map((file) => `  ${plainLine(file)}\n`).join('');
    await say(`${at === 0 ? 'Or as several commits:\n\n' : ''}${at + 1}. ${block(proposal)}${files}\n`);
  }
  if (model === undefined)
    await io.err('Fixed rules made this from the names and lines that changed; no model has read it.\n');
}

/** `unasked`: nobody could be asked, and the one commit that was ordered is made. */
async function choose({ flags, io }: CommandCall, { split }: Proposed): Promise<'one' | 'split' | 'no' | 'unasked'> {
  if (flags['yes'] === true) return split ? 'split' : 'one';
  if (!io.interactive || !io.ask) {
    if (split) await io.err(`One commit is made. --yes makes the ${split.length} commits that are proposed.\n`);
    return 'unasked';
  }
  const answer = (await io.ask(split ? `Commit? (split/one/no) ` : 'Commit? (yes/no) ')).trim().toLowerCase();
  if (split) return /^s(plit)?$/.test(answer) ? 'split' : /^o(ne)?$/.test(answer) ? 'one' : 'no';
  return /^y(es)?$/.test(answer) ? 'one' : 'no';
}

function report(
  { model, split }: Proposed,
  single: Proposal,
  made: Awaited<ReturnType<typeof makeCommits>>,
  isDry: boolean,
) {
  const shown = ({ message, files }: Proposal) => ({ ...message, text: textOf(message), files });
  return {
    dryRun: isDry,
    by: model === undefined ? 'rules' : 'model',
    ...(model !== undefined && { model }),
    single: shown(single),
    ...(split && { split: split.map(shown) }),
    commits: made,
  };
}
