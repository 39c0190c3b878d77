/** Texts that the fixtures of several families share. */
/** A SKILL.md. */
export const skill = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\nDo it well.\n`;
/** A command or prompt in Markdown. */
export const command = (description: string, body = 'Do $ARGUMENTS.') =>
  `---\ndescription: ${description}\n---\n${body}\n`;
/** A subagent in Markdown. */
export const agent = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nYou are ${name}.\n`;
/** A file of JSON. */
export const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
/** One hook as Claude Code writes it. */
export const claudeHooks = (event: string, command: string) => ({
  hooks: { [event]: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 5 }] }] },
});
