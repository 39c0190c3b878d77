/** `agent://ID`: what agents and jobs gave back, whole or in part. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { parseAddress } from '../address.ts';
import type { AgentOutputs, UrlCall, UrlScheme } from '../api.ts';
import { filesInside, pathInside, readInside, writeInside } from '../contained-folder.ts';
import { errors } from '../errors.ts';
import { extractJson } from '../json-query.ts';
import type { SessionPlaces } from '../session-places.ts';
import { sessionOf } from './session-files.ts';

const FORM = 'agent://ID, agent://ID/path/to/value or agent://ID?q=QUERY; agent:// lists the outputs';
const ID = /^[A-Za-z0-9][\w.-]{0,120}$/;

/** Keeps outputs as files beside their session. */
export function createAgentOutputs(places: SessionPlaces): AgentOutputs {
  const root = async (session: string) => join(await places.folder(session), 'agents');
  const name = (id: string): [string] => {
    if (!ID.test(id)) {
      throw errors.create('URLS_INVALID', {
        url: `agent://${id}`,
        reason: 'an id has letters, digits, ".", "_" and "-", and begins with a letter or digit',
        form: FORM,
      });
    }
    return [`${id}.md`];
  };
  return {
    async put(session, id, text) {
      await writeInside(await root(session), name(id), `agent://${id}`, text);
    },
    async get(session, id) {
      const content = await readInside(await root(session), name(id), `agent://${id}`);
      return content === undefined || content === 'folder' ? undefined : content.content;
    },
    async list(session) {
      const { files } = await filesInside(await root(session), [], 'agent://');
      const byAge = [...files].sort((a, b) => a.modified - b.modified);
      return byAge.flatMap(({ segments: [file, more] }) =>
        more === undefined && file?.endsWith('.md') ? [file.slice(0, -3)] : [],
      );
    },
  };
}

/** The scheme over the outputs. */
export function agentScheme(places: SessionPlaces, outputs: AgentOutputs): UrlScheme {
  const fileOf = async (session: string, id: string) =>
    pathInside(join(await places.folder(session), 'agents'), [`${id}.md`], `agent://${id}`);
  /** The session that has an output: the caller's own, or the one that it works for. */
  const ownerOf = async (session: string, id: string): Promise<string | undefined> => {
    for (const candidate of await places.line(session))
      if ((await outputs.get(candidate, id)) !== undefined) return candidate;
    return undefined;
  };
  const outputOf = async (url: string, id: string, call: UrlCall): Promise<string> => {
    const session = sessionOf(url, call);
    const text = await outputs.get((await ownerOf(session, id)) ?? session, id);
    if (text !== undefined) return text;
    const ids = await outputs.list(session);
    const hint = ids.length === 0 ? 'No agent has given anything back yet.' : `The ids are: ${ids.join(', ')}.`;
    throw errors.create('URLS_NOT_FOUND', { url, hint });
  };
  return {
    async read(url, call) {
      const { segments, query } = parseAddress(url, FORM);
      const [id, ...path] = segments;
      if (id === undefined) {
        const ids = await outputs.list(sessionOf(url, call));
        const text = ids.map((agentId) => `agent://${agentId}`).join('\n');
        return { content: text || 'No agent has given anything back yet.', contentType: 'text/plain' };
      }
      const text = await outputOf(url, id, call);
      const wanted = query.get('q');
      if (path.length === 0 && wanted === null) {
        const session = sessionOf(url, call);
        const file = await fileOf((await ownerOf(session, id)) ?? session, id);
        return { content: text, contentType: 'text/markdown', immutable: true, file };
      }
      if (path.length > 0 && wanted !== null) {
        throw errors.create('URLS_INVALID', { url, reason: 'a path and ?q= cannot be used together', form: FORM });
      }
      const part = extractJson(parseOutput(id, text), wanted === null ? { path } : { query: wanted });
      const isText = typeof part === 'string';
      return {
        content: isText ? part : JSON.stringify(part, null, 2),
        contentType: isText ? 'text/plain' : 'application/json',
        immutable: true,
        isExtract: true,
      };
    },
    async locate(url, call) {
      const { segments, query } = parseAddress(url, FORM);
      const [id, ...path] = segments;
      if (id === undefined || !ID.test(id) || path.length > 0 || query.has('q')) return undefined;
      const session = sessionOf(url, call);
      const file = await fileOf((await ownerOf(session, id)) ?? session, id);
      return (await stat(file).catch(() => undefined)) && file; // Nothing to name when there is no output.
    },
  };
}

/** Models like to put a fence around JSON. */
function parseOutput(id: string, text: string): unknown {
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && trimmed.includes('\n');
  const bare = isFenced ? trimmed.slice(trimmed.indexOf('\n'), -3) : trimmed;
  try {
    return JSON.parse(bare) as unknown;
  } catch (fault) {
    throw errors.create('URLS_NOT_JSON', { id, reason: messageOf(fault) }, fault);
  }
}
