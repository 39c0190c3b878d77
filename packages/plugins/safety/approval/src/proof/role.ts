/** What a word of a command is for the program that gets it. */

/** Words without effect. */
const TEXT_ROLES = ['text', 'number', 'pattern'] as const;
/** Files and folders: the place decides. */
const PATH_ROLES = [
  'read',
  'search',
  'write',
  'create',
  'delete',
  'delete-tree',
  'change-tree',
  'move',
  'link',
  'folder',
] as const;
/** Whole lists of operands whose last one is different. */
const LIST_ROLES = ['copy', 'move-to', 'link-to'] as const;
/** What reaches out or runs something. */
const ACTING_ROLES = [
  'host',
  'url',
  'program',
  'command',
  'script',
  'file-of-code',
  'folder-of-code',
  'task',
  'assignment',
] as const;

/** A role that effects nothing. */
export type TextRole = (typeof TEXT_ROLES)[number];
/** A role of a path. */
export type PathRole = (typeof PATH_ROLES)[number];
/** A role of all operands together. */
export type ListRole = (typeof LIST_ROLES)[number];
/** The role of one word. `code.NAME` is read by `languages/NAME.ts`. */
export type Role = TextRole | PathRole | (typeof ACTING_ROLES)[number] | `code.${string}`;

const ROLES: ReadonlySet<string> = new Set([...TEXT_ROLES, ...PATH_ROLES, ...ACTING_ROLES]);
const LISTS: ReadonlySet<string> = new Set(LIST_ROLES);

/** Whether this names a role of one word. */
export function isRole(name: string): name is Role {
  return ROLES.has(name) || /^code\.[a-z][a-z0-9-]*$/.test(name);
}

/** Whether this names a role of all operands. */
export function isListRole(name: string): name is ListRole {
  return LISTS.has(name);
}

/** Whether a word in this role effects nothing. */
export function isTextRole(role: Role): role is TextRole {
  return (TEXT_ROLES as readonly string[]).includes(role);
}

/** Whether a word in this role is a path. */
export function isPathRole(role: Role): role is PathRole {
  return (PATH_ROLES as readonly string[]).includes(role);
}

/** The name of the small language of a role. */
export function languageOf(role: Role): string | undefined {
  return role.startsWith('code.') ? role.slice('code.'.length) : undefined;
}
