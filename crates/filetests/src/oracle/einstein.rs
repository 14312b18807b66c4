//! Implicit sums, as DESIGN §4 words them, on the syntax tree: they belong to products.
//!
//! A variable that appears only on the right is summed. Sums, differences and signs are summed term by term. A product with one
//! factor that has the variable, or a quotient with it in the dividend, is summed inside of that factor where it has terms. Any
//! other expression is one term: an access, a product of several factors that have the variable, or a multiple or
//! conversion of these. What is none of them leaves open which sum is meant.

use super::Refusal;
use super::typing::OracleScope;
use openwork_algebra::{Library, Prim};
use openwork_index::notation::semiring::is_semiring;
use openwork_index::notation::{Name, Syntax, TensorRef};

/// What an expression is to a sum over a variable.
enum SumPart<'e> {
    /// It does not have the variable.
    Constant,
    /// A name or an access.
    Leaf,
    /// A sum of its operands.
    Terms,
    /// A multiple of one operand: the number of that.
    Multiple(usize),
    /// A product of several operands with the variable.
    Product,
    /// A conversion of a value.
    Conversion(&'e Syntax),
    /// Anything else.
    Function,
}

/// The sums over one variable.
struct Summation<'a> {
    scope: &'a OracleScope<'a>,
    variable: &'a str,
}

/// Makes the sums over `variables` explicit.
pub(super) fn sum_all(e: &Syntax, variables: &[String], scope: &OracleScope) -> Result<Syntax, Refusal> {
    let mut out = e.clone();
    for variable in variables {
        out = Summation { scope, variable }.add_sums(&out)?;
    }
    Ok(out)
}

/// Whether an expression reads the variable outside of reductions over it.
pub(super) fn uses(e: &Syntax, variable: &str, scope: &OracleScope) -> bool {
    Summation { scope, variable }.uses(e)
}

fn operands(e: &Syntax) -> &[Syntax] {
    match e {
        Syntax::Tensor(_) | Syntax::Number(_) => &[],
        Syntax::Op { args, .. } | Syntax::Apply { args, .. } => args,
    }
}

impl<'a> Summation<'a> {
    /// The variables that an expression reduces over.
    fn reduced_variables<'e>(&self, e: &'e Syntax) -> Vec<&'e str> {
        let Syntax::Apply { name, args, .. } = e else { return Vec::new() };
        let variable = |a: &'e Syntax| match a {
            Syntax::Tensor(t) if t.bare && self.scope.var(&t.name.text).is_some() => {
                Some(t.name.text.as_str())
            }
            _ => None,
        };
        if is_semiring(&name.text) && self.scope.find_definition(&name.text).is_none() {
            return args.iter().map_while(variable).collect();
        }
        let leading: Option<Vec<&str>> = args.iter().rev().skip(1).map(variable).collect();
        let reduces = self.scope.reduces(&name.text);
        leading.filter(|_| reduces).unwrap_or_default()
    }
    fn uses(&self, e: &Syntax) -> bool {
        if let Syntax::Tensor(t) = e {
            let bare = t.bare && t.name.text == self.variable;
            let plain = t.variables().any(|n| n.text == self.variable);
            return bare || plain || t.positions.iter().any(|p| self.uses(p));
        }
        !self.reduced_variables(e).contains(&self.variable) && operands(e).iter().any(|a| self.uses(a))
    }
    /// Whether something in an expression has terms with the variable.
    fn has_terms(&self, e: &Syntax) -> bool {
        self.uses(e)
            && (matches!(self.part(e), SumPart::Terms) || operands(e).iter().any(|a| self.has_terms(a)))
    }
    fn part<'e>(&self, e: &'e Syntax) -> SumPart<'e> {
        let with: Vec<usize> = (0..operands(e).len()).filter(|&n| self.uses(&operands(e)[n])).collect();
        let prim = match e {
            _ if !self.uses(e) => return SumPart::Constant,
            Syntax::Tensor(_) | Syntax::Number(_) => return SumPart::Leaf,
            Syntax::Op { op, .. } => Some(op.prim),
            Syntax::Apply { name, .. } if !self.reduced_variables(e).is_empty() => {
                return if name.text == "sum" { SumPart::Multiple(with[0]) } else { SumPart::Function };
            }
            Syntax::Apply { name, .. } if ["structure", "padded"].contains(&&*name.text) => {
                return SumPart::Leaf;
            }
            Syntax::Apply { name, .. } if self.scope.find_definition(&name.text).is_some() => None,
            Syntax::Apply { name, args, .. } if self.scope.converts(&name.text, args.len()) => {
                return SumPart::Conversion(&args[0]);
            }
            Syntax::Apply { name, .. } => Prim::by_name(&name.text),
        };
        match (prim, &with[..]) {
            (Some(Prim::Add | Prim::Sub | Prim::Neg), _) => SumPart::Terms,
            (Some(Prim::Mul), [only]) => SumPart::Multiple(*only),
            (Some(Prim::Div), [0]) => SumPart::Multiple(0),
            (Some(Prim::Mul | Prim::Div | Prim::And), [_, _, ..]) => SumPart::Product,
            (Some(Prim::Library(Library::Conj | Library::Real | Library::Imag)), _) => {
                SumPart::Conversion(&operands(e)[0])
            }
            _ => SumPart::Function,
        }
    }
    /// Whether an expression without terms is summed as a whole.
    fn is_term(&self, e: &Syntax) -> bool {
        match self.part(e) {
            SumPart::Leaf | SumPart::Product => true,
            SumPart::Multiple(n) => self.is_term(&operands(e)[n]),
            SumPart::Conversion(arg) => self.is_term(arg),
            SumPart::Constant | SumPart::Terms | SumPart::Function => false,
        }
    }
    fn rewrite_inside(&self, e: &Syntax) -> Result<Syntax, Refusal> {
        let mut out = e.clone();
        if let Syntax::Op { args, .. } | Syntax::Apply { args, .. } = &mut out {
            for arg in args {
                *arg = self.add_sums(arg)?;
            }
        }
        Ok(out)
    }
    fn add_sums(&self, e: &Syntax) -> Result<Syntax, Refusal> {
        match self.part(e) {
            SumPart::Constant => return Ok(e.clone()),
            SumPart::Terms => return self.rewrite_inside(e),
            SumPart::Multiple(n) if self.has_terms(&operands(e)[n]) => return self.rewrite_inside(e),
            _ if self.is_term(e) => {}
            _ => return Err(Refusal { code: "E0214", why: format!("variable {}", self.variable) }),
        }
        let name = |text: &str| Name { text: text.into(), span: e.span() };
        let variable = TensorRef {
            name: name(self.variable),
            indices: Vec::new(),
            windows: Vec::new(),
            position_modes: Vec::new(),
            positions: Vec::new(),
            sum_modes: Vec::new(),
            span: e.span(),
            bare: true,
        };
        let args = vec![Syntax::Tensor(variable), e.clone()];
        Ok(Syntax::Apply { name: name("sum"), args, span: e.span() })
    }
}
