//! Settings of a process that its environment has.
//!
//! Each is read once, when it is first needed, so that all that a process does has the same ones. Text that says nothing is
//! refused where work begins, as a setting that is ignored looks like one that is followed.

use crate::{Code, Diagnostic, Error, Result};
use std::sync::OnceLock;

/// A variable of the environment, and how its text is understood.
///
/// ```
/// use openwork_base::settings::Setting;
/// static ROUNDS: Setting<u32> =
///     Setting::new("OPENWORK_ROUNDS_OF_AN_EXAMPLE", "a number of rounds", |text| text.parse().ok());
/// assert_eq!(ROUNDS.value(), None);
/// assert!(ROUNDS.check().is_ok());
/// ```
pub struct Setting<T> {
    name: &'static str,
    /// The values that it takes, in words.
    takes: &'static str,
    parse: fn(&str) -> Option<T>,
    found: OnceLock<Found<T>>,
}

/// What the environment says.
enum Found<T> {
    Nothing,
    Value(T),
    /// Text that means nothing.
    Unknown(String),
}

impl<T> Setting<T> {
    /// The setting of a variable that takes what `parse` understands, `takes` in words.
    pub const fn new(name: &'static str, takes: &'static str, parse: fn(&str) -> Option<T>) -> Setting<T> {
        Setting { name, takes, parse, found: OnceLock::new() }
    }
    /// What the environment said when this was first asked; nothing where the variable is not set, is empty, or has text that
    /// [`Setting::check`] refuses.
    pub fn value(&self) -> Option<&T> {
        match self.read_variable() {
            Found::Value(value) => Some(value),
            Found::Nothing | Found::Unknown(_) => None,
        }
    }
    /// Whether the text is understood.
    ///
    /// # Errors
    /// `E0820` where it is not.
    pub fn check(&self) -> Result<()> {
        let Found::Unknown(text) = self.read_variable() else { return Ok(()) };
        let message = format!("`{text}` is no value of the environment's variable {}", self.name);
        let help = format!("it takes {}; without the variable the default holds", self.takes);
        Err(Error::rejection(Diagnostic::new(Code("E0820"), message).help(help)))
    }
    fn read_variable(&self) -> &Found<T> {
        self.found.get_or_init(|| {
            let text = std::env::var_os(self.name).map(|text| text.to_string_lossy().into_owned());
            self.understand(text.as_deref().unwrap_or_default())
        })
    }
    fn understand(&self, text: &str) -> Found<T> {
        match (self.parse)(text.trim()) {
            _ if text.trim().is_empty() => Found::Nothing,
            Some(value) => Found::Value(value),
            None => Found::Unknown(text.to_string()),
        }
    }
}

/// A number from 1 on.
pub fn parse_count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::{Found, Setting, parse_count};

    #[test]
    fn text_is_a_value_or_unknown() {
        let setting = Setting::new("OPENWORK_NONE", "a number from 1 on", parse_count);
        let value = |text: &str| match setting.understand(text) {
            Found::Value(n) => Some(n),
            Found::Nothing | Found::Unknown(_) => None,
        };
        assert_eq!((value("3"), value(" 12 ")), (Some(3), Some(12)));
        assert!(matches!(setting.understand(" "), Found::Nothing));
        for text in ["0", "-1", "many", "1.5", "2 3", "99999999999999999999"] {
            assert!(matches!(setting.understand(text), Found::Unknown(_)), "{text}");
        }
    }
}
