/**
 * Several checks at the same time, put together. Written in TypeScript, because the nodes follow from a table. The file is evaluated once,
 * in the sandbox; what runs, and what `continue` goes on with, is the data that it exports.
 */
const checks: Readonly<Record<string, string>> = {
  conflicts: "git grep -nE '^(<{7}|>{7}) '",
  todos: 'git grep -n TODO',
  tabs: "git grep -nP '\\t'",
};
const names = Object.keys(checks);

export default {
  name: 'Checks of a repository',
  concurrency: names.length,
  nodes: [
    // git grep ends with 1 when it finds nothing.
    ...names.map((id) => ({ id, command: `${checks[id]} || [ $? = 1 ]` })),
    {
      id: 'summary',
      needs: names,
      command: names.map((id) => `echo "${id}:"; printf '%s\\n' {{${id}.output}}`).join('; '),
    },
  ],
};
