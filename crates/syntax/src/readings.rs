//! The ways to read a pattern, which is rarely a whole program: alone; without the ellipses that stand where the
//! grammar wants something else, such as the members of a class; inside of what its language wants around it
//! (`contexts` of the language table); with a string in the place of a module's name; and with blocks in the place of
//! statements. The first reading without an error counts. All offsets are in UTF-16 units, because that is how patterns are parsed.

use std::ops::Range;
use std::sync::LazyLock;

use ast_grep_core::Language;
use ast_grep_core::meta_var::MetaVariable;
use regex::Regex;

use crate::language::Lang;

/// One way to read a pattern.
pub struct Reading {
    pub units: Vec<u16>,
    /// The language with what stands for `$` here.
    pub lang: Lang,
    /// Where the code of the pattern is.
    pub own: Range<usize>,
    /// Where what the context has behind it starts.
    pub after: usize,
    /// There is no context; then the parser may make up a token that is missing, as the `;` of a statement.
    pub is_bare: bool,
    /// Ellipses that were replaced by blanks, in order.
    pub lifted: Vec<Replaced>,
    /// Variables that were replaced by strings or blocks.
    pub quoted: Vec<Replaced>,
}

/// A variable that is not in the text of a reading, and where it was.
#[derive(Clone)]
pub struct Replaced {
    pub span: Range<usize>,
    pub variable: MetaVariable,
}

impl Reading {
    /// Do two readings differ in their context only?
    pub fn is_similar(&self, other: &Self) -> bool {
        let replaced = |reading: &Self| -> Vec<usize> {
            let all = reading.lifted.iter().chain(&reading.quoted);
            all.map(|replaced| replaced.span.start - reading.own.start).collect()
        };
        self.own.len() == other.own.len()
            && self.lang.expando_char() == other.lang.expando_char()
            && replaced(self) == replaced(other)
    }
}

/// More ellipses than a person writes are not tried in all combinations.
const MAX_CHOICES: usize = 4;

const BLANK: u16 = b' ' as u16;

/// What stands in the place of a variable, as long as it.
#[derive(Clone, Copy)]
struct StandIn {
    first: u16,
    inside: u16,
    last: u16,
}

const STRING: StandIn = StandIn { first: b'"' as u16, inside: b'z' as u16, last: b'"' as u16 };
const BLOCK: StandIn = StandIn { first: b'{' as u16, inside: BLANK, last: b'}' as u16 };
const SEMICOLON: u16 = b';' as u16;

/// All readings of a pattern, the plainest first.
pub fn readings(source: &str, lang: Lang) -> Vec<Reading> {
    let mut all = readings_with(source, lang);
    if let Some(other) = lang.info().other_expando {
        // A name that begins with the other stand-in would be taken for a variable.
        let code = source.replace('$', "");
        let starts_name =
            |(at, _)| code[at + other.len_utf8()..].starts_with(|next: char| next.is_ascii_uppercase() || next == '_');
        if !code.match_indices(other).any(starts_name) {
            all.extend(readings_with(source, lang.with_expando(other)));
        }
    }
    all
}

fn readings_with(source: &str, lang: Lang) -> Vec<Reading> {
    let info = lang.info();
    let code = lang.pre_process_pattern(source);
    let own = units(&code);
    let Variables { ellipses, strings, statements } = find_variables(&code, lang);
    let choices = subsets(&ellipses);
    // The `;` after `struct $A { $$$B };` is a node of its own.
    let shorter = own.strip_suffix(&[SEMICOLON]).map(trim_end);
    let prefix = units(&info.pattern_prefix);
    let read = |text: &[u16], before: &str, after: &str, lifted: &[Replaced], by: StandIn, quoted: &[Replaced]| {
        let head = [&prefix[..], &units(before)[..]].concat();
        let mut written = text.to_vec();
        for replaced in lifted {
            written[replaced.span.clone()].fill(BLANK);
        }
        for replaced in quoted {
            let place = &mut written[replaced.span.clone()];
            place.fill(by.inside);
            if let [first, .., last] = place {
                (*first, *last) = (by.first, by.last);
            }
        }
        let start = head.len();
        let moved = |list: &[Replaced]| {
            list.iter()
                .map(|replaced| Replaced {
                    span: replaced.span.start + start..replaced.span.end + start,
                    variable: replaced.variable.clone(),
                })
                .collect()
        };
        Reading {
            lang,
            own: start..start + trim_end(&written).len(),
            after: start + written.len(),
            is_bare: before.is_empty() && after.is_empty(),
            lifted: moved(lifted),
            quoted: moved(quoted),
            units: [&head[..], &written[..], &units(after)[..]].concat(),
        }
    };
    let mut all: Vec<Reading> = choices.iter().map(|lifted| read(&own, "", "", lifted, STRING, &[])).collect();
    if let Some(shorter) = shorter {
        all.extend(choices.iter().map(|lifted| read(shorter, "", "", lifted, STRING, &[])));
    }
    for quoted in subsets(&strings).iter().skip(1) {
        all.extend(choices.iter().map(|lifted| read(&own, "", "", lifted, STRING, quoted)));
        for (before, after) in info.contexts.iter().filter(|_| info.quote_variables) {
            all.extend(choices.iter().map(|lifted| read(&own, before, after, lifted, STRING, quoted)));
        }
    }
    for (before, after) in &info.contexts {
        all.extend(choices.iter().map(|lifted| read(&own, before, after, lifted, STRING, &[])));
    }
    if !statements.is_empty() {
        let bare = [(String::new(), String::new())];
        for (before, after) in bare.iter().chain(&info.contexts) {
            all.extend(choices.iter().map(|lifted| read(&own, before, after, lifted, BLOCK, &statements)));
        }
    }
    all
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Is there nothing but white space?
pub fn is_blank(text: &[u16]) -> bool {
    String::from_utf16_lossy(text).trim().is_empty()
}

fn trim_end(text: &[u16]) -> &[u16] {
    let end = text.iter().rposition(|unit| !is_blank(&[*unit])).map_or(0, |at| at + 1);
    &text[..end]
}

/// What there is to replace in a pattern.
struct Variables {
    ellipses: Vec<Replaced>,
    /// Variables that a string can stand for.
    strings: Vec<Replaced>,
    /// Variables that stand where a statement does.
    statements: Vec<Replaced>,
}

fn find_variables(code: &str, lang: Lang) -> Variables {
    let sigil = lang.expando_char();
    let (mut ellipses, mut strings, mut statements) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = code;
    let mut at = 0;
    while let Some(found) = rest.find(sigil) {
        at += found;
        let text = &code[at..];
        let after = text.trim_start_matches(sigil);
        let named = after.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let name = if named { after.len() - after.trim_start_matches(is_name).len() } else { 0 };
        let length = text.len() - after.len() + name;
        let start = code[..at].encode_utf16().count();
        let span = start..start + text[..length].encode_utf16().count();
        let variable = lang.extract_meta_var(&text[..length]);
        if let Some(variable @ MetaVariable::Capture(..)) = &variable
            && is_statement(&code[..at], &text[length..])
        {
            statements.push(Replaced { span: span.clone(), variable: variable.clone() });
        }
        match variable {
            Some(variable @ (MetaVariable::Multiple | MetaVariable::MultiCapture(_))) => {
                ellipses.push(Replaced { span, variable });
            }
            Some(variable @ MetaVariable::Capture(..)) if lang.info().quote_variables || names_module(&code[..at]) => {
                strings.push(Replaced { span, variable });
            }
            _ => {}
        }
        at += length;
        rest = &code[at..];
    }
    Variables { ellipses, strings, statements }
}

/// Is what stands between these texts a statement, such as those of `if ($A) $B else $C`?
fn is_statement(before: &str, after: &str) -> bool {
    static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:\)\s*|\b(?:else|do)\s+)$").ok());
    static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:\s*$|\s+(?:else|while)\b)").ok());
    let fits = |regex: &Option<Regex>, text| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    fits(&BEFORE, before) && fits(&AFTER, after)
}

/// Does the text end with what stands before the name of a module?
fn names_module(before: &str) -> bool {
    static NAMES_MODULE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?:from|import)\s+$").ok());
    NAMES_MODULE.as_ref().is_some_and(|regex| regex.is_match(before))
}

/// None of them, then each alone, then more; of very many only none and all.
fn subsets<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.len() > MAX_CHOICES {
        return vec![Vec::new(), items.to_vec()];
    }
    let chosen = |bits: usize| {
        let picked = items.iter().enumerate().filter(|(at, _)| (bits >> at) % 2 == 1);
        picked.map(|(_, item)| item.clone()).collect::<Vec<T>>()
    };
    let mut all: Vec<Vec<T>> = (0..1_usize << items.len()).map(chosen).collect();
    all.sort_by_key(Vec::len);
    all
}
