//! What is in the file of the accounts: the tables of each feature.

use flipside_store::Tables;

/// What is in the file. Its application is "FLSN".
pub(super) const TABLES: Tables = Tables {
    application_id: 0x464c_534e,
    version: 1,
    sql: concat!(
        include_str!("../../accounts/tables.sql"),
        "\n",
        include_str!("../../bots/uploads/tables.sql"),
        "\n",
        include_str!("audit.sql"),
        "\n",
        include_str!("../../tournaments/host/tables.sql"),
        "\n",
        include_str!("../../requests/tables.sql"),
        "\n",
        include_str!("../../leagues/tables.sql"),
        "\n",
        include_str!("../../ladders/tables.sql"),
        "\n",
        include_str!("../../webhooks/tables.sql")
    ),
};
