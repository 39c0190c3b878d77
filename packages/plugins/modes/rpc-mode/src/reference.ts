/** The reference of the protocol, made from its tables: a page for people and a JSON Schema for programs. */
import { type TSchema } from '@tenon/kernel';
import { rpcCommands } from './commands-table.ts';
import { answerFrames, eventFrames, interfaceMethods, requestFrames } from './frames.ts';

type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
};
type Command = { readonly group: string; readonly summary: string; readonly params: TSchema; readonly data?: TSchema };

const commands = Object.entries(rpcCommands) as [string, Command][];

/** One JSON Schema for everything that goes over the wire. */
export function schemaDocument(): object {
  const definitions: Record<string, unknown> = {};
  const frame = (name: string, fields: Record<string, unknown>, rest: TSchema) => {
    const { properties = {}, required = [] } = rest as Schema;
    definitions[name] = {
      type: 'object',
      properties: { ...fields, ...properties },
      required: [...Object.keys(fields).filter((field) => field !== 'id'), ...required],
    };
    return { $ref: `#/$defs/${name}` };
  };
  const named = (word: string, table: Readonly<Record<string, TSchema>>) =>
    Object.entries(table).map(([type, rest]) => frame(`${word}.${type}`, { type: { const: type } }, rest));
  const id = { type: ['string', 'number'] };
  const empty = { type: 'object' } as unknown as TSchema;
  const responses = commands.map(([command, { data }]) =>
    frame(
      `response.${command}`,
      { id, type: { const: 'response' }, command: { const: command }, success: { const: true }, ...(data && { data }) },
      empty,
    ),
  );
  const failure = frame(
    'response.failure',
    {
      id,
      type: { const: 'response' },
      command: { type: 'string' },
      success: { const: false },
      error: { type: 'string' },
    },
    empty,
  );
  const input = [
    ...commands.map(([type, { params }]) => frame(`command.${type}`, { id, type: { const: type } }, params)),
    ...named('answer', answerFrames),
  ];
  const interfaces = Object.entries(interfaceMethods).map(([method, rest]) =>
    frame(`interface.${method}`, { type: { const: 'extension_ui_request' }, method: { const: method } }, rest),
  );
  const output = [
    ...named('request', requestFrames),
    ...responses,
    failure,
    ...named('event', eventFrames),
    ...interfaces,
  ];
  return JSON.parse(
    JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'The RPC protocol of Tenon',
      description: 'Each line of standard input is an Input, each line of standard output an Output.',
      $defs: { Input: { anyOf: input }, Output: { anyOf: output }, ...definitions },
    }),
  ) as object;
}

/** The page. */
export function referencePage(): string {
  const groups = [...new Set(commands.map(([, { group }]) => group))];
  const sections = groups.map((group) => {
    const rows = commands
      .filter(([, command]) => command.group === group)
      .map(([type, { summary, params, data }]) => {
        const gives = data ? `\n\nGives ${code(shape(data))}.` : '';
        return `#### \`${type}\`\n\n${summary}\n\n${code(frameText({ 'id?': 'string | number', type: `"${type}"` }, params))}${gives}\n`;
      });
    return `### ${group}\n\n${rows.join('\n')}`;
  });
  return `<!-- Made from packages/plugins/modes/rpc-mode/src. Do not edit: UPDATE_DOCS=1 npx vitest run packages/plugins/modes/rpc-mode writes it. -->

# RPC protocol

\`tenon --mode rpc\` lets another program drive the agent: one JSON object per line, commands and answers on standard input, responses, events and
requests on standard output. The names are those of the protocol of pi and oh-my-pi. The same as JSON Schema: [rpc.schema.json](rpc.schema.json).
A typed client for Node is in \`@tenon/sdk\`; any language that can start a process and read lines will do.

## How it goes

1. The server writes \`{"type":"ready"}\`.
2. The host sends commands. Each is answered by \`{"id", "type":"response", "command", "success", "data" | "error"}\` with the command's own \`id\` (a text or a number), also
   when the command is unknown, its fields are wrong, or the line is no JSON but shows an id. Commands are begun in order; those that take long do not hold up the others,
   except \`new_session\`, \`switch_session\` and \`branch\`, which come to their end first.
3. \`prompt\` and \`abort_and_prompt\` are answered at once; \`agent_end\` tells the end of the work. A prompt that begins a run always comes to an \`agent_end\`, also
   when nothing was sent to the model: a plugin blocked it (an unknown \`/command\`, for example), did all that was asked for itself, or a hook failed. Why a prompt was not carried out is told before that \`agent_end\`: a second response with the same id and \`success: false\`.
   \`steer\` and \`follow_up\` that are blocked are told as a \`notice\`. A model that failed does not make the command fail: the last message of \`agent_end\` has
   \`stopReason: "error"\`, \`errorMessage\` and, where something can be done about it, \`errorNext\`.
4. A line that cannot be read is answered with \`command: "parse"\` and passed over. Nothing but the end of standard input ends the server; then open calls are
   given up, the agent is stopped, and the exit code is 0.

A host that reads too slowly loses nothing: deltas of one block are joined, no new turn begins and no command is taken until it has caught up.

\`@file\` arguments and prompts on the command line are refused in this mode. \`setTitle\` is only sent with \`TENON_RPC_EMIT_TITLE=1\`.
The settings of the user count here, too; a host that needs other ones passes \`--set NAME=VALUE\`.

## Commands

${sections.join('\n')}
## Events

${list(eventFrames)}
\`assistantMessageEvent\` carries only what is new. \`message\` has no content there, so that the output does not repeat the answer with every piece of it: join the deltas of
a \`contentIndex\`, or take the whole from \`message_end\`. A second \`message_start\` before \`message_end\` means that the model was asked again: what came before it is void.

## Requests of the server

${list(requestFrames)}
\`host_tool_call\` is answered with \`host_tool_result\` (and \`host_tool_update\` on the way), \`host_uri_request\` with \`host_uri_result\`. After a cancel frame
nobody waits for \`targetId\` any more.

## Questions and notices of plugins

${Object.entries(interfaceMethods)
  .map(([method, rest]) => code(frameText({ type: '"extension_ui_request"', method: `"${method}"` }, rest)))
  .join('\n\n')}

\`select\`, \`confirm\`, \`input\` and \`editor\` wait for an \`extension_ui_response\` with the same id. After \`timeout\` milliseconds, or a \`cancel\` frame with its id as
\`targetId\`, nobody waits any more.

## Answers of the host

${list(answerFrames)}`;
}

function list(frames: Readonly<Record<string, TSchema>>): string {
  return `${Object.entries(frames)
    .map(([type, rest]) => code(frameText({ type: `"${type}"` }, rest)))
    .join('\n\n')}\n`;
}

function code(text: string): string {
  return text.includes('\n') ? `\`\`\`ts\n${text}\n\`\`\`` : `\`${text}\``;
}

function frameText(head: Readonly<Record<string, string>>, rest: TSchema): string {
  const fields = [...Object.entries(head), ...fieldsOf(rest as Schema)].map(([name, value]) => `${name}: ${value}`);
  const line = `{ ${fields.join(', ')} }`;
  return line.length <= 130 ? line : `{\n  ${fields.join(',\n  ')}\n}`;
}

function fieldsOf({ properties = {}, required = [] }: Schema): [string, string][] {
  return Object.entries(properties).map(([name, schema]) => [
    `${name}${required.includes(name) ? '' : '?'}`,
    shape(schema),
  ]);
}

/** A schema as TypeScript would write it. */
function shape(schema: TSchema | Schema): string {
  const { type, enum: words, const: value, anyOf, items } = schema as Record<string, unknown>;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((option) => shape(option as Schema)).join(' | ');
  if (type === 'array') {
    const inner = shape((items ?? {}) as Schema);
    return /[ |]/.test(inner) ? `(${inner})[]` : `${inner}[]`;
  }
  if (type !== 'object') return typeof type === 'string' ? type : 'unknown';
  const fields = fieldsOf(schema as Schema);
  return fields.length === 0 ? 'object' : `{ ${fields.map(([name, inner]) => `${name}: ${inner}`).join(', ')} }`;
}
