import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { CREDENTIAL_ANCHORS } from '../src/credentials.ts';
import { detectedSecrets } from '../src/detected-secrets.ts';
import { KnownValues } from '../src/known-values.ts';
import { Masker } from '../src/masker.ts';

const detecting = new Masker([], { detect: true });
// Put together here, so that no scanner takes this file for a leak.
const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA'.repeat(4).slice(0, count);

describe('credentials', () => {
  it.each([
    ['an AWS key id', `AKIA${'Q3EGRPLZ7XYW2MNB'}`, (s: string) => `aws_access_key_id = ${s}`],
    ['an AWS secret', `${letters(38)}/+`, (s: string) => `aws_secret_access_key = ${s}`],
    ['an AWS secret in JSON', `${letters(38)}/+`, (s: string) => `{"SecretAccessKey": "${s}"}`],
    ['a Stripe key', `sk_live_${letters(24)}`, (s: string) => `stripe.api_key = "${s}"`],
    ['a restricted Stripe key', `rk_live_${letters(24)}`, (s: string) => s],
    ['a webhook secret', `whsec_${letters(32)}`, (s: string) => `secret ${s} here`],
    ['a JWT', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`, (s: string) => `cookie: session=${s}; path=/`],
    ['a password in an address', 'hunter2-x', (s: string) => `DATABASE_URL=postgres://app:${s}@db.internal:5432/app`],
    ['a password without a user', 'r3d1s-pw', (s: string) => `redis://:${s}@cache:6379`],
    ['an Azure account key', `${letters(86)}==`, (s: string) => `AccountName=x;AccountKey=${s};EndpointSuffix=y`],
    ['an Azure signature', `${letters(40)}%3D`, (s: string) => `https://x.blob.core.windows.net/c?sv=1&sig=${s}`],
    ['an Azure client secret', `abc8Q~${letters(34)}`, (s: string) => `secret is ${s}.`.replace('.', ' ')],
    ['a Hugging Face token', `hf_${letters(34)}`, (s: string) => `token ${s}`],
    ['a GitHub token', `ghp_${letters(36)}`, (s: string) => `https://${s}@github.com/x`],
    ['a GitLab token', `glpat-${letters(20)}`, (s: string) => s],
    ['an npm token', `npm_${letters(36)}`, (s: string) => `//registry.example.org/:_authToken=${s}`],
    ['a PyPI token', `pypi-AgE${letters(60)}`, (s: string) => `password = ${s}`],
    ['a Slack token', `xoxb-${'123456789012-1234567890123-'}${letters(24)}`, (s: string) => s],
    ['a Google key', `AIza${letters(35)}`, (s: string) => `key=${s}`],
    ['an Anthropic key', `sk-ant-api03-${letters(80)}`, (s: string) => `export X=${s}`],
    ['an OpenAI key', `sk-proj-${letters(60)}`, (s: string) => s],
    ['an OpenRouter key', `sk-or-v1-${letters(64)}`, (s: string) => s],
    ['a Groq key', `gsk_${letters(52)}`, (s: string) => s],
    ['an xAI key', `xai-${letters(80)}`, (s: string) => s],
    ['a bearer token', letters(40), (s: string) => `curl -H "Authorization: Bearer ${s}" https://x`],
    ['a password', 'correcthorse', (s: string) => `# db\nDB_PASSWORD=${s}\nDB_HOST=localhost`],
    ['a quoted secret', 's3cr3t-Value', (s: string) => `export APP_SECRET="${s}"`],
    ['a token', `x${letters(20)}`, (s: string) => `MISTRAL_API_KEY=${s}`],
    ['YAML', 'Sup3rGeh3im', (s: string) => `db:\n  password: ${s}\n  host: x`],
    ['JSON', 'q8Zt-11x!kk', (s: string) => `{"user": "x", "apiKey": "${s}"}`],
    ['TOML', 'q8Zt-11x!kk', (s: string) => `client_secret = "${s}"`],
    ['a line of a reader', 'correcthorse', (s: string) => `1ab|A=1\n2cd|DB_PASSWORD=${s}\n3ef|B=2`],
    ['a line of YAML of a reader', 'Sup3rGeh3im', (s: string) => `1ab|db:\n2cd|  password: ${s}\n3ef|  a: b`],
    ['a line of a search', 'correcthorse', (s: string) => `config/.env:12:DB_PASSWORD=${s}`],
    ['a line of a diff', 'correcthorse', (s: string) => `-A=1\n+DB_PASSWORD=${s}`],
    ['a command', 'correcthorse', (s: string) => `PGPASSWORD=${s} psql -h db`],
    ['INI', 'q8Zt11xkk99', (s: string) => `[db]\npassword=${s}\n`],
  ])('%s is masked, and what stands around it stays', (_, secret, around) => {
    const text = around(secret);
    const masked = detecting.maskText(text);
    expect(masked).not.toContain(secret);
    expect(masked.replace(/#[A-Z0-9]{4}#/, secret)).toBe(text);
    expect(detecting.maskText(masked)).toBe(masked);
    expect(detecting.restore(masked)).toBe(text);
  });

  it('masks the inside of a private key, also of one that is cut off or in one line', () => {
    const body = Array.from({ length: 6 }, () => letters(64)).join('\n');
    for (const text of [
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`,
      `-----BEGIN RSA PRIVATE KEY-----\n${body}`,
      `1ab|-----BEGIN RSA PRIVATE KEY-----\n${body.replaceAll(/^/gm, '2cd|')}\n9xy|-----END RSA PRIVATE KEY-----`,
      `+-----BEGIN RSA PRIVATE KEY-----\n${body.replaceAll(/^/gm, '+')}\n`,
      `id_rsa:1:-----BEGIN RSA PRIVATE KEY-----\n${body.replaceAll(/^/gm, 'id_rsa:2:')}\n`,
      JSON.stringify({ key: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n` }),
    ])
      expect(detecting.maskText(text)).not.toContain(letters(64));
  });

  it.each([
    'password = getpass()',
    'const token = await readToken(file);',
    'PASSWORD=changeme',
    'PASSWORD=${DB_PASSWORD}',
    'API_KEY=$1',
    'TOKEN=$(cat token)',
    'SECRET=',
    'SECRET_KEY=your-secret-key-here',
    'API_KEY=xxxxxxxxxxxxxxxx',
    'token: string;',
    'apiKey: process.env.API_KEY,',
    "apiKeyEnv: 'ANTHROPIC_API_KEY'",
    'password: str = Field(..., min_length=8)',
    "const SECRET_NAME = 'my-secret-name';",
    "type Token = 'identifier2' | 'number';",
    "token: 'sha256'",
    'primaryKey: "userId2"',
    'cacheKey = `${name}:${id}`',
    'maxTokens: 4096',
    'TOKENIZER_PATH=/opt/models/x1',
    'AUTH_URL=https://auth.example.com/v2',
    'PUBLIC_KEY_FILE=./keys/a1.pem',
    '"access_token_url": "https://x.example/o2/token"',
    'postgres://postgres:postgres@localhost/db',
    'https://user:password@example.com',
    'sk-button sk-loading-indicator-large-item',
    'git@github.com:org/repo.git',
    'http://localhost:3000/@scope/pkg',
    '-----BEGIN PUBLIC KEY-----',
    'if (password !== confirmPassword2) {',
    'secretName: db-credentials-v2',
    'integrity: sha512-abc',
  ])('code and examples stay readable: %s', (text) => {
    expect(detecting.maskText(text)).toBe(text);
  });
});

describe('known values', () => {
  it('are found in every encoding, wherever they stand', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 10, maxLength: 40, unit: fc.constantFrom(...'abcXYZ0189-_.!$/+ü') }),
        fc.uint8Array({ maxLength: 5 }),
        fc.uint8Array({ maxLength: 5 }),
        (secret, before, after) => {
          fc.pre(new Set(secret).size > 4);
          const masker = new Masker([{ match: secret, mode: 'obfuscate' }]);
          const bytes = Buffer.concat([before, Buffer.from(secret), after]);
          const core = Buffer.from(secret).subarray(2, -2);
          for (const encoding of ['base64', 'base64url', 'hex'] as const) {
            const decoded = Buffer.from(
              masker.maskText(bytes.toString(encoding)).replaceAll(/#[A-Z0-9]{4}#/g, ' '),
              encoding,
            );
            expect(decoded.includes(core)).toBe(false);
          }
          expect(masker.maskText(`x=${encodeURIComponent(secret)}&`)).not.toContain(encodeURIComponent(secret));
          expect(masker.maskText(`"${JSON.stringify(secret)}"`)).not.toContain(JSON.stringify(secret).slice(1, -1));
        },
      ),
      { numRuns: caseCount(300) },
    );
  });

  it.each([
    ['an address, with slashes left as they are', 'wJal/XUtn%2BFEMI%2F'.replace('%2F', '/') + 'K7%26MD%3CG9%3D%3D'],
    ['an address, in small letters', 'wJal%2fXUtn%2bFEMI%2fK7%26MD%3cG9%3d%3d'],
    ['JSON, as PHP writes it', String.raw`wJal\/XUtn+FEMI\/K7&MD<G9==`],
    ['JSON, as Go writes it', String.raw`wJal/XUtn+FEMI/K7\u0026MD\u003cG9==`],
    ['HTML', 'wJal/XUtn+FEMI/K7&amp;MD&lt;G9=='],
  ])('are found in %s', (_where, encoded) => {
    const masker = new Masker([{ match: 'wJal/XUtn+FEMI/K7&MD<G9==', mode: 'obfuscate' }]);
    expect(masker.maskText(`key: "${encoded}".`)).toMatch(/^key: "#[A-Z0-9]{4}#"\.$/);
  });

  it('are found in data that is nested deeply, of which the deepest part is left out', () => {
    const masker = new Masker([{ match: 's3cr3t-Tr0ut-9', mode: 'obfuscate' }]);
    let nested: unknown = 's3cr3t-Tr0ut-9';
    for (let depth = 0; depth < 4_000; depth++) nested = ['s3cr3t-Tr0ut-9', nested];
    const masked = JSON.stringify(masker.mask(nested));
    expect(masked).not.toContain('s3cr3t-Tr0ut-9');
    expect(masked).toMatch(/^\["#[A-Z0-9]{4}#",.*"\[nested too deeply\]"/);
  });

  it('may hold half of a character', () => {
    const masker = new Masker([], { detect: true });
    for (const half of ['\ud83d', '\ude00']) {
      const masked = masker.maskText(`DB_PASSWORD=s3cr3t-${half}Tr0ut-9`);
      expect(masked).toMatch(/^DB_PASSWORD=#[A-Z0-9]{4}#$/);
    }
  });

  it('are found in base64 that is broken into lines, wherever the lines end', () => {
    const secret = `kn0wn-${letters(30)}`;
    const masker = new Masker([{ match: secret, mode: 'obfuscate' }]);
    const inner = Buffer.from(secret).toString('base64').slice(4, -4);
    for (let before = 0; before < 120; before++)
      for (const [width, end] of [
        [76, '\n'],
        [64, '\r\n'],
      ] as const) {
        const text = Buffer.from(`${'a'.repeat(before)}${secret}${'b'.repeat(90)}`).toString('base64');
        const lines = text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
        const masked = masker.maskText(lines.join(end));
        expect(masked).toMatch(/#[A-Z0-9]{4}#/);
        expect(Buffer.from(masked.replace(/#[A-Z0-9]{4}#/, ''), 'base64').toString()).not.toContain(
          secret.slice(8, 20),
        );
        expect(masked.replace(/\s/g, '')).not.toContain(inner);
      }
  });

  it('are found exactly where a plain search finds them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u{1F600}'), maxLength: 80 });
    const value = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, fc.array(value, { maxLength: 5 }), (where, values) => {
        const places = new Set<number>();
        for (const one of values)
          for (let at = where.indexOf(one); at >= 0; at = where.indexOf(one, at + 1)) places.add(at);
        const found = new KnownValues(values).find(where);
        expect(new Set(found.map(({ start }) => start))).toEqual(places);
        for (const { start, text: match } of found) expect(where.startsWith(match, start)).toBe(true);
      }),
      { numRuns: caseCount(2000) },
    );
  });

  it('that overlap leave no end behind', () => {
    const masker = new Masker([
      { match: 'abcdefgh-1234', mode: 'obfuscate' },
      { match: '1234-ijklmnop', mode: 'obfuscate' },
    ]);
    expect(masker.maskText('x abcdefgh-1234-ijklmnop y')).toMatch(/^x #[A-Z0-9]{4}# y$/);
  });
});

describe('a secret that was detected once', () => {
  it('is known from then on, in other places and other forms; a word stays a word', () => {
    const masker = new Masker([], { detect: true });
    masker.maskText('DB_PASSWORD=s3cr3t-Tr0ut-9\nADMIN_PASSWORD=development\n');
    const file = Buffer.from('A=1\nDB_PASSWORD=s3cr3t-Tr0ut-9\n');
    for (const text of ['log: s3cr3t-Tr0ut-9', '9-tu0rT-t3rc3s', file.toString('base64'), file.toString('hex')])
      expect(masker.maskText(text)).toMatch(/#[A-Z0-9]{4}#/);
    expect(masker.maskText('npm run development')).toBe('npm run development');
    masker.maskText('DB_PASSWORD=search_tool_bm25');
    expect(masker.maskOwn('Call search_tool_bm25.')).toBe('Call search_tool_bm25.');
  });
});

describe('a text full of things that look like secrets', () => {
  const fake = (number: number) => `ghp_${String(number).padStart(6, '0')}${letters(32)}`;

  it('does not keep those that come later from being known, however often one is repeated', () => {
    const masker = new Masker([], { detect: true });
    masker.maskText(`${fake(0)}\n`.repeat(2_000));
    masker.maskText(Array.from({ length: 1_000 }, (_, at) => fake(at)).join('\n'));
    masker.maskText('DB_PASSWORD=s3cr3t-Tr0ut-9');
    expect(masker.maskText(Buffer.from('A=s3cr3t-Tr0ut-9').toString('base64'))).toMatch(/#[A-Z0-9]{4}#/);
  });

  it('does not keep those that come later from being put back, nor those that are listed', () => {
    const masker = new Masker([{ match: 'listed-Value-77', mode: 'obfuscate' }], { detect: true });
    const listed = masker.maskText('listed-Value-77');
    masker.maskText(Array.from({ length: 10_500 }, (_, at) => fake(at)).join('\n'));
    const later = masker.maskText('DB_PASSWORD=s3cr3t-Tr0ut-9');
    expect(masker.restore(later)).toBe('DB_PASSWORD=s3cr3t-Tr0ut-9');
    expect(masker.restore(listed)).toBe('listed-Value-77');
  });
});

describe('the search', () => {
  it('ends in a time that grows with the text, whatever the text is', () => {
    const hostile = [
      'password'.repeat(20_000),
      'A_KEY='.repeat(30_000),
      `://${'a'.repeat(200_000)}`,
      '://a:'.repeat(40_000),
      `-----BEGIN PRIVATE KEY-----\n${'A '.repeat(100_000)}`,
      '-----BEGIN PRIVATE KEY-----\n'.repeat(5_000),
      `token: "${'a'.repeat(200_000)}`,
      `${'key-'.repeat(50_000)}: x`,
      `eyJ${'a'.repeat(200_000)}`,
      'eyJaaaaaaaa.'.repeat(20_000),
      `bearer ${'1a.'.repeat(60_000)}`,
      randomBytes(150_000).toString('base64'),
      '-eyJ'.repeat(10_000),
      // What one of them may begin with, again and again, with all that keeps it going.
      ...CREDENTIAL_ANCHORS.flatMap((anchor) =>
        ['', '-', '.', '_', '/', 'a1'].map((more) => (anchor + more).repeat(4_000)),
      ),
    ];
    for (const text of hostile) {
      const [small, large] = [text.slice(0, text.length / 8), text].map((part) => {
        let best = Infinity;
        for (let run = 0; run < 3; run++) {
          const start = performance.now();
          detectedSecrets(part);
          best = Math.min(best, performance.now() - start);
        }
        return best;
      });
      // Eight times the text may take eight times as long, not sixty-four; what takes next to no time is not compared.
      if ((large ?? 0) > 300) expect((large ?? 0) / (small ?? 1), text.slice(0, 40)).toBeLessThan(30);
    }
  });
});
