/** Which addresses are public, compared with what Python's `ipaddress` says about them. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPrivateHost, isPublicAddress, plainHost } from '../src/network/addresses.ts';

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::127.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '3fff::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:FFFF:10.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    'nonsense',
    '',
    '1.1.1.1%eth0',
    '01.1.1.1',
  ])('such as %s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
  ])('such as %s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

it('a host is private in every spelling', () => {
  for (const host of [
    'localhost',
    'LocalHost.',
    'a.localhost..',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:7f00:1]',
    '0',
    '0xa9fea9fe',
  ])
    expect(isPrivateHost(host), host).toBe(true);
  for (const host of ['example.com', 'localhost.example.com', 'notlocalhost', '8.8.8.8', '134744072', 'face.fade'])
    expect(isPrivateHost(host), host).toBe(false);
  expect(plainHost('Example.COM.')).toBe('example.com');
});

const ORACLE = `
import ipaddress, json, sys
def judge(text):
    one = ipaddress.ip_address(text)
    one = getattr(one, 'ipv4_mapped', None) or one
    special = one.is_private or one.is_multicast or one.is_reserved or one.is_loopback or one.is_link_local or one.is_unspecified
    return bool(one.is_global and not special and not getattr(one, 'is_site_local', False))
print(json.dumps([judge(text) for text in json.load(sys.stdin)]))`;
const hasPython = spawnSync('python3', ['-c', 'import ipaddress']).status === 0;

/** Public to Python, and closed here: relays and protocols that carry or stand for other addresses, and what is not given out yet. */
const CLOSED_BEYOND_PYTHON = /^(?:192\.(?:88\.99|0\.0)\.|2001:0{0,3}(?:0|1[0-9a-f]{0,2}|[0-9a-f]{1,2})?:|2002:|3fff:0)/;
const isBeyond = (address: string) =>
  CLOSED_BEYOND_PYTHON.test(address) || (address.includes(':') && !/^[23][0-9a-f]{3}:/.test(address));

describe.skipIf(!hasPython)('compared with Python', () => {
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0, 10, 88, 99, 100, 127, 169, 172, 192, 198, 203, 224, 254),
  );
  const v4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
  const group = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0, 1, 2, 0xdb8, 0x64, 0xff9b, 0xffff));
  const first = fc.oneof(
    group,
    fc.constantFrom(0x2001, 0x2002, 0x2606, 0x3fff, 0xfc00, 0xfe80, 0xfec0, 0xff02, 0x100, 0x64),
  );
  const v6 = fc
    .tuple(first, fc.array(group, { minLength: 7, maxLength: 7 }))
    .map(([start, rest]) => [start, ...rest].map((part) => part.toString(16).padStart(4, '0')).join(':'));
  const mapped = v4.map((address) => `::ffff:${address}`);

  it('nothing is public that Python does not call global, and little is closed beyond that', () => {
    const addresses = fc.sample(fc.oneof(v4, v6, mapped), 20_000);
    const { stdout } = spawnSync('python3', ['-c', ORACLE], { input: JSON.stringify(addresses), encoding: 'utf8' });
    const expected = JSON.parse(stdout) as boolean[];
    const wrong = addresses.filter((address, index) => {
      const inner = address.replace('::ffff:', '');
      return isPublicAddress(address) !== expected[index] && !(expected[index] === true && isBeyond(inner));
    });
    expect(wrong).toEqual([]);
    expect(expected.filter(Boolean).length).toBeGreaterThan(1_000);
  });
});
