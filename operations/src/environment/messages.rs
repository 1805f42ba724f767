//! The requests to an environment, and writing the answers. `docs/reference/environments.md` describes each.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flipside_protocol::game::{DrawingForm, GameEvent, GameViewer};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The greatest seed: every language has this number.
pub(super) const GREATEST_SEED: u64 = (1 << 53) - 1;

/// What kind of request a line is.
#[derive(Deserialize)]
pub(super) struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
}

/// Declares the fields of a request; each request may have no others.
macro_rules! requests {
    ($($(#[$about:meta])* $name:ident $(<$life:lifetime>)? {
        $($(#[$how:meta])* $field:ident: $type:ty,)*
    })+) => {$(
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name $(<$life>)? {
            #[serde(rename = "type")]
            _kind: IgnoredAny,
            $($(#[$how])* pub(super) $field: $type,)*
        }
    )+};
}

requests! {
    /// What is the game?
    DescribeRequest {}
    /// Begins matches.
    ResetRequest<'a> {
        tables: Vec<u32>,
        seeds: Vec<u64>,
        #[serde(default, borrow)] options: Option<&'a RawValue>,
        #[serde(default)] seats: Option<u8>,
        #[serde(default)] chance: ChanceBy,
        #[serde(default)] with: Parts,
    }
    /// Plays on tables.
    StepsRequest<'a> {
        #[serde(borrow)] steps: Vec<Step<'a>>,
        #[serde(default)] with: Parts,
    }
    /// Looks at tables.
    StatesRequest {
        tables: Vec<u32>,
        #[serde(default)] with: Parts,
    }
    /// What does a viewer see?
    ViewRequest {
        table: u32,
        viewer: GameViewer,
    }
    /// What does it look like?
    DrawRequest {
        table: u32,
        viewer: GameViewer,
        #[serde(rename = "as")] form: DrawingForm,
    }
    /// Copies a table.
    CloneRequest {
        table: u32,
        to: Vec<u32>,
        #[serde(default)] seeds: Option<Vec<u64>>,
        #[serde(default)] with: Parts,
    }
    /// Copies a table, and samples anew what a viewer does not know.
    RedealRequest {
        table: u32,
        to: Vec<u32>,
        seeds: Vec<u64>,
        viewer: GameViewer,
        #[serde(default)] with: Parts,
    }
    /// What has happened?
    HistoryRequest {
        table: u32,
    }
    /// Begins matches and takes these events.
    RestoreRequest<'a> {
        tables: Vec<u32>,
        seeds: Vec<u64>,
        #[serde(default, borrow)] options: Option<&'a RawValue>,
        #[serde(default)] seats: Option<u8>,
        events: Vec<GameEvent>,
        #[serde(default)] chance: ChanceBy,
        #[serde(default)] with: Parts,
    }
    /// Gives tables up.
    CloseRequest {
        tables: Vec<u32>,
    }
    /// Begins matches that are played together.
    BatchRequest<'a> {
        tables: u32,
        seed: u64,
        #[serde(default, borrow)] options: Option<&'a RawValue>,
        #[serde(default)] seats: Option<u8>,
    }
    /// Plays one action at each table of the batch.
    PlayRequest {
        actions: Vec<i64>,
    }
}

/// Who samples chance.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChanceBy {
    /// The environment, at once.
    #[default]
    Sampled,
    /// The client, which is asked.
    Asked,
}

/// What happens at a table: one of the three.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step<'a> {
    pub(super) table: u32,
    #[serde(default, borrow)]
    pub(super) acts: Option<Vec<Cow<'a, str>>>,
    #[serde(default)]
    pub(super) indices: Option<Vec<u32>>,
    #[serde(default, borrow)]
    pub(super) chance: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) sample: bool,
}

/// Something that a state may have.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    Views,
    Actions,
    Indices,
    Observations,
}

/// What states have.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Parts(Vec<Part>);

impl Default for Parts {
    fn default() -> Self {
        Parts(vec![Part::Views, Part::Actions])
    }
}

impl Parts {
    pub(super) fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }
}

/// Appends a value as JSON.
pub(super) fn put(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("answers are JSON");
}

/// Appends bytes in Base64, as a JSON string.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    let begin = out.len();
    out.resize(
        begin + base64::encoded_len(bytes.len(), true).unwrap_or(0),
        0,
    );
    let written = STANDARD
        .encode_slice(bytes, &mut out[begin..])
        .expect("there is room for all");
    debug_assert_eq!(begin + written, out.len());
    out.push(b'"');
}
