//! Matrices and a tensor as applications have them: small, rectangular, uneven. They are generated, always the same.

use crate::inputs::BenchRandom;
use openwork::{Buffer, Coo, Result};

/// Entries by their coordinates, each once, in order.
fn entries<const ORDER: usize>(shape: [usize; ORDER], mut at: Vec<[usize; ORDER]>, seed: u64) -> Result<Coo> {
    at.sort_unstable();
    at.dedup();
    let mut r = BenchRandom(seed ^ 0x5bd1);
    let coords = (0..ORDER).map(|mode| at.iter().map(|c| c[mode] as i32).collect::<Vec<i32>>());
    let vals: Vec<f64> = at.iter().map(|_| r.unit() + 0.5).collect();
    Coo::new(shape.to_vec(), coords.map(Buffer::from).collect(), Buffer::from(vals))
}

/// Observations of a few unknowns each, most of which lie near each other: a tall matrix.
pub fn least_squares([rows, columns]: [usize; 2], seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let mut at = Vec::new();
    for i in 0..rows {
        let near = i * columns / rows;
        for _ in 0..2 + r.number_below(5) {
            at.push([i, (near + r.number_below(columns / 40 + 2)) % columns]);
        }
        // What many observations share, as an offset of an instrument.
        if r.number_below(4) == 0 {
            at.push([i, r.number_below(columns / 50 + 1)]);
        }
    }
    entries([rows, columns], at, seed)
}

/// Nodes joined with others nearby, and some with one of a few supply lines, whose rows and columns are long.
pub fn circuit(n: usize, seed: u64) -> Result<Coo> {
    const LINES: usize = 4;
    let mut r = BenchRandom(seed);
    let mut at = Vec::new();
    for i in 0..n {
        at.push([i, i]);
        let mut join = |other: usize| at.extend([[i, other], [other, i]]);
        for _ in 0..1 + r.number_below(3) {
            let far = if r.number_below(8) == 0 { n } else { 30 };
            join((i + 1 + r.number_below(far)) % n);
        }
        if r.number_below(12) == 0 {
            join(r.number_below(LINES) * n / LINES);
        }
    }
    entries([n, n], at, seed)
}

/// A staircase of periods with activities that reach into the next one, slack of a single entry, and a row of each
/// period's costs: a wide matrix.
pub fn linear_program([rows, columns]: [usize; 2], seed: u64) -> Result<Coo> {
    const PERIODS: usize = 12;
    let mut r = BenchRandom(seed);
    let mut at = Vec::new();
    let height = (rows / PERIODS).max(1);
    for j in 0..columns {
        let first = j * PERIODS / columns * height;
        if j % 4 == 0 {
            at.push([j / 4 % rows, j]);
            continue;
        }
        at.push([first % rows, j]);
        for _ in 0..1 + r.number_below(5) {
            at.push([(first + r.number_below(2 * height)) % rows, j]);
        }
    }
    entries([rows, columns], at, seed)
}

/// Crossings of a grid of which a third of the streets is missing, numbered district by district: two or three entries a row.
pub fn roads(side: usize, seed: u64) -> Result<Coo> {
    const DISTRICT: usize = 16;
    let mut r = BenchRandom(seed);
    let across = side.div_ceil(DISTRICT);
    let number = |x: usize, y: usize| {
        let district = y / DISTRICT * across + x / DISTRICT;
        (district * DISTRICT + y % DISTRICT) * DISTRICT + x % DISTRICT
    };
    let n = across * across * DISTRICT * DISTRICT;
    let mut at = Vec::new();
    for (x, y) in (0..side * side).map(|p| (p % side, p / side)) {
        for (u, v) in [(x + 1, y), (x, y + 1)] {
            if u < side && v < side && r.number_below(3) > 0 {
                let [a, b] = [number(x, y), number(u, v)];
                at.extend([[a, b], [b, a]]);
            }
        }
    }
    entries([n, n], at, seed)
}

/// Subjects, relations and objects: some subjects and objects are in many facts, and most pairs of a subject and a relation have one
/// object or two.
pub fn knowledge_graph([subjects, relations, objects]: [usize; 3], facts: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let mut skewed = |n: usize| ((n as f64 * r.unit().powf(2.0)) as usize).min(n - 1) * 7919 % n;
    let mut at = Vec::with_capacity(facts);
    while at.len() < facts {
        let (subject, relation) = (skewed(subjects), skewed(relations));
        at.push([subject, relation, skewed(objects)]);
        if relation % 3 == 0 {
            at.push([subject, relation, skewed(objects)]);
        }
    }
    entries([subjects, relations, objects], at, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(coo: &Coo, mode: usize) -> Vec<usize> {
        (0..coo.len()).map(|e| coo.coords(mode).get(e).as_i64() as usize).collect()
    }
    fn counts(coo: &Coo, mode: usize) -> Vec<usize> {
        let mut out = vec![0; coo.shape()[mode]];
        places(coo, mode).into_iter().for_each(|c| out[c] += 1);
        out
    }

    #[test]
    fn they_are_as_applications_have_them() {
        let tall = least_squares([1850, 712], 1).expect("made");
        assert!((7000..11_000).contains(&tall.len()), "{}", tall.len());
        assert!(counts(&tall, 1).iter().max() > Some(&30), "some columns are long");
        let circuit = circuit(1200, 2).expect("made");
        assert!((5000..9000).contains(&circuit.len()), "{}", circuit.len());
        let rows = counts(&circuit, 0);
        assert!(rows.iter().max() > Some(&20) && rows.iter().all(|&n| n > 0));
        assert_eq!(rows, counts(&circuit, 1), "whoever is joined is joined both ways");
        let wide = linear_program([800, 2000], 3).expect("made");
        assert!(counts(&wide, 1).iter().all(|n| (1..=6).contains(n)));
        let roads = roads(64, 4).expect("made");
        assert!(counts(&roads, 0).iter().all(|n| *n <= 4));
        let graph = knowledge_graph([500, 40, 600], 8000, 5).expect("made");
        let mut fibres: Vec<(usize, usize)> = places(&graph, 0).into_iter().zip(places(&graph, 1)).collect();
        fibres.dedup();
        assert!(graph.len() < 3 * fibres.len(), "fibres are short");
    }
}
