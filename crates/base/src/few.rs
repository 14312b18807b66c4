//! Parts of a node of a tree: one, two, three, or those of a list.

/// What lies directly in a node, in order, without memory of its own: whoever goes through a tree asks every node.
///
/// ```
/// use openwork_base::Few;
/// let args = [3, 4, 5];
/// let all: [Few<&i32, std::slice::Iter<i32>>; 3] = [Few::empty(), Few::from_parts([&1, &2]), Few::list(&args)];
/// assert_eq!(all.map(|few| few.sum::<i32>()), [0, 3, 12]);
/// ```
#[derive(Clone, Debug)]
pub struct Few<P, L> {
    few: [Option<P>; 3],
    next: usize,
    list: Option<L>,
}

impl<P, L> Few<P, L> {
    /// Nothing.
    pub fn empty() -> Few<P, L> {
        Few { few: [None, None, None], next: 3, list: None }
    }
    /// At most three parts.
    pub fn from_parts<const N: usize>(parts: [P; N]) -> Few<P, L> {
        let mut parts = parts.into_iter();
        Few { few: [(); 3].map(|()| parts.next()), next: 0, list: None }
    }
    /// The parts in a list.
    pub fn list(list: impl IntoIterator<IntoIter = L>) -> Few<P, L> {
        Few { list: Some(list.into_iter()), ..Few::empty() }
    }
}

impl<P, L: Iterator<Item = P>> Iterator for Few<P, L> {
    type Item = P;
    fn next(&mut self) -> Option<P> {
        if let Some(part) = self.few.get_mut(self.next) {
            self.next += 1;
            if part.is_some() {
                return part.take();
            }
            self.next = self.few.len();
        }
        self.list.as_mut()?.next()
    }
}
