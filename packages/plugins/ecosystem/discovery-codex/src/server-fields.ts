import { type Fields, type McpServerConfig, present } from '@tenon/discovery/api';

/** What only Codex says about an MCP server. Variables become `${NAME}`, which whoever starts the server fills in. */
export function translateServer(fields: Fields): Partial<McpServerConfig> {
  const literal = fields.textRecord('http_headers') ?? {};
  const fromVariables = Object.entries(fields.textRecord('env_http_headers') ?? {});
  const bearer = fields.text('bearer_token_env_var');
  const headers = {
    ...literal,
    ...Object.fromEntries(fromVariables.map(([name, variable]) => [name, `\${${variable}}`])),
    ...(bearer !== undefined && { Authorization: `Bearer \${${bearer}}` }),
  };
  const passed = (fields.list('env_vars') ?? []).map((name) => [name, `\${${name}}`]);
  const env = { ...Object.fromEntries(passed), ...fields.textRecord('env') };
  const seconds = fields.number('startup_timeout_sec');
  const milliseconds = fields.number('startup_timeout_ms');
  return present({
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    env: Object.keys(env).length > 0 ? env : undefined,
    timeoutMs: milliseconds ?? (seconds === undefined ? undefined : seconds * 1000),
  });
}
