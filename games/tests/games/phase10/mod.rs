//! Phase 10 Flip: every ruling of its page, the notation, what is seen, what is drawn, and a plain
//! counterpart.

mod agreement;
mod chances;
mod ends;
mod hands;
mod notation;
#[path = "../../plain/phase10.rs"]
mod plain;
mod rulings;
mod stack;
mod views;
