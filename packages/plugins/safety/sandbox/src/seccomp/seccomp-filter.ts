/**
 * A filter of system calls as bubblewrap takes it (`--seccomp FD`): a program for the kernel's BPF machine. Namespaces and
 * mounts do the confining; the filter refuses what they do not see. Refused calls fail with an error, so that a program can say
 * what went wrong instead of dying. The layout is that of crates/sandbox/src/seccomp.rs.
 */
import { endianness } from 'node:os';
import {
  ALWAYS_REFUSED,
  CHECKED_CALLS,
  FORKS,
  OWN_PROCESS_ONLY,
  REFUSED_TO_ISOLATED,
  TRACING,
} from './refused-calls.ts';

/** What a filter lets through. */
export interface FilterOptions {
  /** Whether new processes can be made. Threads always can. */
  readonly processes: boolean;
  /** For code that gets only what it was granted: sockets are local ones only, and fewer calls are left. */
  readonly isolated: boolean;
  /** Whether programs may trace one another: the process namespace holds only those of the same sandbox. */
  readonly tracing?: boolean;
  /** False: no socket of any kind can be made. */
  readonly sockets?: boolean;
}

interface Machine {
  readonly audit: number;
  /** Where its numbers stand in the lists. */
  readonly column: 0 | 1;
  /** Numbers from here on belong to another calling convention. */
  readonly foreignFrom?: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000_003e, column: 0, foreignFrom: 0x4000_0000 },
  arm64: { audit: 0xc000_00b7, column: 1 },
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

const UNIX = 1;
/** IPv4, IPv6, netlink. A network namespace does not hold other families, sockets of virtual machines among them. */
const INTERNET = [2, 10, 16];
/** TIOCSTI and TIOCLINUX type into a terminal as if the user did. */
const TYPING = [0x5412, 0x541c];
const CLONE_THREAD = 0x0001_0000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;

/** One instruction: code, steps when true, steps when false, value. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];
const statement = (code: number, value: number): Instruction => [code, 0, 0, value];

/** A refusal of one call; without checks it is refused whatever its arguments are. */
interface Rule {
  readonly number: number;
  readonly answer: number;
  readonly checks?: readonly Instruction[];
}

/** The filter for this machine, or nothing where the call numbers are not known. */
export function seccompFilter(options: FilterOptions, arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (!machine || endianness() !== 'LE') return undefined;
  return encode(compile(machine, rulesOf(machine, options)));
}

function rulesOf({ column }: Machine, options: FilterOptions): Rule[] {
  const { processes, isolated, tracing = false, sockets = true } = options;
  const numbers = (calls: Readonly<Record<string, readonly number[]>>) =>
    Object.values(calls).flatMap((columns) => columns[column] ?? []);
  const { clone, clone3, socket, ioctl } = CHECKED_CALLS;
  const allowedToTracers = TRACING.flatMap((name) => ALWAYS_REFUSED[name]?.[column] ?? []);
  const refused = [
    ...numbers(ALWAYS_REFUSED).filter((number) => !tracing || !allowedToTracers.includes(number)),
    ...(isolated ? numbers(REFUSED_TO_ISOLATED) : []),
    ...(processes ? [] : numbers(FORKS)),
  ];
  const families = isolated ? [UNIX] : [UNIX, ...INTERNET];
  return [
    ...refused.map((number) => ({ number, answer: EPERM })),
    ...numbers(OWN_PROCESS_ONLY).map((number) => ({ number, answer: EPERM, checks: unlessOneOf(0, [0]) })),
    // The flags of clone3 lie in memory, where no filter can look; libraries fall back to clone when it is absent.
    { number: clone3[column], answer: ENOSYS },
    { number: clone[column], answer: EPERM, checks: whenBits(0, NEW_NAMESPACES) },
    ...(processes ? [] : [{ number: clone[column], answer: EPERM, checks: unlessBits(0, CLONE_THREAD) }]),
    ...TYPING.map((command) => ({ number: ioctl[column], answer: EPERM, checks: whenEqual(1, command) })),
    { number: socket[column], answer: EPERM, ...(sockets && { checks: unlessOneOf(0, families) }) },
  ];
}

/** Checks end before the refusal, or step over it. */
const whenBits = (index: number, bits: number): Instruction[] => [
  statement(LOAD_WORD, argument(index)),
  [JUMP_ANY_BIT, 0, 1, bits],
];
const unlessBits = (index: number, bits: number): Instruction[] => [
  statement(LOAD_WORD, argument(index)),
  [JUMP_ANY_BIT, 1, 0, bits],
];
const whenEqual = (index: number, value: number): Instruction[] => [
  statement(LOAD_WORD, argument(index)),
  [JUMP_EQUAL, 0, 1, value],
];
const unlessOneOf = (index: number, values: readonly number[]): Instruction[] => [
  statement(LOAD_WORD, argument(index)),
  ...values.map((value, at): Instruction => [JUMP_EQUAL, values.length - at, 0, value]),
];

function compile({ audit, foreignFrom }: Machine, rules: readonly Rule[]): Instruction[] {
  return [
    statement(LOAD_WORD, ARCHITECTURE),
    [JUMP_EQUAL, 1, 0, audit],
    statement(RETURN, ENOSYS),
    statement(LOAD_WORD, NUMBER),
    ...(foreignFrom === undefined ? [] : [[JUMP_GREATER_EQUAL, 0, 1, foreignFrom] as const, statement(RETURN, ENOSYS)]),
    ...rules.flatMap(block),
    statement(RETURN, ALLOW),
  ];
}

/** Either returns the answer or leaves the call's number loaded for the next block. */
function block({ number, answer, checks }: Rule): Instruction[] {
  const refusal = statement(RETURN, answer);
  const body = checks ? [...checks, refusal, statement(LOAD_WORD, NUMBER)] : [refusal];
  return [[JUMP_EQUAL, 0, body.length, number], ...body];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
