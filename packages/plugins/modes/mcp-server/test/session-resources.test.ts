import { TenonError } from '@tenon/kernel';
import type { SessionStore } from '@tenon/sessions/api';
import { describe, expect, it } from 'vitest';
import { readSession } from '../src/session-resources.ts';

const failing = (code: string) =>
  ({
    open: () => Promise.reject(new TenonError({ code, owner: 'sessions', message: code })),
  }) as unknown as SessionStore;

describe('a session as a resource', () => {
  it('is absent when there is no such session', async () => {
    expect(await readSession(failing('SESSION_NOT_FOUND'), 'tenon://session/abc')).toBeUndefined();
  });

  it('is an error, not absent, when its file cannot be read', async () => {
    await expect(readSession(failing('SESSION_UNREADABLE'), 'tenon://session/abc')).rejects.toMatchObject({
      code: 'SESSION_UNREADABLE',
    });
  });
});
