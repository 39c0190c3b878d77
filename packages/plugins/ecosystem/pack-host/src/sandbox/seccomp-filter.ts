/**
 * A seccomp filter as bubblewrap takes it (`--seccomp FD`): a BPF program over system call numbers. It refuses what a pack
 * never needs: new processes (threads stay possible), sockets other than local ones, and the calls through which kernels
 * are usually attacked. Refused calls fail with EPERM, so that a pack gets an error instead of dying.
 */
import { endianness } from 'node:os';

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly clone: number;
  readonly clone3: number;
  /** Ways to make processes other than clone. */
  readonly forks: readonly number[];
  readonly refused: readonly number[];
}

/** io_uring, the new mount calls, pidfd_getfd: the same numbers on every machine. */
const SHARED = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442];

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    clone: 56,
    clone3: 435,
    forks: [57, 58],
    // ptrace syslog personality pivot_root chroot acct mount umount2 swapon swapoff reboot init_module delete_module
    // quotactl kexec_load add_key request_key keyctl unshare perf_event_open name_to_handle_at open_by_handle_at setns
    // process_vm_readv process_vm_writev kcmp finit_module kexec_file_load bpf userfaultfd
    refused: [
      101, 103, 135, 155, 161, 163, 165, 166, 167, 168, 169, 175, 176, 179, 246, 248, 249, 250, 272, 298, 303, 304, 308,
      310, 311, 312, 313, 320, 321, 323,
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    clone: 220,
    clone3: 435,
    forks: [],
    // The same calls in the same sense: umount2 mount pivot_root chroot quotactl acct personality unshare kexec_load
    // init_module delete_module syslog ptrace reboot add_key request_key keyctl swapon swapoff perf_event_open
    // name_to_handle_at open_by_handle_at setns process_vm_readv process_vm_writev kcmp finit_module bpf userfaultfd
    // kexec_file_load
    refused: [
      39, 40, 41, 51, 60, 89, 92, 97, 104, 105, 106, 116, 117, 142, 217, 218, 219, 224, 225, 241, 264, 265, 268, 270,
      271, 272, 273, 280, 282, 294,
    ],
  },
};

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const CLONE_THREAD = 0x0001_0000;
const AF_UNIX = 1;
/** Offsets in the data that the program sees. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
/** Calls of the x32 interface have this bit. */
const X32 = 0x4000_0000;

/** The filter for this machine, or nothing where the call numbers are not known. */
export function seccompFilter(options: { processes: boolean; arch?: string }): Buffer | undefined {
  const machine = MACHINES[options.arch ?? process.arch];
  if (!machine || endianness() !== 'LE') return undefined;
  const { audit, socket, clone, clone3, forks, refused } = machine;
  const program: number[][] = [];
  const add = (code: number, k: number, whenTrue = 0, whenFalse = 0) => program.push([code, whenTrue, whenFalse, k]);
  const refuse = (number: number, answer: number) => {
    add(JUMP_EQUAL, number, 0, 1);
    add(RETURN, answer);
  };
  add(LOAD_WORD, ARCHITECTURE);
  add(JUMP_EQUAL, audit, 1, 0);
  add(RETURN, KILL_PROCESS);
  add(LOAD_WORD, NUMBER);
  add(JUMP_GREATER_EQUAL, X32, 0, 1);
  add(RETURN, EPERM);
  for (const number of [...SHARED, ...refused]) refuse(number, EPERM);
  add(JUMP_EQUAL, socket, 0, 4);
  add(LOAD_WORD, FIRST_ARGUMENT);
  add(JUMP_EQUAL, AF_UNIX, 1, 0);
  add(RETURN, EPERM);
  add(RETURN, ALLOW);
  if (!options.processes) {
    for (const number of forks) refuse(number, EPERM);
    // The flags of clone3 lie in memory, where no filter can look; libraries fall back to clone when it is absent.
    refuse(clone3, ENOSYS);
    add(JUMP_EQUAL, clone, 0, 4);
    add(LOAD_WORD, FIRST_ARGUMENT);
    add(JUMP_ANY_BIT, CLONE_THREAD, 1, 0);
    add(RETURN, EPERM);
    add(RETURN, ALLOW);
  }
  add(RETURN, ALLOW);
  return encode(program);
}

function encode(program: readonly number[][]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code = 0, whenTrue = 0, whenFalse = 0, k = 0], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(k, index * 8 + 4);
  });
  return bytes;
}
