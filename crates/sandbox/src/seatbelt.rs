//! A macOS Seatbelt profile from a policy, for `sandbox-exec -p`. Pure text, so it is tested on every platform.
//!
//! In this language the last matching rule wins, which suits a list from shallow to deep: each entry first takes
//! away what its surroundings gave and then gives what it allows itself.

use crate::bubblewrap::{CommandLine, check_command};
use crate::mounts::{Entry, mounts, normal};
use crate::policy::{CommandPolicy, PolicyError, Unenforced};

/// Without these no program starts on macOS: the loader, its shared cache, time zones, and the usual devices.
const SYSTEM_READS: &str = r#"(allow file-read-metadata)
(allow file-read* (literal "/") (subpath "/System") (subpath "/usr/lib") (subpath "/usr/share") (subpath "/private/var/db/dyld") (subpath "/private/var/db/timezone") (literal "/private/etc/localtime"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-ioctl (literal "/dev/tty"))"#;

/// The arguments for `sandbox-exec` that run `command` under `policy`.
pub fn seatbelt(policy: &CommandPolicy, command: &[String]) -> Result<CommandLine, PolicyError> {
    check_command(command)?;
    let mut argv = vec!["-p".to_owned(), profile(policy)?, "--".to_owned()];
    argv.extend(command.iter().cloned());
    Ok(CommandLine { argv, unenforced: unenforced(policy) })
}

/// The profile's text.
pub fn profile(policy: &CommandPolicy) -> Result<String, PolicyError> {
    let mut lines = vec!["(version 1)".to_owned(), "(deny default)".to_owned()];
    lines.push("(allow process-fork)".to_owned());
    lines.push("(allow signal (target same-sandbox))".to_owned());
    lines.push("(allow sysctl-read)".to_owned());
    lines.push(SYSTEM_READS.to_owned());
    for mount in mounts(policy)? {
        let place = format!("(subpath {})", quoted(&mount.path));
        match mount.entry {
            Entry::Read => {
                lines.push(format!("(deny file-write* {place})"));
                lines.push(format!("(allow file-read* {place})"));
            }
            Entry::Write => lines.push(format!("(allow file-read* file-write* {place})")),
            Entry::Deny { .. } => lines.push(format!("(deny file-read* file-write* {place})")),
            // macOS has no such mounts; the devices above are the part of `/dev` that programs need.
            Entry::Proc | Entry::Dev | Entry::Tmp | Entry::Link(_) => {}
        }
    }
    lines.push(match &policy.exec {
        None => "(allow process-exec)".to_owned(),
        Some(paths) if paths.is_empty() => "(deny process-exec)".to_owned(),
        Some(paths) => {
            let places = paths.iter().map(|path| Ok(format!(" (subpath {})", quoted(&normal(path)?))));
            format!("(allow process-exec{})", places.collect::<Result<String, PolicyError>>()?)
        }
    });
    lines.push(if policy.net { "(allow network*)" } else { "(deny network*)" }.to_owned());
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn unenforced(policy: &CommandPolicy) -> Vec<Unenforced> {
    let missing = |part: &str, reason: &str| Unenforced { part: part.to_owned(), reason: reason.to_owned() };
    let mut parts = Vec::new();
    if policy.tmp {
        parts.push(missing("tmp", "Seatbelt has no private folders; give the command a folder of its own in TMPDIR"));
    }
    if policy.env.is_some() {
        parts.push(missing("env", "Seatbelt does not touch the environment; set it where the command is started"));
    }
    if policy.die_with_parent {
        parts.push(missing("dieWithParent", "Seatbelt does not tie processes together; end the process group"));
    }
    parts
}

/// A string of the profile language; only the quote and the backslash mean something inside it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::DeniedPath;
    use proptest::prelude::*;

    fn position(text: &str, line: &str) -> usize {
        text.lines().position(|other| other == line).unwrap_or_else(|| panic!("no line {line} in\n{text}"))
    }

    #[test]
    fn deeper_rules_come_later_because_the_last_match_wins() {
        let policy = CommandPolicy {
            read: vec!["/home/ann/project/docs".into()],
            write: vec!["/home/ann/project".into()],
            deny: vec![DeniedPath { path: "/home/ann/project/docs/secret".into(), directory: true }],
            ..CommandPolicy::default()
        };
        let text = profile(&policy).expect("plain paths");
        let write = position(&text, r#"(allow file-read* file-write* (subpath "/home/ann/project"))"#);
        let read = position(&text, r#"(deny file-write* (subpath "/home/ann/project/docs"))"#);
        let deny = position(&text, r#"(deny file-read* file-write* (subpath "/home/ann/project/docs/secret"))"#);
        assert!(write < read && read < deny);
        assert!(text.contains("(deny network*)"));
    }

    #[test]
    fn an_empty_list_of_programs_allows_none() {
        let none = CommandPolicy { exec: Some(Vec::new()), ..CommandPolicy::default() };
        assert!(profile(&none).expect("plain").contains("(deny process-exec)"));
        let one = CommandPolicy { exec: Some(vec!["/bin/ls".into()]), ..CommandPolicy::default() };
        assert!(profile(&one).expect("plain").contains(r#"(allow process-exec (subpath "/bin/ls"))"#));
    }

    proptest! {
        #[test]
        fn no_path_can_break_out_of_its_string(name in "[^\0/]{1,12}") {
            prop_assume!(name != ".." && name != ".");
            let policy = CommandPolicy { read: vec![format!("/{name}")], ..CommandPolicy::default() };
            let empty = CommandPolicy::default();
            let text = profile(&policy).expect("plain path");
            prop_assert_eq!(brackets(&text), brackets(&profile(&empty).expect("plain")) + 4);
        }
    }

    /// Brackets outside of strings, opening ones counted; the two rules of one read entry have four.
    fn brackets(text: &str) -> usize {
        let (mut inside, mut escaped, mut count) = (false, false, 0);
        for char in text.chars() {
            match char {
                _ if escaped => escaped = false,
                '\\' if inside => escaped = true,
                '"' => inside = !inside,
                '(' if !inside => count += 1,
                _ => {}
            }
        }
        assert!(!inside, "every string ends");
        count
    }
}
