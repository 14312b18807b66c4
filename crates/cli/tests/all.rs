//! Tests in one program, as linking each of them takes longer than running most.

mod c_files;
mod common;
mod convert;
mod documents;
mod errors;
mod exact;
mod files;
mod listed;
mod run;
mod settings;
mod several;
mod taco;
