//! Attribute queries: statistics of a tensor's coordinates (formats thesis, §6.2.3).
//!
//! ```text
//! select [i] -> count(j) as n                       how many coordinates j under each i hold elements
//! select [] -> min(j-i) as lower, max(j-i) as upper the band around the diagonal
//! select [d] -> id() as nz                          which d hold elements
//! ```
//! [`parse`] reads a query over named coordinates, [`canonical`] states it as CIN, and [`optimize`] rewrites that with the four
//! transformations of table 6.2.

mod canonical;
mod rewrite;

pub use canonical::{Answer, QuerySubject, canonical};
pub use rewrite::{Rewrite, optimize};

use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The coordinates that the answer is a map of.
    pub by: Vec<String>,
    /// What is computed for each of them.
    pub aggregates: Vec<Aggregate>,
}

/// One statistic that a query asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// How it is computed.
    pub function: QueryFunction,
    /// Its name.
    pub label: String,
}

/// A statistic of the elements that share the coordinates of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryFunction {
    /// How many distinct tuples of these coordinates hold elements.
    Count(Vec<String>),
    /// The largest coordinate, or difference of two.
    Max(Measure),
    /// The least one.
    Min(Measure),
    /// Whether there is an element at all.
    Id,
}

/// A coordinate, less another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The coordinate.
    pub of: String,
    /// What is taken away.
    pub less: Option<String>,
}

/// Reads `select [i] -> count(j) as n, max(j) as w`.
///
/// # Errors
/// `E0310` for text that is no query.
///
/// ```
/// use openwork_base::Source;
/// use openwork_index::query::{QueryFunction, parse};
/// let q = parse(&Source::new("query", "select [i] -> count(j,k) as n")).unwrap();
/// assert_eq!(q.by, ["i"]);
/// assert_eq!(q.aggregates[0].function, QueryFunction::Count(vec!["j".into(), "k".into()]));
/// ```
pub fn parse(source: &Source) -> Result<Query> {
    let mut r = QueryReader { source, at: 0 };
    r.expect("select")?;
    r.expect("[")?;
    let by = r.names("]")?;
    r.expect("->")?;
    let mut aggregates = vec![r.aggregate()?];
    while r.eat(",") {
        aggregates.push(r.aggregate()?);
    }
    if !r.remaining_text().trim().is_empty() {
        return Err(r.error("unexpected text after the query"));
    }
    Ok(Query { by, aggregates })
}

struct QueryReader<'a> {
    source: &'a Source,
    at: usize,
}

impl QueryReader<'_> {
    fn remaining_text(&self) -> &str {
        &self.source.text[self.at..]
    }
    fn eat(&mut self, token: &str) -> bool {
        self.at += self.remaining_text().len() - self.remaining_text().trim_start().len();
        let found = self.remaining_text().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }
    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.error(format!("expected `{token}`"))) }
    }
    fn error(&self, message: impl Into<String>) -> Error {
        let next = self.remaining_text().chars().next().map_or(0, char::len_utf8);
        let here = Span::new(self.at, self.at + next);
        Error::rejection(
            Diagnostic::new(Code("E0310"), message)
                .point_at(self.source, here, "")
                .help("a query reads `select [i] -> count(j) as n`, with count, max, min or id"),
        )
    }
    fn name(&mut self) -> Result<String> {
        self.eat("");
        let len = self
            .remaining_text()
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(self.remaining_text().len());
        if len == 0 {
            return Err(self.error("expected a name"));
        }
        let name = self.remaining_text()[..len].to_string();
        self.at += len;
        Ok(name)
    }
    fn names(&mut self, close: &str) -> Result<Vec<String>> {
        let mut out = Vec::new();
        while !self.eat(close) {
            out.push(self.name()?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(out)
    }
    fn measure(&mut self) -> Result<Measure> {
        let of = self.name()?;
        let less = if self.eat("-") { Some(self.name()?) } else { None };
        self.expect(")")?;
        Ok(Measure { of, less })
    }
    fn aggregate(&mut self) -> Result<Aggregate> {
        self.eat("");
        let start = self.at;
        let name = self.name()?;
        self.expect("(")?;
        let function = match name.as_str() {
            "count" => QueryFunction::Count(self.names(")")?),
            "max" => QueryFunction::Max(self.measure()?),
            "min" => QueryFunction::Min(self.measure()?),
            "id" => {
                self.expect(")")?;
                QueryFunction::Id
            }
            _ => {
                self.at = start;
                return Err(self.error(format!("`{name}` is no aggregation")));
            }
        };
        self.expect("as")?;
        Ok(Aggregate { function, label: self.name()? })
    }
}
