/** A server whose tokens come without a browser, its authorization server, and the identity provider of a company. */
import { createHash, createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { answer, json, listen, type Message } from './loopback.ts';

/** A key of a program: what it keeps, and what the authorization server knows. */
export function keyPair(kind: 'ec' | 'rsa') {
  const pair =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
}

/** What a statement says, if its signature holds. */
function statement(jwt: string, publicKey: string): Readonly<Record<string, unknown>> | undefined {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const key = createPublicKey(publicKey);
  const holds = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key,
    Buffer.from(signature, 'base64url'),
  );
  return holds ? (JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>) : undefined;
}

/** Signed requests, none of which may come twice. */
class Proofs {
  readonly #seen = new Set<unknown>();

  /** The key that has signed a request; nothing when it is not signed for this. */
  keyOf(request: IncomingMessage, method: string, url: string, access?: string): string | undefined {
    const jwt = String(request.headers['dpop'] ?? '');
    const [head = '', body = ''] = jwt.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString() || '{}');
    const { jwk, typ } = JSON.parse(head) as { readonly jwk?: JsonWebKey; readonly typ?: string };
    if (!jwk || typ !== 'dpop+jwt' || 'd' in jwk) return undefined;
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
    const { htm, htu, jti, ath } = JSON.parse(body) as Record<string, unknown>;
    const hash = access === undefined ? undefined : createHash('sha256').update(access).digest('base64url');
    const isRight = statement(jwt, pem) && htm === method && htu === url && ath === hash && !this.#seen.has(jti);
    this.#seen.add(jti);
    return isRight ? pem : undefined;
  }
}

/** What a server takes for a proof of the right to come in. */
interface Known {
  readonly secret?: string;
  readonly publicKey?: string;
  readonly idToken?: string;
  /** What the platform of a program says about it. */
  readonly assertion?: string;
  /** Tokens are bound to a key: whoever has one must sign each request. */
  readonly isBound?: boolean;
}

/** `client` is known by a secret or by its key; `idToken` is what the identity provider takes. */
export async function granting(known: Known) {
  const state = { access: new Set<string>(), forms: [] as Record<string, string>[], grants: new Map<string, string>() };
  const proofs = new Proofs();

  const isClient = (request: IncomingMessage, form: URLSearchParams): boolean => {
    const basic = /^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1];
    if (known.assertion !== undefined) return form.get('client_id') === 'client';
    if (basic !== undefined)
      return known.secret !== undefined && Buffer.from(basic, 'base64').toString() === `client:${known.secret}`;
    const said = known.publicKey && statement(form.get('client_assertion') ?? '', known.publicKey);
    return said ? said['iss'] === 'client' && said['sub'] === 'client' && said['aud'] === place.url : false;
  };

  const token = (request: IncomingMessage, body: string): [number, unknown] => {
    const form = new URLSearchParams(body);
    state.forms.push(Object.fromEntries(form));
    if (!isClient(request, form)) return [401, { error: 'invalid_client', error_description: 'unknown client' }];
    const kind = form.get('grant_type') ?? '';
    const isByPlatform = known.assertion !== undefined && form.get('assertion') === known.assertion;
    const isVouchedFor =
      isByPlatform || state.grants.get(form.get('assertion') ?? '') === `${place.url} ${place.url}/mcp`;
    if (kind.endsWith(':jwt-bearer') && !isVouchedFor) return [400, { error: 'invalid_grant' }];
    const access = randomUUID();
    const by = known.isBound === true ? proofs.keyOf(request, 'POST', `${place.url}/token`) : '';
    if (by === undefined) return [400, { error: 'invalid_dpop_proof' }];
    state.access.add(`${access}${by}`);
    return [200, { access_token: access, token_type: known.isBound === true ? 'DPoP' : 'Bearer', expires_in: 3600 }];
  };

  const idp = await listen((request, response, body) => {
    if (request.url?.startsWith('/.well-known/') === true)
      return json(response, 200, {
        issuer: idp.url,
        authorization_endpoint: `${idp.url}/authorize`,
        token_endpoint: `${idp.url}/token`,
        response_types_supported: ['code'],
      });
    const form = new URLSearchParams(body);
    if (form.get('subject_token') !== known.idToken || form.get('client_id') !== 'tenon-at-work')
      return json(response, 400, { error: 'invalid_grant', error_description: 'who is that?' });
    const grant = randomUUID();
    state.grants.set(grant, `${form.get('audience')} ${form.get('resource')}`);
    const issued = 'urn:ietf:params:oauth:token-type:id-jag';
    return json(response, 200, { access_token: grant, issued_token_type: issued, token_type: 'N_A' });
  });

  const place = await listen((request, response, body) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    if (path === '/.well-known/oauth-protected-resource/mcp')
      return json(response, 200, { resource: `${place.url}/mcp`, authorization_servers: [place.url] });
    if (path === '/.well-known/oauth-authorization-server')
      return json(response, 200, {
        issuer: place.url,
        authorization_endpoint: `${place.url}/authorize`,
        token_endpoint: `${place.url}/token`,
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported:
          known.assertion === undefined ? ['client_secret_basic', 'private_key_jwt'] : ['none'],
      });
    if (path === '/token') return json(response, ...token(request, body));
    if (path !== '/mcp') return void response.writeHead(404).end();
    const [, scheme = '', access = ''] = /^(Bearer|DPoP) (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const by = known.isBound === true ? proofs.keyOf(request, 'POST', `${place.url}/mcp`, access) : '';
    if (scheme !== (known.isBound === true ? 'DPoP' : 'Bearer') || !state.access.has(`${access}${by}`)) {
      const metadata = `resource_metadata="${place.url}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}` }).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    return json(
      response,
      200,
      answer(message, () => 'a known program'),
    );
  });
  return { ...state, url: `${place.url}/mcp`, issuer: place.url, idp: idp.url };
}
