//! What the flags say about the tensors and index variables of the statements.

use crate::args::{BaseFlag, NamedValue, TensorFlags};
use crate::fault;
use openwork::{
    Arithmetic, Catalog, Code, DType, Decl, Decls, Diagnostic, Error, Format, Result, Schedule, Source, Span,
};
use openwork_base::names::meant_or;
use openwork_index::notation::{self, StatementSyntax, TensorRef};
use openwork_index::window::{Beyond, Window};
use std::collections::BTreeMap;

/// Statements with their flags, checked against each other.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The statements, in order.
    pub(crate) statements: Vec<StatementSyntax>,
    /// Their text.
    pub(crate) source: Source,
    pub(crate) formats: BTreeMap<String, Format>,
    pub(crate) dtypes: BTreeMap<String, DType>,
    pub(crate) dims: BTreeMap<String, usize>,
    /// Shapes of tensors that sums of index variables reach.
    pub(crate) shapes: BTreeMap<String, Vec<usize>>,
    pub(crate) schedule: Schedule,
    pub(crate) arithmetic: Arithmetic,
    /// Whether coordinates in files that leave it open begin at 0.
    pub(crate) from_zero: bool,
}

impl Request {
    /// Reads the statements and the flags about them.
    ///
    /// # Errors
    /// `E0101` to `E0103` for the statements, `E0301` to `E0305` for a format, `E0801`, `E0802`, `E0805`, `E0806` for
    /// other flags, `E0811` for a schedule, `E0818` for flags that are about one statement.
    pub(crate) fn read(flags: &TensorFlags) -> Result<Request> {
        let source = Source::new("statement", flags.statement.as_str());
        let mut request = Request {
            statements: notation::parse_all(&source)?,
            source,
            formats: BTreeMap::new(),
            dtypes: BTreeMap::new(),
            dims: BTreeMap::new(),
            shapes: BTreeMap::new(),
            schedule: Schedule::parse(&flags.schedule.join("; "))?,
            arithmetic: if flags.exact { Arithmetic::Exact } else { Arithmetic::Annihilating },
            from_zero: false,
        };
        request.refuse_second_results()?;
        if !flags.schedule.is_empty() {
            request.one_statement("a schedule")?;
        }
        if flags.candidate > 0 {
            request.one_statement("--use")?;
        }
        request.formats = request.tensors("-f", &flags.formats, |request, pair| {
            let source = Source::new(format!("-f {}", pair.name), pair.value.as_str());
            Catalog::default().parse(&source, request.rank(&pair.name))
        })?;
        request.dtypes = request.tensors("-t", &flags.dtypes, |_, pair| {
            dtype(&Source::new(format!("-t {}", pair.name), pair.value.as_str()))
        })?;
        request.shapes = request.shapes_of_sums(&flags.dims)?;
        request.dims = request.sizes(&flags.dims)?;
        Ok(request)
    }
    /// A name is that of one tensor: what is read or computed already may be updated, and not be computed anew, nor with other
    /// modes from itself.
    fn refuse_second_results(&self) -> Result<()> {
        let mut used: Vec<(&str, Option<usize>)> = Vec::new();
        for statement in &self.statements {
            let (name, taken) = (&statement.lhs.name, statement.read_tensors());
            let others = taken.iter().filter(|t| **t != name.text);
            used.extend(others.map(|t| (*t, statement.rank_of(t))));
            let modes = statement.lhs.indices.len();
            let before = used.iter().find(|(other, _)| *other == name.text);
            let updated = |(_, rank): &(&str, Option<usize>)| {
                taken.contains(&name.text.as_str()) && rank.is_none_or(|r| r == modes)
            };
            if before.is_some_and(|before| !updated(before)) {
                let message = format!("`{}` is computed here, and was another tensor before", name.text);
                let help = "give one of the two another name, or update it with `+=`";
                return Err(fault::rejected_at(fault::TWICE, message, &self.source, name.span, help));
            }
            used.push((&name.text, Some(modes)));
        }
        Ok(())
    }
    /// Refuses what is about one statement where there are several.
    ///
    /// # Errors
    /// `E0818`.
    pub(crate) fn one_statement(&self, what: &str) -> Result<()> {
        let Some(second) = self.statements.get(1) else { return Ok(()) };
        let message = format!("{what} is about one statement, and there are several");
        let d = Diagnostic::new(fault::SEVERAL, message).point_at(&self.source, second.source.part, "");
        Err(Error::refusal(d.help("run the one that it is for by itself")))
    }
    /// The same for files whose coordinates begin elsewhere.
    pub(crate) fn with_base(self, base: BaseFlag) -> Request {
        Request { from_zero: base.is_zero(), ..self }
    }
    /// The same without its schedule.
    pub(crate) fn without_schedule(&self) -> Request {
        Request { schedule: Schedule::new(), ..self.clone() }
    }
    /// Adds what the flags fix of results.
    pub(crate) fn declare_results(&self, decls: &mut Decls) {
        for name in self.results() {
            let (dtype, format) = (self.dtypes.get(name).copied(), self.formats.get(name).cloned());
            decls.tensors.entry(name.into()).or_insert(Decl {
                dtype,
                format,
                shape: self.shapes.get(name).cloned(),
                stored: None,
                elements: None,
            });
        }
    }
    /// The text of a statement.
    pub(crate) fn text(&self, n: usize) -> &str {
        self.statements.get(n).map_or("", |s| s.source.part_text())
    }
    /// What is computed, in the order in which it is first.
    pub(crate) fn results(&self) -> Vec<&str> {
        once_each(self.statements.iter().map(|s| s.lhs.name.text.as_str()))
    }
    /// The results that no later statement reads.
    pub(crate) fn last_results(&self) -> Vec<&str> {
        let later =
            |n: usize, name: &str| self.statements[n + 1..].iter().any(|s| s.read_tensors().contains(&name));
        let named = self.statements.iter().map(|s| s.lhs.name.text.as_str()).enumerate();
        once_each(named.filter(|(n, name)| !later(*n, name)).map(|(_, name)| name))
    }
    /// The names of the tensors that are read and that no statement before has computed; for a compound assignment the result
    /// is one of them.
    pub(crate) fn operands(&self) -> Vec<&str> {
        let made = |n: usize, name: &str| self.statements[..n].iter().any(|s| s.lhs.name.text == name);
        let all = self.statements.iter().enumerate();
        once_each(all.flat_map(|(n, s)| s.read_tensors().into_iter().filter(move |name| !made(n, name))))
    }
    /// The number of indices a tensor of the statements is written with.
    pub(crate) fn rank(&self, name: &str) -> usize {
        self.statements.iter().find_map(|s| s.rank_of(name)).unwrap_or(0)
    }
    /// Every place where a tensor is written, with the number of the statement.
    pub(crate) fn places(&self, name: &str) -> Vec<(usize, &TensorRef)> {
        let mut out = Vec::new();
        for (n, statement) in self.statements.iter().enumerate() {
            statement.each_tensor(&mut |t| out.push((n, t)));
            out.push((n, &statement.lhs));
        }
        out.retain(|(_, t)| t.name.text == name);
        out
    }
    /// The names of all index variables.
    pub(crate) fn index_names(&self) -> Vec<&str> {
        once_each(self.statements.iter().flat_map(StatementSyntax::index_names))
    }
    /// Where an index variable of a statement is first written.
    pub(crate) fn index_span(&self, statement: usize, name: &str) -> Option<Span> {
        let mut out = None;
        let mut see = |t: &TensorRef| {
            let found = t.indices.iter().find(|n| n.text == name).map(|n| n.span);
            out = out.or(found);
        };
        let statement = self.statements.get(statement)?;
        see(&statement.lhs);
        statement.each_tensor(&mut |t| see(t));
        out
    }
    /// The values of a flag about tensors, by name.
    ///
    /// # Errors
    /// `E0801` and `E0802` for names, and what `read` reports.
    pub(crate) fn tensors<T>(
        &self,
        flag: &str,
        pairs: &[NamedValue],
        mut read: impl FnMut(&Request, &NamedValue) -> Result<T>,
    ) -> Result<BTreeMap<String, T>> {
        let mut names = self.operands();
        names.extend(self.results());
        let names = once_each(names.into_iter());
        let mut out = BTreeMap::new();
        for pair in pairs {
            expect_name(flag, pair, &names, "tensor")?;
            let value = read(self, pair)?;
            refuse_repeated(flag, pair, out.insert(pair.name.clone(), value))?;
        }
        Ok(out)
    }
    fn sizes(&self, pairs: &[NamedValue]) -> Result<BTreeMap<String, usize>> {
        let mut out = BTreeMap::new();
        for pair in pairs.iter().filter(|pair| !self.shapes.contains_key(&pair.name)) {
            if let Some(indices) = self.modes(&pair.name) {
                self.shape(pair, &indices, &mut out)?;
                continue;
            }
            expect_name("-d", pair, &self.index_names(), "index variable")?;
            refuse_repeated("-d", pair, out.insert(pair.name.clone(), size(pair, &pair.value)?))?;
        }
        Ok(out)
    }
    /// The shapes of tensors that sums of index variables reach, or windows that run backwards, and of those that are assigned
    /// where values say: their sizes are not those of single variables.
    fn shapes_of_sums(&self, pairs: &[NamedValue]) -> Result<BTreeMap<String, Vec<usize>>> {
        let mut out = BTreeMap::new();
        for pair in pairs {
            let places = self.places(&pair.name);
            let assigned = |s: &StatementSyntax| s.lhs.name.text == pair.name && s.assigns_places();
            let computed = |t: &TensorRef| !t.sum_modes.is_empty() || t.windows.iter().any(|w| w.step < 0);
            let reached = places.iter().any(|(_, t)| computed(t)) || self.statements.iter().any(assigned);
            if reached && self.modes(&pair.name).is_some_and(|m| m.len() == pair.value.split(',').count()) {
                let sizes: Vec<usize> =
                    pair.value.split(',').map(|s| size(pair, s)).collect::<Result<_>>()?;
                refuse_repeated("-d", pair, out.insert(pair.name.clone(), sizes))?;
            }
        }
        Ok(out)
    }
    /// The index variables of a tensor's modes with their windows, where it has any and no index variable has its name.
    fn modes(&self, name: &str) -> Option<Vec<(String, Window)>> {
        let index = self.index_names().contains(&name);
        let (_, place) = self.places(name).into_iter().find(|(_, p)| !p.indices.is_empty())?;
        let windows = place.mode_windows();
        (!index).then(|| place.indices.iter().map(|n| n.text.clone()).zip(windows).collect())
    }
    /// The sizes of a tensor's modes, `A=100,200`.
    fn shape(
        &self,
        pair: &NamedValue,
        indices: &[(String, Window)],
        out: &mut BTreeMap<String, usize>,
    ) -> Result<()> {
        let sizes: Vec<usize> = pair.value.split(',').map(|s| size(pair, s)).collect::<Result<_>>()?;
        let (source, span) = flag_source("-d", pair);
        let refuse = |message: String, help: String| {
            Err(fault::rejected_at(fault::SIZE, message, &source, span, help))
        };
        if sizes.len() != indices.len() {
            let message = format!("`{}` has {} modes, and {} sizes", pair.name, indices.len(), sizes.len());
            let names: Vec<&str> = indices.iter().map(|(name, _)| name.as_str()).collect();
            return refuse(message, format!("its indices are {}", names.join(", ")));
        }
        for ((index, window), whole) in indices.iter().zip(sizes) {
            let size = match window.reach(whole) {
                Ok(reach) => reach.count,
                Err(beyond) => {
                    let message =
                        format!("`{window}` is no window of a mode of `{}`: it has {beyond}", pair.name);
                    return refuse(message, Beyond::HELP.into());
                }
            };
            match out.insert(index.clone(), size) {
                Some(known) if known != size => {
                    let message = format!("`{index}` has {known} values, and {size} in `{}`", pair.name);
                    return refuse(message, "give one of the two".into());
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }
}

/// Every name once, where it stands first.
fn once_each<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut out: Vec<&str> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Reads a size of a pair.
fn size(pair: &NamedValue, text: &str) -> Result<usize> {
    let size = text.trim().parse().ok().filter(|&n| n <= isize::MAX as usize);
    size.ok_or_else(|| {
        let source = Source::new(format!("-d {}", pair.name), pair.value.as_str());
        let message = format!("`{text}` is no size");
        fault::rejected_at(
            fault::SIZE,
            message,
            &source,
            fault::full_span(&source),
            "a size is a whole number",
        )
    })
}

/// The text of a flag's value with its name, as written.
fn flag_source(flag: &str, pair: &NamedValue) -> (Source, Span) {
    (Source::new(flag, format!("{}={}", pair.name, pair.value)), Span::new(0, pair.name.len()))
}

fn expect_name(flag: &str, pair: &NamedValue, names: &[&str], what: &str) -> Result<()> {
    if names.contains(&pair.name.as_str()) {
        return Ok(());
    }
    let (source, span) = flag_source(flag, pair);
    let message = format!("the statement has no {what} `{}`", pair.name);
    let help = match names {
        [] => format!("it has no {what} at all"),
        names => format!("it has {}", names.join(", ")),
    };
    let help = meant_or(&pair.name, names.iter().copied(), &help);
    Err(fault::rejected_at(fault::UNKNOWN, message, &source, span, help))
}

/// Refuses a second value for the same name.
pub(crate) fn refuse_repeated<T>(flag: &str, pair: &NamedValue, earlier: Option<T>) -> Result<()> {
    match earlier {
        None => Ok(()),
        Some(_) => {
            let (source, span) = flag_source(flag, pair);
            let message = format!("`{}` is given twice with {flag}", pair.name);
            Err(fault::rejected_at(fault::TWICE, message, &source, span, "leave one of them out"))
        }
    }
}

/// Refuses a flag for a tensor that has another role in the statement.
pub(crate) fn wrong_role(
    flag: &str,
    pair: &NamedValue,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Error {
    let (source, span) = flag_source(flag, pair);
    fault::rejected_at(fault::ROLE, message, &source, span, help)
}

/// Reads a dtype.
///
/// # Errors
/// `E0805`.
pub(crate) fn dtype(source: &Source) -> Result<DType> {
    source.text.trim().parse().map_err(|()| {
        let names: Vec<&str> = DType::ALL.iter().map(|d| d.name()).collect();
        let help = format!("the dtypes are {}; C and NumPy names work too", names.join(", "));
        let word = source.text.trim();
        let help = meant_or(word, DType::known_names(), &help);
        let message = format!("unknown dtype `{word}`");
        fault::rejected_at(fault::DTYPE, message, source, fault::full_span(source), help)
    })
}

/// The fill value a format asks for in a dtype.
///
/// # Errors
/// `E0210` when its text is no value of the dtype.
pub(crate) fn fill(name: &str, format: &Format, dtype: DType) -> Result<openwork::Scalar> {
    format.fill_value(dtype).ok_or_else(|| {
        let text = format.fill.as_deref().unwrap_or("");
        let help = "give the tensor another dtype with -t, or another fill";
        fault::rejection(Code("E0210"), format!("the fill `{text}` of `{name}` is no {dtype}"), help)
    })
}
