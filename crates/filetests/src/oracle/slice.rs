//! The coordinates of slices, one by one, as Python has them where nothing has to be clipped.

use openwork_index::Window;

/// The coordinates of a slice that runs backwards; all of nothing is nothing.
fn slice_back(window: &Window, size: i64) -> Option<Vec<usize>> {
    if (size, window.lo, window.hi) == (0, -1, None) {
        return Some(Vec::new());
    }
    let place = |bound: i64| if bound < 0 { size + bound } else { bound };
    let (first, end) = (place(window.lo), window.hi.map(place));
    if !(0..size).contains(&first) || end.is_some_and(|end| !(0..=size).contains(&end)) {
        return None;
    }
    let all = (0..=first).rev().filter(|at| (first - at) % window.step == 0);
    Some(all.filter(|at| end.is_none_or(|end| *at > end)).map(|at| at as usize).collect())
}

/// The coordinates that a slice has, if its bounds lie in the mode.
pub(super) fn slice_coordinates(window: &Window, size: i64) -> Option<Vec<usize>> {
    let place = |bound: i64| if bound < 0 { size + bound } else { bound };
    let (first, end) = (place(window.lo), window.hi.map_or(size, place));
    if window.step < 0 {
        return slice_back(window, size);
    }
    let inside = first >= 0 && first <= size && end >= 0 && end <= size;
    let mut all = Vec::new();
    let mut at = first;
    while at < end {
        all.push(at as usize);
        at += window.step;
    }
    inside.then_some(all)
}
