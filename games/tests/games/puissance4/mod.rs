//! Puissance 4 Flip: every ruling of its page, the launch model, and a second engine beside it.

mod agreement;
mod extra_pro;
mod model;
#[path = "../../plain/puissance4.rs"]
mod plain;
mod rush;
mod script;
mod secrets;
mod settings;
