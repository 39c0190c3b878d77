//! The process tree below a guard.
//!
//! On Linux the kernel lists a process's children per thread (`/proc/<pid>/task/<tid>/children`), so a look at an
//! idle session costs two small reads. Elsewhere, or where the kernel was built without that list, all processes
//! are read and joined by parent.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A process of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessInfo {
    /// Its process id.
    pub pid: i32,
    /// When it started, in the kernel's ticks: with the id it names one process for ever. 0 where unknown.
    pub started: u64,
    /// Its command line, or its name in brackets.
    pub command: String,
}

/// A process id that cannot be mistaken for a later process with the same id.
pub type Identity = (i32, u64);

/// All processes below `root`, parents first.
pub fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![root];
    if children(root).is_some() {
        while let Some(pid) = open.pop() {
            let below = children(pid).unwrap_or_default();
            found.extend_from_slice(&below);
            open.extend(below);
        }
        return found;
    }
    let mut by_parent: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, parent) in all_processes() {
        by_parent.entry(parent).or_default().push(pid);
    }
    while let Some(pid) = open.pop() {
        let below = by_parent.remove(&pid).unwrap_or_default();
        found.extend_from_slice(&below);
        open.extend(below);
    }
    found
}

/// A look at the children of one single-threaded process, cheap enough to take before every command.
#[derive(Debug)]
pub struct ChildrenView {
    list: fs::File,
}

impl ChildrenView {
    /// `None` where the kernel does not list children.
    pub fn open(pid: i32) -> Option<Self> {
        fs::File::open(format!("/proc/{pid}/task/{pid}/children")).ok().map(|list| Self { list })
    }

    /// True when the children are exactly `expected`, in any order.
    pub fn is_exactly(&self, expected: &[i32]) -> bool {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 128];
        let Ok(count) = self.list.read_at(&mut text, 0) else { return false };
        let Ok(text) = std::str::from_utf8(&text[..count]) else { return false };
        let listed = numbers(text);
        listed.len() == expected.len() && expected.iter().all(|pid| listed.contains(pid))
    }
}

fn children(pid: i32) -> Option<Vec<i32>> {
    // A shell has one thread; looking at that first saves listing the folder for it.
    let main = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut below = numbers(&main);
    if let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) {
        for task in tasks.flatten() {
            let name = task.file_name();
            if name.to_str().and_then(|name| name.parse().ok()) == Some(pid) {
                continue;
            }
            if let Ok(text) = fs::read_to_string(task.path().join("children")) {
                below.extend(numbers(&text));
            }
        }
    }
    Some(below)
}

fn numbers(text: &str) -> Vec<i32> {
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn all_processes() -> Vec<(i32, i32)> {
    if let Ok(entries) = fs::read_dir("/proc") {
        let found: Vec<_> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|pid| Some((pid, stat(pid)?.parent)))
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    let Ok(output) = Command::new("ps").args(["-axo", "pid=,ppid="]).output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| match numbers(line)[..] {
            [pid, parent] => Some((pid, parent)),
            _ => None,
        })
        .collect()
}

struct Stat {
    parent: i32,
    started: u64,
    name: String,
    zombie: bool,
    stopped: bool,
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name may hold spaces and parentheses; the fields behind it do not.
    let (before, after) = text.rsplit_once(')')?;
    let fields: Vec<&str> = after.split_ascii_whitespace().collect();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        name: before.split_once('(')?.1.to_owned(),
        zombie: matches!(*fields.first()?, "Z" | "X"),
        stopped: *fields.first()? == "T",
    })
}

/// The identity of a live process; `None` when it is gone or only waits to be reaped.
pub fn identity(pid: i32) -> Option<Identity> {
    match stat(pid) {
        Some(stat) if stat.zombie => None,
        Some(stat) => Some((pid, stat.started)),
        None if fs::exists("/proc/self/stat").unwrap_or(false) => None,
        // SAFETY: signal 0 only asks whether the process exists.
        None => (unsafe { libc::kill(pid, 0) } == 0).then_some((pid, 0)),
    }
}

/// True when a signal has stopped the process; false where that cannot be seen.
pub fn is_stopped(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.stopped)
}

/// What a person would recognise a process by.
pub fn describe(pid: i32) -> Option<ProcessInfo> {
    let (_, started) = identity(pid)?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut words: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    if words.last().is_some_and(|word| word.is_empty()) {
        words.pop();
    }
    let command = if words.is_empty() {
        stat(pid).map(|stat| format!("[{}]", stat.name)).unwrap_or_default()
    } else {
        words.join(" ")
    };
    Some(ProcessInfo { pid, started, command })
}

/// What the standard streams of a process are; `None` where that cannot be seen.
pub fn streams(pid: i32) -> Option<[PathBuf; 3]> {
    let stream = |number: u8| fs::read_link(format!("/proc/{pid}/fd/{number}")).ok();
    Some([stream(0)?, stream(1)?, stream(2)?])
}

/// Processes from `root` (not included) down to `leaf` (included).
pub fn chain(root: i32, leaf: i32) -> Vec<i32> {
    let mut found = vec![leaf];
    let mut pid = leaf;
    while let Some(parent) = stat(pid).map(|stat| stat.parent) {
        if parent == root || parent <= 1 {
            break;
        }
        found.push(parent);
        pid = parent;
    }
    found
}

/// The process below `root` that knows itself as `inner`: a sandbox may have given it a process id of its own.
pub fn find_inner(root: i32, inner: i32) -> Option<i32> {
    let below = descendants(root);
    if below.contains(&inner) {
        return Some(inner);
    }
    below.into_iter().find(|pid| {
        fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
            numbers(line).last() == Some(&inner)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grandchildren_are_found_and_described() {
        let mut child = Command::new("bash").args(["-c", "sleep 41.5 & wait"]).spawn().expect("bash starts");
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        let found = loop {
            let found: Vec<_> = descendants(own).into_iter().filter_map(describe).collect();
            let sleeper = found.iter().find(|info| info.command == "sleep 41.5").cloned();
            if sleeper.is_some() || std::time::Instant::now() > deadline {
                break sleeper;
            }
        };
        let sleeper = found.expect("the sleeping grandchild is listed");
        assert_eq!(identity(sleeper.pid), Some((sleeper.pid, sleeper.started)));
        assert_eq!(chain(own, sleeper.pid).len(), 2);
        crate::sys::signal(sleeper.pid, libc::SIGKILL);
        child.wait().expect("bash ends");
        assert_eq!(identity(sleeper.pid), None);
    }
}
