//! Tests in one program, as linking each of them takes longer than running most. Those that set what is one for the process
//! (the limit of memory, registered levels) are programs of their own.

mod cancel;
mod chains;
mod checked;
mod common;
mod complex;
mod corpus;
mod exchange;
mod formats;
mod layouts;
mod malformed;
mod mutations;
mod round_trip;
mod signs_of_zeros;
mod spellings;
mod symmetric;
