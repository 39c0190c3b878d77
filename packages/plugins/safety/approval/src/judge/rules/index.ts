/** All rules about programs, by name. */
import { BUILDING } from './building.ts';
import { FILES } from './files.ts';
import { GIT } from './git.ts';
import { MACHINE } from './machine.ts';
import { REACHING_OUT } from './reaching-out.ts';
import { READING } from './reading.ts';
import { byName, type Rule } from './rule.ts';

/** What is known about programs. */
export const RULES: ReadonlyMap<string, Rule> = byName({
  ...READING,
  ...FILES,
  ...GIT,
  ...BUILDING,
  ...REACHING_OUT,
  ...MACHINE,
});
