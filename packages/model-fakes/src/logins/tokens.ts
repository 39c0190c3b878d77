import { randomBytes } from 'node:crypto';

/** The tokens that a fake has given out and still accepts. */
export class LiveTokens {
  readonly #live = new Set<string>();

  /** Makes a token. */
  issue(prefix: string): string {
    return this.add(`${prefix}${randomBytes(16).toString('hex')}`);
  }

  /** Accepts a token from now on. */
  add(token: string): string {
    this.#live.add(token);
    return token;
  }

  /** True for a token that is accepted, with or without the word before it in `Authorization`. */
  has(authorization: string | string[] | undefined): boolean {
    return this.#live.has(String(authorization ?? '').replace(/^\w+ /, ''));
  }

  /** Accepts none of them any more, as if their time were up. */
  expireAll(): void {
    this.#live.clear();
  }
}

/** A JWT without a valid signature: clients only read its claims. */
export function unsignedJwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${randomBytes(12).toString('base64url')}`;
}
