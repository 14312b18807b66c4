//! Tensors in memory and in files.
