/** The filter of system calls, run by a small BPF machine. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  ALWAYS_REFUSED,
  CHECKED_CALLS,
  FORKS,
  OWN_PROCESS_ONLY,
  REFUSED_TO_ISOLATED,
  TRACING,
} from '../src/seccomp/refused-calls.ts';
import { type FilterOptions, seccompFilter } from '../src/seccomp/seccomp-filter.ts';

const MACHINES = [
  { arch: 'x64', audit: 0xc000_003e, column: 0 },
  { arch: 'arm64', audit: 0xc000_00b7, column: 1 },
] as const;
const COMMAND: FilterOptions = { processes: true, isolated: false };
const PACK: FilterOptions = { processes: false, isolated: true };
const PACK_WITH_PROGRAMS: FilterOptions = { processes: true, isolated: true };
const { EPERM, ENOSYS } = constants.errno;

/** The error that a call gets, or 0 when it is let through. */
function answer(filter: Buffer, audit: number, number: number, args: readonly number[] = []): number {
  let loaded = 0;
  for (let at = 0; ; at++) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const jump = (isTrue: boolean) => (at += filter[at * 8 + (isTrue ? 2 : 3)] ?? 0);
    if (code === 0x20) loaded = value === 0 ? number : value === 4 ? audit : (args[(value - 16) / 8] ?? 0);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else if (code === 0x06) return value === 0x7fff_0000 ? 0 : value & 0xffff;
    else throw new Error(`unknown instruction ${code}`);
  }
}

for (const { arch, audit, column } of MACHINES) {
  describe(`on ${arch}`, () => {
    const tell = (options: FilterOptions, number: number | undefined, ...args: number[]) =>
      answer(seccompFilter(options, arch) ?? Buffer.alloc(0), audit, number ?? -1, args);
    const { clone, clone3, socket, ioctl } = CHECKED_CALLS;

    it('calls that reach beyond a sandbox are refused to all', () => {
      for (const options of [COMMAND, PACK, PACK_WITH_PROGRAMS]) {
        for (const [name, numbers] of Object.entries(ALWAYS_REFUSED))
          expect(tell(options, numbers[column]), name).toBe(EPERM);
        expect(tell(options, clone3[column])).toBe(ENOSYS);
        for (const namespace of [0x0002_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
          expect(tell(options, clone[column], namespace)).toBe(EPERM);
        for (const typing of [0x5412, 0x541c]) expect(tell(options, ioctl[column], 0, typing)).toBe(EPERM);
        expect(tell(options, ioctl[column], 0, 0x5413)).toBe(0);
        for (const [name, numbers] of Object.entries(OWN_PROCESS_ONLY)) {
          expect([tell(options, numbers[column], 0), tell(options, numbers[column], 4711)], name).toEqual([0, EPERM]);
        }
        // Sockets of packets and of virtual machines.
        for (const family of [17, 40]) expect(tell(options, socket[column], family)).toBe(EPERM);
        expect(tell(options, socket[column], 1)).toBe(0);
      }
    });

    it('a debugger may trace, and gets nothing else that others do not get', () => {
      for (const [name, numbers] of Object.entries(ALWAYS_REFUSED))
        expect(tell({ ...COMMAND, tracing: true }, numbers[column]), name).toBe(TRACING.includes(name) ? 0 : EPERM);
    });

    it('isolated code has no sockets of the internet, and no processes where it may start no programs', () => {
      for (const family of [2, 10, 16]) {
        expect([PACK, PACK_WITH_PROGRAMS].map((options) => tell(options, socket[column], family))).toEqual([
          EPERM,
          EPERM,
        ]);
        expect(tell(COMMAND, socket[column], family)).toBe(0);
      }
      for (const numbers of Object.values(REFUSED_TO_ISOLATED))
        expect([COMMAND, PACK, PACK_WITH_PROGRAMS].map((options) => tell(options, numbers[column]))).toEqual([
          0,
          EPERM,
          EPERM,
        ]);
      const [thread, fork] = [0x003d_0f00, 0x0120_0011];
      expect([COMMAND, PACK, PACK_WITH_PROGRAMS].map((options) => tell(options, clone[column], fork))).toEqual([
        0,
        EPERM,
        0,
      ]);
      expect(tell(PACK, clone[column], thread)).toBe(0);
      if (arch === 'x64') for (const [number] of Object.values(FORKS)) expect(tell(PACK, number)).toBe(EPERM);
    });

    it('other calls pass, and those of another calling convention do not', () => {
      for (const options of [COMMAND, PACK]) {
        const filter = seccompFilter(options, arch) ?? Buffer.alloc(0);
        expect(answer(filter, audit, 0)).toBe(0);
        expect(answer(filter, 0x4000_0003, 0)).toBe(ENOSYS);
        if (arch === 'x64') expect(answer(filter, audit, 0x4000_0000)).toBe(ENOSYS);
      }
    });
  });
}

it('there is no filter for machines whose numbers are not known', () => {
  expect(seccompFilter(COMMAND, 'mips')).toBeUndefined();
});

it('the calls are the same that crates/sandbox refuses under Landlock', () => {
  const source = readFileSync(new URL('../../../../../crates/sandbox/src/seccomp.rs', import.meta.url), 'utf8');
  const [, list = ''] = /const ALWAYS_REFUSED[^=]*= &\[([^\]]*)\]/.exec(source) ?? [];
  const names = [...list.matchAll(/libc::SYS_(\w+)/g)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(ALWAYS_REFUSED));
  const [, own = ''] = /const OWN_PROCESS_ONLY[^=]*= &\[([^\]]*)\]/.exec(source) ?? [];
  expect([...own.matchAll(/libc::SYS_(\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(OWN_PROCESS_ONLY));
});
