/** `rm` and `chmod`: what matters is where, and how much. */
import { dirname } from 'node:path';
import { judgeBase } from '../rule-findings.ts';
import { findFlags } from '../options.ts';
import type { Touch } from '../places.ts';
import type { Word } from '../words.ts';
import type { Special } from './special.ts';

const EVERYTHING = /^(\*+|\.\*|\*\.\*|\.\[.*|\{\}|\?+\*?)$/;

/** Deletes files or whole folders. */
export const rm: Special = (call, { flags, operands }, rule) => {
  const { judge, state, argv, name } = call;
  judgeBase(call, rule);
  const isTree = findFlags(flags, '-r -R --recursive').length > 0;
  for (const word of operands) {
    const pattern = word.pattern ?? '';
    const last = pattern.split('/').at(-1) ?? '';
    // What `find` has found may be everything.
    const takesAll = (word.value === undefined && EVERYTHING.test(last)) || last === '{}';
    if (takesAll && word.pattern !== undefined) {
      // `rm -rf x/*` empties x, so x is what is lost.
      const folder = { ...word, pattern: dirname(pattern) };
      judge.touch(isTree ? 'delete-tree' : 'delete', folder, state, argv);
      if (!isTree) judge.add({ tier: 2, reason: `\`${name}\` deletes all files of a folder`, argv });
      continue;
    }
    judge.touch(isTree ? 'delete-tree' : 'delete', word, state, argv);
  }
  const [flag] = findFlags(flags, '--no-preserve-root');
  if (flag) judge.add({ tier: 3, reason: `\`${name} --no-preserve-root\` may delete everything`, argv });
  return 'judged';
};

/** Rights and owners. */
export const chmod: Special = (call, { flags, operands }, rule) => {
  const { judge, state, argv, name } = call;
  judgeBase(call, rule);
  const isTree = findFlags(flags, '-R --recursive -r').length > 0;
  const kind: Touch = isTree ? 'change-tree' : 'write';
  // `chmod -x file` looks like a flag; then there is no mode among the operands.
  const modeIsFlag = flags.some(({ name: flag }) => /^-[rwxXst]$/.test(flag) && flag !== '-R') && operands.length === 1;
  const [mode, ...files] = modeIsFlag ? [undefined, ...operands] : operands;
  for (const word of files as Word[]) judge.touch(kind, word, state, argv);
  if (name === 'chmod' && mode && /^[0-7]*[2-7][0-7]{3}$|[ug+]s|[^o]?\+s|^\+t/.test(mode.value ?? '')) {
    judge.add({ tier: 2, reason: 'gives a program the rights of its owner', argv });
  }
  if (name === 'chmod' && /^0?[0-7][0-7][2367]$|[ao]\+?[rx]*w|^\+[rx]*w/.test(mode?.value ?? '')) {
    judge.add({ tier: 2, reason: 'lets everybody write', argv });
  }
  if (/^(chown|chgrp)$/.test(name)) judge.add({ tier: 2, reason: `\`${name}\` gives files to somebody else`, argv });
  return 'judged';
};
