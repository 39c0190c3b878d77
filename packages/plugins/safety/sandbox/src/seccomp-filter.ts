/**
 * A filter of system calls as bubblewrap takes it (`--seccomp FD`): a program for the kernel's BPF machine. Namespaces and
 * mounts do the confining; the filter refuses what they do not see. Typing into a terminal, key rings, sockets of families
 * that no network namespace holds, tracing, new namespaces, and calls through which kernels are attacked. Refused
 * calls fail with EPERM, so that a program gets an error instead of dying.
 */
import { endianness } from 'node:os';

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly clone: number;
  readonly refused: readonly number[];
}

const CLONE3 = 435;
/** The same numbers everywhere: io_uring, the newer mount calls, pidfd_getfd, mount_setattr. */
const SHARED = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442];

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    ioctl: 16,
    clone: 56,
    // ptrace syslog pivot_root chroot acct mount umount2 swapon swapoff reboot init_module delete_module quotactl
    // kexec_load add_key request_key keyctl unshare perf_event_open open_by_handle_at setns process_vm_readv
    // process_vm_writev kcmp finit_module kexec_file_load bpf userfaultfd
    refused: [
      101, 103, 155, 161, 163, 165, 166, 167, 168, 169, 175, 176, 179, 246, 248, 249, 250, 272, 298, 304, 308, 310, 311,
      312, 313, 320, 321, 323,
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    ioctl: 29,
    clone: 220,
    // The same calls: umount2 mount pivot_root chroot quotactl acct unshare kexec_load init_module delete_module syslog
    // ptrace reboot add_key request_key keyctl swapon swapoff perf_event_open open_by_handle_at setns process_vm_readv
    // process_vm_writev kcmp finit_module bpf userfaultfd kexec_file_load
    refused: [
      39, 40, 41, 51, 60, 89, 97, 104, 105, 106, 116, 117, 142, 217, 218, 219, 224, 225, 241, 265, 268, 270, 271, 272,
      273, 280, 282, 294,
    ],
  },
};

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
/** Offsets in the data that the program sees; the low half of an argument on a little-endian machine. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;
/** Calls of the x32 interface have this bit. */
const X32 = 0x4000_0000;
/** Unix, IPv4, IPv6, netlink. A network namespace does not hold the others, sockets of virtual machines among them. */
const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX type into a terminal as if the user did. */
const TYPING = [0x5412, 0x541c];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;

/** The filter for this machine, or nothing where the call numbers are not known. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (!machine || endianness() !== 'LE') return undefined;
  const program: number[][] = [];
  const add = (code: number, k: number, whenTrue = 0, whenFalse = 0) => program.push([code, whenTrue, whenFalse, k]);
  /** Runs `checks` when the call has this number; they end in a return. */
  const forCall = (number: number, checks: () => void) => {
    const at = add(JUMP_EQUAL, number) - 1;
    checks();
    (program[at] as number[])[2] = program.length - at - 1;
  };
  add(LOAD_WORD, ARCHITECTURE);
  add(JUMP_EQUAL, machine.audit, 1, 0);
  add(RETURN, ENOSYS);
  add(LOAD_WORD, NUMBER);
  add(JUMP_GREATER_EQUAL, X32, 0, 1);
  add(RETURN, ENOSYS);
  for (const number of [...SHARED, ...machine.refused]) forCall(number, () => add(RETURN, EPERM));
  // The flags of clone3 lie in memory, where no filter can look; libraries fall back to clone when it is absent.
  forCall(CLONE3, () => add(RETURN, ENOSYS));
  forCall(machine.clone, () => {
    add(LOAD_WORD, argument(0));
    add(JUMP_ANY_BIT, NEW_NAMESPACES, 0, 1);
    add(RETURN, EPERM);
    add(RETURN, ALLOW);
  });
  forCall(machine.socket, () => {
    add(LOAD_WORD, argument(0));
    FAMILIES.forEach((family, index) => add(JUMP_EQUAL, family, FAMILIES.length - index, 0));
    add(RETURN, EPERM);
    add(RETURN, ALLOW);
  });
  forCall(machine.ioctl, () => {
    add(LOAD_WORD, argument(1));
    for (const command of TYPING) {
      add(JUMP_EQUAL, command, 0, 1);
      add(RETURN, EPERM);
    }
    add(RETURN, ALLOW);
  });
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
