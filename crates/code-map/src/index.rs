//! Every file's definitions and uses, packed: about ten bytes per definition and three per used name.

use std::collections::HashMap;

use crate::extract::{Definition, Extract};
use crate::languages::family;
use crate::names::Names;

/// What tells a file that changed from one that did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub size: u64,
    /// Nanoseconds since the epoch; 0 for a file so fresh that another write could leave the same time.
    pub modified: i64,
}

/// A definition with its name as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Def {
    pub name: u32,
    pub line: u32,
    /// 1 + the place of the enclosing definition, 0 for none.
    pub parent: u16,
    pub kind: u8,
    pub is_private: bool,
}

/// How much a use says by its name alone. `text` or `Error` may mean anything, also what the language brings along or a variable
/// of the same name; `estimateTokens` hardly does. Names that begin with `_` are private by custom.
fn telling(name: &str) -> f64 {
    let bare = name.trim_start_matches('_');
    let is_compound = bare.contains('_')
        || bare
            .as_bytes()
            .windows(2)
            .any(|pair| matches!(pair, [before, after] if !before.is_ascii_uppercase() && after.is_ascii_uppercase()));
    let weight = if is_compound {
        1.0
    } else if bare.len() < 8 {
        0.1
    } else {
        0.4
    };
    if bare.len() == name.len() { weight } else { weight * 0.1 }
}

/// One file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub path: Box<str>,
    pub language: u8,
    pub stamp: Stamp,
    pub defs: Box<[Def]>,
    /// Sorted names as differences, each followed by what its uses count; both as variable-length numbers.
    pub uses: Box<[u8]>,
    pub is_gone: bool,
}

/// A file begins or ceases to define a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Redefinition {
    pub name: u32,
    pub file: u32,
    pub adds: bool,
}

/// More changes than this are not followed one by one: the graph is made anew.
const MOST_CHANGES: usize = 2_000;

/// What changed since the graph was last brought up to date.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Too much changed to be listed; the lists are empty then.
    pub is_large: bool,
    /// Files that are new, changed or gone.
    pub files: Vec<u32>,
    /// In the order in which they came.
    pub redefined: Vec<Redefinition>,
}

impl Changes {
    fn add(&mut self, file: u32, redefined: impl Iterator<Item = Redefinition>) {
        if self.is_large {
            return;
        }
        self.files.push(file);
        self.redefined.extend(redefined.take(MOST_CHANGES + 1));
        if self.files.len() + self.redefined.len() > MOST_CHANGES {
            *self = Self { is_large: true, ..Self::default() };
        }
    }
}

/// All files and names.
#[derive(Default)]
pub(crate) struct Index {
    pub names: Names,
    pub files: Vec<File>,
    pub by_path: HashMap<Box<str>, u32>,
    /// In how many files each name is defined.
    pub definers: Vec<u32>,
    /// What a use of each name says, in hundredths.
    worth: Vec<u8>,
    /// What the graph does not know yet.
    pub changes: Changes,
    free: Vec<u32>,
}

impl Index {
    /// Puts a file in, in place of what was known of it.
    pub fn put(&mut self, path: &str, language: u8, stamp: Stamp, extract: Extract) {
        let mut defs: Vec<Def> = Vec::with_capacity(extract.definitions.len());
        let mut marked = String::from(family(language));
        let mut number_of = |index: &mut Self, name: &str| {
            marked.truncate(1);
            marked.push_str(name);
            index.name(&marked)
        };
        for definition in extract.definitions {
            let Some(name) = number_of(self, &definition.name) else { break };
            let parent = definition.parent.and_then(|at| u16::try_from(at + 1).ok()).unwrap_or(0);
            let Definition { line, kind, is_private, .. } = definition;
            defs.push(Def { name, line, parent, kind, is_private });
        }
        let mut numbers: Vec<(u32, u32)> = Vec::with_capacity(extract.uses.len());
        for (name, count) in extract.uses {
            let Some(number) = number_of(self, &name) else { break };
            numbers.push((number, count));
        }
        numbers.sort_unstable();
        let uses = pack(&numbers);
        self.put_packed(File { path: path.into(), language, stamp, defs: defs.into(), uses, is_gone: false });
    }

    /// As `put`, for a file whose names are numbers already.
    pub fn put_packed(&mut self, file: File) {
        let wanted = offered(&file.defs);
        if let Some(&number) = self.by_path.get(&file.path) {
            let Some(slot) = self.files.get_mut(number as usize) else { return };
            let before = offered(&std::mem::replace(slot, file).defs);
            self.define(number, &before, &wanted);
            return;
        }
        let path = file.path.clone();
        let number = match self.free.pop() {
            Some(number) => {
                if let Some(slot) = self.files.get_mut(number as usize) {
                    *slot = file;
                }
                number
            }
            None => {
                self.files.push(file);
                u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.by_path.insert(path, number);
        self.define(number, &[], &wanted);
    }

    /// Takes a file out.
    pub fn remove(&mut self, path: &str) -> bool {
        let Some(number) = self.by_path.remove(path) else { return false };
        let Some(slot) = self.files.get_mut(number as usize) else { return false };
        let old = std::mem::take(slot);
        slot.is_gone = true;
        self.define(number, &offered(&old.defs), &[]);
        self.free.push(number);
        true
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.by_path.get(path).and_then(|number| self.files.get(*number as usize))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    /// Roughly what it holds in memory.
    pub fn memory(&self) -> usize {
        let files: usize =
            self.files.iter().map(|file| file.path.len() * 2 + size_of_val(&*file.defs) + file.uses.len()).sum();
        files
            + self.files.capacity() * size_of::<File>()
            + self.by_path.capacity() * 24
            + self.definers.capacity() * 5
            + self.names.memory()
    }

    /// A name without the mark of its family.
    pub fn text(&self, name: u32) -> &str {
        self.names.get(name).get(1..).unwrap_or_default()
    }

    /// How much a use of a name says.
    pub fn telling(&self, name: u32) -> f64 {
        self.worth.get(name as usize).map_or(0.0, |worth| f64::from(*worth) / 100.0)
    }

    /// The number of a name with the mark of its family.
    pub fn name(&mut self, name: &str) -> Option<u32> {
        let number = self.names.number(name)?;
        if self.definers.len() <= number as usize {
            self.definers.resize(number as usize + 1, 0);
            self.worth.push((telling(self.text(number)) * 100.0).round() as u8);
        }
        Some(number)
    }

    /// Counts that a file defines other names than before, and notes it for the graph. Both lists are sorted.
    fn define(&mut self, file: u32, before: &[u32], after: &[u32]) {
        let without = |names: &[u32], others: &[u32], adds: bool| -> Vec<Redefinition> {
            let own = names.iter().filter(|name| others.binary_search(name).is_err());
            own.map(|name| Redefinition { name: *name, file, adds }).collect()
        };
        let redefined = [without(before, after, false), without(after, before, true)].concat();
        for Redefinition { name, adds, .. } in &redefined {
            if let Some(count) = self.definers.get_mut(*name as usize) {
                *count = if *adds { *count + 1 } else { count.saturating_sub(1) };
            }
        }
        self.changes.add(file, redefined.into_iter());
    }
}

/// The names that a file defines, each once, sorted.
pub(crate) fn defined(defs: &[Def]) -> Vec<u32> {
    let mut names: Vec<u32> = defs.iter().map(|def| def.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Those of them that other files can refer to.
pub(crate) fn offered(defs: &[Def]) -> Vec<u32> {
    let mut names: Vec<u32> = defs.iter().filter(|def| !def.is_private).map(|def| def.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn pack(numbers: &[(u32, u32)]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(numbers.len() * 3);
    let mut last = 0;
    for (name, count) in numbers {
        push_number(&mut bytes, name - last);
        push_number(&mut bytes, *count);
        last = *name;
    }
    bytes.into()
}

/// The used names of a file, sorted, with what their uses count.
pub(crate) fn uses(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let mut rest = bytes;
    let mut last = 0_u32;
    std::iter::from_fn(move || {
        let step = take_number(&mut rest)?;
        let count = take_number(&mut rest)?;
        last = last.checked_add(step)?;
        Some((last, count))
    })
}

pub(crate) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for at in 0..5 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7f) << (7 * at);
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_uses_come_back(mut numbers in prop::collection::btree_map(any::<u32>(), any::<u32>(), 0..50)) {
            let list: Vec<(u32, u32)> = std::mem::take(&mut numbers).into_iter().collect();
            prop_assert_eq!(uses(&pack(&list)).collect::<Vec<_>>(), list);
        }
    }
}
