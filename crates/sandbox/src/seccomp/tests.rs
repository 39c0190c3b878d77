//! The compiled programs are run by a small BPF machine here, so that the logic is proven without giving up any
//! right of the test process; `restrict` proves it on the real kernel.

use proptest::prelude::*;

use super::*;

struct Call {
    architecture: u32,
    number: u32,
    arguments: [u64; 6],
}

fn native(number: i64, arguments: [u64; 6]) -> Call {
    Call { architecture: X86_64.audit, number: number as u32, arguments }
}

fn run(program: &[Instruction], call: &Call) -> u32 {
    let mut accumulator = 0u32;
    let mut at = 0usize;
    loop {
        let instruction = program[at];
        at += 1;
        let mut branch = |taken: bool| {
            at += usize::from(if taken { instruction.jump_true } else { instruction.jump_false });
        };
        match instruction.code {
            LOAD_WORD => {
                accumulator = match instruction.value {
                    OFFSET_NUMBER => call.number,
                    OFFSET_ARCHITECTURE => call.architecture,
                    offset => call.arguments[((offset - 16) / 8) as usize] as u32,
                }
            }
            AND => accumulator &= instruction.value,
            JUMP_EQUAL => branch(accumulator == instruction.value),
            JUMP_GREATER_EQUAL => branch(accumulator >= instruction.value),
            JUMP_ANY_BIT => branch(accumulator & instruction.value != 0),
            RETURN => return instruction.value,
            code => panic!("unknown instruction {code:#x}"),
        }
    }
}

fn refused(program: &[Instruction], call: &Call) -> Option<u32> {
    let answer = run(program, call);
    (answer != RETURN_ALLOW).then_some(answer & 0xffff)
}

fn program(policy: &SelfPolicy, deny_exec: bool) -> Vec<Instruction> {
    compile(X86_64, &rules(policy, deny_exec))
}

fn socket(program: &[Instruction], domain: i32, kind: i32, protocol: i32) -> Option<u32> {
    refused(program, &native(libc::SYS_socket, [domain as u64, kind as u64, protocol as u64, 0, 0, 0]))
}

#[test]
fn without_a_network_no_socket_can_be_made() {
    let program = program(&SelfPolicy::default(), true);
    for family in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK, libc::AF_UNIX] {
        assert_eq!(socket(&program, family, libc::SOCK_STREAM, 0), Some(EACCES), "family {family}");
    }
    // The pipes of Node's child processes are socket pairs, which reach nobody else.
    assert_eq!(refused(&program, &native(libc::SYS_socketpair, [1, 1, 0, 0, 0, 0])), None);
}

#[test]
fn tcp_ports_leave_only_plain_tcp() {
    let net = Net::Tcp { connect: vec![443], bind: vec![] };
    let program = program(&SelfPolicy { net, ..SelfPolicy::default() }, true);
    let stream = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    assert_eq!(socket(&program, libc::AF_INET, stream, 0), None);
    assert_eq!(socket(&program, libc::AF_INET6, stream, libc::IPPROTO_TCP), None);
    assert_eq!(socket(&program, libc::AF_INET, libc::SOCK_DGRAM, 0), Some(EACCES));
    assert_eq!(socket(&program, libc::AF_INET, stream, libc::IPPROTO_MPTCP), Some(EACCES));
    assert_eq!(socket(&program, libc::AF_NETLINK, libc::SOCK_RAW, 0), Some(EACCES));
    let fast_open = native(libc::SYS_sendto, [3, 0, 0, u64::from(0x2000_0000u32), 0, 0]);
    assert_eq!(refused(&program, &fast_open), Some(EACCES));
    assert_eq!(refused(&program, &native(libc::SYS_sendto, [3, 0, 0, 0x4000, 0, 0])), None);
}

#[test]
fn exec_is_refused_only_when_it_is_off_and_the_process_will_not_exec_itself() {
    let off = SelfPolicy::default();
    let any = SelfPolicy { exec: Exec::Any, ..SelfPolicy::default() };
    let exec = native(libc::SYS_execve, [0; 6]);
    assert_eq!(refused(&program(&off, true), &exec), Some(EACCES));
    assert_eq!(refused(&program(&off, false), &exec), None);
    assert_eq!(refused(&program(&any, true), &exec), None);
}

#[test]
fn foreign_calling_conventions_are_refused_as_a_whole() {
    let program = program(&SelfPolicy::default(), true);
    let x32 = native(libc::SYS_socket | 0x4000_0000, [2, 1, 0, 0, 0, 0]);
    assert_eq!(refused(&program, &x32), Some(ENOSYS));
    let i386 = Call { architecture: 0x4000_0003, number: 3, arguments: [0; 6] };
    assert_eq!(refused(&program, &i386), Some(ENOSYS));
}

#[test]
fn namespaces_are_refused_in_every_way_but_threads_still_start() {
    let program = program(&SelfPolicy::default(), true);
    let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u64;
    assert_eq!(refused(&program, &native(libc::SYS_clone, [thread, 0, 0, 0, 0, 0])), None);
    assert_eq!(refused(&program, &native(libc::SYS_clone, [libc::CLONE_NEWUSER as u64, 0, 0, 0, 0, 0])), Some(EPERM));
    assert_eq!(refused(&program, &native(libc::SYS_clone3, [0; 6])), Some(ENOSYS));
    assert_eq!(refused(&program, &native(libc::SYS_unshare, [0; 6])), Some(EPERM));
    let inject = native(libc::SYS_ioctl, [0, u64::from(TIOCSTI), 0, 0, 0, 0]);
    assert_eq!(refused(&program, &inject), Some(EPERM));
}

proptest! {
    #[test]
    fn every_program_ends_and_only_ever_refuses_what_it_lists(
        number in 0i64..600,
        arguments in any::<[u64; 6]>(),
        full in any::<bool>(),
    ) {
        let net = if full { Net::Full } else { Net::Off };
        let policy = SelfPolicy { net, ..SelfPolicy::default() };
        let rules = rules(&policy, true);
        let answer = refused(&compile(X86_64, &rules), &native(number, arguments));
        if rules.iter().all(|rule| i64::from(rule.number) != number) {
            prop_assert_eq!(answer, None);
        }
        if rules.iter().any(|rule| i64::from(rule.number) == number && rule.refusal == Refusal::Always) {
            prop_assert!(answer.is_some());
        }
    }
}
