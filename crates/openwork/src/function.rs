//! Functions of statements, built of [expressions](crate::expr::Expression): what a closure does with its parameters is written down.

use crate::expr::{Expression, tensor};
use openwork_algebra::DType;

/// A function that statements call (array-programming paper, §4.3): its text stands before the statement, and is compiled with
/// it. What is said of it decides where it is visited, and is tested on samples when a statement calls it.
///
/// ```
/// use openwork::{Tensor, TensorExt, einsum, function::Function};
/// let far = Function::from_body(["x", "y"], |[x, y]| (x - y).abs()).commutative();
/// let statement = far.define("far") + "c(i) = far(a(i), b(i))";
/// assert_eq!(statement, "def far(x, y): commutative = abs(x - y); c(i) = far(a(i), b(i))");
/// let (a, b) = (Tensor::from_vec(&[2], vec![1.0, 5.0])?, Tensor::from_vec(&[2], vec![4.0, 3.0])?);
/// let c = einsum(&statement, &[("a", &a), ("b", &b)])?;
/// assert_eq!(c.vals().as_slice::<f64>(), Some(&[3.0, 2.0][..]));
/// # Ok::<(), openwork::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    params: Vec<String>,
    promises: Vec<String>,
    result: Option<DType>,
    body: String,
}

impl Function {
    /// The function of these parameters that an expression of them is.
    pub fn from_body<const N: usize>(
        params: [&str; N],
        body: impl FnOnce([Expression; N]) -> Expression,
    ) -> Function {
        Function::in_steps(params, |_, params| body(params))
    }
    /// The function that takes some steps first.
    ///
    /// ```
    /// use openwork::{Tensor, TensorExt, einsum, function::Function};
    /// let halved = Function::in_steps(["x"], |steps, [x]| {
    ///     let [t] = steps.repeat([x], |[t]| t.gt(1.0), |[t]| [t / 2.0]);
    ///     t
    /// });
    /// assert_eq!(halved.define("f"), "def f(x) { let t1 = x; while t1 > 1.0 { t1 = t1 / 2.0; } t1 }; ");
    /// let x = Tensor::from_vec(&[2], vec![12.0, 0.5])?;
    /// let y = einsum(&(halved.define("f") + "y(i) = f(x(i))"), &[("x", &x)])?;
    /// assert_eq!(y.vals().as_slice::<f64>(), Some(&[0.75, 0.5][..]));
    /// # Ok::<(), openwork::Error>(())
    /// ```
    pub fn in_steps<const N: usize>(
        params: [&str; N],
        body: impl FnOnce(&mut Steps, [Expression; N]) -> Expression,
    ) -> Function {
        let names: Vec<String> = params.iter().map(ToString::to_string).collect();
        let mut steps = Steps { text: String::new(), names: 0, taken: names.clone() };
        let value = body(&mut steps, params.map(|p| tensor(p).scalar()));
        let body = match steps.text.is_empty() {
            true => format!("= {value}"),
            false => format!("{{ {}{value} }}", steps.text),
        };
        Function { params: names, promises: Vec::new(), result: None, body }
    }
    fn with_promise(mut self, promise: String) -> Function {
        self.promises.push(promise);
        self
    }
    /// `f(x, y) = f(y, x)`.
    #[must_use]
    pub fn commutative(self) -> Function {
        self.with_promise("commutative".into())
    }
    /// `f(f(x, y), z) = f(x, f(y, z))`: with an identity it reduces, in ascending order unless it is [`commutative`](Function::commutative).
    #[must_use]
    pub fn associative(self) -> Function {
        self.with_promise("associative".into())
    }
    /// `f(x, x) = x`.
    #[must_use]
    pub fn idempotent(self) -> Function {
        self.with_promise("idempotent".into())
    }
    /// `f(v, y) = y` on either side.
    #[must_use]
    pub fn identity(self, v: impl Into<Expression>) -> Function {
        let v = v.into();
        self.with_promise(format!("identity({v})"))
    }
    /// `f(v, y) = v`, for the parameter that is named, or any.
    #[must_use]
    pub fn annihilator(self, v: impl Into<Expression>, param: Option<&str>) -> Function {
        let v = v.into();
        let param = param.map_or_else(String::new, |p| format!(", {p}"));
        self.with_promise(format!("annihilator({v}{param})"))
    }
    /// `f(x, g(y, z)) = g(f(x, y), f(x, z))` for a reduction `g`, such as `add`.
    #[must_use]
    pub fn distributes_over(self, reduction: &str) -> Function {
        self.with_promise(format!("distributes over {reduction}"))
    }
    /// The iteration algebra outside of which it has one value, such as `{x != 0} & !{y != 0}`.
    #[must_use]
    pub fn with_algebra(self, algebra: &str) -> Function {
        self.with_promise(algebra.into())
    }
    /// The dtype of its value, where that is not what the body has.
    #[must_use]
    pub fn result(self, dtype: DType) -> Function {
        Function { result: Some(dtype), ..self }
    }
    /// Its definition under a name, to stand before a statement or another definition.
    pub fn define(&self, name: &str) -> String {
        let promises = match self.promises.is_empty() {
            true => String::new(),
            false => format!(": {}", self.promises.join(", ")),
        };
        let result = self.result.map_or_else(String::new, |dtype| format!(" -> {dtype}"));
        format!("def {name}({}){promises}{result} {}; ", self.params.join(", "), self.body)
    }
}

/// The steps of a function, which it takes before it has its value.
#[derive(Debug)]
pub struct Steps {
    text: String,
    names: usize,
    taken: Vec<String>,
}

impl Steps {
    /// A value under a name, so that it is computed once however often it is used.
    pub fn name_value(&mut self, value: impl Into<Expression>) -> Expression {
        let value = value.into();
        let name = loop {
            self.names += 1;
            let name = format!("t{}", self.names);
            if !self.taken.contains(&name) {
                break name;
            }
        };
        self.text += &format!("let {name} = {value}; ");
        tensor(&name).scalar()
    }
    /// Values that change together as long as a condition on them holds, and what they are then.
    pub fn repeat<const N: usize>(
        &mut self,
        start: [Expression; N],
        condition: impl FnOnce([Expression; N]) -> Expression,
        step: impl FnOnce([Expression; N]) -> [Expression; N],
    ) -> [Expression; N] {
        let state = start.map(|value| self.name_value(value));
        let condition = condition(state.clone());
        let before = std::mem::take(&mut self.text);
        // All of them change at once.
        let next = step(state.clone());
        let next = if N == 1 { next } else { next.map(|value| self.name_value(value)) };
        let set: String = state.iter().zip(&next).map(|(t, next)| format!("{t} = {next}; ")).collect();
        let inside = std::mem::replace(&mut self.text, before);
        self.text += &format!("while {condition} {{ {inside}{set}}} ");
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tensor, TensorExt, einsum};

    fn apply_function(f: &Function, x: &[f64], y: &[f64]) -> Vec<f64> {
        let [x, y] = [x, y].map(|v| Tensor::from_vec(&[v.len()], v.to_vec()).unwrap());
        let args = if f.params.len() == 1 { "x(i)" } else { "x(i), y(i)" };
        let statement = format!("{}z(i) = f({args})", f.define("f"));
        let given = [("x", &x), ("y", &y)];
        let z = einsum(&statement, &given[..f.params.len()]).unwrap_or_else(|e| panic!("{e}"));
        z.vals().as_slice::<f64>().unwrap().to_vec()
    }

    #[test]
    fn functions_compute_what_their_closures_say() {
        let (x, y) = ([3.0, -2.0, 0.5], [1.0, 4.0, -0.5]);
        let each = |f: fn(f64, f64) -> f64| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| f(*x, y)).collect() };
        let f = Function::from_body(["x", "y"], |[x, y]| 2.0 * &x - y.max(x.pow(2)) / -4.0);
        assert_eq!(apply_function(&f, &x, &y), each(|x, y| 2.0 * x - y.max(x * x) / -4.0));
        let f = Function::from_body(["x", "y"], |[x, y]| (x.gt(&y) & y.ne(1.0)).choose(&x, -y));
        assert_eq!(apply_function(&f, &x, &y), each(|x, y| if x > y && y != 1.0 { x } else { -y }));
        let f = Function::in_steps(["x", "t1"], |steps, [x, y]| {
            let both = steps.name_value(x * y);
            let [a, b] = steps.repeat(
                [both, Expression::from(0)],
                |[a, _]| a.lt(10.0),
                |[a, b]| [&a + &b + 5.0, b + 1],
            );
            a * b
        });
        let looped = |x: f64, y: f64| {
            let (mut a, mut b) = (x * y, 0.0);
            while a < 10.0 {
                (a, b) = (a + b + 5.0, b + 1.0);
            }
            a * b
        };
        assert_eq!(apply_function(&f, &x, &y), each(looped));
    }

    #[test]
    fn what_is_said_of_a_function_is_tested() {
        let f = Function::from_body(["x", "y"], |[x, y]| x - y).commutative();
        let error = einsum(&(f.define("f") + "z = f(1.0, 2.0)"), &[]).unwrap_err();
        assert!(error.to_string().contains("E0216"), "{error}");
        let larger = Function::from_body(["x", "y"], |[x, y]| x.max(y))
            .commutative()
            .associative()
            .idempotent()
            .identity(f64::NEG_INFINITY)
            .result(DType::F64);
        let a = Tensor::from_vec(&[2, 2], vec![1.0, 5.0, 3.0, 2.0]).unwrap();
        let y = einsum(&(larger.define("larger") + "y(i) = larger(j, A(i,j))"), &[("A", &a)]).unwrap();
        assert_eq!(y.vals().as_slice::<f64>(), Some(&[5.0, 3.0][..]));
        let kept = Function::from_body(["x", "y"], |[x, y]| y.eq(0.0).choose(x, 0.0))
            .with_algebra("{x != 0} & !{y != 0}");
        assert_eq!(apply_function(&kept, &[1.0, 2.0], &[0.0, 3.0]), [1.0, 0.0]);
        let scaled = Function::from_body(["x", "y"], |[x, y]| x * y)
            .annihilator(0.0, Some("x"))
            .distributes_over("add");
        assert_eq!(apply_function(&scaled, &[1.0, 2.0], &[0.5, 3.0]), [0.5, 6.0]);
    }
}
