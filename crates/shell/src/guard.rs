//! Starting the guard: the process that owns all others of a session.
//!
//! It is a bash running `scripts/guard.sh`, made a *child subreaper* before it is executed (the attribute survives
//! `execve` and is not inherited): whatever daemonises below it becomes its child instead of init's and can always
//! be found. It works for every user and needs no package, no namespace and no helper binary.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::error::ShellError;
use crate::script;

/// Descriptor numbers the guard's script relies on.
pub const LIFELINE: RawFd = 240;
pub const LAUNCH: RawFd = 241;
pub const NEWS: RawFd = 242;
pub const CONTROL: RawFd = 243;
pub const REPORT: RawFd = 244;
pub const SHELL_STDIN: RawFd = 245;
pub const SHELL_STDOUT: RawFd = 246;
pub const SHELL_STDERR: RawFd = 247;

/// Above all the numbers in use, so that moving one descriptor into place never closes another.
const PARKING: RawFd = 300;
const MOST_FDS: usize = 8;

/// What a guard is started with.
pub struct GuardPlan<'a> {
    pub mode: &'static str,
    pub bash: &'a str,
    pub folder: &'a Path,
    pub marker: &'a str,
    pub program: &'a [String],
    pub env: Option<&'a [(String, String)]>,
    pub cwd: &'a Path,
    /// Descriptors and the numbers they get in the guard.
    pub fds: Vec<(OwnedFd, RawFd)>,
    /// The terminal that becomes the guard's controlling terminal and its standard streams.
    pub terminal: Option<OwnedFd>,
}

/// Starts the guard; the descriptors given to it are closed on this side.
pub fn start(plan: GuardPlan<'_>) -> Result<Child, ShellError> {
    let mut command = Command::new(plan.bash);
    // -p: neither BASH_ENV nor functions from the environment reach the guard itself.
    command.args(["-p", "-c", script::GUARD, "tenon-guard", plan.mode]).arg(plan.folder).arg(plan.marker);
    command.args(plan.program);
    if let Some(env) = plan.env {
        command.env_clear();
        command.envs(env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    }
    command.env("TENON_SHELL", plan.marker);
    command.current_dir(plan.cwd);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let moves: Vec<(RawFd, RawFd)> = plan.fds.iter().map(|(fd, number)| (fd.as_raw_fd(), *number)).collect();
    let terminal = plan.terminal.as_ref().map(AsRawFd::as_raw_fd);
    // SAFETY: the closure only makes async-signal-safe system calls and does not allocate.
    unsafe { command.pre_exec(move || prepare(&moves, terminal)) };
    command.spawn().map_err(|source| ShellError::Start { program: plan.bash.to_owned(), source })
}

fn prepare(moves: &[(RawFd, RawFd)], terminal: Option<RawFd>) -> io::Result<()> {
    // SAFETY: system calls on descriptors that stay open until exec; nothing here touches memory but the array.
    unsafe {
        ok(libc::setsid())?;
        #[cfg(target_os = "linux")]
        ok(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))?;
        if let Some(terminal) = terminal {
            ok(libc::ioctl(terminal, libc::TIOCSCTTY as _, 0))?;
            for standard in 0..3 {
                ok(libc::dup2(terminal, standard))?;
            }
        }
        let mut parked = [0 as RawFd; MOST_FDS];
        for (slot, (fd, _)) in parked.iter_mut().zip(moves) {
            *slot = libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, PARKING);
            ok(*slot)?;
        }
        for (slot, (_, number)) in parked.iter().zip(moves) {
            ok(libc::dup2(*slot, *number))?;
        }
    }
    Ok(())
}

fn ok(status: libc::c_int) -> io::Result<()> {
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
