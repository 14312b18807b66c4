//! Implicit sums, as DESIGN §4 words them: a variable that appears only on the right is summed over the smallest
//! additive term that contains all its appearances; where several terms of one sum contain it, over each of them. The
//! sum is one of the term as it is written, before it meets the dtypes of others.

use super::typing::Node;
use openwork_algebra::Prim;

fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Apply { prim: Prim::Add | Prim::Sub, .. })
}

/// Makes the sums over `vars` explicit.
pub(super) fn sum_all(node: Node, vars: &[usize]) -> Node {
    vars.iter().fold(node, |mut node, &v| {
        sum_over(&mut node, v);
        node
    })
}

fn sum_over(node: &mut Node, v: usize) {
    if !node.uses(v) {
        return;
    }
    // The way down to the smallest subexpression that holds every appearance.
    let mut way = Vec::new();
    let mut deepest = &*node;
    loop {
        let with: Vec<usize> =
            deepest.children().iter().enumerate().filter(|(_, c)| c.uses(v)).map(|(n, _)| n).collect();
        let [only] = with[..] else { break };
        way.push((only, is_sum(deepest)));
        deepest = deepest.children()[only];
    }
    let each_term = is_sum(deepest);
    // The smallest term is just below the last sum on the way.
    let depth =
        if each_term { way.len() } else { way.iter().rposition(|(_, sum)| *sum).map_or(0, |n| n + 1) };
    let mut term = node;
    for &(child, _) in &way[..depth] {
        term = term.children_mut().swap_remove(child);
    }
    // What a term becomes where it meets others is none of its own.
    while matches!(term, Node::Cast { meets: true, .. }) {
        term = term.children_mut().swap_remove(0);
    }
    if each_term {
        term.children_mut().into_iter().for_each(|c| sum_over(c, v));
    } else {
        let body = Box::new(std::mem::replace(term, Node::Counter(v)));
        *term = Node::Fold { prim: Prim::Add, vars: vec![v], body };
    }
}
