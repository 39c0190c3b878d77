//! The style (SGR) that is in force at a point of the text, kept small however often it was set.

/// How many independent attributes there are, see [`slot`].
const SLOTS: usize = 12;

/// Attributes in force; each remembers the parameter that set it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Style {
    slots: [Option<String>; SLOTS],
}

/// What a parameter does: sets the attribute in a slot, or ends those in a range of slots.
enum Effect {
    Set(usize),
    End(usize, usize),
    Nothing,
}

/// Intensity has two slots because bold and faint can be on together, and end together.
fn effect(code: u32) -> Effect {
    match code {
        1 => Effect::Set(0),
        2 => Effect::Set(1),
        22 => Effect::End(0, 2),
        3 => Effect::Set(2),
        23 => Effect::End(2, 3),
        4 | 21 => Effect::Set(3),
        24 => Effect::End(3, 4),
        5 | 6 => Effect::Set(4),
        25 => Effect::End(4, 5),
        7 => Effect::Set(5),
        27 => Effect::End(5, 6),
        8 => Effect::Set(6),
        28 => Effect::End(6, 7),
        9 => Effect::Set(7),
        29 => Effect::End(7, 8),
        30..=38 | 90..=97 => Effect::Set(8),
        39 => Effect::End(8, 9),
        40..=48 | 100..=107 => Effect::Set(9),
        49 => Effect::End(9, 10),
        58 => Effect::Set(10),
        59 => Effect::End(10, 11),
        53 => Effect::Set(11),
        55 => Effect::End(11, 12),
        _ => Effect::Nothing,
    }
}

impl Style {
    /// Takes in the parameters of one SGR sequence (`1;31` of `ESC[1;31m`).
    pub fn apply(&mut self, parameters: &str) {
        let mut parts = parameters.split(';');
        while let Some(part) = parts.next() {
            let number = part.split(':').next().unwrap_or_default();
            let code = if number.is_empty() { 0 } else { number.parse().unwrap_or(u32::MAX) };
            let mut value = part.to_owned();
            if matches!(part, "38" | "48" | "58") {
                // The colour follows as parameters of its own: 5;n or 2;r;g;b.
                let mode = parts.next();
                let more = match mode {
                    Some("5") => 1,
                    Some("2") => 3,
                    _ => 0,
                };
                for field in mode.into_iter().chain(parts.by_ref().take(more)) {
                    value.push(';');
                    value.push_str(field);
                }
            }
            match effect(code) {
                _ if code == 0 => self.slots = Default::default(),
                Effect::Set(slot) => {
                    if let Some(slot) = self.slots.get_mut(slot) {
                        // `4:0` is another way to end underlining.
                        *slot = if value == "4:0" { None } else { Some(value) };
                    }
                }
                Effect::End(from, to) => {
                    if let Some(slots) = self.slots.get_mut(from..to) {
                        slots.fill(None);
                    }
                }
                Effect::Nothing => {}
            }
        }
    }

    /// True when nothing is in force.
    pub fn is_plain(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }

    /// Appends the sequence that puts this style in force; nothing when it is plain.
    pub fn push_opening(&self, out: &mut String) {
        if self.is_plain() {
            return;
        }
        out.push_str("\u{1b}[");
        for (at, value) in self.slots.iter().flatten().enumerate() {
            if at > 0 {
                out.push(';');
            }
            out.push_str(value);
        }
        out.push('m');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sequences: &[&str]) -> String {
        let mut style = Style::default();
        for parameters in sequences {
            style.apply(parameters);
        }
        let mut out = String::new();
        style.push_opening(&mut out);
        out
    }

    #[test]
    fn only_what_is_still_in_force_is_opened_again() {
        assert_eq!(after(&["1", "31", "32"]), "\u{1b}[1;32m");
        assert_eq!(after(&["1;2", "22"]), "");
        assert_eq!(after(&["31", ""]), "");
        assert_eq!(after(&["38;5;9;4", "48;2;1;2;3"]), "\u{1b}[4;38;5;9;48;2;1;2;3m");
        assert_eq!(after(&["4:3", "38:2::1:2:3", "4:0"]), "\u{1b}[38:2::1:2:3m");
        assert_eq!(after(&["38", "99999999999", "38;5"]), "\u{1b}[38;5m");
    }
}
