//! A bubblewrap command line from a policy. Pure: no path is looked up.
//!
//! Bubblewrap starts from an empty root and performs its arguments in order, so the mounts are written from shallow to
//! deep. Hidden folders and the root itself are made read-only at the very end, once the mount points that lie
//! inside them exist.

use crate::mounts::{Entry, Mount, deciding, mounts, normal};
use crate::policy::{CommandPolicy, PolicyError, Unenforced};

/// A command line to run, and what it does not enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Arguments after the wrapper's own name.
    pub argv: Vec<String>,
    /// Parts of the policy that stay open.
    pub unenforced: Vec<Unenforced>,
}

/// The arguments for `bwrap` that run `command` under `policy`.
pub fn bubblewrap(policy: &CommandPolicy, command: &[String]) -> Result<CommandLine, PolicyError> {
    check_command(command)?;
    let table = mounts(policy)?;
    let mut argv = Vec::new();
    namespaces(policy, &mut argv);
    let mut read_only = Vec::new();
    for (index, mount) in table.iter().enumerate() {
        place(&table[..index], mount, &mut argv, &mut read_only);
    }
    if table.first().is_none_or(|first| first.path != "/") {
        read_only.push("/".to_owned());
    }
    for path in read_only {
        push(&mut argv, &["--remount-ro", &path]);
    }
    environment(policy, &mut argv)?;
    if let Some(cwd) = &policy.cwd {
        push(&mut argv, &["--chdir", &normal(cwd)?]);
    }
    argv.push("--".to_owned());
    argv.extend(command.iter().cloned());
    Ok(CommandLine { argv, unenforced: unenforced(policy) })
}

/// A command must have a program and no NUL.
pub(crate) fn check_command(command: &[String]) -> Result<(), PolicyError> {
    if command.first().is_none_or(String::is_empty) {
        return Err(PolicyError::NoCommand);
    }
    match command.iter().find(|part| part.contains('\0')) {
        Some(part) => Err(PolicyError::NulInArgument(part.clone())),
        None => Ok(()),
    }
}

/// Parts of `/proc` that change the machine. They belong to root, whose files they stay in a namespace of its own:
/// without this a sandbox that root starts could set `core_pattern` and have the kernel run a program outside.
const KERNEL_SETTINGS: &[&str] = &["sys", "sysrq-trigger", "irq", "bus", "fs"];

fn namespaces(policy: &CommandPolicy, argv: &mut Vec<String>) {
    // The user namespace is tried, not required: as root bubblewrap does without, and drops the capabilities.
    push(argv, &["--unshare-user-try", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
    if policy.unshare_pid {
        push(argv, &["--unshare-pid"]);
    }
    if !policy.net {
        push(argv, &["--unshare-net"]);
    }
    push(argv, &["--cap-drop", "ALL"]);
    if policy.die_with_parent {
        push(argv, &["--die-with-parent"]);
    }
    if policy.new_session {
        push(argv, &["--new-session"]);
    }
}

fn place(before: &[Mount], mount: &Mount, argv: &mut Vec<String>, read_only: &mut Vec<String>) {
    let path = mount.path.as_str();
    let exposed = deciding(before, path).is_some_and(|m| matches!(m.entry, Entry::Read | Entry::Write));
    match &mount.entry {
        Entry::Read => push(argv, &["--ro-bind", path, path]),
        Entry::Write => push(argv, &["--bind", path, path]),
        Entry::Proc => {
            push(argv, &["--proc", path]);
            for name in KERNEL_SETTINGS {
                push(argv, &["--ro-bind-try", &format!("/proc/{name}"), &format!("{path}/{name}")]);
            }
        }
        Entry::Dev => push(argv, &["--dev", path]),
        Entry::Tmp => push(argv, &["--tmpfs", path]),
        // Where an ancestor shows the host's files, the host's own link is there already.
        Entry::Link(_) if exposed => {}
        Entry::Link(target) => push(argv, &["--symlink", target, path]),
        // Where no ancestor shows the path there is nothing to hide.
        Entry::Deny { .. } if !exposed => {}
        Entry::Deny { directory: true } => {
            push(argv, &["--tmpfs", path]);
            read_only.push(path.to_owned());
        }
        Entry::Deny { directory: false } => push(argv, &["--ro-bind", "/dev/null", path]),
    }
}

fn environment(policy: &CommandPolicy, argv: &mut Vec<String>) -> Result<(), PolicyError> {
    let Some(env) = &policy.env else { return Ok(()) };
    push(argv, &["--clearenv"]);
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(PolicyError::BadEnvironmentName(name.clone()));
        }
        if value.contains('\0') {
            return Err(PolicyError::NulInArgument(value.clone()));
        }
        push(argv, &["--setenv", name, value]);
    }
    Ok(())
}

fn unenforced(policy: &CommandPolicy) -> Vec<Unenforced> {
    match policy.exec {
        None => Vec::new(),
        Some(_) => vec![Unenforced {
            part: "exec".to_owned(),
            reason: "bubblewrap shows or hides files; it cannot make a visible one not executable".to_owned(),
        }],
    }
}

fn push(argv: &mut Vec<String>, parts: &[&str]) {
    argv.extend(parts.iter().map(|part| (*part).to_owned()));
}

#[cfg(test)]
mod tests;
