import { createHash } from 'node:crypto';

/** A digest of an entry's content, without what says where it stands. */
export function digest(entry: object): string {
  const { type: _type, id: _id, parentId: _parent, timestamp: _time, ...body } = entry as Record<string, unknown>;
  return createHash('sha1').update(JSON.stringify(body)).digest('hex');
}
