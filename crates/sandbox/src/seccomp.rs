//! A seccomp filter: which system calls fail, and with which error.
//!
//! The filter is a list of refusals over "everything else is allowed", because a host runs arbitrary JavaScript whose
//! harmless calls nobody can list. What is refused is what Landlock does not see (sockets, io_uring, tracing other
//! processes, key rings, mounts, namespaces, kernel modules) or what would widen the process's reach. A refused call
//! returns an error instead of killing the process, so that a program can say what went wrong.
//!
//! Three traps that a list of refusals must close:
//! * another calling convention reaches the same kernel functions under other numbers: the x32 numbers of x86-64 and
//!   the 32-bit entry points are refused as a whole;
//! * `clone3` passes its flags in memory, which a filter cannot read: it reports "not implemented", and C libraries
//!   then use `clone`, whose flags can be checked;
//! * io_uring performs other calls without their numbers ever being seen: it is refused as a whole.

use crate::policy::{Exec, Net, SelfPolicy};

/// One instruction of the kernel's classic BPF machine.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    code: u16,
    jump_true: u8,
    jump_false: u8,
    value: u32,
}

const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER_EQUAL: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

const RETURN_ALLOW: u32 = 0x7fff_0000;
const RETURN_ERRNO: u32 = 0x0005_0000;

// Offsets in the kernel's `struct seccomp_data`; the low half of an argument on a little-endian machine.
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
const fn offset_argument(index: u32) -> u32 {
    16 + 8 * index
}

/// How one system call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Always.
    Always,
    /// When any of these bits is set in the argument.
    WhenBits {
        /// Which argument.
        argument: u32,
        /// The bits.
        bits: u32,
    },
    /// When the argument has this value.
    WhenEqual {
        /// Which argument.
        argument: u32,
        /// The value.
        value: u32,
    },
    /// Unless the argument, masked, is this value.
    UnlessEqual {
        /// Which argument.
        argument: u32,
        /// Bits that count.
        mask: u32,
        /// The one allowed value.
        value: u32,
    },
    /// Unless the argument is one of these values.
    UnlessOneOf {
        /// Which argument.
        argument: u32,
        /// The allowed values.
        values: &'static [u32],
    },
}

/// A refusal of the call with this number, and the error it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    number: u32,
    refusal: Refusal,
    error: u32,
}

/// An architecture as the kernel's filter data names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Architecture {
    audit: u32,
    /// Numbers from here on belong to another calling convention.
    foreign_from: Option<u32>,
}

/// x86-64 with its x32 numbers refused.
pub const X86_64: Architecture = Architecture { audit: 0xC000_003E, foreign_from: Some(0x4000_0000) };
/// 64-bit ARM.
pub const AARCH64: Architecture = Architecture { audit: 0xC000_00B7, foreign_from: None };

// Terminal commands that type or paste as if the user did; the same numbers on all supported architectures.
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541C;

const ENOSYS: u32 = 38;
const EPERM: u32 = 1;
const EACCES: u32 = 13;

/// The program for a list of rules.
pub fn compile(architecture: Architecture, rules: &[Rule]) -> Vec<Instruction> {
    let mut program = vec![load(OFFSET_ARCHITECTURE), jump(JUMP_EQUAL, architecture.audit, 1, 0), refuse(ENOSYS)];
    program.push(load(OFFSET_NUMBER));
    if let Some(first) = architecture.foreign_from {
        program.push(jump(JUMP_GREATER_EQUAL, first, 0, 1));
        program.push(refuse(ENOSYS));
    }
    for rule in rules {
        append(&mut program, rule);
    }
    program.push(statement(RETURN, RETURN_ALLOW));
    program
}

/// Appends a block that either returns the error or leaves the call's number loaded for the next block.
fn append(program: &mut Vec<Instruction>, rule: &Rule) {
    let mut body = match rule.refusal {
        Refusal::Always => vec![refuse(rule.error)],
        Refusal::WhenBits { argument, bits } => {
            vec![load(offset_argument(argument)), jump(JUMP_ANY_BIT, bits, 0, 1), refuse(rule.error)]
        }
        Refusal::WhenEqual { argument, value } => {
            vec![load(offset_argument(argument)), jump(JUMP_EQUAL, value, 0, 1), refuse(rule.error)]
        }
        Refusal::UnlessEqual { argument, mask, value } => vec![
            load(offset_argument(argument)),
            statement(AND, mask),
            jump(JUMP_EQUAL, value, 1, 0),
            refuse(rule.error),
        ],
        Refusal::UnlessOneOf { argument, values } => {
            let mut body = vec![load(offset_argument(argument))];
            for (index, value) in values.iter().enumerate() {
                // Jumps over the remaining comparisons and the refusal; the lists have a handful of entries.
                let rest = u8::try_from(values.len() - index).unwrap_or(u8::MAX);
                body.push(jump(JUMP_EQUAL, *value, rest, 0));
            }
            body.push(refuse(rule.error));
            body
        }
    };
    if rule.refusal != Refusal::Always {
        body.push(load(OFFSET_NUMBER));
    }
    let length = u8::try_from(body.len()).unwrap_or(u8::MAX);
    program.push(jump(JUMP_EQUAL, rule.number, 0, length));
    program.append(&mut body);
}

const fn statement(code: u16, value: u32) -> Instruction {
    Instruction { code, jump_true: 0, jump_false: 0, value }
}
const fn jump(code: u16, value: u32, jump_true: u8, jump_false: u8) -> Instruction {
    Instruction { code, jump_true, jump_false, value }
}
const fn load(offset: u32) -> Instruction {
    statement(LOAD_WORD, offset)
}
const fn refuse(error: u32) -> Instruction {
    statement(RETURN, RETURN_ERRNO | error)
}

#[cfg(target_os = "linux")]
pub use linux::{architecture, install, rules};

#[cfg(target_os = "linux")]
mod linux {
    use super::*;

    /// This machine's architecture, when the filter knows it.
    pub fn architecture() -> Option<Architecture> {
        match std::env::consts::ARCH {
            "x86_64" => Some(X86_64),
            "aarch64" => Some(AARCH64),
            _ => None,
        }
    }

    const UNIX: u32 = libc::AF_UNIX as u32;
    const INET: u32 = libc::AF_INET as u32;
    const INET6: u32 = libc::AF_INET6 as u32;
    /// getifaddrs (Node's `os.networkInterfaces`) asks the kernel over netlink.
    const NETLINK: u32 = libc::AF_NETLINK as u32;

    const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWCGROUP) as u32;

    /// Calls that no sandboxed program needs: they reach into other processes, the kernel, or the mount table.
    const ALWAYS_REFUSED: &[libc::c_long] = &[
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_process_madvise,
        libc::SYS_process_mrelease,
        libc::SYS_pidfd_getfd,
        libc::SYS_kcmp,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fspick,
        libc::SYS_mount_setattr,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_open_by_handle_at,
        libc::SYS_fanotify_init,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_kexec_load,
        libc::SYS_kexec_file_load,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_acct,
        libc::SYS_quotactl,
        libc::SYS_syslog,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
    ];

    /// Calls that take a process and mean the caller by 0; others are not the caller's business.
    const OWN_PROCESS_ONLY: &[libc::c_long] = &[libc::SYS_prlimit64, libc::SYS_migrate_pages, libc::SYS_move_pages];

    /// TCP Fast Open connects inside a send call, which Landlock's port rules do not see on all kernels.
    const MSG_FASTOPEN: u32 = 0x2000_0000;
    const SOCK_TYPE_MASK: u32 = 0xf;

    fn rule(number: libc::c_long, refusal: Refusal, error: u32) -> Rule {
        // System call numbers are small and positive.
        Rule { number: number as u32, refusal, error }
    }

    /// The refusals of a policy. `deny_exec` is apart, because a process that is about to exec cannot refuse that yet.
    pub fn rules(policy: &SelfPolicy, deny_exec: bool) -> Vec<Rule> {
        let mut rules: Vec<Rule> = ALWAYS_REFUSED.iter().map(|number| rule(*number, Refusal::Always, EPERM)).collect();
        for number in OWN_PROCESS_ONLY {
            rules.push(rule(*number, Refusal::UnlessOneOf { argument: 0, values: &[0] }, EPERM));
        }
        rules.push(rule(libc::SYS_clone3, Refusal::Always, ENOSYS));
        rules.push(rule(libc::SYS_clone, Refusal::WhenBits { argument: 0, bits: NEW_NAMESPACES }, EPERM));
        // Typing into the terminal of whoever started us.
        for command in [TIOCSTI, TIOCLINUX] {
            rules.push(rule(libc::SYS_ioctl, Refusal::WhenEqual { argument: 1, value: command }, EPERM));
        }
        if deny_exec && policy.exec == Exec::Off {
            rules.push(rule(libc::SYS_execve, Refusal::Always, EACCES));
            rules.push(rule(libc::SYS_execveat, Refusal::Always, EACCES));
        }
        sockets(policy, &mut rules);
        rules
    }

    fn sockets(policy: &SelfPolicy, rules: &mut Vec<Rule>) {
        let families: &'static [u32] = match (&policy.net, policy.unix_sockets) {
            (Net::Off, false) => &[],
            (Net::Off, true) => &[UNIX],
            (Net::Tcp { .. }, false) => &[INET, INET6],
            (Net::Tcp { .. }, true) => &[INET, INET6, UNIX],
            (Net::Full, false) => &[INET, INET6, NETLINK],
            (Net::Full, true) => &[INET, INET6, NETLINK, UNIX],
        };
        let refusal = Refusal::UnlessOneOf { argument: 0, values: families };
        rules.push(rule(libc::SYS_socket, refusal, EACCES));
        if matches!(policy.net, Net::Tcp { .. }) {
            // Only plain TCP is bound to ports: no datagrams, and no protocol that Landlock does not count as TCP.
            // Unix sockets, where allowed, are then stream sockets with protocol 0 as well.
            let stream = Refusal::UnlessEqual { argument: 1, mask: SOCK_TYPE_MASK, value: libc::SOCK_STREAM as u32 };
            rules.push(rule(libc::SYS_socket, stream, EACCES));
            let tcp = Refusal::UnlessOneOf { argument: 2, values: &[0, libc::IPPROTO_TCP as u32] };
            rules.push(rule(libc::SYS_socket, tcp, EACCES));
            for (number, argument) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
                rules.push(rule(number, Refusal::WhenBits { argument, bits: MSG_FASTOPEN }, EACCES));
            }
        }
    }

    #[repr(C)]
    struct Program {
        length: libc::c_ushort,
        instructions: *const Instruction,
    }

    const SECCOMP_SET_MODE_FILTER: libc::c_ulong = 1;
    const SECCOMP_FILTER_FLAG_TSYNC: libc::c_ulong = 1;

    /// Puts the filter on every thread of the process, or on none. Needs `no_new_privs` on the calling thread.
    /// Makes no allocation, so it may run between fork and exec.
    pub fn install(program: &[Instruction]) -> std::io::Result<()> {
        let length =
            libc::c_ushort::try_from(program.len()).map_err(|_| std::io::Error::from_raw_os_error(libc::E2BIG))?;
        let program = Program { length, instructions: program.as_ptr() };
        // SAFETY: the kernel copies `program`, which outlives the call.
        let result = unsafe {
            libc::syscall(libc::SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &raw const program)
        };
        match result {
            0 => Ok(()),
            // With TSYNC a positive answer is the thread that could not be brought along.
            thread if thread > 0 => Err(std::io::Error::from_raw_os_error(libc::EBUSY)),
            _ => Err(std::io::Error::last_os_error()),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
