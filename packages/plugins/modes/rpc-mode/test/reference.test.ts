import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent } from '@tenon/agent/api';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { EventFrame, RpcEvent } from '../src/api.ts';
import { referencePage, schemaDocument } from '../src/reference.ts';

const folder = join(import.meta.dirname, '../../../../../docs/reference');

describe('the reference', () => {
  it.each([
    ['rpc.md', referencePage],
    ['rpc.schema.json', () => `${JSON.stringify(schemaDocument(), null, 2)}\n`],
  ])('%s is what the tables of the protocol say (UPDATE_DOCS=1 writes it)', (name, make) => {
    const file = join(folder, name);
    if (process.env['UPDATE_DOCS'] === '1') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, make());
    }
    expect(readFileSync(file, 'utf8')).toBe(make());
  });

  it('knows every event of the agent, with its fields', () => {
    expectTypeOf<AgentEvent['type']>().toEqualTypeOf<EventFrame['type']>();
    expectTypeOf<RpcEvent['type']>().toEqualTypeOf<EventFrame['type']>();
    // Fails to compile when the agent says something that the schema does not allow.
    const check = (event: AgentEvent): object => event satisfies { [K in keyof EventFrame]: unknown };
    expect(check({ type: 'agent_start' })).toEqual({ type: 'agent_start' });
  });
});
