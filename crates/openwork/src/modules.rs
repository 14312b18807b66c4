//! The order of the files of this crate: each uses those above it, as `cargo xtask tidy` sees to.
//!
//! | file | what it has |
//! |---|---|
//! | `modules` | this table |
//! | `backend_kind` | the backends that there are, by name |
//! | `settings` | the settings of a process that its environment has, looked at together |
//! | `given_facts` | what a look at operands tells of the variants of a plan |
//! | `declare` | the declarations of tensors that are there |
//! | `ran` | the record of one run |
//! | `expr` | statements built in Rust |
//! | `form` | statements as they are given: as text, or built of expressions |
//! | `ext` | short constructors for the types of lower crates |
//! | `passing` | the passes over loops, from the loops that lowering wrote to those that a backend gets |
//! | `stages` | the pipeline from text to loops, every stage kept |
//! | `choices` | the variants of a plan in words, and which of them runs take |
//! | `discordant` | accesses that loops make across the order in which a tensor is stored |
//! | `computed` | how indices that are no variables are done, in words |
//! | `explain` | explanations of compiled statements |
//! | `unread` | operands that a statement does not read |
//! | `compiler` | the compiler of kernels that a session and its kernels share |
//! | `convert` | the steps around a kernel |
//! | `extension` | level formats of other crates |
//! | `unit` | code for one program |
//! | `kernel` | a compiled statement |
//! | `lazily` | kernels that are compiled when a run first needs them |
//! | `operands` | the operands of a run |
//! | `running` | a run of a plan |
//! | `taking` | runs that take operands which are given away |
//! | `strict` | operands that are not what a kernel relies on |
//! | `positions` | positions that a statement computes, looked at before it runs |
//! | `phases` | a sparse result in two kernels |
//! | `kept` | the kernels that statements keep between runs, all of them together within half of [`cache_limit`](crate::cache_limit) |
//! | `planned` | a cache of statements that were lowered before, for the next time that somebody compiles them |
//! | `session` | a session |
//! | `conversion` | tensors converted into another format by a generated kernel |
//! | `source` | statements as C files for other programs ([`openwork_backend_c::program`]) |
//! | `list` | the stages of several statements, of which later ones read what earlier ones compute |
//! | `estimate` | an estimate of what one run does, for the rates that are reported of it |
//! | `values` | the values of a sequence, by number |
//! | `sequence` | several statements, of which later ones read what earlier ones compute |
//! | `statement` | a statement that runs on operands in any formats, with one kernel for each way that they are stored |
//! | `statements` | a sequence of statements that runs on operands in any formats, with kernels for each way that these are stored |
//! | `recommend` | recommended formats of a matrix, by the memory and time that each candidate takes, computed from the measured structure |
//! | `suited` | operands that stay the same for many runs, stored as suits the statement best |
//! | `function` | functions of statements, built of expressions |
//! | `documents` | the README and the chapters of the guide whose blocks of Rust are tests of this crate |
