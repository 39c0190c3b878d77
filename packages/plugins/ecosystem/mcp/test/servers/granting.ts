/** A server whose tokens come without a browser, its authorization server, and the identity provider of a company. */
import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
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

/** `client` is known by a secret or by its key; `idToken` is what the identity provider takes. */
export async function granting(known: { secret?: string; publicKey?: string; idToken?: string }) {
  const state = { access: new Set<string>(), forms: [] as Record<string, string>[], grants: new Map<string, string>() };

  const isClient = (request: IncomingMessage, form: URLSearchParams): boolean => {
    const basic = /^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1];
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
    const isVouchedFor = state.grants.get(form.get('assertion') ?? '') === `${place.url} ${place.url}/mcp`;
    if (kind.endsWith(':jwt-bearer') && !isVouchedFor) return [400, { error: 'invalid_grant' }];
    const access = randomUUID();
    state.access.add(access);
    return [200, { access_token: access, token_type: 'Bearer', expires_in: 3600 }];
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
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
      });
    if (path === '/token') return json(response, ...token(request, body));
    if (path !== '/mcp') return void response.writeHead(404).end();
    if (!state.access.has(/^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')) {
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
