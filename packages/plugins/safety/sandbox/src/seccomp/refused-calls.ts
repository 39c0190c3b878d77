/**
 * System calls that confined programs do not get, as data: name -> numbers on x86-64 and 64-bit ARM. crates/sandbox refuses the
 * same ones under Landlock; a test compares the two lists.
 */

/** Reach into other processes, the kernel, its keys or the table of mounts; or do other calls unseen, as io_uring does. */
export const ALWAYS_REFUSED: Readonly<Record<string, readonly [number, number]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
};

/** Those of them that a debugger needs: they reach only what is in the same process namespace. */
export const TRACING: readonly string[] = ['ptrace', 'process_vm_readv', 'process_vm_writev'];

/** Take a process, and mean the caller by 0: for any other number they are refused. */
export const OWN_PROCESS_ONLY: Readonly<Record<string, readonly [number, number]>> = {
  prlimit64: [302, 261],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
};

/** Ordinary programs use these now and then; isolated code does not. */
export const REFUSED_TO_ISOLATED: Readonly<Record<string, readonly [number, number]>> = {
  personality: [135, 92],
  name_to_handle_at: [303, 264],
};

/** Ways to make a process other than clone; 64-bit ARM has none. */
export const FORKS: Readonly<Record<string, readonly [number]>> = { fork: [57], vfork: [58] };

/** Calls of which only some uses are refused. */
export const CHECKED_CALLS = { clone: [56, 220], clone3: [435, 435], socket: [41, 198], ioctl: [16, 29] } as const;
