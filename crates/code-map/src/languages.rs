//! The language of a path, by tables: `tenon_syntax::detect` goes through a list, which is too slow for every file of a tree.

use std::collections::HashMap;
use std::sync::OnceLock;

use tenon_syntax::language::{LanguageInfo, languages};

struct Tables {
    names: HashMap<&'static str, u8>,
    extensions: HashMap<&'static str, u8>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables { names: HashMap::new(), extensions: HashMap::new() };
        for (at, info) in languages().iter().enumerate() {
            let Ok(number) = u8::try_from(at) else { break };
            for name in &info.filenames {
                tables.names.entry(name).or_insert(number);
            }
            for extension in &info.extensions {
                tables.extensions.entry(extension).or_insert(number);
            }
        }
        tables
    })
}

/// The number of a file's language in the table, by its name alone. Data, prose and markup are no code: they define nothing.
pub(crate) fn language_of(path: &str) -> Option<u8> {
    const NOT_CODE: &[&str] = &["json", "yaml", "toml", "markdown", "html", "css", "diff", "ini", "xml", "regex"];
    let number = find(path)?;
    let info = info(number)?;
    (!NOT_CODE.contains(&info.id.as_str())).then_some(number)
}

/// The entry of a language by its number.
pub(crate) fn info(number: u8) -> Option<&'static LanguageInfo> {
    languages().get(usize::from(number))
}

/// Languages that can refer to each other's names have the same mark; it stands before every name in the index.
pub(crate) fn family(number: u8) -> char {
    let id = info(number).map_or("", |info| info.id.as_str());
    let first = match id {
        "tsx" | "javascript" | "vue" | "svelte" | "astro" => "typescript",
        "cpp" | "objc" => "c",
        "kotlin" | "scala" => "java",
        other => other,
    };
    let at = languages().iter().position(|info| info.id == first).unwrap_or(usize::from(number));
    char::from(b'!' + u8::try_from(at).unwrap_or(0).min(90))
}

/// In the order of `tenon_syntax::detect`: whole name, extension, stem.
fn find(path: &str) -> Option<u8> {
    let tables = tables();
    let name = path.rsplit('/').next().unwrap_or(path);
    if let Some(number) = tables.names.get(name) {
        return Some(*number);
    }
    if let Some((stem, extension)) = name.rsplit_once('.') {
        let known = if extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
            tables.extensions.get(extension.to_ascii_lowercase().as_str())
        } else {
            tables.extensions.get(extension)
        };
        if let Some(number) = known {
            return Some(*number);
        }
        let first = stem.split('.').next().filter(|first| !first.is_empty()).unwrap_or(name);
        return tables.names.get(first).copied();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_answer_as_the_list_does() {
        let paths = [
            "a.ts",
            "src/a.d.ts",
            "View.TSX",
            "Dockerfile",
            "x/Dockerfile.dev",
            "CMakeLists.txt",
            "Makefile",
            "a.py",
            "notes.txt",
            ".bashrc",
            "x/.hidden",
            "a.",
            "Rakefile.old",
            "lib.rs",
            "noext",
        ];
        for path in paths {
            let listed = tenon_syntax::detect(path, None).map(|info| info.id.as_str());
            assert_eq!(find(path).and_then(info).map(|info| info.id.as_str()), listed, "{path}");
        }
    }

    #[test]
    fn data_and_prose_are_no_code() {
        assert_eq!(language_of("package.json"), None);
        assert_eq!(language_of("README.md"), None);
        assert!(language_of("a.rs").is_some());
    }
}
