/** What a kernel says beside text. The kernel runs foreign code, so every line is checked. */
import type { StatusEvent } from '../api.ts';

/** One message of a kernel. */
export type KernelFrame =
  | { readonly type: 'ready'; readonly version: string }
  | { readonly type: 'display'; readonly id: string; readonly bundle: Readonly<Record<string, unknown>> }
  | { readonly type: 'status'; readonly id: string; readonly event: StatusEvent }
  | {
      readonly type: 'tool';
      readonly id: string;
      readonly call: number;
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'done';
      readonly id: string;
      readonly status: 'ok' | 'error' | 'interrupted';
      readonly error?: CellFault;
    };

/** What a cell failed with. */
export interface CellFault {
  readonly name: string;
  readonly message: string;
}

/** The longest line; a picture fits. */
export const MAX_FRAME_BYTES = 24 * 1024 * 1024;

/** A line as a message, or nothing when it is none. */
export function parseFrame(line: string): KernelFrame | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // A cell can write to the descriptor itself; what is no message is not listened to.
  }
  if (!isRecord(value)) return undefined;
  const { type, id } = value;
  switch (type) {
    case 'ready':
      return typeof value['version'] === 'string' ? { type, version: value['version'] } : undefined;
    case 'display':
      return typeof id === 'string' && isRecord(value['bundle']) ? { type, id, bundle: value['bundle'] } : undefined;
    case 'status': {
      const { event } = value;
      return typeof id === 'string' && isRecord(event) && typeof event['op'] === 'string'
        ? { type, id, event: { ...event, op: event['op'] } }
        : undefined;
    }
    case 'tool': {
      const { call, name, args } = value;
      if (typeof id !== 'string' || typeof call !== 'number' || typeof name !== 'string') return undefined;
      return { type, id, call, name, args: isRecord(args) ? args : {} };
    }
    case 'done':
      return typeof id === 'string' ? doneFrame(id, value) : undefined;
    default:
      return undefined;
  }
}

function doneFrame(id: string, { status, error }: Record<string, unknown>): KernelFrame | undefined {
  if (status !== 'ok' && status !== 'error' && status !== 'interrupted') return undefined;
  if (!isRecord(error)) return { type: 'done', id, status };
  return { type: 'done', id, status, error: { name: String(error['name']), message: String(error['message']) } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
