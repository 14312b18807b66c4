//! Operands that a statement does not read.

use crate::stages::Stages;
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Result, Source};
use openwork_index::TensorKind;
use openwork_index::notation::{self, StatementSyntax};

/// Whether a statement reads an operand of this name.
pub(crate) fn is_read(stages: &Stages, name: &str) -> bool {
    let mut operands = stages.plan.program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
    let mut made = stages.conversions().chain(stages.structures());
    operands.any(|(_, t)| t.given == name) || made.any(|c| c.source == name)
}

/// Refuses operands that a statement does not read: whoever gives one means to change what is computed.
pub(crate) fn all_are_read<'n>(stages: &Stages, mut given: impl Iterator<Item = &'n str>) -> Result<()> {
    let program = &stages.plan.program;
    let Some(name) = given.find(|&name| !is_read(stages, name)) else { return Ok(()) };
    // The text may be that of several statements.
    let all = notation::parse_all(&program.source)?;
    let own = all.iter().find(|s| s.source == program.source).or(all.last());
    own.map_or(Ok(()), |s| Err(unread_operand(name, s, &program.source)))
}

/// Refuses a name that two operands are given under: only one of them would be read.
pub(crate) fn refuse_repeated<T>(given: &[(&str, T)]) -> Result<()> {
    let again = |(n, (name, _)): (usize, &(&str, T))| given[..n].iter().any(|(before, _)| before == name);
    let Some((_, (name, _))) = given.iter().enumerate().find(|&pair| again(pair)) else { return Ok(()) };
    let d = Diagnostic::new(UNREAD, format!("two operands are given under the name `{name}`"));
    Err(Error::rejection(d.help("give each operand once, under the name that the statement calls it by")))
}

fn unread_operand(name: &str, s: &StatementSyntax, source: &Source) -> Error {
    let (taken, result) = (s.read_tensors(), &s.lhs.name.text);
    let message = match name == result {
        true => format!("the statement computes `{name}`, and does not read it"),
        false => format!("the statement has no operand `{name}`"),
    };
    let help = match &taken[..] {
        _ if name == result && s.assigns_places() => {
            "`=` makes it anew where values say: give its shape instead, or update it with +=".to_string()
        }
        [] => "it has no operand at all".to_string(),
        names => format!("its operands are {}", names.join(", ")),
    };
    let help = meant_or(name, taken, &help);
    Error::rejection(Diagnostic::new(UNREAD, message).point_at(source, source.part, "").help(help))
}

const UNREAD: Code = Code("E0201");
