/** What git's tables cannot say: configuration that runs programs, and refs that are overwritten. */
import { isInside } from '../places.ts';
import { findingOf, judgeBase } from '../rule-findings.ts';
import type { ProgramCall } from '../bench.ts';
import { findFlags } from '../options.ts';
import type { Outcome, Special } from './special.ts';

/** Keys of git's configuration whose value is a command or decides which code runs. */
const RUNNING_KEYS =
  /^(core\.(pager|editor|sshcommand|hookspath|fsmonitor|gitproxy|askpass|alternaterefscommand|attributesfile|worktree)|sequence\.editor|pager\..+|alias\..+|diff\.(external|.+\.(command|textconv))|difftool\..+|mergetool\..+|merge\..+\.driver|filter\..+\.(clean|smudge|process)|credential\.(helper|.+\.helper)|gpg\.(program|.+\.program)|(upload|receive)pack\..+|remote\..+\.(uploadpack|receivepack|proxy|url|pushurl|vcs)|url\..+\.(insteadof|pushinsteadof)|include(if)?\..*path|init\.templatedir|protocol\..+|submodule\..+\.update|browser\..+|man\..+|web\.browser|sendemail\..+|interactive\.difffilter|ssh\.variant|safe\.(directory|barerepository)|http\..+|trailer\..+\.(command|cmd)|uploadarchive\..+|instaweb\..+|guitool\..+|trace2\..+|core\.bare|extensions\..+|fsck\..+|gc\..+expire.*|user\.signingkey)$/i;

/** `git -c key=value`, `git -C folder`, `--git-dir`. */
export const git: Special = async (call, { flags }): Promise<Outcome> => {
  const { judge, state, argv } = call;
  for (const { value } of findFlags(flags, '-c')) {
    const [key = '', ...rest] = (value?.value ?? value?.prefix ?? '').split('=');
    await configured(call, key, value?.value === undefined ? undefined : rest.join('='));
  }
  for (const { value } of findFlags(flags, '--git-dir --work-tree')) {
    if (!value) continue;
    const inside =
      value.pattern !== undefined &&
      state.resolve(value.pattern).every((path) => path !== undefined && isInside(path, judge.world.workspace));
    if (!inside) judge.add({ tier: 2, reason: 'makes git work on another repository', argv, unclear: true });
  }
  return undefined;
};

async function configured(call: ProgramCall, key: string, value: string | undefined): Promise<void> {
  const { judge, state, argv } = call;
  if (!RUNNING_KEYS.test(key)) return;
  const isCommand =
    /pager|editor|sshcommand|alias\.|external|command|textconv|driver|clean|smudge|process|helper|program|gitproxy|askpass|fsmonitor|difffilter|cmd$/i.test(
      key,
    );
  if (value === undefined) judge.add({ tier: 2, reason: `${key} decides what git runs`, argv });
  else if (isCommand && value !== '') {
    const start = judge.findings.length;
    const text = /^alias\./i.test(key) && !value.startsWith('!') ? `git ${value}` : value.replace(/^!/, '');
    if (!/^(true|false|0|1)$/.test(text)) await judge.script(text, state.fork());
    // A pager such as `cat` is as harmless as it looks.
    for (const finding of judge.findings.slice(start))
      if (finding.tier > 0) judge.add({ ...finding, tier: finding.tier > 2 ? 3 : 2 });
  } else if (!isCommand) judge.add({ tier: 2, reason: `${key} decides what git runs`, argv });
}

/** `git config`. */
export const gitConfig: Special = async (call, { flags, operands }, rule): Promise<Outcome> => {
  const { judge, argv } = call;
  const words = operands.map(({ value }) => value);
  const verb = /^(list|get|set|unset|rename-section|remove-section|edit|get-color|get-colorbool)$/.test(words[0] ?? '')
    ? words.shift()
    : undefined;
  const reads =
    findFlags(flags, '--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool').length > 0 ||
    verb === 'list' ||
    verb?.startsWith('get') === true ||
    (verb === undefined &&
      words.length === 1 &&
      findFlags(flags, '--unset --unset-all -e --edit --remove-section').length === 0);
  if (
    reads ||
    (verb === undefined &&
      words.length === 0 &&
      flags.every(({ name }) => /^--(show|local|global|system|name)/.test(name)))
  ) {
    judgeBase(call, { ...rule, tier: 0 });
    return 'judged';
  }
  judgeBase(call, rule);
  const [outside] = findFlags(flags, '--global --system -f --file -e --edit');
  if (outside || verb === 'edit')
    judge.add(findingOf(call, { tier: 2, why: 'changes the configuration of the user or the machine' }, outside?.name));
  const [key, value] = words;
  if (key === undefined) judge.add({ tier: 2, reason: 'changes configuration that is only known when it runs', argv });
  else if (RUNNING_KEYS.test(key)) judge.add({ tier: 2, reason: `${key} decides what git runs`, argv });
  if (key !== undefined) await configured(call, key, value);
  return 'judged';
};

/** `git push`: what overwrites or deletes refs of others. */
export const gitPush: Special = (call, { flags, operands }) => {
  const { judge } = call;
  const [force] = findFlags(flags, '-f --force --force-with-lease --force-if-includes --mirror');
  if (force) judge.add(findingOf(call, { tier: 3, why: 'overwrites the history that others have' }, force.name));
  const [deletes] = findFlags(flags, '-d --delete --prune');
  if (deletes) judge.add(findingOf(call, { tier: 3, why: 'deletes branches or tags of others' }, deletes.name));
  for (const { prefix } of operands) {
    if (prefix.startsWith('+'))
      judge.add(findingOf(call, { tier: 3, why: 'overwrites the history that others have' }, prefix));
    if (/^:./.test(prefix)) judge.add(findingOf(call, { tier: 3, why: 'deletes branches or tags of others' }, prefix));
  }
  return undefined;
};

/** `git checkout` and `git restore` of files, which lose what was not committed. */
export const gitCheckout: Special = (call, { flags, operands }, rule) => {
  const { judge, args } = call;
  const loses = { tier: 2, why: 'throws away changes that were not committed' } as const;
  if (call.name.endsWith('restore')) {
    const onlyIndex = findFlags(flags, '-S --staged').length > 0 && findFlags(flags, '-W --worktree').length === 0;
    judgeBase(call, onlyIndex ? { ...rule, tier: 1, why: 'changes what is staged' } : rule);
    return 'judged';
  }
  const namesFiles =
    args.some(({ value }) => value === '--') || operands.some(({ value }) => /^\.{1,2}(\/|$)|^:\//.test(value ?? ''));
  if (namesFiles || findFlags(flags, '-f --force --ours --theirs --overwrite-ignore -p --patch').length > 0)
    judge.add(findingOf(call, loses));
  return undefined;
};
