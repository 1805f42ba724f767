//! Reports of arenas and of results, as a user of the library has them.

mod arenas;
mod results;
