//! What is in the file of the accounts.

use flipside_tournament::Tables;

/// What is in the file. Its application is "FLSN".
pub(super) const TABLES: Tables = Tables {
    application_id: 0x464c_534e,
    version: 1,
    sql: include_str!("schema.sql"),
};
