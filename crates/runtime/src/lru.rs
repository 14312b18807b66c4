//! A map that keeps within a number of bytes: values that were used least recently go first.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// A map that forgets.
#[derive(Debug)]
pub struct Lru<K, V> {
    entries: HashMap<Arc<K>, LruEntry<V>>,
    /// The keys by when they were used last.
    order: BTreeMap<u64, Arc<K>>,
    now: u64,
    bytes: u64,
}

#[derive(Debug)]
struct LruEntry<V> {
    value: V,
    bytes: u64,
    used: u64,
}

impl<K, V> Default for Lru<K, V> {
    fn default() -> Lru<K, V> {
        Lru { entries: HashMap::new(), order: BTreeMap::new(), now: 0, bytes: 0 }
    }
}

impl<K: Hash + Eq, V> Lru<K, V> {
    /// The value of a key, which has been used now.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        if entry.used != self.now {
            self.now += 1;
            let name = self.order.remove(&entry.used)?;
            entry.used = self.now;
            self.order.insert(self.now, name);
        }
        Some(&entry.value)
    }
    /// Whether there is such a key, which is no use of it.
    pub fn contains(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }
    /// Keeps a value of so many bytes, and gives those that `most` bytes have no room for: the new one, too, if it alone is
    /// larger.
    #[must_use = "values may take long to drop, which is better done without a lock"]
    pub fn insert(&mut self, key: K, value: V, bytes: u64, most: u64) -> Vec<V> {
        let mut gone: Vec<V> = self.remove(&key).into_iter().collect();
        let key = Arc::new(key);
        self.now += 1;
        self.order.insert(self.now, key.clone());
        self.entries.insert(key, LruEntry { value, bytes, used: self.now });
        self.bytes += bytes;
        gone.extend(self.shrink(most));
        gone
    }
    /// Gives what is beyond `most` bytes.
    #[must_use = "values may take long to drop, which is better done without a lock"]
    pub fn shrink(&mut self, most: u64) -> Vec<V> {
        let mut gone = Vec::new();
        while self.bytes > most {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            let Some(entry) = self.entries.remove(&oldest) else { continue };
            self.bytes -= entry.bytes;
            gone.push(entry.value);
        }
        gone
    }
    /// Takes a value out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.remove(key)?;
        self.order.remove(&entry.used);
        self.bytes -= entry.bytes;
        Some(entry.value)
    }
    /// The bytes of all values.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_go_first() {
        let mut l = Lru::default();
        for n in 0..4 {
            assert!(l.insert(n, n, 10, 40).is_empty());
        }
        assert_eq!(l.get(&0), Some(&0));
        assert!(l.contains(&1));
        // Looking whether it is there was no use.
        assert_eq!(l.insert(4, 4, 15, 40), [1, 2]);
        assert_eq!((l.len(), l.bytes(), l.contains(&1)), (3, 35, false));
        assert_eq!(l.insert(0, 7, 5, 40), [0]);
        assert_eq!(l.get(&0), Some(&7));
        assert_eq!(l.bytes(), 30);
        assert_eq!(l.insert(9, 9, 100, 40), [3, 4, 7, 9]);
        assert!(l.is_empty() && l.bytes() == 0 && l.order.is_empty());
        let _ = l.insert(1, 1, 10, 40);
        assert_eq!((l.remove(&1), l.remove(&1), l.order.len()), (Some(1), None, 0));
    }
}
