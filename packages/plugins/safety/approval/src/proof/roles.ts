/** Judges a word by what it is to its program. */
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Finding } from '../judge/finding.ts';
import { placesOf, type Surroundings, type Touch } from '../judge/places.ts';
import type { ValueSpec } from './grammar.ts';
import { type CallWord, NotUnderstood } from './language.ts';
import { loadLanguage } from './parts.ts';
import { checkNewName, isInstalled, isOfWorkspace, meanings, searched, touched } from './paths.ts';
import type { Call } from './proof.ts';
import { makeMeaning, settleDemands } from './meaning.ts';
import type { ParsedCall } from './language.ts';
import { isPathRole, isTextRole, languageOf, type PathRole, type Role } from './role.ts';

/** What a program is besides its words. */
export interface CallFacts {
  readonly call: Call;
  readonly parsed: ParsedCall;
  /** Folders that relative paths may start at. */
  readonly folders: readonly string[];
  /** The program builds: what it writes is no data. */
  readonly builds: boolean;
  /** Files may have been made or changed before this program runs; absent: look at the proof. */
  readonly wasChanged?: boolean;
}

const TOUCHES: Readonly<Record<Exclude<PathRole, 'folder'>, Touch>> = {
  read: 'read',
  search: 'read',
  write: 'write',
  create: 'write',
  delete: 'delete',
  'delete-tree': 'delete-tree',
  'change-tree': 'change-tree',
  move: 'move',
  link: 'link',
};
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)[a-zA-Z%]{0,4}$/;
/** Names of tasks that sound like more than a build; `bintrayUpload` is read as `bintray-Upload`. */
const RISKY_TASK =
  /(^|[:_./-])(deploy|publish|release|rollback|promote|ship|prod(uction)?|destroy|teardown|drop|nuke|wipe|reset-db|db:(drop|reset)|upload|push)([:_./-]|$)/i;
/** Addresses of this machine, in the one form that every program reads in the same way. */
const LOCAL_URL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/[\w./~%?&=:,+-]*)?$/;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|::1|\[::1\])(:\d{1,5})?$/;
const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/** Judges a word in a role. */
export async function settle(spec: ValueSpec, word: CallWord, facts: CallFacts): Promise<void> {
  if (typeof spec !== 'string') return settleExact(spec, word, facts);
  if (isTextRole(spec)) return settleText(spec, word, facts);
  if (isPathRole(spec)) return settlePath(spec, word, facts);
  const { call } = facts;
  const { proof, name, argv } = call;
  const language = languageOf(spec);
  if (language !== undefined) {
    const meaning = makeMeaning(facts);
    (await loadLanguage(language)).read([word], meaning);
    return settleDemands(meaning, facts, settle);
  }
  switch (spec) {
    case 'url':
    case 'host':
      return settleAddress(spec, word, facts);
    case 'assignment': {
      const [, variable] = /^([A-Za-z_]\w*)=/.exec(word.prefix) ?? [];
      if (variable === undefined) return refuse(`an assignment of \`${name}\``, word);
      const program = facts.parsed.operands.find(({ prefix }) => !/^[A-Za-z_]\w*=/.test(prefix))?.value;
      return proof.exported(variable, word.value?.slice(variable.length + 1), call.shell, word, program);
    }
    default:
  }
  const { value } = word;
  if (value === undefined) return refuse(`a word of \`${name}\` that is only known when it runs`, word);
  if ((spec === 'program' || spec === 'script') && facts.folders.length > 1)
    return refuse('a command in another folder', word);
  switch (spec) {
    case 'program':
    case 'command':
      await proof.argv([word], call.shell, { kind: 'unknown' });
      return;
    case 'script':
      await proof.script(value, call.shell, call.input, { word });
      return;
    case 'file-of-code':
      return settleCode(value, word, facts);
    case 'folder-of-code':
      return settleCodeFolder(value, word, facts);
    default:
      proof.add(
        RISKY_TASK.test(value.replace(/([a-z])([A-Z])/g, '$1-$2'))
          ? { tier: 2, reason: `\`${name} ${value}\` sounds like more than a build`, argv }
          : { tier: 1, reason: `\`${name} ${value}\` runs a task of the project`, argv },
      );
  }
}

function refuse(what: string, word: CallWord): never {
  throw new NotUnderstood(what, word);
}

function settleExact(words: readonly string[], word: CallWord, { call }: CallFacts): void {
  if (word.value === undefined || !words.includes(word.value))
    refuse(`the word ${word.value ?? 'that is only known when it runs'} of \`${call.name}\``, word);
}

function settleText(role: Role, { value }: CallWord, { call }: CallFacts): void {
  if (role === 'number' && value !== undefined && !NUMBER.test(value))
    refuse(`the number ${value} of \`${call.name}\``, { value, prefix: value, isMany: false });
}

/** Judges a path. */
function settlePath(given: PathRole, word: CallWord, facts: CallFacts): void {
  const { call, folders, builds } = facts;
  const { proof, name, argv, shell } = call;
  const role = given === 'delete-tree' && isOneFile(word, facts) ? 'delete' : given;
  const kind = role === 'folder' ? 'read' : TOUCHES[role];
  const add = (found: readonly Finding[]): void => proof.add(...found.map((finding) => ({ ...finding, argv })));
  if (word.value === undefined) {
    if (word.below === undefined || role === 'folder')
      return refuse(`a path of \`${name}\` that is only known when it runs`, word);
    // Whatever the name is, it lies there.
    add(word.below.flatMap((folder) => touched(kind, join(folder, 'a-file'), [shell.cwd], proof.world)));
    // Keys may be among what is read there.
    if (kind === 'read') add(word.below.flatMap((folder) => searched(folder, proof.world)));
    if (DELETES.has(role))
      for (const folder of word.below)
        add(sweeping(join(folder, 'a-file'), proof.world, word.glob === undefined ? 'lists' : 'finds'));
    return;
  }
  const { value, sweeps } = word;
  if (value === '') return;
  if (word.isUnmatched) refuse('a glob that finds nothing here', word);
  if (sweeps !== undefined && DELETES.has(role))
    add(
      role === 'delete'
        ? sweeping(join(sweeps, 'a-file'), proof.world, 'finds')
        : touched(kind, sweeps, [sweeps], proof.world),
    );
  if (value === '-' && (role === 'read' || role === 'write' || role === 'search')) return;
  const changes = role === 'write' || role === 'create';
  if (changes) checkNewName(value, word);
  add(touched(kind, value, folders, proof.world));
  if (role === 'search') for (const folder of folders) add(searched(resolve(folder, value), proof.world));
  if (changes && !builds && !LEAVES_CONTENT.test(name))
    for (const folder of folders) proof.writtenData.set(resolve(folder, value), undefined);
}

/** `rm -r` of one file deletes no more than that file. */
function isOneFile(
  { value, glob }: CallWord,
  { call, folders, wasChanged = call.proof.isChanged }: CallFacts,
): boolean {
  if (value === undefined || glob === 'several' || wasChanged) return false;
  return folders.every((folder) => lstatSync(resolve(folder, value), { throwIfNoEntry: false })?.isFile() ?? false);
}

/** They change a file and not what is in it. */
const LEAVES_CONTENT = /^(chmod|chown|chgrp|touch|mkdir)$/;

const DELETES: ReadonlySet<PathRole> = new Set(['delete', 'delete-tree', 'move']);

/** Files that nobody has named one by one, where they cannot be made again. */
function sweeping(path: string, world: Surroundings, how: 'finds' | 'lists'): Finding[] {
  const isOwnWork = placesOf(path, world).some((place) => place === 'workspace');
  return isOwnWork
    ? [{ tier: 2, reason: `deletes all files that a ${how === 'finds' ? 'glob finds' : 'command lists'}` }]
    : [];
}

/** Judges operands of which the last is different. */
export function settleList(
  list: 'copy' | 'move-to' | 'link-to',
  operands: readonly CallWord[],
  facts: CallFacts,
): void {
  const last = operands.at(-1);
  if (last === undefined || operands.length < 2) {
    // `ln -s x` makes a link of the same name here.
    if (list === 'link-to' && last !== undefined) return settleLinks([last], facts);
    throw new NotUnderstood(`\`${facts.call.name}\` with too few words`);
  }
  if (last.glob === 'several' || last.isMany) refuse('a glob in the last place, where the target stands', last);
  const sources = operands.slice(0, -1);
  if (list === 'link-to') settleLinks(sources, facts, last);
  else
    for (const word of sources) {
      settlePath('read', word, facts);
      if (list === 'move-to') settlePath('move', word, facts);
    }
  settlePath('write', last, facts);
  // What is copied into a folder keeps its name.
  for (const { value } of sources) {
    const base = value?.replace(/\/+$/, '').replace(/^.*\//, '') ?? '';
    if (value === undefined || base === '' || last.value === undefined) continue;
    if (base.startsWith('-')) refuse('a file whose name looks like a flag', last);
    for (const folder of facts.folders) {
      facts.call.proof.writtenData.set(resolve(folder, last.value, base), undefined);
      facts.call.proof.add(
        ...touched('write', join(last.value, base), [folder], facts.call.proof.world)
          .filter(({ tier }) => tier > 1)
          .map((finding) => ({ ...finding, argv: facts.call.argv })),
      );
    }
  }
}

/** A link's target counts from the folder of the link, so both are looked at. */
function settleLinks(targets: readonly CallWord[], facts: CallFacts, link?: CallWord): void {
  for (const target of targets) {
    settlePath('link', target, facts);
    if (link?.value === undefined) continue;
    const folders = facts.folders.flatMap((folder) => [
      resolve(folder, link.value ?? ''),
      resolve(folder, link.value ?? '', '..'),
    ]);
    settlePath('link', target, { ...facts, folders });
  }
}

/** A folder whose configuration is code, or names some. */
function settleCodeFolder(value: string, word: CallWord, { call: { proof }, folders }: CallFacts): void {
  for (const folder of folders)
    for (const path of meanings(value, folder))
      if (!isOfWorkspace(path, proof.world) && !isInstalled(path, proof.world))
        refuse(`what ${value === '.' ? 'this folder' : value} configures, outside of the workspace`, word);
}

function settleAddress(role: 'url' | 'host', word: CallWord, { call }: CallFacts): void {
  const { proof, name, argv } = call;
  const hasProxy = PROXIES.some((variable) => (process.env[variable] ?? '') !== '');
  const isLocal = word.value !== undefined && !hasProxy && (role === 'url' ? LOCAL_URL : LOCAL_HOST).test(word.value);
  proof.add(
    isLocal
      ? { tier: 0, reason: '', argv }
      : { tier: 2, reason: `\`${name}\` contacts ${word.value ?? 'an address that is only known when it runs'}`, argv },
  );
}

/** `https://…`, `npm:x`, `data:…`: no file; `test.rb:12` is one. */
const ADDRESS = /^[a-z][a-z\d+.-]+:(?!\d+$)/i;
const RUNS_SHELL = /^(bash|sh|dash|source|\.)$/;
const hasShellMark = (text: string): boolean => /^#!\s*(\/usr)?\/bin\/(env )?bash\n/.test(text);

/** A file that is run. */
export async function settleCode(
  value: string,
  word: CallWord,
  { call, folders }: CallFacts,
  isShell = hasShellMark,
): Promise<void> {
  const { proof, name, argv } = call;
  if (word.isUnmatched) return refuse('a glob that finds nothing here', word);
  if (value === '-' || value === '') return refuse(`code that \`${name}\` reads from its input`, word);
  if (value.startsWith('@')) return refuse('words that may stand in a file', word);
  if (ADDRESS.test(value)) return refuse(`code at the address ${value}`, word);
  for (const folder of folders) {
    const path = resolve(folder, value);
    if (proof.writtenData.has(path)) {
      const text = proof.writtenData.get(path);
      if (text === undefined || !isShell(text))
        return refuse('a file that the same command writes and then runs', word);
      proof.add({ tier: 1, reason: `runs ${value}, which belongs to the workspace`, argv, path });
      await proof.script(text, { ...call.shell, positional: undefined }, { kind: 'unknown' }, { word });
      continue;
    }
    const isOwn = isOfWorkspace(path, proof.world);
    if (!isOwn && !isInstalled(path, proof.world)) {
      const where = placesOf(path, proof.world).includes('harmless-device') ? 'the output of a command' : value;
      proof.add({ tier: 2, reason: `runs ${where}, which is not part of the workspace`, argv, path });
      continue;
    }
    const owner = isOwn ? 'the workspace' : 'a skill or plugin of the user';
    proof.add({ tier: 1, reason: `runs ${value}, which belongs to ${owner}`, argv, path });
    proof.add(...(await proof.tools.dangersIn(path, argv, RUNS_SHELL.test(name))));
  }
}
