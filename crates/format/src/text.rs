//! Format text: presets, TACO letters, and the full form; parse and print.
//!
//! ```text
//! format  = (preset ["(" number {"," number} ")"] | letters) [":" mode {"," mode}] | full
//! letters = {("d"|"s"|"u"|"z"|"c"|"q") [mode]}
//! full    = remapping ":" level {"," level}
//! level   = name ["(" property {"," property} ")"]
//! tail    = {";" key "=" value}
//! key     = "fill" | "pos" | "crd" | "symmetric"
//! ```
//! Every form may carry the tail. The remapping is [coordinate remapping notation](crate::remap); modes that its
//! coordinates determine without storing them get a level that computes them.

use crate::format::Format;
use crate::level::{Level, LevelSpec, Props, negate_name};
use crate::presets::{self, PRESETS, Preset};
use crate::remap::{Coord, Remap};
use crate::sanity;
use crate::specs::{BLOCK, COMPRESSED, DENSE, LEVELS, OFFSET, SINGLETON};
use crate::width::Width;
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use std::fmt;

/// The level formats that text may name. [`Catalog::default`] holds the built-in ones and those that were
/// [registered](crate::specs::register) for the whole process.
#[derive(Clone, Debug)]
pub struct Catalog {
    specs: Vec<&'static LevelSpec>,
}

impl Default for Catalog {
    fn default() -> Self {
        Catalog { specs: LEVELS.into_iter().chain(crate::specs::registered_levels()).collect() }
    }
}

impl Catalog {
    /// Makes a user-defined level known to text that this catalog reads.
    pub fn register(&mut self, spec: &'static LevelSpec) {
        self.specs.retain(|s| s.name != spec.name);
        self.specs.push(spec);
    }
    /// The level called `name`.
    pub fn level(&self, name: &str) -> Option<&'static LevelSpec> {
        self.specs.iter().copied().find(|s| s.name == name)
    }
    /// The format that `source` spells for a tensor of `rank` modes.
    ///
    /// # Errors
    /// `E0301` for text that is no format, `E0302` when the number of modes is not `rank` or that of levels not that of
    /// coordinates, `E0303` for a mode order that is no permutation, `E0304` for an unknown property, width or key,
    /// `E0305` for preset arguments that are not positive numbers, `E0306` for a remapping that is not injective,
    /// `E0307` for a level in a place where it makes no sense, `E0308` and `E0309` of [`Remap::parse`]; each points at
    /// its place.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_format::{Catalog, presets};
    /// let read = |t: &str| Catalog::default().parse(&Source::new("-f A", t), 2).unwrap();
    /// assert_eq!(read("csr"), presets::csr());
    /// assert_eq!(read("ds:1,0"), presets::csc());
    /// assert_eq!(read("d1s0"), presets::csc());
    /// assert_eq!(read("(i,j) -> (j,i) : dense, compressed"), presets::csc());
    /// ```
    pub fn parse(&self, source: &Source, rank: usize) -> Result<Format> {
        FormatParser { catalog: self, source, at: 0 }.format(rank)
    }
    /// The format that the full form `source` spells, whatever its rank.
    pub(crate) fn composition(&self, source: &Source) -> Result<Format> {
        FormatParser { catalog: self, source, at: 0 }.full()
    }
}

const BAD_TEXT: Code = Code("E0301");
const BAD_RANK: Code = Code("E0302");
const BAD_MODES: Code = Code("E0303");
const BAD_WORD: Code = Code("E0304");
const BAD_ARGUMENT: Code = Code("E0305");
const NOT_INJECTIVE: Code = Code("E0306");
const BAD_PLACE: Code = Code("E0307");

struct FormatParser<'a> {
    catalog: &'a Catalog,
    source: &'a Source,
    at: usize,
}

impl<'a> FormatParser<'a> {
    fn remaining_text(&self) -> &'a str {
        &self.source.text[self.at..]
    }
    fn skip_space(&mut self) {
        self.at += self.remaining_text().len() - self.remaining_text().trim_start().len();
    }
    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.remaining_text().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.error(BAD_TEXT, format!("expected `{token}`"), self.current_span()))
    }
    fn current_span(&self) -> Span {
        let next = self.remaining_text().chars().next().map_or(0, char::len_utf8);
        Span::new(self.at, self.at + next)
    }
    /// The next run of letters, digits and underscores.
    fn word(&mut self) -> (&'a str, Span) {
        self.skip_space();
        let rest = self.remaining_text();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let span = Span::new(self.at, self.at + len);
        self.at += len;
        (&rest[..len], span)
    }
    fn error(&self, code: Code, message: impl Into<String>, span: Span) -> Error {
        Error::rejection(Diagnostic::new(code, message).point_at(self.source, span, "").help(self.grammar()))
    }
    /// The error for a word that is none of those known in its place.
    fn unknown_word<'k>(
        &self,
        code: Code,
        message: impl Into<String>,
        word: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Error {
        let help = meant_or(word, known, &self.grammar());
        Error::rejection(Diagnostic::new(code, message).point_at(self.source, span, "").help(help))
    }
    /// The forms that formats have.
    fn grammar(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        PRESETS.iter().map(|p| p.name).for_each(|n| {
            if !names.contains(&n) {
                names.push(n)
            }
        });
        format!(
            "a format is a preset ({}), TACO letters (`ds`, `ds:1,0`), or in full \
             `(i,j) -> (j,i) : dense, compressed ; fill = 0 ; pos = i64 ; crd = i32` with levels {}",
            names.join(", "),
            self.level_names().collect::<Vec<_>>().join(", ")
        )
    }
    fn level_names(&self) -> impl Iterator<Item = &'static str> {
        self.catalog.specs.iter().map(|s| s.name)
    }

    fn format(mut self, rank: usize) -> Result<Format> {
        self.skip_space();
        let mut format = if self.remaining_text().starts_with('(') {
            self.full()?
        } else {
            let (word, span) = self.word();
            let named: Vec<&Preset> = PRESETS.iter().filter(|p| p.name == word).collect();
            match named.iter().find(|p| p.rank.is_none_or(|r| r == rank)) {
                Some(preset) => self.preset(preset, rank)?,
                None => match named.first() {
                    Some(other) => {
                        let message = format!("`{word}` is a format for {} modes", other.rank.unwrap_or(0));
                        return Err(self.rank_error(message, rank, span));
                    }
                    None => self.letters(word, span)?,
                },
            }
        };
        self.settings(&mut format)?;
        self.skip_space();
        if !self.remaining_text().is_empty() {
            return Err(self.error(BAD_TEXT, "unexpected text after the format", self.current_span()));
        }
        if format.rank() != rank {
            let all = Span::new(0, self.source.text.len());
            let what = if format.remap.is_some() { "modes" } else { "levels" };
            return Err(self.rank_error(format!("this format has {} {what}", format.rank()), rank, all));
        }
        Ok(format)
    }
    /// The arguments of a preset, and a mode order where it stores the modes themselves.
    fn preset(&mut self, preset: &Preset, rank: usize) -> Result<Format> {
        let mut args: Vec<u64> = Vec::new();
        let start = self.at;
        if self.eat("(") {
            loop {
                let (word, span) = self.signed_word();
                match word.parse() {
                    Ok(n) if (1..=1 << 40).contains(&n) => args.push(n),
                    _ => return Err(self.error(BAD_ARGUMENT, "expected a positive number", span)),
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            if args.len() == 1 && preset.defaults.len() > 1 {
                args = vec![args[0]; preset.defaults.len()];
            }
            if args.len() != preset.defaults.len() {
                let message = format!("`{}` takes {} arguments", preset.name, preset.defaults.len());
                return Err(self.error(BAD_ARGUMENT, message, Span::new(start, self.at)));
            }
        } else {
            args = preset.defaults.to_vec();
        }
        let format = (preset.make)(rank, &args);
        if format.remap.is_some() || !self.eat(":") {
            return Ok(format);
        }
        let (modes, span) = self.mode_list()?;
        self.order_levels(format.levels, modes, span)
    }
    /// A number with its sign, for messages about the sign.
    fn signed_word(&mut self) -> (&'a str, Span) {
        self.skip_space();
        let start = self.at;
        if self.remaining_text().starts_with('-') {
            self.at += 1;
        }
        let (_, span) = self.word();
        let source = self.source;
        (&source.text[start..span.end as usize], Span::new(start, span.end as usize))
    }
    /// `1,0,2` after a colon.
    fn mode_list(&mut self) -> Result<(Vec<usize>, Span)> {
        let start = self.at;
        let mut modes = Vec::new();
        loop {
            let (digits, at) = self.word();
            let mode = digits.parse();
            modes.push(mode.map_err(|_| self.error(BAD_MODES, "expected the number of a mode", at))?);
            if !self.eat(",") {
                return Ok((modes, Span::new(start, self.at)));
            }
        }
    }
    fn rank_error(&self, message: String, rank: usize, span: Span) -> Error {
        let label = format!("the tensor has {rank} modes");
        Error::rejection(Diagnostic::new(BAD_RANK, message).point_at(self.source, span, label))
    }

    /// `ds`, `d1s0`, `ds:1,0`.
    fn letters(&mut self, word: &str, span: Span) -> Result<Format> {
        let known = || PRESETS.iter().map(|p| p.name).chain(self.level_names());
        let unknown = || self.unknown_word(BAD_TEXT, format!("unknown format `{word}`"), word, span, known());
        let mut levels = Vec::new();
        let mut modes: Vec<usize> = Vec::new();
        let mut chars = word.chars().peekable();
        while let Some(c) = chars.next() {
            levels.push(match c {
                'd' => Level::new(&DENSE),
                's' => Level::new(&COMPRESSED),
                'u' => Level::new(&COMPRESSED).without_props(Props::UNIQUE),
                'z' => Level { spec: &COMPRESSED, props: COMPRESSED.props.union(Props::ZEROLESS) },
                'c' => Level::new(&SINGLETON).without_props(Props::UNIQUE),
                'q' => Level::new(&SINGLETON),
                _ => return Err(unknown()),
            });
            let mut digits = String::new();
            while let Some(d) = chars.next_if(char::is_ascii_digit) {
                digits.push(d);
            }
            if !digits.is_empty() {
                modes.push(digits.parse().map_err(|_| unknown())?);
            }
        }
        if levels.is_empty() && !word.is_empty() {
            return Err(unknown());
        }
        let mut where_modes = span;
        if modes.is_empty() && self.eat(":") {
            (modes, where_modes) = self.mode_list()?;
        }
        if modes.is_empty() {
            return Ok(Format::new(levels));
        }
        self.order_levels(levels, modes, where_modes)
    }

    fn order_levels(&self, levels: Vec<Level>, modes: Vec<usize>, span: Span) -> Result<Format> {
        let mut sorted = modes.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..levels.len()) {
            let message = format!("the mode order must name each of the {} modes once, from 0", levels.len());
            return Err(self.error(BAD_MODES, message, span));
        }
        Ok(Format::new(levels).with_modes(modes))
    }

    /// `(i,j) -> (j-i,i,j) : squeezed, range, offset`.
    fn full(&mut self) -> Result<Format> {
        self.skip_space();
        let start = self.at;
        let mut remap = Remap::parse_at(self.source, &mut self.at)?;
        let span = Span::new(start, self.at);
        self.expect(":")?;
        let mut levels: Vec<(Level, Span)> = Vec::new();
        if remap.depth() > 0 {
            loop {
                self.skip_space();
                let start = self.at;
                let level = self.level()?;
                levels.push((level, Span::new(start, self.at)));
                if !self.eat(",") {
                    break;
                }
            }
        }
        if levels.len() != remap.depth() {
            let message = format!("{} levels for {} stored coordinates", levels.len(), remap.depth());
            return Err(self.error(BAD_RANK, message, span));
        }
        if remap.coords.iter().all(|c| c.plain().is_some()) && remap.permutation().is_none() {
            let message = "stored modes must be each mode once, in some order";
            return Err(self.error(BAD_MODES, message, span));
        }
        if let Some(twice) = remap.repeated_mode() {
            let message = format!("`{}` is stored by two coordinates", remap.names[twice]);
            return Err(self.error(BAD_MODES, message, span));
        }
        self.complete(&mut remap, &mut levels, span)?;
        for k in 0..levels.len() {
            let all: Vec<Level> = levels.iter().map(|(l, _)| *l).collect();
            if let Some(message) = sanity::misplacement(&remap, &all, k) {
                return Err(self.error(BAD_PLACE, message, levels[k].1));
            }
        }
        Ok(Format::from_remap(remap, levels.into_iter().map(|(l, _)| l).collect()))
    }
    /// Gives every mode that is not stored itself a level that computes it.
    fn complete(&self, remap: &mut Remap, levels: &mut Vec<(Level, Span)>, span: Span) -> Result<()> {
        if let Some(&lost) = remap.lost_modes().first() {
            let message = format!("the stored coordinates do not determine `{}`", remap.names[lost]);
            return Err(self.error(NOT_INJECTIVE, message, span));
        }
        let missing: Vec<usize> =
            (0..remap.rank()).filter(|&m| remap.coords.iter().all(|c| c.plain() != Some(m))).collect();
        for m in missing {
            let form = remap.recover(m, remap.depth());
            let scaled = form.is_some_and(|f| f.terms.iter().any(|(factor, _)| factor.abs() != 1));
            levels.push((Level::new(if scaled { &BLOCK } else { &OFFSET }), span));
            remap.coords.push(Coord::mode(m));
        }
        Ok(())
    }
    fn level(&mut self) -> Result<Level> {
        let (name, span) = self.word();
        let Some(spec) = self.catalog.level(name) else {
            let message = format!("unknown level `{name}`");
            return Err(self.unknown_word(BAD_TEXT, message, name, span, self.level_names()));
        };
        let mut level = Level::new(spec);
        if self.eat("(") && !self.eat(")") {
            loop {
                self.property(&mut level)?;
                if self.eat(")") {
                    break;
                }
                self.expect(",")?;
            }
        }
        Ok(level)
    }
    fn property(&mut self, level: &mut Level) -> Result<()> {
        let (word, span) = self.word();
        let optional = level.spec.optional;
        if let Some(p) = Props::by_name(word).filter(|&p| optional.has(p) || level.props.has(p)) {
            level.props = level.props.union(p);
            return Ok(());
        }
        if let Some(name) = optional.names().find(|n| negate_name(n) == word || format!("not_{n}") == word) {
            level.props = level.props.difference(Props::by_name(name).unwrap_or(Props::NONE));
            return Ok(());
        }
        let message = format!("a {} level cannot be declared `{word}`", level.spec.name);
        let known: Vec<String> = optional.names().flat_map(|n| [n.to_string(), negate_name(n)]).collect();
        Err(self.unknown_word(BAD_WORD, message, word, span, known.iter().map(String::as_str)))
    }

    /// The `; key = value` tail.
    fn settings(&mut self, format: &mut Format) -> Result<()> {
        while self.eat(";") {
            let (key, key_span) = self.word();
            self.expect("=")?;
            self.skip_space();
            let len = self.remaining_text().find(';').unwrap_or(self.remaining_text().len());
            let value = self.remaining_text()[..len].trim_end();
            let span = Span::new(self.at, self.at + value.len());
            self.at += len;
            let width = || {
                let message = format!("`{value}` is no index width (u8, u16, u32, i32, i64)");
                Width::by_name(value).ok_or_else(|| self.error(BAD_WORD, message, span))
            };
            match key {
                "fill" if !value.is_empty() => format.fill = Some(value.into()),
                "fill" => return Err(self.error(BAD_WORD, "expected a fill value", span)),
                "pos" => format.pos = Some(width()?),
                "crd" => format.crd = Some(width()?),
                "symmetric" if value == "lower" && format.rank() == 2 => format.symmetric = true,
                "symmetric" => {
                    let message = "a matrix is stored with `symmetric = lower`, and nothing else";
                    return Err(self.error(BAD_WORD, message, span));
                }
                _ => {
                    let (message, known) =
                        (format!("unknown setting `{key}`"), ["fill", "pos", "crd", "symmetric"]);
                    return Err(self.unknown_word(BAD_WORD, message, key, key_span, known));
                }
            }
        }
        Ok(())
    }
}

/// Prints a preset name where the levels and coordinates are a preset's, else the full form.
pub(crate) fn print(format: &Format, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let preset = presets::recognise(format);
    match &preset {
        Some((p, args)) if args.is_empty() => f.write_str(p.name)?,
        Some((p, args)) => {
            let args: Vec<String> = args.iter().map(u64::to_string).collect();
            write!(f, "{}({})", p.name, args.join(","))?;
        }
        None => {
            let levels: Vec<String> = format.levels.iter().map(Level::to_string).collect();
            match &format.remap {
                Some(remap) => write!(f, "{remap}")?,
                None => {
                    let name = |mode: usize| format!("i{mode}");
                    let from: Vec<String> = (0..format.rank()).map(name).collect();
                    let to: Vec<String> = format.modes.iter().map(|&m| name(m)).collect();
                    write!(f, "({}) -> ({})", from.join(","), to.join(","))?;
                }
            }
            write!(f, " : {}", levels.join(", "))?;
        }
    }
    if format.symmetric && preset.is_none() {
        f.write_str(" ; symmetric = lower")?;
    }
    if let Some(fill) = &format.fill {
        write!(f, " ; fill = {fill}")?;
    }
    for (key, width) in [("pos", format.pos), ("crd", format.crd)] {
        if let Some(w) = width {
            write!(f, " ; {key} = {}", w.dtype())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn read(text: &str, rank: usize) -> Result<Format> {
        Catalog::default().parse(&Source::new("-f A", text), rank)
    }

    #[test]
    fn every_spelling_of_a_format_reads_as_the_same_value() {
        assert_eq!(read("ss", 2).unwrap(), presets::dcsr());
        assert_eq!(read("uq", 2).unwrap(), presets::coo(2));
        assert_eq!(read("ucq", 3).unwrap(), presets::coo(3));
        assert_eq!(read("s", 1).unwrap(), presets::coo(1));
        assert_eq!(read("(a,b)->(a,b): compressed(nonunique), singleton", 2).unwrap(), presets::coo(2));
        assert_eq!(read("", 0).unwrap(), presets::dense(0));
        let wide = read("csr; pos = i32; crd = u16; fill = -inf", 2).unwrap();
        assert_eq!((wide.pos, wide.crd), (Some(Width::I32), Some(Width::U16)));
        assert_eq!(
            wide.fill_value(openwork_algebra::DType::F64),
            Scalar::lowest(openwork_algebra::DType::F64)
        );
    }
    use openwork_algebra::Scalar;

    #[test]
    fn printing_reads_back() {
        for (text, rank) in [
            ("csc", 2),
            ("sds:2,0,1", 3),
            ("(i,j,k) -> (k,i,j) : compressed(unordered), dense, compressed ; fill = 3", 3),
            ("coo; crd = i64", 4),
            ("bcsr(2,3)", 2),
            ("sym; fill = 2", 2),
            ("dia; symmetric = lower", 2),
            ("bcsr(3)", 2),
            ("csf:2,0,1", 3),
            ("hicoo(16)", 3),
            ("hicoo", 2),
            ("sell(4); fill = 1", 2),
            ("(i,j) -> (i/2, j/3, i%2, j%3) : dense, compressed, dense, dense", 2),
            ("(i,j) -> (r=i+j in r, i) : squeezed, range", 2),
            (
                "(i,j) -> ((i|1)&(j^3)<<2, i-j, i%4, j) : compressed(nonunique), singleton, singleton, singleton",
                2,
            ),
        ] {
            let format = read(text, rank).unwrap();
            assert_eq!(read(&format.to_string(), rank).unwrap(), format, "{format}");
        }
    }

    #[test]
    fn mistakes_are_named_and_pointed_at() {
        for (text, rank, code, column) in [
            ("csx", 2, "E0301", 1),
            ("csc", 3, "E0302", 1),
            ("dss", 2, "E0302", 1),
            ("ds:0,0", 2, "E0303", 4),
            ("(i,j) -> (i,k) : dense, dense", 2, "E0303", 13),
            ("(i,j) -> (i,j) : dense, squashed", 2, "E0301", 25),
            ("(i,j) -> (i,j) : dense(unordered), dense", 2, "E0304", 24),
            ("(i,j) -> (j-i,i) : dense, nothing", 2, "E0301", 27),
            ("(i,j) -> (j/2,i) : dense, compressed", 2, "E0306", 1),
            ("(i,j) -> (i,j) : dense, offset", 2, "E0307", 25),
            ("(i,j) -> (i,j-i) : range, dense", 2, "E0307", 20),
            ("(i,j) -> (i/0,i,j) : dense, dense, compressed", 2, "E0308", 13),
            ("(i,j) -> (i/j,i,j) : dense, dense, compressed", 2, "E0308", 13),
            ("(i,j) -> (k=#j in #k,i,j) : sliced, dense, singleton", 2, "E0309", 20),
            (
                "(i,j) -> (a=i in b=a*a in c=b*b in d=c*c in e=d*d in f=e*e in g=f*f in h=g*g in k=h*h in l=k*k in m=l*l in n=m*m in o=n*n in p=o*o in p,i,j) : dense, dense, dense",
                2,
                "E0301",
                11,
            ),
            ("bcsr(0,3)", 2, "E0305", 6),
            ("bcsr(3,-3)", 2, "E0305", 8),
            ("bcsr(3,3,3)", 2, "E0305", 5),
            ("csr(3)", 2, "E0305", 4),
            ("csr; symmetric = upper", 2, "E0304", 18),
            ("csf; symmetric = lower", 3, "E0304", 18),
            ("(i,j) -> (i,k=j in k) : dense, banded, dense", 2, "E0302", 1),
            ("csr; pos = i7", 2, "E0304", 12),
            ("csr csr", 2, "E0301", 5),
        ] {
            let error = read(text, rank).unwrap_err();
            let d = error.diagnostic().unwrap();
            assert_eq!(d.code.0, code, "{text}: {error}");
            let (source, span) = d.at.as_ref().unwrap();
            assert_eq!(source.line_col(span.start as usize).1, column, "{text}: {error}");
        }
    }
}
