/** Databases, containers, remote shells, processes and the web. */
import { isInside } from '../places.ts';
import { findingOf, judgeBase } from '../rule-findings.ts';
import type { Bench } from '../bench.ts';
import { findFlags, readOptions } from '../options.ts';
import { knownWord, type Word } from '../words.ts';
import type { Outcome, Special } from './special.ts';

const LOCAL_ADDRESS =
  /^([a-z]+:\/\/)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|[\w-]+\.localhost)(:\d+)?([/?#]|$)/i;

/** Requests: this machine itself is harmless, and files that are fetched are remembered. */
export const web: Special = (call, { flags, operands }, rule) => {
  const { judge, state, argv, name } = call;
  const targets = operands.map(({ value }) => value ?? '');
  const loads = findFlags(flags, '-K --config -x --proxy');
  const isLocal = targets.length > 0 && targets.every((target) => LOCAL_ADDRESS.test(target)) && loads.length === 0;
  judgeBase(call, isLocal ? { ...rule, tier: 1, why: 'talks to a program on this machine' } : rule);
  for (const { value, name: flag } of findFlags(
    flags,
    '-d --data --data-binary --data-urlencode -F --form -T --upload-file --post-file --body-file',
  )) {
    const [, file] = /(?:^|=)@?(.*)$/s.exec(value?.value ?? '') ?? [];
    if (value?.value === undefined) continue;
    if (file !== undefined && (value.value.includes('@') || /-T|-file/.test(flag)))
      judge.touch('read', knownWord(file), state, argv);
  }
  const outputs = findFlags(flags, name === 'wget' ? '-O --output-document' : '-o --output').flatMap(({ value }) =>
    value?.value === undefined ? [] : [value.value],
  );
  const keepsName = name === 'wget' || flags.some((flag) => flag.name === '-O' || flag.name === '--remote-name');
  const names = keepsName
    ? targets.map(
        (target) =>
          target
            .replace(/[?#].*$/, '')
            .split('/')
            .at(-1) ?? '',
      )
    : [];
  for (const file of [...outputs, ...names]) {
    if (file === '' || file === '-') continue;
    for (const path of state.resolve(file))
      if (path !== undefined) state.written.set(path, { isPartial: true, fromNetwork: true });
  }
  return 'judged';
};

const SQL_DESTROYS =
  /\b(drop|truncate)\b|\bdelete\s+from\s+[^;]*?(;|$)|\balter\s+[^;]*\bdrop\b|\bdetach\b|\bshutdown\b|\bfail?over\b|\bgrant\b|\brevoke\b|xp_cmdshell|into\s+(out|dump)file|\bcopy\b[^;]*\bprogram\b/i;
const SQL_CHANGES =
  /\b(insert|update|delete|replace|create|alter|vacuum|reindex|attach|copy|load|call|exec|execute|do|set|merge|lock|pragma\s+\w+\s*=|begin|commit)\b/i;
const CLIENT_RUNS =
  /(^|\n|;)\s*(\\!|\.shell|\.system|system\s|\\copy\b.*program|\.load|\\o\s*\||\.once\s*\||\.output\s*\|)/i;

/** Database clients: the SQL decides. */
export const sql: Special = async (call, _options, rule): Promise<Outcome> => {
  const { judge, state, argv, args, name, stdin } = call;
  const isFile = /^(sqlite3?|duckdb)$/.test(name);
  const style = isFile
    ? { takes: '-cmd -init -separator -newline -nullvalue -c -s', longFlags: true }
    : { takes: `-c --command -e --execute -f --file -Q -q --query ${rule.takes ?? ''}` };
  const { flags, operands } = readOptions(args, style);
  const statements = [
    ...findFlags(flags, '-c --command -e --execute -cmd -Q -q --query -s').map(({ value }) => value),
    ...(isFile ? operands.slice(1) : []),
  ];
  const files = findFlags(flags, '-f --file -init');
  const texts = statements.map((word) => word?.value);
  if (stdin.kind === 'text') texts.push(stdin.text);
  const isOpen = files.length > 0 || stdin.kind === 'pipe' || stdin.kind === 'file' || texts.includes(undefined);
  judgeBase(call, rule);
  if (isOpen) judge.add({ tier: 2, reason: `\`${name}\` runs SQL that is not seen here`, argv });
  for (const text of texts) if (text !== undefined) judgeSql(text);
  if (isFile && operands[0] && texts.some((text) => SQL_CHANGES.test(text ?? '')))
    judge.touch('write', operands[0], state, argv);
  return 'judged';

  function judgeSql(text: string): void {
    // MySQL runs what stands in `/*! … */`; other comments and texts in quotes do nothing.
    const code = text
      .replace(/\/\*!\d*(.*?)\*\//gs, ' $1 ')
      .replace(/\/\*.*?\*\//gs, ' ')
      .replace(/--[^\n]*|'(?:''|[^'])*'/g, ' ');
    if (CLIENT_RUNS.test(text)) judge.add({ tier: 3, reason: `\`${name}\` runs a command or loads code`, argv });
    if (SQL_DESTROYS.test(code) && !isNarrowDelete(code))
      judge.add({ tier: 3, reason: `\`${name}\` deletes data`, argv });
    else if (SQL_CHANGES.test(code))
      judge.add({
        tier: isFile && !/\b(delete|update)\b/i.test(code) ? 1 : 2,
        reason: `\`${name}\` changes data`,
        argv,
      });
  }
};

function isNarrowDelete(code: string): boolean {
  const rest = code.replace(/\bdelete\s+from\s+[^;]*?\bwhere\b(?!\s+(1\s*=\s*1|true))[^;]*(;|$)/gi, ' ');
  return rest !== code && !SQL_DESTROYS.test(rest);
}

const OPENS_HOST = /^(\/|~|\$HOME|\/etc|\/root|\/home|\/var\/run\/docker\.sock|\/var\/lib|\/usr)(:|$)/;

/** Containers: the host's folders and rights, and the command inside. */
export const containerRun: Special = async (call): Promise<Outcome> => {
  const { judge, args, state } = call;
  const values = args.map(({ value, prefix }) => value ?? prefix);
  const mounts = values.flatMap((value, at) =>
    /^(-v|--volume)$/.test(value)
      ? [values[at + 1] ?? '']
      : /^(-v|--volume=)/.test(value)
        ? [value.replace(/^(--volume=|-v)/, '')]
        : [],
  );
  const opens =
    mounts.some((mount) => OPENS_HOST.test(mount)) ||
    values.some((value) => /^--mount.*(source|src)=\/(,|$)/.test(value));
  if (opens) judge.add(findingOf(call, { tier: 3, why: 'gives a container the files of this machine' }));
  if (values.some((value) => /^--(privileged|pid=host|cap-add=(ALL|SYS_ADMIN)|device)/.test(value))) {
    judge.add(findingOf(call, { tier: 3, why: 'gives a container the rights of this machine' }));
  }
  await judge.suspiciousWords(args.filter(({ prefix }) => !prefix.startsWith('-')).slice(1), state);
  for (const [at, word] of args.entries()) {
    if (/^-l?c$/.test(word.value ?? '') && args[at + 1]?.value !== undefined)
      await inside(judge, args[at + 1] as Word, state);
  }
  return undefined;
};

/** A command on another machine: only what destroys is of interest, the rest is as risky as being there. */
async function inside(judge: Bench, word: Word, state: Parameters<Special>[0]['state']): Promise<void> {
  if (word.value === undefined) return;
  const probe = judge.probe({ ...judge.world, workspace: '/nowhere', temporary: [] });
  await probe.script(word.value, state.fork());
  const worst = probe.findings.find(({ tier }) => tier === 3);
  if (worst) judge.add({ tier: 3, reason: `over there ${worst.reason}` });
}

/** `ssh host command`. */
export const remoteShell: Special = async (call, { flags, operands }): Promise<Outcome> => {
  const { judge, state, argv } = call;
  for (const { value } of findFlags(flags, '-o')) {
    const [, command] = /^(?:Proxy|Local|KnownHosts)Command[= ](.*)$/is.exec(value?.value ?? '') ?? [];
    if (command !== undefined) await judge.script(command, state.fork());
    else if (value?.value === undefined)
      judge.add({ tier: 2, reason: '`ssh -o` sets something that is only known when it runs', argv });
  }
  const { rest } = readOptions(call.args, {
    takes: '-i -l -p -o -F -J -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -B',
    stops: true,
  });
  const words = rest.slice(1);
  if (words.length > 0 && operands.length > 0)
    await inside(judge, knownWord(words.map(({ template }) => template).join(' ')), state);
  return undefined;
};

/** `rsync` between folders or machines. */
export const rsync: Special = (call, { flags, operands }, rule) => {
  const { judge, state, argv } = call;
  const isRemote = operands.some(({ prefix }) => /^(rsync:\/\/|[^/]+:)/.test(prefix));
  judgeBase(call, isRemote ? { ...rule, tier: 2, why: 'copies to or from another machine', trait: 'network' } : rule);
  const target = operands.at(-1);
  const [removes] = findFlags(
    flags,
    '--delete --delete-before --delete-during --delete-after --delete-excluded --del --remove-source-files',
  );
  if (removes && isRemote)
    judge.add(findingOf(call, { tier: 3, why: 'deletes files over there or here' }, removes.name));
  if (!isRemote && target && operands.length > 1) judge.touch(removes ? 'delete-tree' : 'write', target, state, argv);
  for (const word of operands.slice(0, -1)) judge.touch('read', word, state, argv);
  return 'judged';
};

/** `kill`: children of this shell are its own business. */
export const kill: Special = (call, _options, rule) => {
  const { judge, args, argv } = call;
  const words = args.filter(({ prefix, value }, at) => !(at === 0 && prefix.startsWith('-')) || value === '--');
  const [first] = args;
  if (first?.value === '-l' || first?.value === '-0' || first?.value === '-L') {
    judge.add({ tier: 0, reason: '', argv });
    return 'judged';
  }
  const targets = words.filter(({ value }) => value !== '--');
  const isOwn =
    targets.length > 0 &&
    targets.every(
      ({ value, text }) => value?.startsWith('%') === true || /^"?\$!"?$|^"?\$(\{)?\w*(pid|PID)\w*\}?"?$/.test(text),
    );
  judgeBase(call, isOwn ? { ...rule, tier: 1, why: 'ends what this shell has started' } : rule);
  if (targets.some(({ value }) => value === '-1' || value === '1' || value === '0')) {
    judge.add({ tier: 3, reason: '`kill` ends all processes', argv });
  }
  return 'judged';
};

/** Tasks that by their name do more than build. */
export const taskName: Special = (call, { flags, operands }, rule) => {
  const { judge, state, argv, name } = call;
  const [program = ''] = name.split(' ');
  const words = operands.map(({ value, text }) => value ?? text);
  for (const word of [...name.split(' ').slice(1), ...words]) {
    const [, variable, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (/^(SHELL|MAKEFLAGS|\.SHELLFLAGS)$/.test(variable ?? ''))
      judge.add({ tier: 2, reason: `\`${name}\` uses another shell (${value ?? ''})`, argv, unclear: true });
    if (variable !== undefined) continue;
    if (
      /(^|[:_./-])(deploy|publish|release|rollback|promote|ship|prod(uction)?|destroy|teardown|drop|nuke|wipe|reset-db|db:(drop|reset)|upload|push)([:_./-]|$)/i.test(
        word,
      )
    ) {
      judge.add({ tier: 2, reason: `\`${name} ${word}\` sounds like more than a build`, argv });
    }
    if (/^(make|gmake|bmake|ninja|cmake|meson)$/.test(program) && /^(install|uninstall)/.test(word)) {
      judge.add({ tier: 2, reason: `\`${name} ${word}\` changes the machine`, argv });
    }
  }
  for (const { value } of findFlags(flags, '-f --file --makefile -C --directory')) {
    const paths = value?.pattern === undefined ? [undefined] : state.resolve(value.pattern);
    if (paths.some((path) => path === undefined || !isInside(path, judge.world.workspace)))
      judge.add({ tier: 2, reason: `\`${name}\` runs what is outside of the workspace`, argv, unclear: true });
  }
  judgeBase(call, rule);
  return 'judged';
};

/** `gh api`: the method decides. */
export const request: Special = (call, { flags }, rule) => {
  const { judge } = call;
  const method = findFlags(flags, '-X --method')[0]?.value?.value?.toUpperCase();
  const sends = findFlags(flags, '-f -F --field --raw-field --input').length > 0;
  judgeBase(call, rule);
  if (method === 'DELETE') judge.add(findingOf(call, { tier: 3, why: 'deletes something on GitHub' }));
  else if ((method !== undefined && method !== 'GET') || (method === undefined && sends))
    judge.add(findingOf(call, { tier: 2, why: 'changes something on GitHub' }));
  return 'judged';
};
