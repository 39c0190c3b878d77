//! The command line is held to its policy by reading it back: a small model of bubblewrap performs the arguments and
//! answers, for any path, how much of the host a process inside would find there. Fresh file systems (`/proc`, `/tmp`)
//! show nothing of the host.

use proptest::prelude::*;

use super::*;
use crate::mounts::covers;
use crate::policy::{DeniedPath, Link};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sight {
    Nothing,
    ReadOnly,
    Writable,
}

/// What the arguments put at `path`, performed in order.
fn perform(argv: &[String], path: &str) -> Sight {
    let mut sight = Sight::Nothing;
    let mut rest = argv.iter().map(String::as_str);
    while let Some(option) = rest.next() {
        match option {
            "--" => break,
            "--ro-bind" | "--bind" => {
                let source = rest.next().expect("source");
                let target = rest.next().expect("target");
                if covers(target, path) {
                    sight = match (source, option) {
                        ("/dev/null", _) => Sight::Nothing,
                        (_, "--bind") => Sight::Writable,
                        _ => Sight::ReadOnly,
                    };
                    assert!(source == target || source == "/dev/null", "a path is only shown at its own place");
                }
            }
            "--tmpfs" | "--proc" | "--dev" => {
                if covers(rest.next().expect("target"), path) {
                    sight = Sight::Nothing;
                }
            }
            "--symlink" | "--setenv" => {
                rest.next();
                rest.next();
            }
            // The kernel's settings, read-only over the fresh `/proc` that would show them writable.
            "--ro-bind-try" => {
                let source = rest.next().expect("source");
                assert!(source.starts_with("/proc/"), "only parts of /proc are tried");
                assert_eq!(rest.next(), Some(source));
            }
            "--remount-ro" | "--chdir" | "--cap-drop" => {
                rest.next();
            }
            flag => assert!(flag.starts_with("--"), "unexpected argument {flag}"),
        }
    }
    sight
}

/// What the policy says about `path`: its nearest listed ancestor decides.
fn wish(policy: &CommandPolicy, path: &str) -> Sight {
    let table = mounts(policy).expect("plain paths");
    match deciding(&table, path).map(|mount| &mount.entry) {
        Some(Entry::Read) => Sight::ReadOnly,
        Some(Entry::Write) => Sight::Writable,
        _ => Sight::Nothing,
    }
}

fn any_path() -> impl Strategy<Value = String> {
    // Few names and little depth, so that paths often nest; `tmp` and `dev` meet the built-in mounts.
    prop::collection::vec(prop_oneof!["a", "b", "tmp", "dev", "ü "].prop_map(|s: String| s), 0..4)
        .prop_map(|parts| format!("/{}", parts.join("/")))
}

fn any_policy() -> impl Strategy<Value = CommandPolicy> {
    (
        prop::collection::vec(any_path(), 0..5),
        prop::collection::vec(any_path(), 0..4),
        prop::collection::vec((any_path(), any::<bool>()), 0..4),
        any::<[bool; 4]>(),
    )
        .prop_map(|(read, write, deny, [net, proc, dev, tmp])| CommandPolicy {
            read,
            write,
            deny: deny.into_iter().map(|(path, directory)| DeniedPath { path, directory }).collect(),
            net,
            proc,
            dev,
            tmp,
            ..CommandPolicy::default()
        })
}

proptest! {
    #[test]
    fn no_path_is_exposed_that_the_policy_does_not_name(policy in any_policy(), path in any_path()) {
        let line = bubblewrap(&policy, &["true".to_owned()]).expect("plain paths");
        prop_assert_eq!(perform(&line.argv, &path), wish(&policy, &path));
    }

    #[test]
    fn the_network_is_shared_only_when_asked_for(policy in any_policy()) {
        let line = bubblewrap(&policy, &["true".to_owned()]).expect("plain paths");
        prop_assert_eq!(line.argv.contains(&"--unshare-net".to_owned()), !policy.net);
    }

    #[test]
    fn the_command_stands_untouched_behind_the_last_option(
        policy in any_policy(),
        command in prop::collection::vec("[ -~]{1,8}", 1..5),
    ) {
        let line = bubblewrap(&policy, &command).expect("plain paths");
        let start = line.argv.iter().position(|part| part == "--").expect("separator");
        prop_assert_eq!(&line.argv[start + 1..], &command[..]);
    }
}

#[test]
fn a_denied_folder_inside_a_readable_one_is_hidden_and_read_only() {
    let policy = CommandPolicy {
        read: vec!["/home/me".into()],
        deny: vec![DeniedPath { path: "/home/me/.ssh".into(), directory: true }],
        ..CommandPolicy::default()
    };
    let argv = bubblewrap(&policy, &["true".into()]).expect("plain paths").argv.join(" ");
    let bind = argv.find("--ro-bind /home/me /home/me").expect("bind");
    let hide = argv.find("--tmpfs /home/me/.ssh").expect("hide");
    let seal = argv.find("--remount-ro /home/me/.ssh").expect("seal");
    assert!(bind < hide && hide < seal);
}

#[test]
fn bad_input_is_refused_with_what_to_change() {
    let refusal = |policy: CommandPolicy, command: &[&str]| {
        let command: Vec<String> = command.iter().map(|part| (*part).to_owned()).collect();
        bubblewrap(&policy, &command).expect_err("must be refused").to_string()
    };
    assert!(refusal(CommandPolicy::default(), &[]).contains("no command"));
    let relative = CommandPolicy { read: vec!["here".into()], ..CommandPolicy::default() };
    assert!(refusal(relative, &["true"]).contains("resolve it first"));
    let name = CommandPolicy { env: Some(vec![("A=B".into(), "c".into())]), ..CommandPolicy::default() };
    assert!(refusal(name, &["true"]).contains("environment name"));
    let link = Link { path: "/lib".into(), target: "usr\0lib".into() };
    assert!(refusal(CommandPolicy { links: vec![link], ..CommandPolicy::default() }, &["true"]).contains("NUL"));
}

#[test]
fn a_list_of_programs_is_reported_as_not_enforced() {
    let policy = CommandPolicy { exec: Some(vec!["/bin/true".into()]), ..CommandPolicy::default() };
    let line = bubblewrap(&policy, &["true".into()]).expect("plain paths");
    assert_eq!(line.unenforced.len(), 1);
    assert_eq!(line.unenforced[0].part, "exec");
}

#[test]
fn the_settings_of_the_kernel_are_read_only_in_a_fresh_proc() {
    let argv = bubblewrap(&CommandPolicy::default(), &["true".to_owned()]).expect("a plain policy").argv;
    let proc = argv.iter().position(|part| part == "--proc").expect("a fresh /proc");
    let settings = argv.iter().position(|part| part == "/proc/sys").expect("its settings");
    assert!(proc < settings, "what comes later lies on top");
    assert_eq!(argv[settings - 1], "--ro-bind-try");
    let none = CommandPolicy { proc: false, ..CommandPolicy::default() };
    let argv = bubblewrap(&none, &["true".to_owned()]).expect("a plain policy").argv;
    assert!(!argv.iter().any(|part| part.starts_with("/proc")));
}
