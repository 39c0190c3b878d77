//! A process that gives up rights for good.
//!
//! Landlock (before its ABI 8, Linux 7.0) and capabilities belong to a *thread*; a Node process has a dozen before the
//! first line of JavaScript runs, and a worker of libuv's pool would keep reading whatever it likes. Two ways are
//! sound, and these are the two that exist here:
//!
//! * [`restrict_and_exec`] restricts the calling thread and then replaces the program. The kernel ends all other
//!   threads on exec, and the new program starts as one restricted thread whose restrictions all its threads inherit.
//! * [`restrict_self`] applies what reaches every thread (a seccomp filter with TSYNC; Landlock from ABI 8 on) and
//!   refuses the rest instead of restricting half a process.
//!
//! `exec: off` cannot be in force while a process is about to exec. [`restrict_and_exec`] therefore leaves exactly
//! that program (and its loader) executable, and the new program closes the door with [`restrict_self`].
//!
//! A [`Plan`] is made with allocations and file access, and applied with system calls only, so a caller that forks
//! can apply it between fork and exec.

use std::convert::Infallible;
use std::ffi::CString;
use std::path::{Path, PathBuf};

use crate::policy::{PolicyError, SelfPolicy, Unenforced};

/// What a restriction does, in the words of the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The kernel's Landlock ABI, when it has one.
    pub landlock_abi: Option<i32>,
    /// Parts that are in force.
    pub enforced: Vec<String>,
    /// Parts that are not, and why.
    pub unenforced: Vec<Unenforced>,
    /// Paths of the policy that do not exist and therefore give no right.
    pub missing: Vec<PathBuf>,
}

/// The program that replaces this one.
#[derive(Debug, Clone)]
pub struct Program {
    /// An absolute path.
    pub file: CString,
    /// All arguments, with the program's own name first.
    pub argv: Vec<CString>,
    /// The whole environment as `NAME=value`.
    pub env: Vec<CString>,
    /// Descriptors to hand over besides 0, 1 and 2. All others are closed.
    pub keep: Vec<i32>,
}

#[cfg(target_os = "linux")]
pub use linux::{Plan, plan};

/// Puts `policy` in force for every thread of this process, or refuses.
#[cfg(target_os = "linux")]
pub fn restrict_self(policy: &SelfPolicy) -> Result<Report, PolicyError> {
    linux::restrict_self(policy)
}

/// Puts `policy` in force and replaces the program. Returns only on failure; when the failure came after the
/// restriction, the process stays restricted and the message says so.
#[cfg(target_os = "linux")]
pub fn restrict_and_exec(policy: &SelfPolicy, program: &Program) -> Result<Infallible, PolicyError> {
    linux::restrict_and_exec(policy, program)
}

/// What [`restrict_and_exec`] of `program` (or [`restrict_self`], without one) would do here. Changes nothing.
#[cfg(target_os = "linux")]
pub fn dry_run(policy: &SelfPolicy, program: Option<&Path>) -> Result<Report, PolicyError> {
    plan(policy, program).map(|plan| plan.report)
}

/// Only Linux lets a process restrict itself in this way.
#[cfg(not(target_os = "linux"))]
pub fn restrict_self(_policy: &SelfPolicy) -> Result<Report, PolicyError> {
    Err(PolicyError::Unsupported(std::env::consts::OS))
}

/// Only Linux lets a process restrict itself in this way.
#[cfg(not(target_os = "linux"))]
pub fn restrict_and_exec(_policy: &SelfPolicy, _program: &Program) -> Result<Infallible, PolicyError> {
    Err(PolicyError::Unsupported(std::env::consts::OS))
}

/// Only Linux lets a process restrict itself in this way.
#[cfg(not(target_os = "linux"))]
pub fn dry_run(_policy: &SelfPolicy, _program: Option<&Path>) -> Result<Report, PolicyError> {
    Err(PolicyError::Unsupported(std::env::consts::OS))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use crate::policy::{Exec, Limits, Net};
    use crate::{capabilities, descriptors, elf, landlock, seccomp};

    // prctl takes whole words; plain numbers would be half words in a variadic call.
    const NONE: libc::c_ulong = 0;
    const ONE: libc::c_ulong = 1;
    const KILL: libc::c_ulong = libc::SIGKILL as libc::c_ulong;

    /// A restriction that is ready to be applied, and what it will do.
    pub struct Plan {
        /// What applying it does.
        pub report: Report,
        ruleset: Option<landlock::Ruleset>,
        filter: Vec<seccomp::Instruction>,
        limits: Limits,
        die_with_parent: bool,
        drop_capabilities: bool,
        parent: libc::pid_t,
    }

    /// A step of [`Plan::apply`] that the system refused.
    pub struct Refused {
        step: &'static str,
        error: io::Error,
    }

    impl From<Refused> for PolicyError {
        fn from(refused: Refused) -> Self {
            PolicyError::System { step: refused.step, error: refused.error.to_string() }
        }
    }

    /// Prepares a restriction. With `program` it is one that an exec of that program follows.
    pub fn plan(policy: &SelfPolicy, program: Option<&Path>) -> Result<Plan, PolicyError> {
        // First of all: the rest takes a while, and whoever is the parent afterwards may be another process.
        // SAFETY: cannot fail.
        let parent = unsafe { libc::getppid() };
        let mut coverage = landlock::Coverage::default();
        let executable = match program {
            Some(program) => files_to_start(program)?,
            None => Vec::new(),
        };
        let ruleset = if landlock::wanted(policy) || !policy.deny.is_empty() {
            landlock::build(policy, &executable, &mut coverage)?
        } else {
            None
        };
        let mut report = Report {
            landlock_abi: landlock::abi().ok(),
            enforced: coverage.enforced,
            unenforced: coverage.unenforced,
            missing: coverage.missing,
        };
        let filter = match seccomp::architecture() {
            Some(architecture) => {
                report.enforced.extend(filtered_parts(policy, program.is_none()));
                seccomp::compile(architecture, &seccomp::rules(policy, program.is_none()))
            }
            None => {
                let reason = format!("no system call table for {}", std::env::consts::ARCH);
                report.unenforced.push(Unenforced { part: "system calls".to_owned(), reason });
                Vec::new()
            }
        };
        // Below Landlock a list of programs is only a wish: seccomp sees that a program starts, not which.
        if matches!(policy.exec, Exec::Only(_)) && ruleset.is_none() {
            let reason = "a list of programs needs file rules; give `read` as well".to_owned();
            report.unenforced.push(Unenforced { part: "exec".to_owned(), reason });
        }
        if policy.strict && !report.unenforced.is_empty() {
            return Err(PolicyError::Unenforceable(report.unenforced));
        }
        Ok(Plan {
            report,
            ruleset,
            filter,
            limits: policy.limits,
            die_with_parent: policy.die_with_parent,
            drop_capabilities: policy.drop_capabilities,
            parent,
        })
    }

    impl Plan {
        /// Applies the restriction: to all threads as far as it can reach them, else to the calling one.
        /// Makes no allocation, so it may run between fork and exec.
        pub fn apply(&self) -> Result<(), Refused> {
            let step = |step: &'static str| move |error: io::Error| Refused { step, error };
            apply_limits(&self.limits).map_err(step("setting resource limits"))?;
            // SAFETY: plain prctl calls.
            check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, ONE, NONE, NONE, NONE) })
                .map_err(step("no_new_privs"))?;
            if self.drop_capabilities {
                capabilities::drop_all().map_err(step("dropping capabilities"))?;
            }
            if let Some(ruleset) = &self.ruleset {
                ruleset.enforce(true).map_err(step("Landlock"))?;
            }
            if !self.filter.is_empty() {
                seccomp::install(&self.filter).map_err(step("seccomp"))?;
            }
            if self.die_with_parent {
                // SAFETY: as above.
                check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, KILL, NONE, NONE, NONE) })
                    .map_err(step("tying the process to its parent"))?;
                // The parent may have ended before the call above; then nobody would send the signal.
                // SAFETY: neither call can fail.
                unsafe {
                    if libc::getppid() != self.parent {
                        libc::raise(libc::SIGKILL);
                    }
                }
            }
            Ok(())
        }
    }

    pub fn restrict_self(policy: &SelfPolicy) -> Result<Report, PolicyError> {
        let plan = plan(policy, None)?;
        let threads = thread_count();
        let partial = plan.ruleset.as_ref().is_some_and(|ruleset| !ruleset.reaches_all_threads());
        if threads > 1 && (partial || plan.drop_capabilities) {
            return Err(PolicyError::OtherThreads(threads));
        }
        plan.apply()?;
        Ok(plan.report)
    }

    pub fn restrict_and_exec(policy: &SelfPolicy, program: &Program) -> Result<Infallible, PolicyError> {
        let file = Path::new(std::ffi::OsStr::from_bytes(program.file.as_bytes()));
        let plan = plan(policy, Some(file))?;
        let argv = pointers(&program.argv);
        let env = pointers(&program.env);
        hand_over(&program.keep).map_err(|error| system("handing over descriptors", &error))?;
        plan.apply()?;
        reset_signals();
        // SAFETY: both arrays end with a null pointer and their strings outlive the call.
        unsafe { libc::execve(program.file.as_ptr(), argv.as_ptr(), env.as_ptr()) };
        Err(system("exec (this process stays restricted)", &io::Error::last_os_error()))
    }

    fn filtered_parts(policy: &SelfPolicy, deny_exec: bool) -> Vec<String> {
        let mut parts = vec!["system calls"];
        if policy.net == Net::Off {
            parts.push("no network");
        }
        if !policy.unix_sockets {
            parts.push("no Unix sockets");
        }
        if deny_exec && policy.exec == Exec::Off {
            parts.push("no exec");
        }
        parts.into_iter().map(str::to_owned).collect()
    }

    fn files_to_start(program: &Path) -> Result<Vec<PathBuf>, PolicyError> {
        let mut files = vec![program.to_owned()];
        // A script's interpreter has a loader of its own; more levels do not exist.
        while let Some(last) = files.last().filter(|_| files.len() < 4) {
            match elf::interpreter(last).map_err(|error| system("reading the program to start", &error))? {
                Some(next) => files.push(next),
                None => break,
            }
        }
        Ok(files)
    }

    /// Hands over the standard streams and `keep`; Node marks them close-on-exec when it starts.
    fn hand_over(keep: &[i32]) -> io::Result<()> {
        descriptors::keep_from_programs()?;
        for descriptor in [0, 1, 2].iter().chain(keep) {
            // SAFETY: flags of a descriptor; a closed standard stream is not an error, a closed `keep` is.
            let result = unsafe { libc::fcntl(*descriptor, libc::F_SETFD, 0) };
            if result != 0 && *descriptor > 2 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// An ignored or blocked signal would stay so in the new program, which does not expect it.
    fn reset_signals() {
        // SAFETY: plain calls with valid arguments; their failure leaves the present state.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            let mut none = std::mem::zeroed::<libc::sigset_t>();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        }
    }

    fn apply_limits(limits: &Limits) -> io::Result<()> {
        let wishes = [
            (libc::RLIMIT_DATA, limits.data_bytes),
            (libc::RLIMIT_NPROC, limits.processes),
            (libc::RLIMIT_CORE, limits.core_bytes),
            (libc::RLIMIT_FSIZE, limits.file_bytes),
            (libc::RLIMIT_NOFILE, limits.open_files),
        ];
        for (resource, wish) in wishes {
            let Some(wish) = wish else { continue };
            let mut present = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: valid pointers to plain structures.
            check(unsafe { libc::getrlimit(resource, &raw mut present) })?;
            let value = wish.min(present.rlim_max);
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            // SAFETY: as above.
            check(unsafe { libc::setrlimit(resource, &raw const limit) })?;
        }
        Ok(())
    }

    fn thread_count() -> usize {
        // Where /proc is hidden nobody can tell; then the process counts as having other threads.
        std::fs::read_dir("/proc/self/task").map_or(usize::MAX, Iterator::count)
    }

    fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    }

    fn check(result: libc::c_int) -> io::Result<()> {
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn system(step: &'static str, error: &io::Error) -> PolicyError {
        PolicyError::System { step, error: error.to_string() }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
