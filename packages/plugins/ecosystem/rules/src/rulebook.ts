/** The rules of a folder, sorted by how each reaches the model. */
import {
  type Discovered,
  type Discovery,
  instructions,
  type InstructionFile,
  type Rule,
  rules,
} from '@tenon/discovery/api';
import type { KnownRule, RuleUse, Rules } from './api.ts';

/** Globs that say "all files". */
const ALL_FILES = new Set(['**', '*', '**/*']);

/** How a rule is used. What watches the stream does nothing else; what always holds need not be listed. */
export function useOf({ condition, alwaysApply, globs, description }: Rule): RuleUse {
  if (condition && condition.length > 0) return 'stream';
  if (alwaysApply === true) return 'always';
  if (globs && globs.length > 0) return 'files';
  return description === undefined || description.trim() === '' ? 'manual' : 'listed';
}

/** Finds the rules of a folder. Instructions of other tools are rules for the files that they name. */
export function createRulebook(discovery: Discovery): Rules {
  return {
    async list(cwd, signal) {
      const [findings, files] = await Promise.all([
        discovery.load(rules, cwd, signal),
        discovery.load(instructions, cwd, signal),
      ]);
      const ownRules = findings.items.map((item) => knownRule(item, item.value));
      const names = new Set(ownRules.map(({ name }) => name));
      const others = files.items.flatMap(rulesOf);
      return [...ownRules, ...others.filter(({ name }) => !names.has(name))];
    },
  };
}

function knownRule({ family, level, bundle, isUntrusted }: Discovered<unknown>, rule: Rule): KnownRule {
  return {
    ...rule,
    use: useOf(rule),
    family,
    level,
    ...(bundle !== undefined && { bundle }),
    ...(isUntrusted === true && { isUntrusted }),
  };
}

/**
 * Instructions for some files come with these files, as rules do. That they exist, and those for all files, is what the
 * plugin `context-files` tells; so they have no description here.
 */
function rulesOf(item: Discovered<InstructionFile>): KnownRule[] {
  const { name, path, content, applyTo = [] } = item.value;
  const isForAll = applyTo.length === 0 || applyTo.some((glob) => ALL_FILES.has(glob.trim()));
  return isForAll ? [] : [knownRule(item, { name, path, content, globs: applyTo })];
}
