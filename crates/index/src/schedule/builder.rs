//! A schedule as a value: read from text or put together command by command.

use super::{command, parse::parse, source_of};
use crate::cin::Storage;
use openwork_base::{Result, Source};
use std::fmt;

/// Commands that rewrite a planned statement; see [the module](crate::schedule).
///
/// ```
/// use openwork_index::{cin::Storage, schedule::Schedule};
/// let built = Schedule::new()
///     .reorder(["i", "k", "j"])
///     .precompute("B(i,k) * C(k,j)", ["j"], "w", Some(Storage::Hash))
///     .unroll("k", 2);
/// let text = "reorder(i,k,j); precompute(B(i,k) * C(k,j), {j}, w, hash); unroll(k,2)";
/// assert_eq!(built, Schedule::parse(text)?);
/// assert_eq!(Schedule::parse("reoder(i,j)").unwrap_err().code().0, "E0811");
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Schedule {
    text: String,
}

impl Schedule {
    /// Nothing: the statement stays as it is planned.
    pub fn new() -> Schedule {
        Schedule::default()
    }
    /// Reads commands separated by `;`. Names are looked up when the schedule is applied.
    ///
    /// # Errors
    /// `E0811` for text that is no schedule.
    pub fn parse(text: &str) -> Result<Schedule> {
        for call in parse(&source_of(text))? {
            command(&call)?;
        }
        Ok(Schedule { text: text.trim().trim_end_matches(';').trim_end().into() })
    }
    /// Whether there is no command.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
    /// The text, for messages that point into it.
    pub(super) fn source(&self) -> Source {
        source_of(&self.text)
    }
    /// One more command as text, `unroll(i,4)`.
    pub fn with_command(mut self, command: &str) -> Schedule {
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
        self.text.push_str(command);
        self
    }
    /// Exchanges the loops over `vars`, so that they nest in this order.
    pub fn reorder<'a>(self, vars: impl IntoIterator<Item = &'a str>) -> Schedule {
        self.with_command(&format!("reorder({})", list(vars)))
    }
    /// Computes `expr` first, into a workspace `name` over `vars`.
    pub fn precompute<'a>(
        self,
        expr: &str,
        vars: impl IntoIterator<Item = &'a str>,
        name: &str,
        kept: Option<Storage>,
    ) -> Schedule {
        let kept = kept.map_or(String::new(), |s| format!(", {}", s.name()));
        self.with_command(&format!("precompute({expr}, {{{}}}, {name}{kept})", list(vars)))
    }
    /// Writes out `rounds` rounds of the loop over `var` one after the other.
    pub fn unroll(self, var: &str, rounds: u32) -> Schedule {
        self.with_command(&format!("unroll({var},{rounds})"))
    }
    /// Takes rounds of the loop over `var` several at a time.
    pub fn vectorize(self, var: &str) -> Schedule {
        self.with_command(&format!("vectorize({var})"))
    }
    /// Distributes the rounds of the outermost loop over threads.
    pub fn parallelize(self, var: &str) -> Schedule {
        self.with_command(&format!("parallelize({var})"))
    }
}

fn list<'a>(vars: impl IntoIterator<Item = &'a str>) -> String {
    vars.into_iter().collect::<Vec<_>>().join(",")
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
