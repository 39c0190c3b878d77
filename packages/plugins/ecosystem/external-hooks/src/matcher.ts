/** Which occasions a hook is for. */
import { isBelow } from '@tenon/host';
import type { ForeignCall } from './foreign-call.ts';

/** Commands may be long; what a matcher looks for is near the start of one. */
const MAX_SUBJECT = 10_000;

/** How a dialect writes matchers: a list of names that may be a pattern, or always a pattern. */
export type MatcherStyle = 'names' | 'pattern';

/** True when one of the subjects fits. A pattern that cannot be read fits everything: to leave a guard out would be worse. */
export function matches(matcher: string | undefined, subjects: readonly string[], style: MatcherStyle): boolean {
  const text = matcher?.trim() ?? '';
  if (text === '' || text === '*') return true;
  if (style === 'names' && /^[\w\-\s,|]+$/.test(text)) {
    const names = text.split(/[|,]/).map((name) => name.trim());
    return subjects.some((subject) => names.includes(subject));
  }
  const pattern = patternOf(text);
  return !pattern || subjects.some((subject) => pattern.test(subject.slice(0, MAX_SUBJECT)));
}

/** What is wrong with a matcher; undefined when it is sound. */
export function matcherProblem(matcher: string | undefined): string | undefined {
  const text = matcher?.trim() ?? '';
  if (text === '' || text === '*' || patternOf(text)) return undefined;
  return `the matcher ${JSON.stringify(text)} is not a regular expression, so the hook runs every time`;
}

function patternOf(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined; // matcherProblem() tells about it.
  }
}

/**
 * True when a call fits a permission rule: `Bash(git *)`, `Edit(*.ts)`, `mcp__memory__*`, `Read`. A rule that cannot be read
 * fits everything.
 */
export function fitsRule(rule: string, call: Pick<ForeignCall, 'names' | 'view'>, cwd: string): boolean {
  const [, name, content] = /^([\w*\-:.]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  if (name === undefined) return true;
  if (!call.names.some((toolName) => wildcard(name).test(toolName))) return false;
  if (content === undefined || content === '' || content === '*') return true;
  const { kind, values } = call.view;
  if (kind === 'shell') return commandFits(content, String(values['command'] ?? ''));
  if (typeof values['file'] === 'string') return fileFits(content, values['file'], cwd);
  if (typeof values['url'] === 'string') return urlFits(content, values['url']);
  return true;
}

function commandFits(content: string, command: string): boolean {
  // `npm run:*` is the older way to write `npm run *`.
  const pattern = wildcard(content.replace(/:\*$/, '*'));
  // Every part of a line counts, and so does what stands before a variable: `FOO=1 git push`.
  const parts = command.split(/&&|\|\||[;|&\n]/).map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''));
  return [command.trim(), ...parts].some((part) => pattern.test(part) || pattern.test(`${part} `));
}

function fileFits(content: string, file: string, cwd: string): boolean {
  const relative = isBelow(file, cwd) ? file.slice(cwd.length + 1) : file;
  if (content.startsWith('//')) return pathGlob(content.slice(1)).test(file);
  const pattern = content.replace(/^\.?\//, '');
  if (pathGlob(pattern).test(relative)) return true;
  return !pattern.includes('/') && pathGlob(pattern).test(file.slice(file.lastIndexOf('/') + 1));
}

function urlFits(content: string, url: string): boolean {
  const host = /^domain:(.+)$/.exec(content)?.[1];
  if (host === undefined) return wildcard(content).test(url);
  return URL.canParse(url) && wildcard(host).test(new URL(url).hostname);
}

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);

function wildcard(text: string): RegExp {
  return new RegExp(`^${text.split('*').map(escaped).join('.*')}$`, 's');
}

function pathGlob(text: string): RegExp {
  const source = text.split(/(\*\*\/|\*\*|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : escaped(part);
  });
  return new RegExp(`^${source.join('')}$`);
}
