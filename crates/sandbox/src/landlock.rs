//! Landlock: which files and TCP ports the process may use from now on.
//!
//! A ruleset names the rights it *handles* (denied unless a rule gives them) and rules that give rights beneath a
//! file or folder, or for a port. Every kernel knows a number of rights (its ABI); a right it does not know stays
//! unrestricted, and that is reported as unenforced. The structures are small and stable, so the kernel is called
//! directly: the report then says exactly which part of a policy which ABI cannot do.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::policy::{Exec, Net, PolicyError, SelfPolicy, Unenforced};

mod right {
    pub const EXECUTE: u64 = 1;
    pub const WRITE_FILE: u64 = 1 << 1;
    pub const READ_FILE: u64 = 1 << 2;
    pub const READ_DIR: u64 = 1 << 3;
    pub const REMOVE_DIR: u64 = 1 << 4;
    pub const REMOVE_FILE: u64 = 1 << 5;
    pub const MAKE_CHAR: u64 = 1 << 6;
    pub const MAKE_DIR: u64 = 1 << 7;
    pub const MAKE_REG: u64 = 1 << 8;
    pub const MAKE_SOCK: u64 = 1 << 9;
    pub const MAKE_FIFO: u64 = 1 << 10;
    pub const MAKE_BLOCK: u64 = 1 << 11;
    pub const MAKE_SYM: u64 = 1 << 12;
    pub const REFER: u64 = 1 << 13;
    pub const TRUNCATE: u64 = 1 << 14;
    pub const IOCTL_DEV: u64 = 1 << 15;

    /// Rights that a rule on a single file may carry.
    pub const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
    pub const READ: u64 = READ_FILE | READ_DIR;
    /// Device nodes are left out: making one is never part of a policy.
    pub const WRITE: u64 = READ
        | WRITE_FILE
        | REMOVE_DIR
        | REMOVE_FILE
        | MAKE_DIR
        | MAKE_REG
        | MAKE_FIFO
        | MAKE_SYM
        | REFER
        | TRUNCATE
        | IOCTL_DEV;
    pub const ABI_1: u64 = (1 << 13) - 1;
    const _: () = assert!(ABI_1 & MAKE_CHAR != 0 && ABI_1 & MAKE_BLOCK != 0);
}

const NET_BIND_TCP: u64 = 1;
const NET_CONNECT_TCP: u64 = 1 << 1;
const SCOPE_ABSTRACT_UNIX_SOCKET: u64 = 1;
const SCOPE_SIGNAL: u64 = 1 << 1;

const CREATE_RULESET_VERSION: libc::c_uint = 1;
const RULE_PATH_BENEATH: libc::c_int = 1;
const RULE_NET_PORT: libc::c_int = 2;
const RESTRICT_SELF_TSYNC: libc::c_uint = 1 << 3;

const ABI_REFER: i32 = 2;
const ABI_TRUNCATE: i32 = 3;
const ABI_NET: i32 = 4;
const ABI_IOCTL: i32 = 5;
const ABI_SCOPE: i32 = 6;
/// From here on one call can restrict all threads.
pub const ABI_ALL_THREADS: i32 = 8;

#[repr(C)]
struct RulesetAttributes {
    handled_fs: u64,
    handled_net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: libc::c_int,
}

#[repr(C)]
struct NetPort {
    allowed: u64,
    port: u64,
}

/// The kernel's Landlock ABI, or why there is none.
pub fn abi() -> Result<i32, &'static str> {
    // SAFETY: with this flag the kernel reads no memory of ours.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, CREATE_RULESET_VERSION)
    };
    if version > 0 {
        return Ok(i32::try_from(version).unwrap_or(i32::MAX));
    }
    Err(match io::Error::last_os_error().raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no Landlock (it needs Linux 5.13)",
        Some(libc::EOPNOTSUPP) => "Landlock is built in but switched off; add it to the kernel's lsm= list",
        _ => "the kernel refused to say; an outer sandbox may block the call",
    })
}

/// A ruleset that is ready to be put in force.
pub struct Ruleset {
    descriptor: OwnedFd,
    abi: i32,
}

/// What a ruleset will and will not do.
#[derive(Debug, Default)]
pub struct Coverage {
    pub enforced: Vec<String>,
    pub unenforced: Vec<Unenforced>,
    /// Paths of the policy that do not exist; they give no right.
    pub missing: Vec<PathBuf>,
}

/// Whether the policy has any part that is Landlock's business.
pub fn wanted(policy: &SelfPolicy) -> bool {
    policy.read.is_some() || matches!(policy.net, Net::Tcp { .. })
}

/// Builds the ruleset of a policy. `also_executable` are files that must start although `exec` does not list them.
pub fn build(
    policy: &SelfPolicy,
    also_executable: &[PathBuf],
    coverage: &mut Coverage,
) -> Result<Option<Ruleset>, PolicyError> {
    refuse_inner_denials(policy)?;
    let mut unenforced = |part: &str, reason: &str| {
        coverage.unenforced.push(Unenforced { part: part.to_owned(), reason: reason.to_owned() });
    };
    let abi = match abi() {
        Ok(abi) => abi,
        Err(reason) => {
            if policy.read.is_some() {
                unenforced("files", reason);
            }
            if matches!(policy.net, Net::Tcp { .. }) {
                unenforced("TCP ports", reason);
            }
            return Ok(None);
        }
    };
    let mut attributes = RulesetAttributes { handled_fs: 0, handled_net: 0, scoped: 0 };
    if policy.read.is_some() {
        attributes.handled_fs = handled_files(abi);
        if abi < ABI_TRUNCATE {
            unenforced("truncating files", "needs Landlock ABI 3 (Linux 6.2)");
        }
        if abi < ABI_IOCTL {
            unenforced("device control", "needs Landlock ABI 5 (Linux 6.10)");
        }
    }
    if matches!(policy.net, Net::Tcp { .. }) {
        if abi >= ABI_NET {
            attributes.handled_net = NET_BIND_TCP | NET_CONNECT_TCP;
        } else {
            unenforced("TCP ports", "needs Landlock ABI 4 (Linux 6.7)");
        }
    }
    if abi >= ABI_SCOPE {
        attributes.scoped = SCOPE_SIGNAL | if policy.unix_sockets { SCOPE_ABSTRACT_UNIX_SOCKET } else { 0 };
    } else {
        unenforced("signals to other processes", "needs Landlock ABI 6 (Linux 6.12)");
    }
    if attributes.handled_fs == 0 && attributes.handled_net == 0 && attributes.scoped == 0 {
        return Ok(None);
    }
    let ruleset = Ruleset { descriptor: create(&attributes, abi)?, abi };
    add_file_rules(&ruleset, policy, also_executable, attributes.handled_fs, coverage)?;
    add_port_rules(&ruleset, policy, attributes.handled_net)?;
    for (handled, part) in [
        (attributes.handled_fs != 0, "files"),
        (attributes.handled_net != 0, "TCP ports"),
        (attributes.scoped != 0, "signals to other processes"),
    ] {
        if handled {
            coverage.enforced.push(part.to_owned());
        }
    }
    Ok(Some(ruleset))
}

impl Ruleset {
    /// Restricts the calling thread, or all threads. Makes no allocation, so it may run between fork and exec.
    pub fn enforce(&self, all_threads: bool) -> io::Result<()> {
        let flags = if all_threads && self.abi >= ABI_ALL_THREADS { RESTRICT_SELF_TSYNC } else { 0 };
        // SAFETY: a system call on a descriptor that we own.
        check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.descriptor.as_raw_fd(), flags) })
    }

    /// Whether [`Ruleset::enforce`] can reach all threads of a process that has several.
    pub fn reaches_all_threads(&self) -> bool {
        self.abi >= ABI_ALL_THREADS
    }
}

/// Rules only give. A path inside an allowed one cannot be taken out again, and pretending so would be a leak.
fn refuse_inner_denials(policy: &SelfPolicy) -> Result<(), PolicyError> {
    let Some(read) = &policy.read else {
        return match policy.deny.first() {
            None => Ok(()),
            Some(denied) => {
                Err(PolicyError::DenyInsideAllowed { denied: denied.display().to_string(), allowed: "/".to_owned() })
            }
        };
    };
    // Links may lead from one name into the other, so real paths are compared where they exist.
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for denied in &policy.deny {
        let denied_real = real(denied);
        for allowed in read.iter().chain(&policy.write) {
            if denied_real.starts_with(real(allowed)) {
                return Err(PolicyError::DenyInsideAllowed {
                    denied: denied.display().to_string(),
                    allowed: allowed.display().to_string(),
                });
            }
        }
    }
    Ok(())
}

fn handled_files(abi: i32) -> u64 {
    let mut handled = right::ABI_1;
    if abi >= ABI_REFER {
        handled |= right::REFER;
    }
    if abi >= ABI_TRUNCATE {
        handled |= right::TRUNCATE;
    }
    if abi >= ABI_IOCTL {
        handled |= right::IOCTL_DEV;
    }
    handled
}

fn create(attributes: &RulesetAttributes, abi: i32) -> Result<OwnedFd, PolicyError> {
    // Older kernels know a shorter structure and refuse a longer one unless the rest is zero; be exact.
    let size: usize = match abi {
        ..ABI_NET => 8,
        ABI_NET..ABI_SCOPE => 16,
        _ => 24,
    };
    // SAFETY: the kernel reads `size` bytes of a structure that is at least that long.
    let result = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const *attributes, size, 0) };
    match libc::c_int::try_from(result) {
        // SAFETY: the kernel has just given us this descriptor.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        _ => Err(system("creating the Landlock ruleset", &io::Error::last_os_error())),
    }
}

fn add_file_rules(
    ruleset: &Ruleset,
    policy: &SelfPolicy,
    also_executable: &[PathBuf],
    handled: u64,
    coverage: &mut Coverage,
) -> Result<(), PolicyError> {
    let Some(read) = &policy.read else { return Ok(()) };
    let execute = if policy.exec == Exec::Any { right::EXECUTE } else { 0 };
    let sockets = if policy.unix_sockets { right::MAKE_SOCK } else { 0 };
    for path in read {
        add_path(ruleset, path, (right::READ | execute) & handled, Links::Followed, coverage)?;
    }
    for path in &policy.write {
        add_path(ruleset, path, (right::WRITE | sockets | execute) & handled, Links::Refused, coverage)?;
    }
    if let Exec::Only(programs) = &policy.exec {
        for path in programs {
            add_path(ruleset, path, right::READ | right::EXECUTE, Links::Followed, coverage)?;
        }
    }
    for path in also_executable {
        add_path(ruleset, path, right::READ_FILE | right::EXECUTE, Links::Followed, coverage)?;
    }
    Ok(())
}

/// Whether a path of the policy may lead through links. A folder that a confined program can write may hold a link
/// that was put there after the policy was made; following it would give away what it leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

/// `struct open_how` of openat2.
#[repr(C)]
struct OpenHow {
    flags: u64,
    mode: u64,
    resolve: u64,
}

const RESOLVE_NO_SYMLINKS: u64 = 4;

fn open_path(name: &CString, links: Links) -> io::Result<OwnedFd> {
    let flags = libc::O_PATH | libc::O_CLOEXEC;
    // SAFETY: NUL-terminated names and, for openat2, a structure of the given size; results are checked below.
    let descriptor = unsafe {
        match links {
            Links::Followed => libc::open(name.as_ptr(), flags),
            Links::Refused => {
                // Both flags are positive.
                let how = OpenHow { flags: flags as u64, mode: 0, resolve: RESOLVE_NO_SYMLINKS };
                let size = std::mem::size_of::<OpenHow>();
                libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, name.as_ptr(), &raw const how, size) as libc::c_int
            }
        }
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened and owned by nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn add_path(
    ruleset: &Ruleset,
    path: &Path,
    rights: u64,
    links: Links,
    coverage: &mut Coverage,
) -> Result<(), PolicyError> {
    if !path.is_absolute() {
        let problem = "is not absolute; resolve it first";
        return Err(PolicyError::BadPath { path: path.display().to_string(), problem });
    }
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
        let problem = "contains NUL; no file can have that name";
        return Err(PolicyError::BadPath { path: path.display().to_string(), problem });
    };
    let descriptor = match open_path(&name, links) {
        Ok(descriptor) => descriptor,
        Err(error) => {
            let is_link = links == Links::Refused && error.raw_os_error() == Some(libc::ELOOP);
            if is_link || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                coverage.missing.push(path.to_owned());
                return Ok(());
            }
            let error = io::Error::other(format!("{}: {error}", path.display()));
            return Err(system("opening a path of the policy", &error));
        }
    };
    let file = std::fs::File::from(descriptor);
    let is_folder = file.metadata().map_err(|error| system("looking at a path of the policy", &error))?.is_dir();
    let allowed = if is_folder { rights } else { rights & right::OF_FILES };
    let attributes = PathBeneath { allowed, parent: file.as_raw_fd() };
    add_rule(ruleset, RULE_PATH_BENEATH, (&raw const attributes).cast())
        .map_err(|error| system("adding a Landlock file rule", &error))
}

fn add_port_rules(ruleset: &Ruleset, policy: &SelfPolicy, handled: u64) -> Result<(), PolicyError> {
    let Net::Tcp { connect, bind } = &policy.net else { return Ok(()) };
    if handled == 0 {
        return Ok(());
    }
    let connect = connect.iter().map(|port| (*port, NET_CONNECT_TCP));
    let bind = bind.iter().map(|port| (*port, NET_BIND_TCP));
    for (port, allowed) in connect.chain(bind) {
        let attributes = NetPort { allowed, port: u64::from(port) };
        add_rule(ruleset, RULE_NET_PORT, (&raw const attributes).cast())
            .map_err(|error| system("adding a Landlock port rule", &error))?;
    }
    Ok(())
}

fn add_rule(ruleset: &Ruleset, kind: libc::c_int, attributes: *const u8) -> io::Result<()> {
    // SAFETY: `attributes` points to the structure that belongs to `kind`, alive during the call.
    check(unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset.descriptor.as_raw_fd(), kind, attributes, 0) })
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn system(step: &'static str, error: &io::Error) -> PolicyError {
    PolicyError::System { step, error: error.to_string() }
}
