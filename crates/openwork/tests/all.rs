//! Tests in one program, as linking each of them takes longer than running most. Those that set what is one for the process
//! (the limits of memory and of the cache, the number of threads) are programs of their own.

mod built;
mod cancel;
mod candidates;
mod choices;
mod divisors;
mod elements;
mod estimate;
mod first_hour;
mod functions;
mod gallop;
mod hashing;
mod kept;
mod lending;
mod levels;
mod literals;
mod model;
mod operands;
mod phases;
mod places;
mod positions;
mod presets;
mod relations;
mod scatters;
mod sequence;
mod settings;
mod slots;
mod stencils;
mod suited;
mod sums;
mod taco_schedules;
mod taking;
mod times;
mod turned;
mod unread;
mod workspace;
