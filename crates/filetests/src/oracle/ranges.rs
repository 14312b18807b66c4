//! Ranges of index variables in sums, by trying coordinates one by one.

use super::{OracleInputs, Refusal};
use openwork_algebra::Prim;
use openwork_index::notation::{StatementSyntax, Syntax, TensorRef};
use std::collections::BTreeMap;

/// A mode that a sum of variables reaches.
struct Reached<'s> {
    index: &'s Syntax,
    vars: Vec<&'s str>,
    size: i64,
    padded: bool,
    written: bool,
}

/// More values than this are not tried.
const MOST: i64 = 5000;

/// The modes that a statement reaches, and what is known of its variables.
struct Reaches<'s> {
    sums: Vec<Reached<'s>>,
    /// Variables that stand alone beside sums which reach the same tensor, with the sizes of the modes.
    plain: Vec<(String, i64)>,
    /// Modes that are padded, with the variables of their index.
    pads: Vec<(Vec<&'s str>, usize)>,
    /// How many values variables take.
    known: BTreeMap<String, usize>,
}

/// How many values each variable takes in a statement with sums; nothing where it has none.
pub(super) fn find_ranges(
    s: &StatementSyntax,
    inputs: &OracleInputs,
) -> Result<Option<BTreeMap<String, usize>>, Refusal> {
    if !s.has_sums() {
        return Ok(None);
    }
    let (sums, plain, pads) = (Vec::new(), Vec::new(), Vec::new());
    let mut all = Reaches { sums, plain, pads, known: inputs.dims.clone() };
    let shape = |t: &TensorRef| inputs.arrays.get(&t.name.text).map(|a| a.shape.clone());
    let declared = inputs.shape.clone().filter(|_| s.op.is_none());
    if let Some(shape) = shape(&s.lhs).or(declared) {
        all.add_target(&s.lhs, &shape);
    }
    for e in std::iter::once(&s.rhs).chain(&s.mask).chain(&s.lhs.positions) {
        each_access(e, false, &mut |t, padded| {
            let modes = shape(t).unwrap_or_default();
            for (mode, &size) in modes.iter().enumerate().take(t.indices.len()) {
                all.add_mode(s, t, mode, size, padded);
            }
        });
    }
    let names = s.index_names();
    while let Some((name, count)) = all.find_next(&names)? {
        all.known.insert(name, count);
    }
    all.refuse_outside()?;
    // A variable that is in no sum has the size of what it reads: alone on the left it may be a place.
    let (sums, pads, plain) = (&all.sums, &all.pads, &all.plain);
    all.known.retain(|name, _| {
        sums.iter().any(|r| r.vars.contains(&name.as_str()))
            || pads.iter().any(|(vars, _)| vars.contains(&name.as_str()))
            || plain.iter().any(|(v, _)| v == name)
    });
    Ok(Some(all.known))
}

impl<'s> Reaches<'s> {
    /// What is updated.
    fn add_target(&mut self, lhs: &'s TensorRef, shape: &[usize]) {
        for (mode, &size) in shape.iter().enumerate().take(lhs.indices.len()) {
            match lhs.position(mode) {
                Some(index) if lhs.sum_modes.contains(&mode) => {
                    let (vars, size) = (variables(index), size as i64);
                    self.sums.push(Reached { index, vars, size, padded: false, written: true });
                }
                Some(_) => {}
                None => {
                    let count = super::slice::slice_coordinates(&lhs.windows[mode], size as i64);
                    let count = count.map_or(0, |c| c.len());
                    self.known.entry(lhs.indices[mode].text.clone()).or_insert(count);
                }
            }
        }
    }
    /// A mode that is read.
    fn add_mode(&mut self, s: &StatementSyntax, t: &'s TensorRef, mode: usize, size: usize, padded: bool) {
        let name = &t.indices[mode].text;
        match t.position(mode) {
            Some(index) if t.sum_modes.contains(&mode) => {
                let (vars, size) = (variables(index), size as i64);
                if padded {
                    self.pads.push((vars.clone(), size as usize));
                }
                self.sums.push(Reached { index, vars, size, padded, written: false });
            }
            Some(_) => {}
            None if !t.windows[mode].is_whole() => {
                let count = super::slice::slice_coordinates(&t.windows[mode], size as i64);
                self.known.entry(name.clone()).or_insert(count.map_or(0, |c| c.len()));
            }
            None if padded => self.pads.push((vec![name.as_str()], size)),
            None if s.is_shifted(&t.name.text, name) => self.plain.push((name.clone(), size as i64)),
            None => _ = self.known.entry(name.clone()).or_insert(size),
        }
    }
    /// The next variable that gets a range.
    fn find_next(&self, names: &[&str]) -> Result<Option<(String, usize)>, Refusal> {
        let open: Vec<&str> = names.iter().copied().filter(|name| !self.known.contains_key(*name)).collect();
        for name in &open {
            if let Some(count) = count_values(name, &self.sums, &self.plain, &self.known)? {
                return Ok(Some((name.to_string(), count)));
            }
        }
        Ok(open.iter().find_map(|name| Some((name.to_string(), self.find_padded(name)?))))
    }
    fn find_padded(&self, name: &str) -> Option<usize> {
        let free = self.sums.iter().all(|r| r.padded || !r.vars.contains(&name))
            && self.plain.iter().all(|(v, _)| v != name);
        let ready = |vars: &[&str]| {
            vars.contains(&name) && vars.iter().all(|v| *v == name || self.known.contains_key(*v))
        };
        self.pads.iter().find(|(vars, _)| free && ready(vars)).map(|(_, size)| *size)
    }
    fn refuse_outside(&self) -> Result<(), Refusal> {
        for r in &self.sums {
            if r.vars.iter().any(|v| !self.known.contains_key(*v)) {
                return Err(Refusal { code: "E0206", why: format!("{}", r.index) });
            }
            let mut outside = false;
            for_all(&r.vars, &self.known, &mut BTreeMap::new(), &mut |at| {
                let place = value(r.index, at);
                outside |= !r.padded && !(0..r.size).contains(&place);
            });
            if outside {
                let code = if r.written { "E0203" } else { "E0217" };
                return Err(Refusal { code, why: format!("{} of {}", r.index, r.size) });
            }
        }
        let leaves = |(v, size): &&(String, i64)| self.known.get(v).is_some_and(|&n| n as i64 > *size);
        match self.plain.iter().find(leaves) {
            Some((v, size)) => Err(Refusal { code: "E0217", why: format!("{v} of {size}") }),
            None => Ok(()),
        }
    }
}

/// The largest range of a variable in which every sum with it stays inside.
fn count_values(
    name: &str,
    reached: &[Reached],
    plain: &[(String, i64)],
    known: &BTreeMap<String, usize>,
) -> Result<Option<usize>, Refusal> {
    let mut least: Option<i64> = plain.iter().filter(|(v, _)| v == name).map(|(_, size)| *size).min();
    for r in reached.iter().filter(|r| !r.padded && r.vars.contains(&name)) {
        let others: Vec<&str> = r.vars.iter().copied().filter(|v| *v != name).collect();
        if others.iter().any(|v| !known.contains_key(*v)) {
            return Ok(None);
        }
        // Of a variable without values, it is as if it had one.
        let counts = known.iter().map(|(v, n)| (v.clone(), (*n).max(1))).collect();
        let fits = |v: i64| {
            let mut inside = true;
            let mut at = BTreeMap::from([(name, v)]);
            for_all(&others, &counts, &mut at, &mut |at| inside &= (0..r.size).contains(&value(r.index, at)));
            inside
        };
        let values = (0..MOST).find(|v| !fits(*v)).unwrap_or(MOST);
        if values == 0 && (1..200).any(fits) {
            return Err(Refusal { code: "E0217", why: format!("{} at 0", r.index) });
        }
        least = Some(least.map_or(values, |n| n.min(values)));
    }
    Ok(least.map(|n| n as usize))
}

fn for_all<'v>(
    vars: &[&'v str],
    counts: &BTreeMap<String, usize>,
    at: &mut BTreeMap<&'v str, i64>,
    each: &mut dyn FnMut(&BTreeMap<&'v str, i64>),
) {
    let Some((first, rest)) = vars.split_first() else { return each(at) };
    for n in 0..counts[*first] as i64 {
        at.insert(first, n);
        for_all(rest, counts, at, each);
    }
    at.remove(first);
}

/// The value of a sum.
fn value(e: &Syntax, at: &BTreeMap<&str, i64>) -> i64 {
    match e {
        Syntax::Number(n) => n.text.parse().expect("a sum has integers"),
        Syntax::Tensor(t) => at[t.name.text.as_str()],
        Syntax::Op { op, args, .. } => {
            let args: Vec<i64> = args.iter().map(|a| value(a, at)).collect();
            match (op.prim, &args[..]) {
                (Prim::Neg, [a]) => -a,
                (Prim::Add, [a, b]) => a + b,
                (Prim::Sub, [a, b]) => a - b,
                (Prim::Mul, [a, b]) => a * b,
                _ => unreachable!("a sum has no other operators"),
            }
        }
        Syntax::Apply { .. } => unreachable!("a sum calls nothing"),
    }
}

/// The names in a sum.
fn variables(e: &Syntax) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    e.each_tensor(&mut |t| {
        if !names.contains(&t.name.text.as_str()) {
            names.push(&t.name.text);
        }
    });
    names
}

/// Calls `f` on every access, and says whether it is padded.
fn each_access<'s>(e: &'s Syntax, padded: bool, f: &mut dyn FnMut(&'s TensorRef, bool)) {
    match e {
        Syntax::Number(_) => {}
        Syntax::Tensor(t) => {
            f(t, padded);
            t.positions.iter().for_each(|p| each_access(p, false, f));
        }
        Syntax::Op { args, .. } => args.iter().for_each(|a| each_access(a, false, f)),
        Syntax::Apply { name, args, .. } => {
            let pads = |n: usize| n == 0 && name.text == "padded";
            args.iter().enumerate().for_each(|(n, a)| each_access(a, pads(n), f));
        }
    }
}
