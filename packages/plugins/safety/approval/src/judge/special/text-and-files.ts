/** Programs with a small language of their own: sed, awk, find, tar, dd. */
import { unclearBelow3 } from '../finding.ts';
import { judgeBase } from '../rule-findings.ts';
import { findFlags, readOptions } from '../options.ts';
import { knownWord, unknownWord, type Word } from '../words.ts';
import type { Outcome, Special } from './special.ts';

const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/(?:\\.|[^/\\])*/)(?:,\s*(?:\d+|\$|/(?:\\.|[^/\\])*/))?)?\s*!?\s*`;
/** The command `e`, at the start of the script or after another command. */
const SED_RUNS = new RegExp(String.raw`(?:^|[;\n{}])\s*${SED_ADDRESS}e(?:\s|$)`);
/** `s/…/…/e`, with whatever stands for the slashes. */
const SED_RUNS_RESULT = new RegExp(
  String.raw`(?:^|[;\n{}])\s*${SED_ADDRESS}s(.)(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiIMm0-9]*e`,
  's',
);

/** `sed -i` writes; the commands `w` and `e` write and run. */
export const sed: Special = (call, _options, rule) => {
  const { judge, state, argv, args } = call;
  judgeBase(call, rule);
  // `-i` takes its suffix without a blank, so that the flag is the whole word.
  const isInPlace = args.some(({ prefix }) => /^-[nEsruz]*i|^--in-place/.test(prefix));
  const { flags, operands } = readOptions(args, { takes: '-e --expression -f --file -l --line-length' });
  const scripts = findFlags(flags, '-e --expression').map(({ value }) => value);
  const files = scripts.length > 0 || findFlags(flags, '-f --file').length > 0 ? operands : operands.slice(1);
  for (const script of scripts.length > 0 ? scripts : operands.slice(0, 1)) {
    const text = script?.value ?? script?.text ?? '';
    if (SED_RUNS.test(text) || SED_RUNS_RESULT.test(text)) {
      judge.add({ tier: 3, reason: '`sed` runs commands', argv });
    }
    const [, file] = /(?:^|[;{}\n/0-9$]\s*|[gpiI0-9/|#,])w\s+(\S+)/.exec(text) ?? [];
    if (file !== undefined) judge.touch('write', knownWord(file), state, argv);
  }
  for (const word of files) judge.touch(isInPlace ? 'write' : 'read', word, state, argv);
  return 'judged';
};

/** awk is harmless until its program runs commands or writes files. */
export const awk: Special = (call, _options, rule) => {
  const { judge, state, argv, args } = call;
  judgeBase(call, rule);
  const { flags, operands } = readOptions(args, {
    takes: '-F -v -f -i -l --field-separator --assign --file --include --load -E --exec',
  });
  const fromFile = findFlags(flags, '-f --file -E --exec');
  for (const { value } of findFlags(flags, '-l --load -i --include')) {
    if (value?.value !== 'inplace') judge.add({ tier: 2, reason: '`awk` loads code', argv, unclear: true });
  }
  const isInPlace = findFlags(flags, '-i --include').some(({ value }) => value?.value === 'inplace');
  if (fromFile.length > 0) judge.add({ tier: 1, reason: '`awk` runs a program from a file', argv });
  const program = fromFile.length > 0 ? undefined : operands[0];
  const text = program?.value;
  if (program && text === undefined)
    judge.add({ tier: 2, reason: '`awk` runs a program that is only known when it runs', argv, unclear: true });
  const code = text?.replace(/"(?:\\.|[^"\\])*"/g, '""').replace(/\/(?:\\.|[^/\\\n])*\//g, '//') ?? '';
  if (/\bsystem\s*\(|\|&?\s*getline|(print|printf)[^;}\n]*\|/.test(code))
    judge.add(
      unclearBelow3({ tier: /\brm\b|\bsh\b|\bcurl\b/.test(text ?? '') ? 3 : 2, reason: '`awk` runs commands', argv }),
    );
  if (/(print|printf)[^;}\n]*>/.test(code))
    judge.add({ tier: 2, reason: '`awk` writes to files', argv, unclear: true });
  if (/@load|@include/.test(code)) judge.add({ tier: 2, reason: '`awk` loads code', argv, unclear: true });
  for (const word of operands.slice(program ? 1 : 0)) judge.touch(isInPlace ? 'write' : 'read', word, state, argv);
  return 'judged';
};

const FIND_TESTS =
  /^-(name|iname|path|ipath|wholename|regex|iregex|type|newer.*|mtime|mmin|atime|amin|ctime|cmin|size|empty|perm|user|group|uid|gid|links|samefile|inum)$/;

/** `find` and what it does with what it finds. */
export const find: Special = async (call, _options, rule): Promise<Outcome> => {
  const { judge, state, argv, args } = call;
  judgeBase(call, rule);
  const end = args.findIndex(({ prefix }) => /^[-(!]/.test(prefix) && !/^-[HLPDO]/.test(prefix));
  const roots = args.slice(0, end < 0 ? args.length : end).filter(({ prefix }) => !/^-[HLP]$/.test(prefix));
  const places: Word[] = roots.length > 0 ? roots : [knownWord('.')];
  for (const word of places) judge.touch('read', word, state, argv);
  const isNarrow = args.some(({ value }) => FIND_TESTS.test(value ?? '') && value !== '-type');
  for (let at = Math.max(0, end); at < args.length; at++) {
    const flag = args[at]?.value ?? '';
    if (flag === '-delete') {
      for (const word of places) judge.touch(isNarrow ? 'delete' : 'delete-tree', word, state, argv);
      judge.add({ tier: 2, reason: '`find` deletes what it finds', argv });
    } else if (/^-(exec|execdir|ok|okdir)$/.test(flag)) {
      const rest = args.slice(at + 1);
      const stop = rest.findIndex(({ value }) => value === ';' || value === '+' || value === '\\;');
      const words = stop < 0 ? rest : rest.slice(0, stop);
      for (const place of places)
        await judge.argv(
          words.map((word) => foundWord(word, place)),
          state.fork(),
          { kind: 'none' },
        );
      at += stop < 0 ? rest.length : stop + 1;
    } else if (/^-(fprint|fprint0|fls|fprintf)$/.test(flag)) {
      const file = args[++at];
      if (file) judge.touch('write', file, state, argv);
    } else if (/^-files0-from$/.test(flag)) at++;
  }
  return 'judged';
};

/** `{}` is something below the place that was searched. */
function foundWord(word: Word, place: Word): Word {
  if (word.value === undefined || !word.value.includes('{}')) return word;
  if (place.pattern === undefined) return unknownWord(word.text);
  const pattern = word.value.replaceAll('{}', `${place.pattern.replace(/\/$/, '')}/{}`);
  return word.value === '{}'
    ? { ...unknownWord(word.text), pattern, prefix: pattern, template: pattern, splits: false }
    : { ...knownWord(pattern), text: word.text };
}

/** Archives: what is unpacked is written, and some flags run programs. */
export const tar: Special = async (call, _options, rule): Promise<Outcome> => {
  const { judge, state, argv, args, name } = call;
  judgeBase(call, rule);
  if (name === 'unzip') return unzip(call);
  const [first] = args;
  // The old way of writing it has no dash.
  const words =
    first && /^[A-Za-z]+$/.test(first.value ?? '') && name !== 'cpio'
      ? [
          { ...first, value: `-${first.value}`, prefix: `-${first.value}`, pattern: `-${first.value}` },
          ...args.slice(1),
        ]
      : args;
  const { flags, operands } = readOptions(words, {
    takes:
      '-f --file -C --directory -I --use-compress-program --to-command --checkpoint-action --exclude -T -X --transform --strip-components --checkpoint -F --info-script --new-volume-script --rsh-command -D',
  });
  for (const { value, name: flag } of findFlags(
    flags,
    '-I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script --rsh-command',
  )) {
    const text = value?.value?.replace(/^exec=/, '');
    if (flag.startsWith('--checkpoint') && value?.value?.startsWith('exec=') !== true) continue;
    if (text === undefined) judge.add({ tier: 2, reason: `\`tar ${flag}\` runs a program`, argv, unclear: true });
    else await judge.script(text, state.fork());
  }
  const has = (names: string) => findFlags(flags, names).length > 0;
  const [folder] = findFlags(flags, '-C --directory -D');
  const [archive] = findFlags(flags, '-f --file');
  if (has('-t --list')) return 'judged';
  if (has('-x --extract --get -i')) {
    judge.touch('write', folder?.value ?? knownWord('.'), state, argv);
    if (has('-P --absolute-names')) judge.add({ tier: 2, reason: `\`${name} -P\` may write anywhere`, argv });
  } else if (archive?.value && archive.value.value !== '-') judge.touch('write', archive.value, state, argv);
  const inside = state.fork();
  if (folder) inside.enter(folder.value?.value, true);
  for (const word of operands) judge.touch(has('--remove-files') ? 'delete-tree' : 'read', word, inside, argv);
  return 'judged';
};

function unzip({ judge, state, argv, args }: Parameters<Special>[0]): 'judged' {
  const { flags } = readOptions(args, { takes: '-d -x' });
  if (findFlags(flags, '-l -t -v -Z -p -z').length > 0) return 'judged';
  const [folder] = findFlags(flags, '-d');
  judge.touch('write', folder?.value ?? knownWord('.'), state, argv);
  return 'judged';
}

/** `dd of=…`. */
export const dd: Special = (call, { operands }, rule) => {
  const { judge, state, argv } = call;
  judgeBase(call, rule);
  for (const word of operands) {
    const [, key, value] = /^(if|of)=(.*)$/s.exec(word.prefix) ?? [];
    if (key === undefined) continue;
    const file = word.value === undefined ? unknownWord(word.text) : knownWord(value ?? '');
    judge.touch(key === 'of' ? 'write' : 'read', file, state, argv);
  }
  return 'judged';
};
