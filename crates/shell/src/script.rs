//! The text that goes down the control pipe.
//!
//! Bash reads a script from a pipe byte by byte, which is what keeps the pipe in step with what was executed, but
//! it costs a system call per byte. Commands longer than [`BULK_FROM`] are therefore read by the `read` builtin
//! in blocks from the same pipe, which bash keeps open as descriptor 255.

use crate::error::ShellError;

/// The guard's script; the session's shell is its child.
pub const GUARD: &str = include_str!("../scripts/guard.sh");

/// What the shell reports with. A command may have replaced or removed it: then it is sent again.
const FUNCTIONS: &str = include_str!("../scripts/functions.sh");

const PRELUDE: &str = include_str!("../scripts/prelude.sh");

/// Commands up to this length are cheaper quoted.
const BULK_FROM: usize = 256;

/// The signal that asks an idle or looping shell to save its state and end.
#[cfg(target_os = "linux")]
const CANCEL_SIGNAL: &str = "RTMAX";
#[cfg(not(target_os = "linux"))]
const CANCEL_SIGNAL: &str = "USR2";

/// Wraps text so that a shell reads it as one word.
pub fn quote(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'\'');
    for byte in text {
        if *byte == b'\'' {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(*byte);
        }
    }
    quoted.push(b'\'');
    quoted
}

/// What a new shell is told first. It answers with a `Ready` frame.
pub fn prelude() -> Vec<u8> {
    let mut text = FUNCTIONS.as_bytes().to_vec();
    text.extend(PRELUDE.replace("@CANCEL_SIGNAL@", CANCEL_SIGNAL).into_bytes());
    // Where descriptor 255 is not the script, the `#` is left for the parser, to which it is an empty comment.
    text.extend_from_slice(
        b"{ LC_ALL=C \\builtin read -r -N 1 -u 255 __tenon_c; } 2>/dev/null\n#\n\
          \\builtin printf '\\0I\\0%s\\0%s\\0' \"$$\" \"${__tenon_c:+1}\" >&244\n",
    );
    text
}

/// Puts a shell into its place: snapshot, carried state, working directory.
pub fn settle(snapshot: Option<&[u8]>, state: Option<&[u8]>, cwd: &[u8], bulk: bool) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(path) = snapshot {
        text.extend_from_slice(b"\\builtin source ");
        text.extend(quote(path));
        text.extend_from_slice(b" >/dev/null 2>&1\n");
    }
    if let Some(state) = state {
        let (before, word) = word(state, "c", bulk);
        text.extend(before);
        text.extend_from_slice(b"\\builtin eval ");
        text.extend(word);
        text.extend_from_slice(b" >/dev/null 2>&1\n");
    }
    text.extend_from_slice(b"{ \\builtin cd -- ");
    text.extend(quote(cwd));
    text.extend_from_slice(b" || \\builtin cd /; } >/dev/null 2>&1\n\\builtin unset -v \"${!__tenon_@}\" OLDPWD\n");
    text.extend(report("ready"));
    text
}

/// The line with which a command ends. Both streams are closed meanwhile: neither a trace nor a DEBUG trap of the
/// user's shall say anything about it.
fn report(token: &str) -> Vec<u8> {
    format!("{{ \\__tenon {token};}} >&- 2>&-\n").into_bytes()
}

/// Asks a shell that has read everything, and said nothing, to report after all.
pub fn probe(token: &str) -> Vec<u8> {
    let mut text = b"\n".to_vec();
    text.extend_from_slice(FUNCTIONS.as_bytes());
    text.extend(report(token));
    text
}

/// Has a shell save its state and end. A signal alone does not reach one that waits for its next line.
pub const FAREWELL: &[u8] = b"\n{ \\__tenon_cancel; } 2>&-\n";

/// True when a command may leave the shell unable to save its state: it names what the machinery stands on, or what
/// keeps a shell from running commands. Too often rather than too rarely; it costs one saved state.
fn may_disarm(text: &[u8]) -> bool {
    const NAMES: [&[u8]; 7] = [b"noexec", b"extdebug", b"__tenon", b"builtin", b"enable", b"244", b"255"];
    NAMES.iter().any(|name| holds(text, name)) || (holds(text, b"set") && has_option(text, b'n'))
}

/// True when a command may switch off builtins that the shell is driven with.
fn may_disable(text: &[u8]) -> bool {
    holds(text, b"enable")
}

/// True when a command may switch `set -v` on.
fn may_set_verbose(text: &[u8]) -> bool {
    holds(text, b"verbose") || (holds(text, b"set") && has_option(text, b'v'))
}

fn holds(text: &[u8], name: &[u8]) -> bool {
    text.windows(name.len()).any(|part| part == name)
}

fn has_option(text: &[u8], letter: u8) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
        .any(|word| word.first() == Some(&b'-') && word.contains(&letter))
}

/// Takes back the standard streams, so that `exec >file` lasts for one command. The line stands alone because a
/// redirected group would put back what it hides; a trace of it is avoided by switching tracing off meanwhile.
pub fn restore_streams(tracing: bool) -> &'static [u8] {
    if tracing {
        b"\n{ \\builtin set +x; } 2>&-\n\\exec 0<&245 1>&246 2>&247\n{ \\builtin set -x; } 2>&-\n"
    } else {
        b"\n\\exec 0<&245 1>&246 2>&247\n"
    }
}

/// What the shell is like when a command is sent to it.
#[derive(Debug, Default, Clone, Copy)]
pub struct Driven {
    /// The status of the command before.
    pub status: i32,
    /// Whether long texts can be read in blocks.
    pub bulk: bool,
    /// Whether `set -v` is in force, which is switched off between commands.
    pub verbose: bool,
}

/// One command: variables that only it sees, a folder to go to first, and the token that its end must carry.
pub fn command(text: &[u8], env: &[(String, String)], cwd: Option<&[u8]>, state: &Driven, token: &str) -> Vec<u8> {
    let &Driven { status, bulk, verbose } = state;
    let (before, word) = word(text, token, bulk);
    let is_bulk = !before.is_empty();
    let mut line = Vec::with_capacity(before.len() + word.len() + 128);
    // After a syntax error inside `eval` the parser takes the next line's first word for an argument: give it none.
    line.push(b'\n');
    if may_disarm(text) {
        line.extend_from_slice(b"{ \\__tenon_keep; } 2>&-\n");
    }
    line.extend(before);
    if let Some(cwd) = cwd {
        line.extend_from_slice(b"if { \\builtin cd -- ");
        line.extend(quote(cwd));
        line.extend_from_slice(b" >/dev/null; } 2>&-; then\n");
    }
    // Without it $? is 0 here, which is the common case.
    if status != 0 {
        line.extend_from_slice(format!("{{ \\__tenon_status {status}; }} 2>&-\n").as_bytes());
    }
    if verbose {
        line.extend_from_slice(b"{ \\builtin set -v; } 2>&-; ");
    }
    for (name, value) in env {
        line.extend_from_slice(name.as_bytes());
        line.push(b'=');
        line.extend(quote(value.as_bytes()));
        line.push(b' ');
    }
    // `builtin` alone would keep the variables from the command; without it a function of that name would be called.
    line.extend_from_slice(if env.is_empty() { "\\builtin eval " } else { "\\builtin command eval " }.as_bytes());
    line.extend(word);
    if verbose || may_set_verbose(text) {
        // On the same line: the next one would already be shown.
        line.extend_from_slice(b"; \\__tenon_calm");
    }
    if cwd.is_some() {
        line.extend_from_slice(
            b"\nelse \\builtin printf 'the working directory cannot be entered\\n' >&2; __tenon_status 1; fi",
        );
    }
    // On a line of its own: some errors (a bad subscript, a division by zero) throw away the rest of the line. Behind
    // an empty line, for the same reason as above.
    line.extend_from_slice(b"\n\n");
    if may_disable(text) {
        line.extend_from_slice(b"{ \\__tenon_mend \"$?\";} >&- 2>&-\n");
    }
    line.extend(report(token));
    if is_bulk {
        line.extend_from_slice(format!("{{ \\builtin unset -v __tenon_{token};}} 2>&-\n").as_bytes());
    }
    line
}

/// The text as one shell word, and what must be read before it. The variable's name is new for every command: an
/// earlier one cannot have made it read-only, and so have its own text run in place of this one.
fn word(text: &[u8], name: &str, bulk: bool) -> (Vec<u8>, Vec<u8>) {
    if !bulk || text.len() <= BULK_FROM {
        return (Vec::new(), quote(text));
    }
    let mut before =
        format!("{{ LC_ALL=C \\builtin read -r -N {} -u 255 __tenon_{name}; }} 2>&-\n", text.len()).into_bytes();
    before.extend_from_slice(text);
    (before, format!("\"$__tenon_{name}\"").into_bytes())
}

/// Refuses what a shell cannot carry.
pub fn check(text: &[u8], env: &[(String, String)]) -> Result<(), ShellError> {
    if text.contains(&0) {
        return Err(ShellError::NulByte { what: "command" });
    }
    for (name, value) in env {
        let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !starts_well || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(ShellError::VariableName { name: name.clone() });
        }
        if value.contains('\0') {
            return Err(ShellError::NulByte { what: "environment" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    #[test]
    fn a_command_with_a_nul_byte_is_refused() {
        assert!(matches!(check(b"a\0b", &[]), Err(ShellError::NulByte { .. })));
    }

    #[test]
    fn variable_names_follow_the_shells_rules() {
        for name in ["", "1A", "A-B", "A=B", "é"] {
            let env = [(name.to_owned(), String::new())];
            assert!(matches!(check(b"true", &env), Err(ShellError::VariableName { .. })), "{name}");
        }
        assert!(check(b"true", &[("_a1".to_owned(), "x\n".to_owned())]).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_quoted_word_comes_back_from_bash_unchanged(text in "[^\0]{0,40}") {
            let mut line = b"printf %s ".to_vec();
            line.extend(quote(text.as_bytes()));
            let script = String::from_utf8(line).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let output = Command::new("bash").arg("-c").arg(script).output()
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(output.stdout, text.into_bytes());
        }
    }
}
