//! Sessions with a real bash.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenon_shell::{Event, Outcome, RunRequest, RunResult, Session, SessionOptions, ShellError, ShellFate, Stream};

struct Harness {
    session: Session,
    events: mpsc::Receiver<Event>,
    next: u32,
    background: Vec<u8>,
    _home: tempfile::TempDir,
}

struct Ran {
    result: RunResult,
    output: Vec<(Stream, Vec<u8>)>,
}

impl Ran {
    fn text(&self) -> String {
        let bytes: Vec<u8> = self.output.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn open() -> Harness {
    open_with(|_| {})
}

fn open_with(change: impl FnOnce(&mut SessionOptions)) -> Harness {
    let home = tempfile::tempdir().unwrap();
    let mut options = SessionOptions {
        bash: "bash".to_owned(),
        wrap: Vec::new(),
        cwd: PathBuf::from("/tmp"),
        env: None,
        snapshot: None,
        folder: home.path().join("tenon-shell-test"),
        separate_stderr: false,
        grace: Duration::from_millis(300),
    };
    change(&mut options);
    let (send, events) = mpsc::channel();
    let session = Session::open(options, move |event| drop(send.send(event))).unwrap();
    Harness { session, events, next: 0, background: Vec::new(), _home: home }
}

impl Harness {
    fn start(&mut self, command: &str) -> u32 {
        self.start_request(RunRequest { command: command.as_bytes().to_vec(), ..RunRequest::default() })
    }

    fn start_request(&mut self, request: RunRequest) -> u32 {
        self.next += 1;
        self.session.run(RunRequest { id: self.next, ..request }).unwrap();
        self.next
    }

    fn wait(&mut self, id: u32) -> Ran {
        let mut output: Vec<(Stream, Vec<u8>)> = Vec::new();
        loop {
            match self.events.recv_timeout(Duration::from_secs(20)).expect("an event within 20 s") {
                Event::Output { command, stream, chunk } => {
                    let bytes = chunk.to_vec();
                    if command == id {
                        output.push((stream, bytes));
                    } else {
                        self.background.extend(bytes);
                    }
                }
                Event::Done { command, result } if command == id => return Ran { result, output },
                Event::Done { .. } => {}
                Event::Closed { reason } => panic!("closed: {reason}"),
            }
        }
    }

    fn run(&mut self, command: &str) -> Ran {
        let id = self.start(command);
        self.wait(id)
    }
}

fn eventually(what: &str, check: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !check() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z')))
}

#[test]
fn folder_variables_functions_and_aliases_survive_between_commands() {
    let mut shell = open();
    shell.run("cd /usr; export A=1; b=(x 'y z'); f() { echo \"f:$1\"; }; alias g='f from-alias'");
    let ran = shell.run("pwd; echo $A ${b[1]}; f 2; g");
    assert_eq!(ran.text(), "/usr\n1 y z\nf:2\nf:from-alias\n");
    assert_eq!(ran.result.cwd, b"/usr");
    assert_eq!(ran.result.shell, ShellFate::Kept);
}

#[test]
fn the_exit_status_is_reported_and_seen_by_the_next_command() {
    let mut shell = open();
    assert_eq!(shell.run("(exit 7)").result.status, Some(7));
    assert_eq!(shell.run("echo $?").text(), "7\n");
    assert_eq!(shell.run("kill -9 $BASHPID & wait $!").result.status, Some(137));
}

#[test]
fn both_streams_come_in_the_order_in_which_they_were_written() {
    let mut shell = open();
    let ran = shell.run("for i in 1 2 3; do echo o$i; echo e$i >&2; done");
    assert_eq!(ran.text(), "o1\ne1\no2\ne2\no3\ne3\n");
    assert!(ran.output.iter().all(|(stream, _)| *stream == Stream::Merged));
}

#[test]
fn separate_streams_are_attributed() {
    let mut shell = open_with(|options| options.separate_stderr = true);
    let ran = shell.run("echo out; echo err >&2; echo more");
    let of = |wanted| ran.output.iter().filter(|(s, _)| *s == wanted).flat_map(|(_, b)| b.clone()).collect::<Vec<u8>>();
    assert_eq!(of(Stream::Stdout), b"out\nmore\n");
    assert_eq!(of(Stream::Stderr), b"err\n");
}

#[test]
fn broken_syntax_ends_only_the_command() {
    let mut shell = open();
    for broken in [
        "echo 'a",
        "if",
        "x=${",
        "(",
        "cat <<EOF\nno end",
        "}",
        "echo \"$(",
        "fi; echo no",
        "\\",
        "echo $((1/0))",
        "a[-.]=1",
        "${x!y}",
        "x=$((1+))",
        "( echo 'a\n)",
        "case x in (",
        "f() (",
        "[[ ( a",
        "until (",
    ] {
        shell.run(broken);
        let after = shell.run("echo fine");
        assert_eq!(after.text(), "fine\n", "after {broken:?}");
        assert_eq!(after.result.shell, ShellFate::Kept, "after {broken:?}");
    }
}

#[test]
fn flow_control_words_outside_of_loops_do_not_disturb_the_session() {
    let mut shell = open();
    for word in ["break", "continue 3", "return 4", "break 99"] {
        shell.run(word);
        assert_eq!(shell.run("echo fine").text(), "fine\n", "after {word}");
    }
}

#[test]
fn exit_ends_the_command_and_the_state_goes_on_in_a_new_shell() {
    let mut shell = open();
    shell.run(
        "cd /usr; v='a b'; export E=e; declare -A m=([k]=v); f() { echo f; }; alias al='echo al'; shopt -s nullglob",
    );
    let ran = shell.run("echo before; exit 3; echo never");
    assert_eq!(ran.text(), "before\n");
    assert_eq!((ran.result.status, ran.result.shell), (Some(3), ShellFate::Restored));
    let ran =
        shell.run("pwd; echo \"$v\" ${m[k]}; f; al; shopt -q nullglob && echo nullglob; bash -c 'echo $E'; echo $?");
    assert_eq!(ran.text(), "/usr\na b v\nf\nal\nnullglob\ne\n0\n");
    assert_eq!(shell.run("exit 4").result.shell, ShellFate::Restored);
    assert_eq!(shell.run("echo \"$v\"").text(), "a b\n");
}

#[test]
fn set_e_ends_the_shell_once_and_is_not_carried_on() {
    let mut shell = open();
    let ran = shell.run("x=1; set -e; false; echo never");
    assert_eq!((ran.text().as_str(), ran.result.status, ran.result.shell), ("", Some(1), ShellFate::Restored));
    assert_eq!(shell.run("false; echo $x").text(), "1\n");
    shell.run("set -eu");
    assert_eq!(shell.run("echo ok").text(), "ok\n");
    let ran = shell.run("echo $undefined_thing");
    assert_eq!((ran.result.status, ran.result.shell), (Some(1), ShellFate::Restored));
}

#[test]
fn exec_and_kill_9_of_the_shell_give_a_fresh_one() {
    let mut shell = open();
    shell.run("cd /usr; v=1");
    let ran = shell.run("exec echo replaced");
    assert_eq!((ran.text().as_str(), ran.result.status, ran.result.shell), ("replaced\n", Some(0), ShellFate::Fresh));
    assert_eq!(shell.run("echo \"[$v]\"; pwd").text(), "[]\n/usr\n");
    let ran = shell.run("kill -9 $$");
    assert_eq!((ran.result.status, ran.result.shell), (Some(137), ShellFate::Fresh));
    assert_eq!(shell.run("echo fine").text(), "fine\n");
}

#[test]
fn redirections_of_exec_last_for_one_command() {
    let mut shell = open();
    shell.run("exec >/dev/null 2>&1 </dev/zero; echo lost");
    assert_eq!(shell.run("echo back; read -r line || echo eof").text(), "back\neof\n");
    let ran = shell.run("exec 1>&- 2>&-; echo nowhere");
    assert_eq!(ran.result.status, Some(1));
    assert_eq!(shell.run("echo back; echo err >&2").text(), "back\nerr\n");
    shell.run("exec 2>/dev/null");
    assert_eq!(shell.run("echo err >&2").text(), "err\n");
}

#[test]
fn tracing_shows_the_commands_and_not_the_machinery() {
    let mut shell = open();
    assert_eq!(shell.run("set -x; echo one").text(), "++ echo one\none\n");
    // `builtin`, because a user's function may be called eval.
    assert_eq!(shell.run("echo two").text(), "+ builtin eval 'echo two'\n++ echo two\ntwo\n");
}

#[test]
fn a_command_that_closes_every_descriptor_still_ends() {
    let mut shell = open();
    let ran = shell
        .run("for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && [ $fd != 255 ] && eval \"exec $fd>&-\"; done");
    assert!(ran.result.status.is_some());
    assert_eq!(shell.run("echo fine").text(), "fine\n");
}

#[test]
fn output_is_delivered_byte_for_byte() {
    let mut shell = open();
    let ran = shell.run("printf 'a\\0b\\377\\r\\nno newline'");
    assert_eq!(ran.output.iter().flat_map(|(_, b)| b.clone()).collect::<Vec<u8>>(), b"a\0b\xff\r\nno newline");
}

#[test]
fn output_that_looks_like_a_report_changes_nothing() {
    let mut shell = open();
    let ran = shell.run("printf '\\0E\\0ready\\0009\\0/\\0'; printf '\\0E\\0x\\0009\\0/\\0' >&244; printf 'junk' >&244; echo real; (exit 5)");
    assert_eq!(ran.result.status, Some(5));
    assert!(ran.text().ends_with("real\n"));
    assert_eq!(shell.run("pwd").text(), "/tmp\n");
}

#[test]
fn long_commands_and_every_byte_but_nul_arrive_unchanged() {
    let mut shell = open();
    let word = "é'\"$`\\!\n\t".repeat(20_000);
    let quoted = word.replace('\'', "'\\''");
    let ran = shell.run(&format!("printf %s '{quoted}'"));
    assert_eq!(ran.text(), word);
    let refused = shell.session.run(RunRequest { id: 99, command: b"a\0b".to_vec(), ..RunRequest::default() });
    assert!(matches!(refused, Err(ShellError::NulByte { .. })));
}

#[test]
fn variables_of_one_command_are_gone_after_it() {
    let mut shell = open();
    shell.run("V=outer");
    let id = shell.start_request(RunRequest {
        command: b"bash -c 'echo $V $W'".to_vec(),
        env: vec![("V".to_owned(), "it's".to_owned()), ("W".to_owned(), "two\nlines".to_owned())],
        ..RunRequest::default()
    });
    assert_eq!(shell.wait(id).text(), "it's two lines\n");
    assert_eq!(shell.run("echo $V ${W-unset}").text(), "outer unset\n");
}

#[test]
fn a_given_folder_is_entered_and_a_missing_one_is_refused() {
    let mut shell = open();
    let id = shell.start_request(RunRequest {
        command: b"pwd".to_vec(),
        cwd: Some("/usr/lib".into()),
        ..RunRequest::default()
    });
    let ran = shell.wait(id);
    assert_eq!((ran.text().as_str(), ran.result.cwd.as_slice()), ("/usr/lib\n", b"/usr/lib".as_slice()));
    let missing =
        RunRequest { id: 50, command: b"pwd".to_vec(), cwd: Some("/no/such".into()), ..RunRequest::default() };
    assert!(matches!(shell.session.run(missing), Err(ShellError::Folder { .. })));
}

#[test]
fn a_removed_folder_does_not_end_the_session() {
    let mut shell = open();
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    shell.run(&format!("cd '{}'", inner.display()));
    std::fs::remove_dir(&inner).unwrap();
    assert_eq!(shell.run("echo fine").text(), "fine\n");
    shell.run("exit 0");
    assert_eq!(shell.run("pwd").text().trim(), folder.path().display().to_string());
}

#[test]
fn a_background_process_does_not_hold_the_command_open_and_can_be_ended() {
    let mut shell = open();
    let started = Instant::now();
    let ran = shell.run("sleep 98.7 & setsid sleep 98.7 & (setsid sleep 98.7 &) ; echo started");
    assert_eq!(ran.text(), "started\n");
    assert!(started.elapsed() < Duration::from_secs(15));
    eventually("all three are listed", || {
        shell.session.background().iter().filter(|p| p.command == "sleep 98.7").count() == 3
    });
    let listed = shell.session.background();
    for process in &listed {
        assert!(shell.session.signal_background(process.pid, 15));
    }
    eventually("all are gone", || shell.session.background().is_empty());
    assert!(!shell.session.signal_background(1, 15), "a process of somebody else is refused");
}

#[test]
fn output_of_a_background_process_between_commands_is_not_lost() {
    let mut shell = open();
    shell.run("(sleep 0.2; echo late) &");
    std::thread::sleep(Duration::from_millis(600));
    let ran = shell.run("echo now");
    assert_eq!(ran.text(), "now\n");
    assert_eq!(shell.background, b"late\n");
}

#[test]
fn a_background_process_that_never_stops_writing_does_not_hold_the_command_open() {
    let mut shell = open();
    let ran = shell.run("yes & echo $!");
    assert_eq!(ran.result.status, Some(0));
    let ran = shell.run("echo second; kill %1; true");
    assert!(ran.text().contains("second\n"));
}

#[test]
fn cancel_stops_the_whole_list_and_keeps_the_state() {
    let mut shell = open();
    shell.run("v=kept; cd /usr");
    let id = shell.start("w=set; sleep 61.2; echo never; sleep 61.2");
    eventually("it runs", || shell.session.background().is_empty());
    std::thread::sleep(Duration::from_millis(100));
    shell.session.cancel(id).unwrap();
    let ran = shell.wait(id);
    assert_eq!(
        (ran.result.status, ran.result.outcome, ran.result.shell),
        (None, Outcome::Cancelled, ShellFate::Restored)
    );
    assert_eq!(ran.text(), "");
    assert_eq!(shell.run("echo $v $w; pwd").text(), "kept set\n/usr\n");
}

#[test]
fn cancel_ends_processes_that_ignore_polite_signals_and_spares_older_background_ones() {
    let mut shell = open();
    let old: i32 = shell.run("sleep 77.1 >/dev/null & echo $!").text().trim().parse().unwrap();
    let id = shell.start("bash -c 'trap \"\" INT TERM; echo $$; setsid bash -c \"trap \\\"\\\" INT TERM; echo \\$\\$; sleep 78\" & sleep 78; sleep 78'");
    let mut pids = Vec::new();
    while pids.len() < 2 {
        if let Event::Output { chunk, .. } = shell.events.recv_timeout(Duration::from_secs(10)).unwrap() {
            pids.extend(String::from_utf8_lossy(&chunk).split_whitespace().map(|w| w.parse::<i32>().unwrap()));
        }
    }
    shell.session.cancel(id).unwrap();
    let ran = shell.wait(id);
    assert_eq!(ran.result.outcome, Outcome::Cancelled);
    assert!(pids.iter().all(|pid| !alive(*pid)), "{pids:?}");
    assert!(alive(old));
}

#[test]
fn a_time_limit_stops_loops_inside_the_shell_itself() {
    let mut shell = open();
    for endless in [
        "while :; do :; done",
        "f() { while true; do sleep 0.01; done; }; f",
        "x=$(sleep 100)",
        "wait_for=1; sleep 100 & wait",
        "cat <(sleep 100)",
    ] {
        let id = shell.start_request(RunRequest {
            command: endless.as_bytes().to_vec(),
            timeout: Some(Duration::from_millis(150)),
            ..RunRequest::default()
        });
        let ran = shell.wait(id);
        assert_eq!((ran.result.status, ran.result.outcome), (None, Outcome::TimedOut), "{endless}");
        assert_eq!(shell.run("echo fine").text(), "fine\n", "after {endless}");
    }
}

#[test]
fn unread_output_stops_the_writer_instead_of_filling_memory() {
    let mut shell = open();
    let id = shell.start("yes | head -c 30000000; echo end");
    std::thread::sleep(Duration::from_millis(300));
    let mut early = 0;
    let mut waiting = Vec::new();
    while let Ok(event) = shell.events.try_recv() {
        if let Event::Output { chunk, .. } = event {
            early += chunk.len();
            waiting.push(chunk);
        }
    }
    assert!((1..=1 << 20).contains(&early), "{early}");
    drop(waiting);
    let rest: usize = shell.wait(id).output.iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(early + rest, 30_000_004);
}

#[test]
fn closing_the_session_leaves_no_process() {
    let mut shell = open();
    let text = shell.run("sleep 55.5 >/dev/null & echo $!; setsid sleep 55.5 >/dev/null & echo $!; (setsid env -i sleep 55.5 >/dev/null & echo $!); echo $$ $PPID").text();
    let pids: Vec<i32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(pids.len(), 5);
    assert!(pids.iter().all(|pid| alive(*pid)));
    shell.session.close();
    eventually("all are gone", || pids.iter().all(|pid| !alive(*pid)));
}

#[test]
fn kill_0_in_a_command_reaches_the_shell_but_not_the_guard() {
    let mut shell = open();
    let ran = shell.run("sleep 50 & kill -TERM 0; wait");
    assert!(ran.result.status.is_some());
    assert_eq!(shell.run("echo fine").text(), "fine\n");
}

#[test]
fn a_missing_shell_is_an_error_and_a_broken_one_closes_the_session() {
    let home = tempfile::tempdir().unwrap();
    let options = |bash: &str, wrap: Vec<String>, name: &str| SessionOptions {
        bash: bash.to_owned(),
        wrap,
        cwd: "/".into(),
        env: None,
        snapshot: None,
        folder: home.path().join(format!("tenon-shell-{name}")),
        separate_stderr: false,
        grace: Duration::from_millis(100),
    };
    assert!(matches!(Session::open(options("no-such-bash", vec![], "a"), |_| {}), Err(ShellError::Start { .. })));
    assert!(!home.path().join("tenon-shell-a").exists(), "a refused session leaves no folder");
    let (send, events) = mpsc::channel();
    let _session =
        Session::open(options("bash", vec!["false".to_owned()], "b"), move |event| drop(send.send(event))).unwrap();
    assert!(matches!(events.recv_timeout(Duration::from_secs(10)), Ok(Event::Closed { .. })));
}

#[test]
fn a_user_trap_and_its_output_belong_to_the_command() {
    let mut shell = open();
    assert_eq!(shell.run("trap 'echo caught' USR1; kill -USR1 $$; echo after").text(), "caught\nafter\n");
    assert_eq!(shell.run("(trap 'echo bye' EXIT; true)").text(), "bye\n");
    let ran = shell.run("trap 'echo last words' EXIT; exit 2");
    assert_eq!((ran.text().as_str(), ran.result.status, ran.result.shell), ("last words\n", Some(2), ShellFate::Fresh));
}

#[test]
fn a_huge_environment_works_or_is_refused_clearly() {
    let mut shell = open();
    let ran = shell.run("export BIG=$(head -c 100000 /dev/zero | tr '\\0' x); bash -c 'echo ${#BIG}'");
    assert_eq!(ran.text(), "100000\n");
    shell.run("export BIG=$(head -c 3000000 /dev/zero | tr '\\0' x)");
    assert!(shell.run("ls /").text().contains("Argument list too long"));
    assert_eq!(shell.run("exit 1").result.shell, ShellFate::Restored);
    assert_eq!(shell.run("echo ${#BIG}").text(), "3000000\n");
}
