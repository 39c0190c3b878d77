//! Bindings of `tenon-sandbox`.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_sandbox::bubblewrap::CommandLine;
use tenon_sandbox::policy::{CommandPolicy, DeniedPath, Exec, Limits, Link, Net, SelfPolicy};
use tenon_sandbox::probe::Ability;
use tenon_sandbox::restrict::{Program, Report};
use tenon_sandbox::{PolicyError, Unenforced};

use crate::task::{Blocking, CancelHandle, blocking, failure, guard};

/// Whether something works here, and what belongs to the answer.
#[napi(object)]
pub struct SandboxAbility {
    pub available: bool,
    pub detail: String,
}

/// What this machine can enforce.
#[napi(object)]
pub struct SandboxProbe {
    pub platform: String,
    pub landlock_abi: Option<i32>,
    pub landlock: SandboxAbility,
    pub seccomp: SandboxAbility,
    pub user_namespaces: SandboxAbility,
    pub bubblewrap: SandboxAbility,
    pub bubblewrap_path: Option<String>,
    pub seatbelt: SandboxAbility,
    pub no_new_privs: bool,
    pub surroundings: Vec<String>,
}

/// A part of a policy that is not enforced.
#[napi(object)]
pub struct SandboxUnenforced {
    pub part: String,
    pub reason: String,
}

/// What a self-restriction does.
#[napi(object)]
pub struct SandboxReport {
    pub landlock_abi: Option<i32>,
    pub enforced: Vec<String>,
    pub unenforced: Vec<SandboxUnenforced>,
    pub missing: Vec<String>,
}

/// A policy for the process itself, flattened: the adapter has filled every field.
#[napi(object)]
pub struct SandboxSelfPolicy {
    pub read: Option<Vec<String>>,
    pub write: Vec<String>,
    pub deny: Vec<String>,
    /// `off`, `only` or `any`.
    pub exec: String,
    pub programs: Vec<String>,
    /// `off`, `tcp` or `full`.
    pub net: String,
    pub connect: Vec<u32>,
    pub bind: Vec<u32>,
    pub unix_sockets: bool,
    pub data_bytes: Option<f64>,
    pub processes: Option<f64>,
    pub core_bytes: Option<f64>,
    pub file_bytes: Option<f64>,
    pub open_files: Option<f64>,
    pub die_with_parent: bool,
    pub drop_capabilities: bool,
    pub strict: bool,
}

/// A path that a wrapped command must not see.
#[napi(object)]
pub struct SandboxDeniedPath {
    pub path: String,
    pub directory: bool,
}

/// A link to make inside the sandbox.
#[napi(object)]
pub struct SandboxLink {
    pub path: String,
    pub target: String,
}

/// A policy for a wrapped command; the adapter has filled every field.
#[napi(object)]
pub struct SandboxCommandPolicy {
    pub read: Vec<String>,
    pub write: Vec<String>,
    pub deny: Vec<SandboxDeniedPath>,
    pub links: Vec<SandboxLink>,
    pub exec: Option<Vec<String>>,
    pub net: bool,
    /// Names and values in turn.
    pub env: Option<Vec<String>>,
    pub cwd: Option<String>,
    pub proc: bool,
    pub dev: bool,
    pub tmp: bool,
    pub die_with_parent: bool,
    pub new_session: bool,
    pub unshare_pid: bool,
}

/// A wrapper's arguments and what they do not enforce.
#[napi(object)]
pub struct SandboxCommandLine {
    pub argv: Vec<String>,
    pub unenforced: Vec<SandboxUnenforced>,
}

/// Looks at the machine off-thread, because it starts bubblewrap once.
#[napi]
pub fn sandbox_probe(cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<SandboxProbe>> {
    blocking("sandboxProbe", cancel, |_| {
        let found = tenon_sandbox::probe::probe();
        Ok(SandboxProbe {
            platform: found.platform.to_owned(),
            landlock_abi: found.landlock_abi,
            landlock: found.landlock.into(),
            seccomp: found.seccomp.into(),
            user_namespaces: found.user_namespaces.into(),
            bubblewrap: found.bubblewrap.into(),
            bubblewrap_path: found.bubblewrap_path,
            seatbelt: found.seatbelt.into(),
            no_new_privs: found.no_new_privs,
            surroundings: found.surroundings,
        })
    })
}

/// What a restriction would do here; changes nothing.
#[napi]
pub fn sandbox_dry_run(policy: SandboxSelfPolicy, program: Option<String>) -> Result<SandboxReport> {
    guard("sandboxDryRun", || {
        let policy = SelfPolicy::try_from(policy)?;
        tenon_sandbox::restrict::dry_run(&policy, program.as_deref().map(Path::new))
            .map(SandboxReport::from)
            .map_err(failure)
    })
}

/// Restricts every thread of this process, or refuses.
#[napi]
pub fn sandbox_restrict_self(policy: SandboxSelfPolicy) -> Result<SandboxReport> {
    guard("sandboxRestrictSelf", || {
        let policy = SelfPolicy::try_from(policy)?;
        tenon_sandbox::restrict::restrict_self(&policy).map(SandboxReport::from).map_err(failure)
    })
}

/// Restricts this process and replaces its program; returns only by failing.
#[napi]
pub fn sandbox_restrict_and_exec(
    policy: SandboxSelfPolicy,
    file: String,
    argv: Vec<String>,
    env: Vec<String>,
    keep: Vec<i32>,
) -> Result<()> {
    guard("sandboxRestrictAndExec", || {
        let policy = SelfPolicy::try_from(policy)?;
        let program = Program { file: c_string(file)?, argv: c_strings(argv)?, env: c_strings(env)?, keep };
        match tenon_sandbox::restrict::restrict_and_exec(&policy, &program) {
            Ok(never) => match never {},
            Err(error) => Err(failure(error)),
        }
    })
}

/// The arguments for `bwrap`.
#[napi]
pub fn sandbox_bubblewrap(policy: SandboxCommandPolicy, command: Vec<String>) -> Result<SandboxCommandLine> {
    guard("sandboxBubblewrap", || {
        tenon_sandbox::bubblewrap::bubblewrap(&policy.into(), &command).map(Into::into).map_err(failure)
    })
}

/// The arguments for `sandbox-exec`.
#[napi]
pub fn sandbox_seatbelt(policy: SandboxCommandPolicy, command: Vec<String>) -> Result<SandboxCommandLine> {
    guard("sandboxSeatbelt", || {
        tenon_sandbox::seatbelt::seatbelt(&policy.into(), &command).map(Into::into).map_err(failure)
    })
}

fn c_string(text: String) -> Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| failure(PolicyError::NulInArgument(text)))
}

fn c_strings(texts: Vec<String>) -> Result<Vec<CString>> {
    texts.into_iter().map(c_string).collect()
}

fn paths(texts: Vec<String>) -> Vec<PathBuf> {
    texts.into_iter().map(PathBuf::from).collect()
}

fn ports(numbers: Vec<u32>) -> Result<Vec<u16>> {
    let port = |number: u32| u16::try_from(number).map_err(|_| failure(format!("{number} is not a TCP port")));
    numbers.into_iter().map(port).collect()
}

/// JavaScript numbers are exact up to 2^53, far above any sensible limit.
fn limit(number: Option<f64>) -> Option<u64> {
    number.map(|number| number.max(0.0) as u64)
}

impl TryFrom<SandboxSelfPolicy> for SelfPolicy {
    type Error = Error;

    fn try_from(policy: SandboxSelfPolicy) -> Result<Self> {
        Ok(Self {
            read: policy.read.map(paths),
            write: paths(policy.write),
            deny: paths(policy.deny),
            exec: match policy.exec.as_str() {
                "off" => Exec::Off,
                "only" => Exec::Only(paths(policy.programs)),
                "any" => Exec::Any,
                other => return Err(failure(format!("exec is \"{other}\", not off, only or any"))),
            },
            net: match policy.net.as_str() {
                "off" => Net::Off,
                "tcp" => Net::Tcp { connect: ports(policy.connect)?, bind: ports(policy.bind)? },
                "full" => Net::Full,
                other => return Err(failure(format!("net is \"{other}\", not off, tcp or full"))),
            },
            unix_sockets: policy.unix_sockets,
            limits: Limits {
                data_bytes: limit(policy.data_bytes),
                processes: limit(policy.processes),
                core_bytes: limit(policy.core_bytes),
                file_bytes: limit(policy.file_bytes),
                open_files: limit(policy.open_files),
            },
            die_with_parent: policy.die_with_parent,
            drop_capabilities: policy.drop_capabilities,
            strict: policy.strict,
        })
    }
}

impl From<SandboxCommandPolicy> for CommandPolicy {
    fn from(policy: SandboxCommandPolicy) -> Self {
        let env = policy.env.map(|texts| {
            let mut texts = texts.into_iter();
            std::iter::from_fn(move || Some((texts.next()?, texts.next().unwrap_or_default()))).collect()
        });
        Self {
            read: policy.read,
            write: policy.write,
            deny: policy.deny.into_iter().map(|d| DeniedPath { path: d.path, directory: d.directory }).collect(),
            links: policy.links.into_iter().map(|l| Link { path: l.path, target: l.target }).collect(),
            exec: policy.exec,
            net: policy.net,
            env,
            cwd: policy.cwd,
            proc: policy.proc,
            dev: policy.dev,
            tmp: policy.tmp,
            die_with_parent: policy.die_with_parent,
            new_session: policy.new_session,
            unshare_pid: policy.unshare_pid,
        }
    }
}

impl From<Ability> for SandboxAbility {
    fn from(ability: Ability) -> Self {
        Self { available: ability.available, detail: ability.detail }
    }
}

impl From<Unenforced> for SandboxUnenforced {
    fn from(unenforced: Unenforced) -> Self {
        Self { part: unenforced.part, reason: unenforced.reason }
    }
}

impl From<CommandLine> for SandboxCommandLine {
    fn from(line: CommandLine) -> Self {
        Self { argv: line.argv, unenforced: line.unenforced.into_iter().map(Into::into).collect() }
    }
}

impl From<Report> for SandboxReport {
    fn from(report: Report) -> Self {
        Self {
            landlock_abi: report.landlock_abi,
            enforced: report.enforced,
            unenforced: report.unenforced.into_iter().map(Into::into).collect(),
            missing: report.missing.into_iter().map(|path| path.display().to_string()).collect(),
        }
    }
}
