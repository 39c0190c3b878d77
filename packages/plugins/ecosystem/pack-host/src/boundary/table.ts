/**
 * Everything of Tenon that packs can reach, and what for. What a built-in plugin defines and is not listed here is closed to
 * packs; docs/design/packs.md says of each row what a hostile pack could do with it, and a test compares the two.
 */

/** What a pack may do with a slot, a service or a hook. */
export type Use = 'read' | 'contribute' | 'discover' | 'find' | 'handle';

/** One row. */
export interface BoundaryRow {
  readonly kind: 'slot' | 'service' | 'hook';
  readonly id: string;
  readonly may: readonly Use[];
  /** What the user agrees to before a pack may use it, as the end of "it may …"; absent where nobody has to agree. */
  readonly consent?: string;
}

const slot = (id: string, may: readonly Use[], consent?: string): BoundaryRow => ({
  kind: 'slot',
  id,
  may,
  ...(consent !== undefined && { consent }),
});
const service = (id: string, consent?: string): BoundaryRow => ({
  kind: 'service',
  id,
  may: ['find'],
  ...(consent !== undefined && { consent }),
});
const hook = (id: string, consent?: string): BoundaryRow => ({
  kind: 'hook',
  id,
  may: ['handle'],
  ...(consent !== undefined && { consent }),
});

/** All rows. */
export const BOUNDARY: readonly BoundaryRow[] = [
  slot('tools', ['read', 'contribute']),
  slot('cli-commands', ['read', 'contribute']),
  slot('url-schemes', ['read', 'contribute']),
  slot('slash-command-providers', ['read', 'contribute']),
  slot('edit-modes', ['read', 'contribute']),
  slot('keybindings', ['contribute']),
  slot('screen-themes', ['contribute']),
  slot('renderers', ['contribute']),
  slot('status-items', ['contribute']),
  slot('scrapers', ['read', 'contribute'], 'read web pages in place of Tenon'),
  slot('task-runners', ['read', 'contribute'], 'bring commands that the agent can run as tasks'),
  slot('context-files', ['contribute', 'discover'], 'add text to every conversation'),
  slot(
    'external-hooks',
    ['contribute', 'discover'],
    'run hooks of its own: see what happens in sessions, refuse it, tell the model about it',
  ),
  slot('mcp-servers', ['contribute', 'discover'], 'bring MCP servers: their tools and their instructions'),

  service('user-interface'),
  service('todos', "see and change the agent's plan"),

  hook('tool.call'),
  hook('tool.input', 'change the input of every tool call'),
  hook('tool.result', 'see and change the result of every tool call'),
  hook('input', 'see and change what you type'),
  hook('agent.before-start', 'see your prompts and change the instructions of the model'),
  hook('context', 'see and change the whole conversation'),
  hook('agent.event', 'watch the whole conversation'),
  hook('agent.stop', 'see answers and make the agent go on'),
  hook('user.bash', 'see the shell commands that you type and answer in place of the shell'),
  hook('user.python', 'see the Python code that you type and answer in place of Python'),
  hook('session.before-compact', 'see the conversation and write its summary'),
  hook('session.compacting', 'see the conversation and change how it is summarized'),
  hook('session.before-switch', 'keep you from changing the session'),
  hook('session.before-branch', 'keep you from going back in a session'),
  hook('session.before-tree', 'keep you from moving in a session, or write the summary of what you leave'),
  hook('todos.changed', "see the agent's plan"),
  hook('model.select'),
  hook('model.used'),
  hook('session.start'),
  hook('session.switch'),
  hook('session.branch'),
  hook('session.tree'),
  hook('session.compacted'),
  hook('session.shutdown'),
];

const ROWS = new Map(BOUNDARY.map((row) => [`${row.kind} ${row.id}`, row]));

/** The row of a slot, service or hook of Tenon; nothing for those that packs bring themselves. */
export function boundaryRow(kind: BoundaryRow['kind'], id: string): BoundaryRow | undefined {
  return ROWS.get(`${kind} ${id}`);
}

/**
 * What gives nothing away and changes nothing as long as a pack can reach nobody; with a way out it is asked about. Reading a
 * URL is no question to the user, so what an agent puts into one would go wherever the pack may send it.
 */
export const ASKED_WITH_A_WAY_OUT: ReadonlyMap<string, string> = new Map([
  ['tool.call', 'see the input of every tool call and refuse it'],
  ['renderers', 'see what its tools gave, with what others have added to it'],
  ['url-schemes', 'answer what the agent reads from its addresses, without a question each time'],
]);

/** What the user agrees to with an entry of `permissions.uses`. */
export function consentText(id: string): string | undefined {
  return ASKED_WITH_A_WAY_OUT.get(id) ?? BOUNDARY.find((row) => row.id === id)?.consent;
}
