//! Names as numbers: every name lies once in one arena.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// All names that were met.
#[derive(Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: RandomState,
}

impl Names {
    /// The number of a name; a new one when it was not met before. None once the arena is full.
    pub fn number(&mut self, name: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(name.as_bytes());
        let Self { bytes, ends, table, hasher } = self;
        if let Some(found) = table.find(hash, |at| slice(bytes, ends, *at) == name.as_bytes()) {
            return Some(*found);
        }
        let number = u32::try_from(ends.len()).ok()?;
        let end = u32::try_from(bytes.len() + name.len()).ok()?;
        bytes.extend_from_slice(name.as_bytes());
        ends.push(end);
        table.insert_unique(hash, number, |at| hasher.hash_one(slice(bytes, ends, *at)));
        Some(number)
    }

    /// The name of a number.
    pub fn get(&self, number: u32) -> &str {
        std::str::from_utf8(slice(&self.bytes, &self.ends, number)).unwrap_or_default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// What they hold in memory.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 4 + self.table.capacity() * 5
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let at = number as usize;
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end as usize);
    let end = ends.get(at).map_or(start, |end| *end as usize);
    bytes.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Names::default();
        let first = names.number("alpha");
        assert_eq!(names.number("beta"), Some(1));
        assert_eq!(names.number("alpha"), first);
        assert_eq!(names.get(0), "alpha");
        assert_eq!(names.get(1), "beta");
        assert_eq!(names.len(), 2);
    }
}
