/** The OAuth client of a login: the user's own, or the one that the endpoint names. */
import type { OAuthSpec } from '../api.ts';

/** The login with the client that is used. A client of the user's own belongs to nobody else. */
export function withClient(
  spec: OAuthSpec,
  env: Readonly<Record<string, string | undefined>>,
  ownId?: string,
): OAuthSpec {
  const { clientOwner, clientSecret, ...rest } = spec;
  const secret = clientSecret?.startsWith('$') ? env[clientSecret.slice(1)] : clientSecret;
  const isOwn = ownId !== undefined && ownId !== spec.clientId;
  return {
    ...rest,
    ...(secret !== undefined && secret !== '' && { clientSecret: secret }),
    ...(isOwn && { clientId: ownId }),
    ...(!isOwn && clientOwner !== undefined && { clientOwner }),
  };
}

/** What a request to the token address says about the client. */
export function clientFields({ clientId, clientSecret }: OAuthSpec): Record<string, string> {
  return {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  };
}
