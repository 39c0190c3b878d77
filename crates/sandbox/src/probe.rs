//! What this machine can enforce, as data with a reason for every "no".
//!
//! Nothing is inferred that can be tried: user namespaces are tried in a child that ends at once, and bubblewrap is
//! started, because a binary that exists often cannot run (nested containers, hardened kernels).

/// Whether something works here, and the version, place or reason that belongs to the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// Whether it works.
    pub available: bool,
    /// What was found, or why it does not work.
    pub detail: String,
}

impl Ability {
    fn yes(detail: impl Into<String>) -> Self {
        Self { available: true, detail: detail.into() }
    }
    fn no(detail: impl Into<String>) -> Self {
        Self { available: false, detail: detail.into() }
    }
}

/// The answer of [`probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The platform, in Rust's words (`linux`, `macos`, `windows`).
    pub platform: &'static str,
    /// Landlock's ABI, when the kernel has it.
    pub landlock_abi: Option<i32>,
    /// File and port rules for the process itself.
    pub landlock: Ability,
    /// System call filters.
    pub seccomp: Ability,
    /// Namespaces without root.
    pub user_namespaces: Ability,
    /// The bubblewrap command, really started.
    pub bubblewrap: Ability,
    /// Where bubblewrap is.
    pub bubblewrap_path: Option<String>,
    /// macOS' sandbox command.
    pub seatbelt: Ability,
    /// Whether this process has already given up gaining privileges.
    pub no_new_privs: bool,
    /// Signs of an outer container or sandbox.
    pub surroundings: Vec<String>,
}

/// Looks at the machine. Starts bubblewrap once, so it takes some milliseconds. Whoever asks is about to confine programs, so from then
/// on (on Linux) they get no descriptor that this process itself was started with.
pub fn probe() -> Probe {
    imp::probe()
}

#[cfg(target_os = "linux")]
mod imp {
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{descriptors, landlock, seccomp};

    pub fn probe() -> Probe {
        let open = descriptors::keep_from_programs().err();
        let no_open = |ability: Ability| match &open {
            Some(error) if ability.available => {
                Ability::no(format!("programs would get the open files of this process: {error}"))
            }
            _ => ability,
        };
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let abi = landlock::abi();
        let (bubblewrap_path, bubblewrap) = bubblewrap();
        Probe {
            platform: "linux",
            landlock_abi: abi.ok(),
            landlock: match abi {
                Ok(abi) => Ability::yes(format!("ABI {abi}")),
                Err(reason) => Ability::no(reason),
            },
            seccomp: seccomp_ability(),
            user_namespaces: user_namespaces(),
            bubblewrap: no_open(bubblewrap),
            bubblewrap_path: bubblewrap_path.map(|path| path.display().to_string()),
            seatbelt: Ability::no("only on macOS"),
            no_new_privs: field(&status, "NoNewPrivs:") == Some("1"),
            surroundings: surroundings(&status),
        }
    }

    fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
        status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
    }

    fn seccomp_ability() -> Ability {
        const SECCOMP_GET_ACTION_AVAIL: libc::c_ulong = 2;
        let return_errno: u32 = 0x0005_0000;
        if seccomp::architecture().is_none() {
            return Ability::no(format!("no system call table for {}", std::env::consts::ARCH));
        }
        // SAFETY: asks the kernel about one action; reads four bytes.
        let result = unsafe { libc::syscall(libc::SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &raw const return_errno) };
        if result == 0 {
            Ability::yes("filters with all-thread synchronisation")
        } else {
            Ability::no(format!("the kernel refused: {}", std::io::Error::last_os_error()))
        }
    }

    fn user_namespaces() -> Ability {
        // SAFETY: the child makes only calls that are safe after a fork of a threaded process.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe {
                let failed = libc::unshare(libc::CLONE_NEWUSER) != 0;
                libc::_exit(if failed { *libc::__errno_location() } else { 0 });
            }
        }
        if child < 0 {
            return Ability::no(format!("could not be tried: {}", std::io::Error::last_os_error()));
        }
        let mut status = 0;
        // SAFETY: waits for the child made above; retried when a signal interrupts.
        while unsafe { libc::waitpid(child, &raw mut status, 0) } < 0 {
            if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                return Ability::no("could not be tried: the child was lost");
            }
        }
        if status == 0 {
            return Ability::yes("a new one could be made");
        }
        let error = std::io::Error::from_raw_os_error(libc::WEXITSTATUS(status));
        Ability::no(format!("{error}; a kernel setting or an outer sandbox forbids them"))
    }

    fn bubblewrap() -> (Option<PathBuf>, Ability) {
        let Some(path) = find_program("bwrap") else {
            return (None, Ability::no("bwrap is not installed; install the package bubblewrap"));
        };
        let version = match run(Command::new(&path).arg("--version")) {
            Ok(text) => text.trim().to_owned(),
            Err(reason) => return (Some(path), Ability::no(format!("bwrap does not run: {reason}"))),
        };
        let options = ["--unshare-user-try", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"];
        let mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--", "true"];
        match run(Command::new(&path).args(options).args(mounts)) {
            Ok(_) => (Some(path), Ability::yes(version)),
            Err(reason) => (Some(path), Ability::no(format!("{version} does not start a command here: {reason}"))),
        }
    }

    fn find_program(name: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|file| is_executable(file))
    }

    fn is_executable(file: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    }

    /// A sandbox that cannot start usually says so at once; one that hangs must not hang us.
    const LONGEST_START: Duration = Duration::from_secs(5);

    /// In a group of its own, because Ctrl-C at a terminal goes to the whole group of Tenon: bubblewrap would die of it, what it has
    /// just started would not, and that holds the pipes open for ever.
    fn run(command: &mut Command) -> Result<String, String> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let started = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if started.elapsed() < LONGEST_START => std::thread::sleep(Duration::from_millis(2)),
                Ok(None) => {
                    end_group(&child);
                    let killed = child.wait();
                    return Err(format!(
                        "no answer within {LONGEST_START:?}{}",
                        if killed.is_ok() { "" } else { ", and it cannot be ended" }
                    ));
                }
                Err(error) => return Err(error.to_string()),
            }
        };
        end_group(&child);
        let mut text = String::new();
        // Both fit a pipe: a version line, or the error of a command that has no output.
        let read = if status.success() {
            child.stdout.take().map(|mut out| out.read_to_string(&mut text))
        } else {
            child.stderr.take().map(|mut out| out.read_to_string(&mut text))
        };
        match read {
            Some(Err(error)) => Err(error.to_string()),
            _ if status.success() => Ok(text),
            _ => Err(format!("{} ({status})", text.lines().next().unwrap_or("no message"))),
        }
    }

    /// Ends what a program has started, also when the program itself has ended.
    fn end_group(child: &Child) {
        let Ok(group) = libc::pid_t::try_from(child.id()) else { return };
        // SAFETY: sends a signal to the group that the child was started in; nothing is left of it in most cases.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }

    fn surroundings(status: &str) -> Vec<String> {
        let mut signs = Vec::new();
        for (file, meaning) in [("/.dockerenv", "Docker"), ("/run/.containerenv", "Podman")] {
            if Path::new(file).exists() {
                signs.push(format!("{meaning} container ({file} exists)"));
            }
        }
        let cgroup = std::fs::read_to_string("/proc/1/cgroup").unwrap_or_default();
        for word in ["docker", "kubepods", "containerd", "lxc"] {
            if cgroup.contains(word) {
                signs.push(format!("container ({word} in /proc/1/cgroup)"));
            }
        }
        if std::env::var_os("container").is_some() {
            signs.push("container (the variable `container` is set)".to_owned());
        }
        let version = std::fs::read_to_string("/proc/version").unwrap_or_default();
        if version.to_ascii_lowercase().contains("microsoft") {
            signs.push("WSL".to_owned());
        }
        if field(status, "Seccomp:") == Some("2") {
            signs.push("a seccomp filter is already on this process".to_owned());
        }
        signs
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::*;

    pub fn probe() -> Probe {
        let seatbelt = if cfg!(target_os = "macos") && std::path::Path::new("/usr/bin/sandbox-exec").exists() {
            Ability::yes("/usr/bin/sandbox-exec")
        } else {
            Ability::no("only on macOS")
        };
        Probe {
            platform: std::env::consts::OS,
            landlock_abi: None,
            landlock: Ability::no("only on Linux"),
            seccomp: Ability::no("only on Linux"),
            user_namespaces: Ability::no("only on Linux"),
            bubblewrap: Ability::no("only on Linux"),
            bubblewrap_path: None,
            seatbelt,
            no_new_privs: false,
            surroundings: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ability_comes_with_words_for_the_user() {
        let found = probe();
        for ability in [&found.landlock, &found.seccomp, &found.user_namespaces, &found.bubblewrap, &found.seatbelt] {
            assert!(!ability.detail.is_empty());
        }
        assert_eq!(found.landlock_abi.is_some(), found.landlock.available);
    }
}
