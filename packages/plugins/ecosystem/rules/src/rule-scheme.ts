/** `rule://NAME`: the text of a rule. */
import { didYouMean } from '@tenon/wording';
import { parseAddress, type UrlCall, type UrlScheme } from '@tenon/urls/api';
import type { KnownRule, Rules } from './api.ts';
import { errors } from './errors.ts';

const FORM = 'rule://NAME; rule:// lists the rules';

/** The scheme over the rules of the folder that a call works in. */
export function ruleScheme(rules: Rules, workingFolder: string): UrlScheme {
  const named = async (url: string, call: UrlCall) => {
    const all = await rules.list(call.scope?.cwd ?? workingFolder, call.signal);
    const name = parseAddress(url, FORM).segments.join('/');
    return { all, name, rule: all.find((entry) => entry.name === name) };
  };
  return {
    async read(url, call) {
      const { all, name, rule } = await named(url, call);
      if (name === '') return { content: listing(all), contentType: 'text/plain' };
      if (!rule) throw unknownRule(name, all);
      return { content: rule.content, contentType: 'text/markdown', file: rule.path };
    },
    locate: async (url, call) => (await named(url, call)).rule?.path,
  };
}

/** The error for a name that no rule has. */
export function unknownRule(name: string, all: readonly KnownRule[]): Error {
  const names = all.map((rule) => rule.name);
  return errors.create('RULES_UNKNOWN', {
    name,
    hint: didYouMean(name, names),
    names: names.length > 0 ? names : 'none',
  });
}

function listing(all: readonly KnownRule[]): string {
  if (all.length === 0) return 'There are no rules here.';
  return all
    .map(({ name, description, globs, use }) => {
      const about = [description?.replace(/\s+/g, ' '), globs && `files: ${globs.join(', ')}`, use].filter(Boolean);
      return `rule://${name}  ${about.join(' · ')}`;
    })
    .join('\n');
}
