//! The two policies, as plain data.
//!
//! [`SelfPolicy`] is what a process can impose on itself (Landlock, seccomp). [`CommandPolicy`] is what a wrapper
//! imposes on a command it starts (bubblewrap, Seatbelt). They differ because the mechanisms do: a wrapper can hide a
//! folder inside an allowed one, a Landlock ruleset cannot; a ruleset can name TCP ports, a network namespace cannot.

use std::fmt;
use std::path::PathBuf;

/// Which programs may be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exec {
    /// No program at all.
    Off,
    /// Only these files, or files beneath these folders.
    Only(Vec<PathBuf>),
    /// Every file that may be read.
    Any,
}

/// Which network a process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Net {
    /// No socket of an internet, netlink, packet or VM family can be created.
    Off,
    /// TCP only, and only to and from these ports.
    Tcp {
        /// Ports that may be connected to.
        connect: Vec<u16>,
        /// Ports that may be listened on.
        bind: Vec<u16>,
    },
    /// IPv4 and IPv6 without restriction.
    Full,
}

/// Resource limits; `None` leaves the present one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of private writable memory (`RLIMIT_DATA`).
    pub data_bytes: Option<u64>,
    /// Processes and threads of the user (`RLIMIT_NPROC`; does not bind root).
    pub processes: Option<u64>,
    /// Bytes of a core dump (`RLIMIT_CORE`).
    pub core_bytes: Option<u64>,
    /// Bytes of any one file that is written (`RLIMIT_FSIZE`).
    pub file_bytes: Option<u64>,
    /// Open file descriptors (`RLIMIT_NOFILE`).
    pub open_files: Option<u64>,
}

/// What a process keeps when it restricts itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfPolicy {
    /// Files and folders that may be read. `None` leaves all files as they are: no file rule is made.
    pub read: Option<Vec<PathBuf>>,
    /// Files and folders that may be read and changed.
    pub write: Vec<PathBuf>,
    /// Files and folders that must stay out of reach.
    pub deny: Vec<PathBuf>,
    /// Programs that may be started.
    pub exec: Exec,
    /// The network that may be used.
    pub net: Net,
    /// Whether Unix sockets may be created. They reach daemons (containers, desktop bus) that act outside the policy.
    pub unix_sockets: bool,
    /// Resource limits.
    pub limits: Limits,
    /// Whether the process is killed when its parent ends.
    pub die_with_parent: bool,
    /// Whether all capabilities are given up (matters for root).
    pub drop_capabilities: bool,
    /// Whether a part that this kernel cannot enforce is an error instead of an entry in the report.
    pub strict: bool,
}

impl Default for SelfPolicy {
    fn default() -> Self {
        Self {
            read: None,
            write: Vec::new(),
            deny: Vec::new(),
            exec: Exec::Off,
            net: Net::Off,
            unix_sockets: false,
            limits: Limits::default(),
            die_with_parent: false,
            drop_capabilities: true,
            strict: true,
        }
    }
}

/// A path that a wrapped command must not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedPath {
    /// The absolute path.
    pub path: String,
    /// A folder is hidden behind an empty one, a file behind a device that cannot be opened.
    pub directory: bool,
}

/// A symbolic link to make inside the sandbox (`/lib` on systems with a merged `/usr`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where the link is.
    pub path: String,
    /// What it says.
    pub target: String,
}

/// What a wrapped command may see and do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPolicy {
    /// Paths that exist read-only.
    pub read: Vec<String>,
    /// Paths that exist and can be changed.
    pub write: Vec<String>,
    /// Paths inside the above that are hidden.
    pub deny: Vec<DeniedPath>,
    /// Links to make where no real file is exposed.
    pub links: Vec<Link>,
    /// Programs that may be started; `None` is every visible one. Bubblewrap cannot enforce a list.
    pub exec: Option<Vec<String>>,
    /// Whether the host's network is shared.
    pub net: bool,
    /// The whole environment; `None` inherits the caller's. Values are visible in the process list.
    pub env: Option<Vec<(String, String)>>,
    /// The working folder.
    pub cwd: Option<String>,
    /// A fresh `/proc`.
    pub proc: bool,
    /// A minimal `/dev`.
    pub dev: bool,
    /// A private, empty `/tmp`.
    pub tmp: bool,
    /// Whether the command ends with its starter.
    pub die_with_parent: bool,
    /// Whether it gets a terminal session of its own, so that it cannot type into the caller's.
    pub new_session: bool,
    /// Whether other processes are invisible.
    pub unshare_pid: bool,
}

impl Default for CommandPolicy {
    fn default() -> Self {
        Self {
            read: Vec::new(),
            write: Vec::new(),
            deny: Vec::new(),
            links: Vec::new(),
            exec: None,
            net: false,
            env: None,
            cwd: None,
            proc: true,
            dev: true,
            tmp: true,
            die_with_parent: true,
            new_session: true,
            unshare_pid: true,
        }
    }
}

/// A part of a policy that the chosen mechanism cannot enforce, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unenforced {
    /// The part, in the words of the policy.
    pub part: String,
    /// Why it is not enforced.
    pub reason: String,
}

/// Why a policy cannot be used. The text says what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyError {
    /// A path that is not absolute and plain.
    BadPath {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An environment name that no process can have.
    BadEnvironmentName(String),
    /// A NUL in a text that becomes an argument.
    NulInArgument(String),
    /// A command line without a command.
    NoCommand,
    /// A denied path inside an allowed one, where the mechanism only knows allowing.
    DenyInsideAllowed {
        /// The path to hide.
        denied: String,
        /// The allowed path around it.
        allowed: String,
    },
    /// Parts that this machine cannot enforce, under a strict policy.
    Unenforceable(Vec<Unenforced>),
    /// The restriction would bind only one of several threads.
    OtherThreads(usize),
    /// The operating system refused a step.
    System {
        /// The step.
        step: &'static str,
        /// The system's own words.
        error: String,
    },
    /// No self-restriction on this platform.
    Unsupported(&'static str),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadPath { path, problem } => write!(f, "policy path \"{path}\" {problem}"),
            Self::BadEnvironmentName(name) => {
                write!(f, "environment name \"{name}\" is empty or contains '=' or NUL; rename it")
            }
            Self::NulInArgument(text) => write!(f, "\"{text}\" contains NUL and cannot be an argument"),
            Self::NoCommand => f.write_str("there is no command to run; give at least the program"),
            Self::DenyInsideAllowed { denied, allowed } => write!(
                f,
                "Landlock cannot hide \"{denied}\" inside the allowed \"{allowed}\"; allow the folders beside it one by one, or use bubblewrap"
            ),
            Self::Unenforceable(parts) => {
                f.write_str("this machine cannot enforce the whole policy: ")?;
                for (index, part) in parts.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    write!(f, "{separator}{} ({})", part.part, part.reason)?;
                }
                f.write_str("; use bubblewrap, or set strict to false to accept less")
            }
            Self::OtherThreads(count) => write!(
                f,
                "this process has {count} threads and its kernel restricts only the calling one; use restrictAndExec"
            ),
            Self::System { step, error } => write!(f, "{step} failed: {error}"),
            Self::Unsupported(platform) => {
                write!(f, "a process cannot restrict itself on {platform}; start it through a sandbox command instead")
            }
        }
    }
}

impl std::error::Error for PolicyError {}
