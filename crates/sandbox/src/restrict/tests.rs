//! Restrictions cannot be undone, so every test forks: the child applies a plan and reports by its exit status.

use std::fs;
use std::path::Path;

use super::*;
use crate::policy::{Exec, Limits, Net};

/// Runs `body` in a restricted child; true when it held.
fn holds(policy: &SelfPolicy, body: impl FnOnce() -> bool) -> bool {
    let plan = plan(policy, None).unwrap_or_else(|error| panic!("the test's policy must be enforceable: {error}"));
    // SAFETY: the child runs only `body` and leaves without unwinding into the test harness.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let applied = plan.apply().is_ok();
        let status = if !applied { 2 } else { i32::from(!body()) };
        // SAFETY: leaves at once, without running destructors of the parent's state.
        unsafe { libc::_exit(status) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "the child was killed: {status:#x}");
    assert_ne!(libc::WEXITSTATUS(status), 2, "the plan could not be applied");
    libc::WEXITSTATUS(status) == 0
}

fn denied<T>(result: std::io::Result<T>) -> bool {
    result.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}

/// The tests build paths before the fork: a child of a threaded process should not allocate much.
fn files(read: &Path, write: &Path) -> SelfPolicy {
    SelfPolicy { read: Some(vec![read.to_owned()]), write: vec![write.to_owned()], ..SelfPolicy::default() }
}

#[test]
fn a_restricted_process_reads_and_writes_only_what_its_policy_names() {
    let folder = tempfile::tempdir().expect("folder");
    let (read, write, other) = (folder.path().join("read"), folder.path().join("write"), folder.path().join("other"));
    for path in [&read, &write, &other] {
        fs::create_dir(path).expect("created");
        fs::write(path.join("file"), "text").expect("written");
    }
    let policy = files(&read, &write);
    assert!(holds(&policy, || fs::read(read.join("file")).is_ok()));
    assert!(holds(&policy, || denied(fs::write(read.join("file"), "changed"))));
    assert!(holds(&policy, || denied(fs::write(read.join("new"), "made"))));
    assert!(holds(&policy, || fs::write(write.join("new"), "made").is_ok()));
    assert!(holds(&policy, || fs::rename(write.join("new"), write.join("renamed")).is_ok()));
    assert!(holds(&policy, || denied(fs::read(other.join("file")))));
    assert!(holds(&policy, || denied(fs::read_dir(&other))));
    assert!(holds(&policy, || denied(fs::remove_file(other.join("file")))));
    assert!(holds(&policy, || denied(fs::read("/etc/passwd"))));
    assert_eq!(fs::read_to_string(other.join("file")).expect("still there"), "text");
}

#[test]
fn a_writable_path_that_is_a_link_or_leads_through_one_gives_no_right() {
    let folder = tempfile::tempdir().expect("folder");
    let root = fs::canonicalize(folder.path()).expect("real");
    let (outside, link) = (root.join("outside"), root.join("link"));
    fs::create_dir_all(outside.join("inner")).expect("created");
    std::os::unix::fs::symlink(&outside, &link).expect("linked");
    for write in [link.clone(), link.join("inner")] {
        let policy = files(Path::new("/nowhere"), &write);
        assert!(holds(&policy, || denied(fs::write(outside.join("inner/new"), "made"))));
        let report = dry_run(&policy, None).expect("enforceable");
        assert!(report.missing.contains(&write), "the report names what gives no right");
    }
    assert!(holds(&files(Path::new("/nowhere"), &outside), || fs::write(outside.join("inner/new"), "made").is_ok()));
}

#[test]
fn a_single_file_can_be_opened_to_a_process() {
    let folder = tempfile::tempdir().expect("folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    fs::write(&one, "1").expect("written");
    fs::write(&two, "2").expect("written");
    let policy = SelfPolicy { read: Some(vec![one.clone()]), ..SelfPolicy::default() };
    assert!(holds(&policy, || fs::read(&one).is_ok()));
    assert!(holds(&policy, || denied(fs::read(&two))));
}

#[test]
fn without_a_network_sockets_cannot_be_made() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listening");
    let address = listener.local_addr().expect("address");
    let policy = SelfPolicy::default();
    assert!(holds(&policy, || denied(std::net::TcpStream::connect(address))));
    assert!(holds(&policy, || denied(std::net::UdpSocket::bind("127.0.0.1:0"))));
    assert!(holds(&policy, || denied(std::os::unix::net::UnixDatagram::unbound())));
    let unix = SelfPolicy { unix_sockets: true, ..SelfPolicy::default() };
    assert!(holds(&unix, || std::os::unix::net::UnixDatagram::unbound().is_ok()));
}

#[test]
fn tcp_is_bound_to_the_ports_of_the_policy() {
    let open = std::net::TcpListener::bind("127.0.0.1:0").expect("listening");
    let shut = std::net::TcpListener::bind("127.0.0.1:0").expect("listening");
    let (open_at, shut_at) = (open.local_addr().expect("address"), shut.local_addr().expect("address"));
    let net = Net::Tcp { connect: vec![open_at.port()], bind: vec![] };
    let policy = SelfPolicy { net, ..SelfPolicy::default() };
    assert!(holds(&policy, || std::net::TcpStream::connect(open_at).is_ok()));
    assert!(holds(&policy, || denied(std::net::TcpStream::connect(shut_at))));
    assert!(holds(&policy, || denied(std::net::TcpListener::bind("127.0.0.1:0"))));
    assert!(holds(&policy, || denied(std::net::UdpSocket::bind("127.0.0.1:0"))));
}

#[test]
fn programs_start_only_as_the_policy_says() {
    let start = |program: &str| std::process::Command::new(program).status();
    assert!(holds(&SelfPolicy::default(), || denied(start("/bin/true"))));
    let any = SelfPolicy { exec: Exec::Any, ..SelfPolicy::default() };
    assert!(holds(&any, || start("/bin/true").is_ok_and(|status| status.success())));
}

#[test]
fn dangerous_calls_fail_with_an_error_and_do_not_kill() {
    let policy = SelfPolicy::default();
    // SAFETY: each call is refused before it does anything.
    assert!(holds(&policy, || unsafe { libc::unshare(libc::CLONE_NEWUSER) } == -1));
    assert!(holds(&policy, || unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } == -1));
    assert!(holds(&policy, || unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, 0) } == -1));
    assert!(holds(&policy, || unsafe { libc::syscall(libc::SYS_bpf, 0, 0, 0) } == -1));
}

#[test]
fn resource_limits_and_lost_capabilities_hold() {
    let limits = Limits { core_bytes: Some(0), file_bytes: Some(10), open_files: Some(64), ..Limits::default() };
    let policy = SelfPolicy { limits, ..SelfPolicy::default() };
    let soft = |resource| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid pointer.
        unsafe { libc::getrlimit(resource, &raw mut limit) };
        limit.rlim_cur
    };
    assert!(holds(&policy, || soft(libc::RLIMIT_CORE) == 0 && soft(libc::RLIMIT_FSIZE) == 10));
    assert!(holds(&policy, || soft(libc::RLIMIT_NOFILE) == 64));
    // A root process without capabilities cannot change the owner of a file.
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().to_owned();
    assert!(holds(&policy, || std::os::unix::fs::chown(&path, Some(12345), None).is_err()));
}

#[test]
fn a_denied_path_inside_an_allowed_one_is_refused_instead_of_ignored() {
    let folder = tempfile::tempdir().expect("folder");
    let secret = folder.path().join("secret");
    fs::create_dir(&secret).expect("created");
    let policy = SelfPolicy {
        read: Some(vec![folder.path().to_owned()]),
        deny: vec![secret.clone()],
        strict: false,
        ..SelfPolicy::default()
    };
    let error = dry_run(&policy, None).expect_err("must be refused");
    assert!(error.to_string().contains("cannot hide"), "{error}");
    let beside = SelfPolicy { read: Some(vec![secret]), deny: vec!["/etc/shadow".into()], ..SelfPolicy::default() };
    assert!(dry_run(&beside, None).is_ok());
}

#[test]
fn missing_paths_give_no_right_and_are_named() {
    let missing = PathBuf::from("/no/such/folder");
    let policy = SelfPolicy { read: Some(vec![missing.clone()]), ..SelfPolicy::default() };
    assert_eq!(dry_run(&policy, None).expect("enforceable").missing, vec![missing]);
}

#[test]
fn a_process_with_several_threads_is_not_restricted_by_half() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || receiver.recv());
    let policy = SelfPolicy { read: Some(vec!["/".into()]), drop_capabilities: false, ..SelfPolicy::default() };
    if crate::landlock::abi().is_ok_and(|abi| abi < crate::landlock::ABI_ALL_THREADS) {
        assert!(matches!(restrict_self(&policy), Err(PolicyError::OtherThreads(count)) if count > 1));
    }
    drop(sender);
    assert!(other.join().is_ok());
}
