//! How many tokens a text costs a model, without a tokenizer.
//!
//! A tokenizer first cuts text into words, digit groups, punctuation runs and space, then looks each up. This counts
//! the same cuts and gives each a price. The prices were fitted (least squares on relative error) to `o200k_base` over
//! 1,155 files (source in many languages, JSON, Markdown, prose, a dozen human languages); `docs/design/text.md` has
//! the error: 4 % in the median, 10 % for nine files of ten. Sums are whole numbers (256ths of a token), so that every
//! implementation gives the same answer.

/// Prices in 256ths of a token.
const WORD_TO_4: u64 = 261;
const WORD_TO_8: u64 = 272;
const WORD_TO_12: u64 = 398;
const WORD_LONGER: u64 = 223;
const LETTER_BEYOND_12: u64 = 206;
const DIGIT_GROUP: u64 = 331;
const LINE_BREAK: u64 = 98;
const SPACE_RUN: u64 = 258;
const PUNCTUATION_RUN: u64 = 201;
const PUNCTUATION_MARK: u64 = 3;
const LATIN_OR_GREEK_OR_CYRILLIC: u64 = 132;
const EAST_ASIAN: u64 = 249;
const OTHER_SCRIPT: u64 = 122;
const BEYOND_BMP: u64 = 640;

/// An estimate of the number of tokens; 0 only for empty text.
pub fn estimate_tokens(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let run = |from: usize, test: fn(u8) -> bool| {
        bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|&&byte| test(byte)).count())
    };
    let mut price = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' => {
                let capitals = run(at, |byte| byte.is_ascii_uppercase());
                let length = capitals + run(at + capitals, |byte| byte.is_ascii_lowercase());
                price += word_price(length as u64);
                at += length;
            }
            b'0'..=b'9' => {
                let length = run(at, |byte| byte.is_ascii_digit());
                price += DIGIT_GROUP * length.div_ceil(3) as u64;
                at += length;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                let length = run(at, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
                let space = bytes.get(at..at + length).unwrap_or_default();
                let broken = space.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
                let indent = broken.map_or(length, |last| length - last - 1);
                price += if broken.is_some() { LINE_BREAK } else { 0 } + if indent > 1 { SPACE_RUN } else { 0 };
                at += length;
            }
            0..0x80 => {
                let length = run(at, |byte| byte.is_ascii_punctuation()).max(1);
                price += PUNCTUATION_RUN + PUNCTUATION_MARK * length as u64;
                at += length;
            }
            _ => {
                let character = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
                price += character_price(u32::from(character));
                at += character.len_utf8();
            }
        }
    }
    price.div_ceil(256).max(u64::from(!text.is_empty()))
}

fn word_price(length: u64) -> u64 {
    match length {
        0..=4 => WORD_TO_4,
        5..=8 => WORD_TO_8,
        9..=12 => WORD_TO_12,
        _ => WORD_LONGER + LETTER_BEYOND_12 * (length - 12),
    }
}

fn character_price(code: u32) -> u64 {
    match code {
        0x1_0000.. => BEYOND_BMP,
        0..0x600 => LATIN_OR_GREEK_OR_CYRILLIC,
        0x3040..0xa000 | 0xac00..0xd7b0 | 0xf900..0xfb00 | 0xff00..0xfff0 => EAST_ASIAN,
        _ => OTHER_SCRIPT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_cost_about_what_the_tokenizer_says() {
        // Counted with o200k_base.
        for (text, tokens) in [
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("export function estimate(text: string): number {\n  return text.length / 4;\n}\n", 18),
            ("{\"name\": \"tenon\", \"version\": \"0.1.0\", \"private\": true}", 22),
        ] {
            let estimate = estimate_tokens(text);
            assert!(estimate.abs_diff(tokens) <= 3, "{text:?}: {estimate} for {tokens}");
        }
    }

    #[test]
    fn nothing_costs_nothing_and_anything_costs_something() {
        assert_eq!(estimate_tokens(""), 0);
        for text in ["a", " ", "\n", "\0", "日", "👍", "."] {
            assert!(estimate_tokens(text) >= 1, "{text:?}");
        }
    }

    #[test]
    fn a_text_twice_as_long_costs_twice_as_much() {
        let text = "let value = compute(1234, \"text\");\n";
        let (one, hundred) = (estimate_tokens(text), estimate_tokens(&text.repeat(100)));
        assert!(hundred.abs_diff(one * 100) <= 100, "{one} {hundred}");
    }
}
