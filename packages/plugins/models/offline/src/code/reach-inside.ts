/** Declarations that other files do not see by name: locals, and members of classes. */
import type { Binding, FileFacts, Mention } from './facts.ts';
import { ecosystemOf } from './languages.ts';
import type { Doubt, Reach } from './reach.ts';
import { fits } from './study.ts';

/** Where a local name is meant: its scope tells. Callers may name a parameter of Python. */
export function localReach(target: Binding, files: readonly FileFacts[], assume: boolean): Reach {
  const mentions = files.flatMap((file) => file.mentions).filter(({ name }) => name === target.name);
  const isInside = ({ path, start }: Mention) =>
    path === target.path && target.scope.start <= start && start < target.scope.end;
  const doubts = mentions.flatMap((mention): Doubt[] => {
    if (mention.usage === 'unclear' && isInside(mention)) return [{ mention, why: mention.why ?? '' }];
    const isNamed = mention.usage === 'key' && isCallable(target);
    return isNamed ? [{ mention, why: 'a call may name the parameter' }] : [];
  });
  const certain = mentions.filter(({ binding }) => binding === target);
  return {
    certain: assume ? [...certain, ...doubts.map(({ mention }) => mention)] : certain,
    doubts: assume ? [] : doubts,
    bindings: new Set([target]),
  };
}

/** True for a parameter that callers anywhere can name. */
export function isCallable({ kinds, path }: Binding): boolean {
  return kinds.includes('parameter') && ecosystemOf(path) === 'python';
}

/** Where a member is meant. What stands before the dot has a type that the rules do not know. */
export function memberReach(target: Binding, files: readonly FileFacts[], assume: boolean): Reach {
  const certain: Mention[] = [];
  const doubts: Doubt[] = [];
  for (const file of files) {
    for (const mention of file.mentions) {
      if (mention.name !== target.name) continue;
      const why = doubtAbout(mention, target, file);
      if (why === undefined) continue;
      if (why === '' || assume) certain.push(mention);
      else doubts.push({ mention, why });
    }
  }
  return { certain, doubts, bindings: new Set([target]) };
}

/** Empty for what is certain, undefined for what means something else. */
function doubtAbout(mention: Mention, target: Binding, file: FileFacts): string | undefined {
  const { usage, binding, memberOf, root, origin } = mention;
  const mayInherit = 'a class may take it from another, or have to offer it';
  if (binding === target) return '';
  if (binding?.level === 'member') return binding.isInherited || target.isInherited ? mayInherit : undefined;
  if (usage === 'member') {
    if (!fits(target.space, mention.space ?? 'any')) return undefined;
    if (memberOf !== undefined && memberOf === target.owner && file.path === target.path) return '';
    const own = file.bindings.find(
      ({ level, owner, name }) => level === 'member' && owner === memberOf && name === target.name,
    );
    if (memberOf !== undefined && own && own !== target) return own.isInherited ? mayInherit : undefined;
    return root === undefined ? 'its owner is not known' : `it is not known what \`${root}\` is`;
  }
  const isOfOwner = origin !== undefined && origin.from.split(/\.|::/).at(-1) === target.owner;
  if (usage === 'outside' && isOfOwner) return `it is not known which \`${target.owner}\` is meant`;
  if (usage === 'unclear') return mention.why ?? 'it could not be placed';
  return usage === 'key' && target.kinds.includes('property') ? 'it is a key of an object' : undefined;
}
