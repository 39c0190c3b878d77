/** What the number of runs at the same time can be limited by. */
import type { Run } from '@tenon/runs/api';
import { errors } from '../errors.ts';

/** Kinds of keys. */
export const KINDS = ['account', 'worker', 'repository', 'label'] as const;

/** The keys of a run: its worker, its account if it names one, its repository, and the labels that it asks for. */
export function keysOf({ worker, request }: Pick<Run, 'worker' | 'request'>): readonly string[] {
  const { account, workspace, labels = [] } = request;
  return [
    `worker:${worker}`,
    ...(account === undefined ? [] : [`account:${account}`]),
    ...(workspace === undefined ? [] : [`repository:${workspace.repository}`]),
    ...labels.map((label) => `label:${label}`),
  ];
}

/** The limit that holds for a key: its own, else that of each of its kind. */
export function limitOf(limits: ReadonlyMap<string, number>, key: string): number {
  return limits.get(key) ?? limits.get(`${key.slice(0, key.indexOf(':'))}:*`) ?? Number.POSITIVE_INFINITY;
}

/** Checks a key that a person has written. */
export function checkKey(key: string): string {
  const [, kind = '', name = ''] = /^([a-z]+):(.+)$/s.exec(key) ?? [];
  if (!(KINDS as readonly string[]).includes(kind) || name === '')
    throw errors.create('FLEET_LIMIT', { key, reason: 'it is not a kind and a name' });
  return key;
}

/** Labels that a person has written, with commas between them or one by one. */
export function labelsOf(words: readonly string[]): readonly string[] {
  const labels = words
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const odd = labels.find((label) => !/^[\w.@/-]{1,60}$/.test(label));
  if (odd !== undefined)
    throw errors.create('FLEET_FLAG', {
      flag: 'labels',
      value: odd,
      reason: 'a label has letters, digits and . _ @ / -',
    });
  return [...new Set(labels)].toSorted();
}

/** All hosts with the same labels and slots are one class, and share one queue of DBOS: its limit per process is theirs. */
export function classOf(slots: number, labels: readonly string[]): string {
  return `${slots}:${labels.join(',')}`;
}

/** The queue of a class. */
export const queueOf = (name: string) => `tenon:${name}`;
