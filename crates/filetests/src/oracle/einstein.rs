//! Implicit sums, as DESIGN §4 words them: a variable that appears only on the right is summed over the smallest
//! additive term that contains all its appearances; where several terms of one sum contain it, over each of them. The
//! sum is one of the term as it is written, before it meets the dtypes of others. A function of several arguments on the way
//! to all appearances in the term leaves open which sum is meant.

use super::Refusal;
use super::typing::Node;
use openwork_algebra::Prim;

fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Apply { prim: Prim::Add | Prim::Sub, .. })
}

/// Whether a sum of `node` is another one than a sum of its argument.
fn is_function(node: &Node) -> bool {
    match node {
        Node::Apply { prim, args } => {
            args.len() > 1 && !matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Div)
        }
        Node::Compare { .. } => true,
        Node::Defined { args, .. } => args.len() > 1,
        Node::Fold { prim, .. } => *prim != Prim::Add,
        Node::FoldBy { .. } => true,
        Node::Load { .. } | Node::Const(_) | Node::Counter(_) => false,
        Node::Cast { .. } | Node::Local(..) => false,
    }
}

/// Makes the sums over `vars` explicit.
pub(super) fn sum_all(mut node: Node, vars: &[usize]) -> Result<Node, Refusal> {
    vars.iter().try_for_each(|&v| sum_over(&mut node, v))?;
    Ok(node)
}

fn sum_over(node: &mut Node, v: usize) -> Result<(), Refusal> {
    if !node.uses(v) {
        return Ok(());
    }
    // The way down to the smallest subexpression that holds every appearance.
    let mut way = Vec::new();
    let mut deepest = &*node;
    loop {
        let with: Vec<usize> =
            deepest.children().iter().enumerate().filter(|(_, c)| c.uses(v)).map(|(n, _)| n).collect();
        let [only] = with[..] else { break };
        way.push((only, is_sum(deepest), is_function(deepest)));
        deepest = deepest.children()[only];
    }
    let each_term = is_sum(deepest);
    // The smallest term is just below the last sum on the way.
    let depth =
        if each_term { way.len() } else { way.iter().rposition(|(_, sum, _)| *sum).map_or(0, |n| n + 1) };
    if !each_term && way[depth..].iter().any(|(_, _, function)| *function) {
        return Err(Refusal { code: "E0214", why: format!("variable {v}") });
    }
    let mut term = node;
    for &(child, ..) in &way[..depth] {
        term = term.children_mut().swap_remove(child);
    }
    // What a term becomes where it meets others is none of its own.
    while matches!(term, Node::Cast { meets: true, .. }) {
        term = term.children_mut().swap_remove(0);
    }
    if each_term {
        term.children_mut().into_iter().try_for_each(|c| sum_over(c, v))
    } else {
        let body = Box::new(std::mem::replace(term, Node::Counter(v)));
        *term = Node::Fold { prim: Prim::Add, vars: vec![v], body };
        Ok(())
    }
}
