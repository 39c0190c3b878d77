/** Where the keys for Bedrock come from, with servers that answer as those of AWS do. */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { awsCredentials } from '../src/aws-credentials.ts';

let folder: string;
let server: Server;
let url: string;
let requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
let answer: { status?: number; body: string };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-aws-'));
  requests = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(answer.status ?? 200).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const KEYS = { accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: 'ST' };
const put = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const container = (until: string) =>
  JSON.stringify({ AccessKeyId: 'AK', SecretAccessKey: 'SK', Token: 'ST', Expiration: until });
/** Nothing of the person who runs the tests. */
const bare = () => ({ AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') });

describe('keys for Bedrock', () => {
  it('come from the agent of a container, with its token, and are kept until shortly before they end', async () => {
    const env = {
      ...bare(),
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/keys`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: put('token', 'secret\n'),
    };
    answer = { body: container(inHours(0.05)) };
    expect(await awsCredentials(env, undefined)).toEqual({ region: 'us-east-1', credentials: KEYS });
    expect(requests).toMatchObject([{ path: '/keys', headers: { authorization: 'secret' } }]);
    answer = { body: container(inHours(2)) };
    await awsCredentials(env, undefined);
    await Promise.all([awsCredentials(env, undefined), awsCredentials(env, undefined)]);
    expect(requests).toHaveLength(2);
  });

  it('come for a web identity from the token service of the region', async () => {
    const env = {
      ...bare(),
      AWS_REGION: 'eu-north-1',
      AWS_WEB_IDENTITY_TOKEN_FILE: put('identity', 'eyJ.a.b'),
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/models',
      AWS_ENDPOINT_URL_STS: url,
    };
    answer = {
      body: `<Result><Credentials><AccessKeyId>AK</AccessKeyId><SecretAccessKey>SK</SecretAccessKey><SessionToken>ST</SessionToken><Expiration>${inHours(1)}</Expiration></Credentials></Result>`,
    };
    expect(await awsCredentials(env, undefined)).toEqual({ region: 'eu-north-1', credentials: KEYS });
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: 'arn:aws:iam::1:role/models',
      WebIdentityToken: 'eyJ.a.b',
    });
    const other = { ...env, AWS_ROLE_ARN: 'arn:aws:iam::1:role/other' };
    answer = { status: 403, body: '<Error><Message>Not authorized</Message></Error>' };
    await expect(awsCredentials(other, undefined)).rejects.toThrow(
      `No AWS credentials from AWS_WEB_IDENTITY_TOKEN_FILE: ${url} answered 403: Not authorized.`,
    );
  });

  it('are not fetched in the clear from another machine, and not where keys or a profile are named', async () => {
    answer = { body: container(inHours(2)) };
    const address = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://models.invalid/keys' };
    await expect(awsCredentials({ ...bare(), ...address }, undefined)).rejects.toThrow(
      'neither of this machine nor https',
    );
    const named = { ...bare(), AWS_CONTAINER_CREDENTIALS_FULL_URI: url, AWS_PROFILE: 'work' };
    const file = put('credentials', '[work]\naws_access_key_id = WA\naws_secret_access_key = WS\n');
    const stored = await awsCredentials({ ...named, AWS_SHARED_CREDENTIALS_FILE: file }, undefined);
    expect(stored.credentials).toEqual({ accessKeyId: 'WA', secretAccessKey: 'WS' });
    const direct = { ...named, AWS_ACCESS_KEY_ID: 'DA', AWS_SECRET_ACCESS_KEY: 'DS' };
    expect((await awsCredentials(direct, undefined)).credentials).toEqual({ accessKeyId: 'DA', secretAccessKey: 'DS' });
    expect(requests).toEqual([]);
  });

  it('come from the AWS command line, which is told a profile only where one is named', async () => {
    const said = JSON.stringify({ AccessKeyId: 'AK', SecretAccessKey: 'SK', SessionToken: 'ST' });
    chmodSync(put('aws', `#!/bin/sh\necho "$@" >> '${folder}/calls'\necho '${said}'\n`), 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
    expect((await awsCredentials(bare(), undefined)).credentials).toEqual(KEYS);
    expect((await awsCredentials({ ...bare(), AWS_PROFILE: 'work' }, undefined)).credentials).toEqual(KEYS);
    expect(readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')).toEqual([
      'configure export-credentials --format process',
      'configure export-credentials --profile work --format process',
    ]);
  });
});
