//! The construction of a program's iteration graph, loop by loop.

pub(crate) mod predicates;
mod walks;

use super::appends::Appending;
use super::fuse::Fusion;
use super::gaps::has_gaps;
use super::guard::Guarding;
use super::state::{Binder, GraphState, Positions, lists_coords, may_be_empty, passes_over, same_interval};
use super::tile::{Tiling, blocks, strip_variable};
use super::union::is_one_case;
use super::until::{find_until, reduces_in_order};
use super::{
    Arm, Bind, BoundVar, Confined, EntryGuard, Graph, GraphNode, Keep, Loop, LoopSet, NodeKind, Repeats,
    Tiled, VarOrigin, Walk, Where,
};
use crate::asked::note_graph;
use crate::assembly::ResultPlan;
use crate::derive::{derive, only_beside};
use crate::lattice::{Extent, Lattice, Point, RegionRole};
use crate::located::locate_levels;
use crate::mask::mask;
use crate::predicates::settle_predicates;
use crate::refusal::refuse;
use crate::rewrite::remove_missing;
use crate::space::{Leaf, Space};
use crate::statement::{accesses_of, counted_by_parts, walked_without};
use crate::temporaries::{is_drained, is_workspace, storage_of};
use crate::whole::{in_whole_runs, is_exact};
use openwork_base::cancel::look;
use openwork_base::{Code, Conflict, Diagnostic, Error, Result};
use openwork_format::remap::Term;
use openwork_index::cin::{AssemblyMode, LoopHint, Storage};
use openwork_index::{Access, CinStmt, IndexId, Program, TensorId, TensorKind};
use openwork_levels::Registry;
use predicates::ConfinedLattice;
use std::collections::{BTreeMap, BTreeSet};

/// What a loop takes its coordinates from.
struct LoopSource<'l> {
    over: LoopSet,
    /// Leaves of an intersection in which the coordinate is looked up.
    sought: &'l [Leaf],
    /// Leaves of an intersection whose runs cover every coordinate.
    followed: &'l [Leaf],
    /// The sets that the walk of a leaf is kept to.
    confined: &'l Confined,
}

/// The most regions of a graph: nobody wants the code of more.
pub(crate) const ARMS: usize = 5_000;

impl Graph {
    /// The graph of a program.
    ///
    /// # Errors
    /// `E0406` for a level that cannot be walked where its coordinates are needed, `E0407` for a coordinate that only storage
    /// knows and that would have to be counted through, `E0408` for more regions than anybody wants the code of, `E0814` for a
    /// loop that cannot gallop though a schedule asks for it.
    pub fn build(program: &Program, registry: &Registry) -> Result<Graph> {
        Graph::build_limited(program, registry, ARMS)
    }
    /// The graph of a program, if it has at most so many regions in all.
    ///
    /// # Errors
    /// As [`Graph::build`].
    pub fn build_limited(program: &Program, registry: &Registry, most: usize) -> Result<Graph> {
        note_graph(program);
        let plan = ResultPlan::find(program, registry);
        let in_order = plan.as_ref().filter(|_| program.assembly == AssemblyMode::InOrder);
        let result = in_order.map(|plan| &plan.access);
        let appending = Appending::new(program, result, in_order.is_some_and(ResultPlan::appends_values));
        // A temporary is kept in one way, so all regions read it beside a mask, or none does.
        let mut bare = BTreeSet::new();
        let (marked, root) = loop {
            let fusion = Fusion { program, registry, result };
            let (counters, marked, unmarked) = Default::default();
            let mut b = Builder {
                program,
                registry,
                fusion,
                appending: &appending,
                counters,
                budget: most,
                marked,
                unmarked,
                bare: &bare,
                unordered: None,
            };
            let root = match program.assembly {
                AssemblyMode::InOrder => {
                    let first = GraphState { keep: appending.kept_at_first(), ..GraphState::default() };
                    b.node(&program.body, &first)?
                }
                AssemblyMode::OutOfOrder(_) => b.after_queries(&program.body)?,
            };
            let both: Vec<TensorId> = b.marked.intersection(&b.unmarked).copied().collect();
            if both.is_empty() {
                b.refuse_stepping(&root)?;
                if let Some(refusal) = b.unordered {
                    return Err(refusal);
                }
                break (b.marked, root);
            }
            bare.extend(both);
        };
        let sparse = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
        let sparse = sparse.filter(|lhs| is_workspace(program, lhs.tensor));
        let mut storage: BTreeMap<_, _> = sparse.map(|lhs| (lhs.tensor, storage_of(program, lhs))).collect();
        storage.extend(marked.into_iter().map(|t| (t, Storage::Marked)));
        Ok(Graph { leaves_out_fill: appending.leaves_out_fill(), root, result: plan, storage })
    }
}

struct Builder<'a> {
    program: &'a Program,
    registry: &'a Registry,
    fusion: Fusion<'a>,
    appending: &'a Appending<'a>,
    /// The counters of the nest.
    counters: BTreeSet<IndexId>,
    /// How many regions there may still be.
    budget: usize,
    /// Temporaries that are read beside a mask, and those that are not, somewhere.
    marked: BTreeSet<TensorId>,
    unmarked: BTreeSet<TensorId>,
    /// Those that are to have no mask.
    bare: &'a BTreeSet<TensorId>,
    /// The refusal of the first loop that would visit an unordered level in order.
    unordered: Option<Error>,
}

impl Builder<'_> {
    /// The nest that assembles a result out of order, after those that answer its queries.
    fn after_queries(&mut self, s: &CinStmt) -> Result<GraphNode> {
        let CinStmt::Where { consumer, producer } = s else { return self.nest(s) };
        let (producer, reader) = (self.query(producer)?, self.after_queries(consumer)?);
        let how = NodeKind::Where(Box::new(Where { producer, reader, drained: None, marked: None }));
        Ok(GraphNode::new(s.clone(), how))
    }
    /// A query, whose own temporaries come first.
    fn query(&mut self, s: &CinStmt) -> Result<GraphNode> {
        let CinStmt::Where { consumer, producer } = s else { return self.nest(s) };
        let (producer, reader) = (self.query(producer)?, self.nest(consumer)?);
        let how = NodeKind::Where(Box::new(Where { producer, reader, drained: None, marked: None }));
        Ok(GraphNode::new(s.clone(), how))
    }
    /// One loop nest, with counters of its own.
    fn nest(&mut self, s: &CinStmt) -> Result<GraphNode> {
        self.counters = counters(self.program, s);
        let node = self.node(s, &GraphState::default());
        self.counters.clear();
        node
    }

    fn node(&mut self, s: &CinStmt, state: &GraphState) -> Result<GraphNode> {
        let how = match s {
            CinStmt::Nop => NodeKind::Plain,
            CinStmt::Assign { lhs, op, .. } => NodeKind::Assign(self.appending.action(lhs, *op, state.keep)),
            CinStmt::Forall { index, body } => return self.build_guarded(s, *index, body, state),
            CinStmt::Where { consumer, producer } => {
                let filled = producer.target().map(|lhs| lhs.tensor).filter(|&t| self.is_workspace(t));
                let drained = filled.filter(|&t| is_drained(self.program, t, consumer));
                let known = |l: &Leaf| lists_coords(self.program, l) && state.parent(l).is_some();
                let sparse = producer.target().filter(|lhs| !self.bare.contains(&lhs.tensor));
                let marked = sparse.and_then(|lhs| mask(self.program, lhs, consumer, &known));
                let seen = if marked.is_some() { &mut self.marked } else { &mut self.unmarked };
                seen.extend(filled);
                let filled = self.node(producer, state)?;
                let mut state = state.clone();
                state.draining = drained;
                let reader = self.node(consumer, &state)?;
                NodeKind::Where(Box::new(Where { producer: filled, reader, drained, marked }))
            }
            CinStmt::Seq(all) | CinStmt::Multi(all) => {
                NodeKind::Parts(all.iter().map(|s| self.node(s, state)).collect::<Result<_>>()?)
            }
        };
        Ok(GraphNode::new(s.clone(), how))
    }

    /// A loop, with what must hold for it to be entered.
    fn build_guarded(
        &mut self,
        s: &CinStmt,
        v: IndexId,
        body: &CinStmt,
        outer: &GraphState,
    ) -> Result<GraphNode> {
        let guarding = Guarding { program: self.program, registry: self.registry };
        // What is taken out of a temporary as it is read would stay there if the reader were left out.
        let guarded = outer.draining.is_none();
        let decided = if guarded { guarding.decided_before(body, outer) } else { Vec::new() };
        let mut state = outer.clone();
        // Loops inside need not ask again.
        state.tested.extend(decided.iter().cloned());
        let how = match self.build_tiled(s, v, body, &state)? {
            Some(tiled) => tiled,
            None => self.forall(v, body, &state)?,
        };
        let segments = match self.appending.result {
            Some(result) if guarded && !result.vars.contains(&v) => guarding.segments_before(v, body, outer),
            Some(_) | None => Vec::new(),
        };
        Ok(GraphNode { stmt: s.clone(), how, guard: EntryGuard { decided, segments } })
    }

    /// A loop in tiles, if it is one.
    fn build_tiled(
        &mut self,
        s: &CinStmt,
        v: IndexId,
        body: &CinStmt,
        outer: &GraphState,
    ) -> Result<Option<NodeKind>> {
        let strips = || strip_variable(self.program, v, body).filter(|_| !outer.strips);
        let (by, state) = if let (true, Some(rows)) = (outer.bound.is_empty(), strips()) {
            (Tiling::Strips(rows), GraphState { strips: true, ..outer.clone() })
        } else if let (false, Some(vars)) = (outer.blocks.contains(&v), blocks(self.program, s, outer)) {
            let blocks = outer.blocks.union(&vars).copied().collect();
            (Tiling::Blocks(vars), GraphState { blocks, ..outer.clone() })
        } else {
            return Ok(None);
        };
        let node = GraphNode::new(s.clone(), self.forall(v, body, &state)?);
        Ok(Some(NodeKind::Tiled(Box::new(Tiled { by, node }))))
    }

    fn forall(&mut self, v: IndexId, body: &CinStmt, outer: &GraphState) -> Result<NodeKind> {
        look();
        let body = &*self.forget_idle_predicates(v, body, outer);
        let space = derive(body, v, &self.program.tensors);
        let union = self.wide_union(&space).filter(|leaves| is_one_case(self.program, body, leaves));
        let lattice = match &union {
            Some(leaves) => Lattice::of_union(leaves.clone()),
            None => Lattice::from_space(&space).ok_or_else(|| self.too_much(space.leaves().len()))?,
        };
        let whole = lattice.points.first().is_some_and(|p| p.extent == Extent::Dimension);
        let full = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].full();
        let lattice = lattice.simplify(&full);
        let Some(top) = lattice.points.first() else { return Ok(NodeKind::Idle) };
        if let Some(from) = self.without_a_loop(v, top, outer)? {
            return self.build_bound(v, body, from, outer);
        }
        let mut state = outer.clone();
        self.locate(body, &mut state);
        let ConfinedLattice { lattice, confined, .. } = self.confine(lattice, &state);
        let (lattice, followed) = self.follow(lattice);
        let (mut lattice, sought) = self.locate_or_iterate(lattice, &state);
        self.refuse_unreached(lattice.points[0].leaves.iter().chain(&followed), &state)?;
        let over = self.find_domain(&lattice, union.is_some(), &confined, &state);
        if over == LoopSet::Same {
            // All levels compute the coordinate from the same variables, so that one region has all of them.
            lattice.points.truncate(1);
        }
        let merged = lattice.points[0].leaves.len();
        self.budget = self.budget.checked_sub(lattice.points.len()).ok_or_else(|| self.too_much(merged))?;
        self.note_unordered(v, over, &lattice, body, &state);
        // What is taken out of a workspace was told apart when it was filled.
        let everywhere = whole && over != LoopSet::Workspace;
        state.leave_out(self.appending.kept_of_loop(v, body, &lattice, everywhere));
        let source = LoopSource { over, sought: &sought, followed: &followed, confined: &confined };
        let mut arms = Vec::with_capacity(lattice.points.len());
        for q in &lattice.points {
            let walk = self.walk(v, q, over, &lattice, body, &state);
            let walk = if walk == Walk::Gallop && !confined.is_empty() { Walk::Merge } else { walk };
            arms.push(self.arm(v, body, q, walk, &source, &state)?);
        }
        let gaps = !self.cuts_runs(&confined) && has_gaps(self.program, v, over, &lattice, &arms);
        let over = if gaps { LoopSet::Gaps } else { over };
        let until = find_until(self.program, v, body, over, &arms);
        let room = self.appending.makes_room(v, body, &lattice, &arms);
        Ok(NodeKind::Loop(Box::new(Loop {
            var: v,
            over,
            lattice,
            arms,
            sought,
            followed,
            confined,
            whole,
            until,
            room,
        })))
    }

    /// A variable whose value is known already is set instead of looped over. What only storage knows cannot be counted
    /// through.
    fn without_a_loop(&self, v: IndexId, top: &Point, state: &GraphState) -> Result<Option<VarOrigin>> {
        if top.extent == Extent::Stored {
            return Ok(None);
        }
        if top.leaves.is_empty() && self.counters.contains(&v) {
            return Ok(Some(VarOrigin::Counter));
        }
        if top.leaves.is_empty() && state.determines(self.program, v).is_some() {
            return Ok(Some(VarOrigin::Formula));
        }
        let index = &self.program.indices[v];
        let counts = index.derived.as_ref().is_some_and(|d| d.counts());
        if counts || (index.derived.is_some() && !top.leaves.is_empty()) {
            let message = format!("the computed coordinate `{}` cannot be counted through", index.name);
            return Err(self.refuse(
                Diagnostic::from_conflict(Conflict::Unordered, message),
                "store the operand without computed coordinates",
            ));
        }
        Ok(None)
    }

    /// A level is walked from its parent.
    fn refuse_unreached<'l>(
        &self,
        mut walked: impl Iterator<Item = &'l Leaf>,
        state: &GraphState,
    ) -> Result<()> {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let iterated = |l: &Leaf| self.registry.get(level(l).spec).is_some_and(|f| f.iterate().is_some());
        let unreached = |l: &&Leaf| !iterated(l) || state.parent(l).is_none();
        let Some(leaf) = walked.find(unreached) else { return Ok(()) };
        let t = &self.program.tensors[leaf.access.tensor];
        let (level, k) = (level(leaf), leaf.level + 1);
        let message = format!("level {k} of `{}` ({level}) cannot be walked here", t.name);
        let help = "a located level below a level with duplicate coordinates is not supported yet";
        Err(self.refuse(Diagnostic::from_conflict(Conflict::Level, message), help))
    }

    /// Unordered levels cannot be merged, nor appended in order.
    fn note_unordered(
        &mut self,
        v: IndexId,
        over: LoopSet,
        lattice: &Lattice,
        body: &CinStmt,
        state: &GraphState,
    ) {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        // One child, runs and bits come in order.
        let unordered = |l: &&Leaf| {
            let one = level(l).branchless() && state.parent(l) == Some(Positions::One);
            !level(l).is_ordered() && !one && !level(l).shares_positions() && !level(l).is_in_words()
        };
        let Some(top) = lattice.points.first() else { return };
        let mut unordered = top.leaves.iter().filter(unordered).peekable();
        if self.unordered.is_some() || over == LoopSet::Workspace || unordered.peek().is_none() {
            return;
        }
        let alone = lattice.points.len() == 1 && top.leaves.len() == 1 && top.extent == Extent::Stored;
        let fused = self.walk(v, top, over, lattice, body, state) == Walk::Fused;
        let appended = self.fusion.result.is_some_and(|r| {
            let format = &self.program.tensors[r.tensor].format;
            let stored = (0..format.depth()).find(|&k| r.vars[format.modes[k]] == v);
            stored.is_some_and(|k| format.levels[k..].iter().any(|l| !l.full() || l.shares_positions()))
        });
        let ordered = |l: &Leaf| appended || reduces_in_order(body, v, level(l).unique());
        let refused = unordered.find(|l| !alone || ordered(l) || !(level(l).unique() || fused));
        self.unordered = refused.map(|leaf| {
            let (k, name) = (leaf.level + 1, &self.program.tensors[leaf.access.tensor].name);
            let message = format!("level {k} of `{name}` is unordered, but has to be visited in order here");
            let help = "sort the operand, or store the result dense";
            self.refuse(Diagnostic::from_conflict(Conflict::Unordered, message), help)
        });
    }

    /// The leaves, where one loop with one case is enough: a union of at least three lists of coordinates with nothing but
    /// lists below them (the position of another level would not exist where the operand is absent).
    fn wide_union(&self, space: &Space) -> Option<BTreeSet<Leaf>> {
        let leaves = space.as_union().filter(|leaves| leaves.len() >= 3)?;
        let listed_below = |l: &Leaf| {
            let t = &self.program.tensors[l.access.tensor];
            let declared = t.declared_format();
            let filled = |k: usize| {
                let below = Leaf { level: k, ..l.clone() };
                t.format.levels[k].is_listed()
                    && !declared.has_empties(k)
                    && !passes_over(self.program, &below)
            };
            (l.level..t.format.depth()).all(filled) && !t.format.levels[l.level].full()
        };
        leaves.iter().all(listed_below).then_some(leaves)
    }

    /// Splits off the leaves of a plain intersection whose runs cover every coordinate, where others are walked in order: they
    /// are moved on to the run of each coordinate, so that the time goes with what is walked and the number of runs.
    fn follow(&self, lattice: Lattice) -> (Lattice, Vec<Leaf>) {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let [point] = &lattice.points[..] else { return (lattice, Vec::new()) };
        if !point.leaves.iter().any(|l| level(l).shares_positions()) {
            return (lattice, Vec::new());
        }
        let (runs, walked): (BTreeSet<Leaf>, BTreeSet<Leaf>) =
            point.leaves.iter().cloned().partition(|l| level(l).shares_positions());
        // Slots that a test tells apart are looked up instead, at coordinates of runs.
        let leads = |l: &Leaf| level(l).is_ordered() && (level(l).lists_coords() || level(l).is_in_words());
        if point.extent != Extent::Stored || walked.is_empty() || !walked.iter().all(leads) {
            return (lattice, Vec::new());
        }
        let point = Point { leaves: walked, ..point.clone() };
        (Lattice { points: vec![point] }, runs.into_iter().collect())
    }

    /// Splits the leaves of a plain intersection: some are walked, and the coordinate is looked up in those that allow
    /// it in constant time (formats thesis, figure 4-3).
    fn locate_or_iterate(&self, lattice: Lattice, state: &GraphState) -> (Lattice, Vec<Leaf>) {
        let seekable = |l: &Leaf| state.seekable(self.program, self.registry, l);
        if let Some(top) = lattice.points.first().filter(|p| p.extent == Extent::Stored && p.leaves.len() > 1)
        {
            let mut leaves = top.leaves.iter().cloned();
            let first = leaves.next().expect("more than one");
            let rest: Vec<Leaf> = leaves.collect();
            if rest.iter().all(|l| seekable(l) && same_interval(self.program, &first, l)) {
                let point = Point { leaves: [first].into(), ..top.clone() };
                return (Lattice { points: vec![point] }, rest);
            }
        }
        let [point] = &lattice.points[..] else { return (lattice, Vec::new()) };
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let marked = |l: &Leaf| self.marked.contains(&l.access.tensor);
        let seekable = |l: &Leaf| marked(l) || seekable(l);
        let bitmaps = || point.leaves.iter().all(|l| level(l).is_in_words());
        if point.extent != Extent::Stored || point.leaves.len() < 2 || bitmaps() {
            return (lattice, Vec::new());
        }
        let (mut sought, mut walked): (Vec<Leaf>, Vec<Leaf>) =
            point.leaves.iter().cloned().partition(seekable);
        if walked.is_empty() {
            // The one with the fewest slots per child drives.
            sought.sort_by_key(|l| u8::from(level(l).is_masked()));
            walked.push(sought.remove(0));
        }
        let point = Point { leaves: walked.into_iter().collect(), ..point.clone() };
        (Lattice { points: vec![point] }, sought)
    }

    /// Loops that do not gallop although they are asked to.
    fn refuse_stepping(&self, root: &GraphNode) -> Result<()> {
        let all = self.program.directives.loops.iter();
        for (&v, _) in all.filter(|(_, hints)| hints.contains(&LoopHint::Gallop)) {
            if root.gallops(v) == Some(false) {
                let name = &self.program.indices[v].name;
                let message = format!("the loop over `{name}` does not intersect sorted lists");
                return Err(self.refuse(Diagnostic::new(Code("E0814"), message), "leave gallop out"));
            }
        }
        Ok(())
    }

    /// A variable that has a value without a loop.
    fn build_bound(
        &mut self,
        v: IndexId,
        body: &CinStmt,
        from: VarOrigin,
        outer: &GraphState,
    ) -> Result<NodeKind> {
        let known = outer.determines(self.program, v).filter(|_| from == VarOrigin::Formula);
        let known = known.unwrap_or([v].into());
        // Loops over parts that nothing stores end with the dimension.
        let strays = !known.contains(&v) && !counted_by_parts(self.program, v);
        let mut state = outer.clone();
        state.bound.insert(v);
        let checks = state.checks(self.program, v, &Binder::Formula(known));
        self.locate(body, &mut state);
        state.hold_truths(self.program, body);
        if from == VarOrigin::Formula {
            state.leave_out(self.appending.kept_of_counted(v, body));
        }
        let bound = BoundVar { checks, once: false };
        Ok(NodeKind::Bind(Box::new(Bind { from, bound, strays, body: self.node(body, &state)? })))
    }

    /// What is left to do in a region.
    fn arm(
        &mut self,
        v: IndexId,
        body: &CinStmt,
        q: &Point,
        walk: Walk,
        source: &LoopSource<'_>,
        state: &GraphState,
    ) -> Result<Arm> {
        let LoopSource { over, sought, followed, confined } = *source;
        let mut state = state.clone();
        let rest = match over {
            // An operand that is absent is an empty run of positions, or its fill value.
            LoopSet::Union => {
                for leaf in &q.leaves {
                    if leaf.level + 1 < self.program.tensors[leaf.access.tensor].format.rank() {
                        state.place(leaf, Positions::Run);
                    }
                }
                state.leave_out(self.appending.kept_of_union(body, &q.leaves));
                // What is beside a function's algebra, because of what was absent outside, is not merged.
                self.remaining_statement(v, body, q, &[])
            }
            // Its value is taken out with the coordinate.
            LoopSet::Workspace => {
                state.draining = None;
                self.remaining_statement(v, body, q, &[])
            }
            LoopSet::Dimension | LoopSet::Gaps | LoopSet::Stored | LoopSet::Words | LoopSet::Same => {
                for leaf in &q.leaves {
                    let repeating = state.repeats(self.program, leaf) == Repeats::Repeating;
                    let run = repeating && walk != Walk::Fused;
                    state.place(leaf, if run { Positions::Run } else { Positions::One });
                }
                let within = q.leaves.iter().filter_map(|leaf| confined.get(leaf)).flatten();
                let found: Vec<Leaf> = sought.iter().chain(followed).chain(within).cloned().collect();
                found.iter().for_each(|leaf| state.place(leaf, Positions::One));
                let missing = |a: &Access| self.is_missing(v, q, &found, a);
                if q.role == RegionRole::Omitter || self.appending.is_marked(body, &missing) {
                    state.leave_out(Keep::NotFill);
                }
                self.remaining_statement(v, body, q, &found)
            }
        };
        let kept = q.leaves.iter().filter_map(|leaf| confined.get(leaf)).flatten().next().is_some();
        let empties = kept || q.leaves.iter().any(|l| may_be_empty(self.program, l));
        let alone = sought.is_empty() && followed.is_empty() && !kept;
        let whole = walk == Walk::Runs && alone && in_whole_runs(self.program, v, &rest, &q.leaves);
        let walk = if whole { Walk::Whole } else { walk };
        // Where runs are taken as a whole, computing what decides takes less than to ask for it.
        let asked = walk == Walk::Runs || whole && !is_exact(self.program, &rest);
        let passed = |l: &&Leaf| asked && only_beside(&self.program.tensors, v, body, l);
        let skips = q.leaves.iter().filter(passed).cloned().collect();
        if rest == CinStmt::Nop {
            let node = GraphNode::new(rest, NodeKind::Plain);
            return Ok(Arm { walk, empties, skips, bound: BoundVar::default(), node });
        }
        let by = if q.leaves.is_empty() { Binder::Counted } else { Binder::Walked(&q.leaves) };
        let distinct = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].unique();
        state.bound.insert(v);
        let checks = state.checks(self.program, v, &by);
        self.locate(&rest, &mut state);
        state.hold_truths(self.program, &rest);
        let bound = BoundVar { checks, once: q.leaves.iter().all(distinct) };
        Ok(Arm { walk, empties, skips, bound, node: self.node(&rest, &state)? })
    }

    /// What a statement comes to where only the leaves of a region, and those in which its coordinate is found, store
    /// something.
    fn remaining_statement(&self, v: IndexId, body: &CinStmt, q: &Point, found: &[Leaf]) -> CinStmt {
        let rest = remove_missing(body, &|a| self.is_missing(v, q, found, a), &self.program.tensors);
        let has = |set: &Access| q.leaves.iter().chain(found).any(|leaf| leaf.access == *set);
        settle_predicates(rest, &has)
    }
    /// Whether an access stores nothing at the coordinates of a region.
    fn is_missing(&self, v: IndexId, q: &Point, found: &[Leaf], a: &Access) -> bool {
        let here = |leaf: &Leaf| q.leaves.contains(leaf) || found.contains(leaf);
        let stored = match self.program.tensors[a.tensor].kind {
            TensorKind::Operand | TensorKind::Predicate => true,
            TensorKind::Temp | TensorKind::Result => self.is_workspace(a.tensor),
        };
        stored && walked_without(self.program, self.registry, v, a, &here)
    }

    /// Resolves the levels of what a statement reads and assigns that can be located.
    fn locate(&self, s: &CinStmt, state: &mut GraphState) {
        for a in accesses_of(s) {
            locate_levels(self.program, self.registry, &a, state);
        }
    }

    fn is_workspace(&self, t: TensorId) -> bool {
        is_workspace(self.program, t)
    }

    /// Regions double with every operand that is merged, and nest with every variable: beyond a limit the statement is
    /// refused instead of compiled for minutes.
    fn too_much(&self, merged: usize) -> Error {
        let message = format!("merging these operands ({merged} at once) would take too much code");
        self.refuse(
            Diagnostic::from_conflict(Conflict::Size, message),
            "split the statement, or store some operands dense",
        )
    }
    fn refuse(&self, d: Diagnostic, help: &str) -> Error {
        refuse(self.program, d, help)
    }
}

/// The variables of a nest that count elements as they come: nothing that is read stores them.
pub(crate) fn counters(program: &Program, s: &CinStmt) -> BTreeSet<IndexId> {
    let mut counters = BTreeSet::new();
    let reads: Vec<&Access> = s.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses()).collect();
    s.visit(&mut |s| {
        let CinStmt::Forall { index, .. } = s else { return };
        let derived = program.indices[*index].derived.as_ref().filter(|d| d.counts());
        let counts =
            derived.is_some_and(|d| matches!(d.remap.coords[d.coord].inline_locals(), Term::Counter(_)));
        if counts && !reads.iter().any(|a| a.vars.contains(index)) {
            counters.insert(*index);
        }
    });
    counters
}
