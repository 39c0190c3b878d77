/** What a Node process must be able to reach to start and run, besides what its policy is about. */
import type { RuntimePaths } from './contract.ts';

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache', '/etc/ld.so.preload'];
/** Node ends with an error when this file exists and cannot be read. */
const OPENSSL = '/etc/ssl/openssl.cnf';
const TIME_AND_LANGUAGE = ['/usr/share/zoneinfo', '/etc/localtime', '/usr/share/icu'];
const DEVICES = ['/dev/urandom', '/dev/random', '/dev/zero'];
/** Node's `os` module. */
const MACHINE = [
  '/proc/meminfo',
  '/proc/cpuinfo',
  '/proc/stat',
  '/proc/uptime',
  '/proc/loadavg',
  '/sys/devices/system/cpu',
];
const NAMES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/host.conf',
  '/etc/services',
];
const CERTIFICATES = ['/etc/ssl/certs', '/usr/share/ca-certificates', '/run/systemd/resolve'];

/** The program, its libraries and the small system files that Node reads; with `net`, also names and certificates. */
export function runtimePaths(options: { readonly net?: boolean | undefined } = {}): RuntimePaths {
  const read = [process.execPath, ...LIBRARIES, OPENSSL, ...TIME_AND_LANGUAGE, ...DEVICES, ...MACHINE];
  // A child's ignored streams are opened for writing.
  return { read: options.net ? [...read, ...NAMES, ...CERTIFICATES] : read, write: ['/dev/null'] };
}
