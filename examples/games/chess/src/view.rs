//! What everybody sees of a match.

use std::borrow::Cow;

use flipside_games::Seat;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::action::ChessMove;
use crate::ending::ChessOver;
use crate::position::Position;

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChessView {
    /// The position as FEN. After a double step of a pawn, the square that it passed is always there.
    pub fen: Position,
    /// The seat whose turn it is; null when the match is over.
    pub to_move: Option<Seat>,
    /// The last move; null at the start.
    pub last: Option<ChessMove>,
    /// Whether the side to move is in check.
    pub check: bool,
    /// How many moves of both sides together there were after the last capture and the last move of a pawn.
    pub halfmove: u8,
    /// The number of the move, which grows after each move of Black.
    pub fullmove: u16,
    /// How often the present position has occurred, this time included.
    pub repetitions: u8,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<ChessOver>,
}

/// Implements JSON for a type with a text form.
macro_rules! text_json {
    ($type:ty: $schema:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

text_json!(Position: json_schema!({ "type": "string" }));
text_json!(ChessMove: json_schema!({
    "type": "string", "pattern": format!("^(?:{})$", ChessMove::NOTATION)
}));
