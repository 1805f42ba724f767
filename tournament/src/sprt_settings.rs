//! The settings of a sequential test, as flags and keys of a tournament's file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use flipside_ratings::{Model, Sprt, SprtError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::spec::described::{DescribedSettings, SettingsError, Values, described};
use crate::spec::key::{Heading, SpecKey};

described! {
    /// A test as somebody asks for it, before it is looked at.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub(crate) struct SprtSettings {
        /// Set the Elo difference of hypothesis H0
        elo0: f64 = 0.0 => SpecKey::number(Heading::Format, "ELO").such_as("0.0").detail();
        /// Set the Elo difference of hypothesis H1
        elo1: f64 = 10.0 => SpecKey::number(Heading::Format, "ELO").such_as("10.0").detail();
        /// Accept elo1 in error at most at this rate
        #[serde(default = "usual_error")]
        alpha: f64 = usual_error() => SpecKey::number(Heading::Format, "RATE").detail();
        /// Accept elo0 in error at most at this rate
        #[serde(default = "usual_error")]
        beta: f64 = usual_error() => SpecKey::number(Heading::Format, "RATE").detail();
        /// Take Elo of this model
        ///
        /// `logistic` is of the mean score, `normalized` of the mean score in standard deviations of a match.
        #[serde(default)]
        model: Model = Model::Logistic => SpecKey::text::<Model>(Heading::Format, "MODEL").one_of(&["logistic", "normalized"]).detail();
    }
}

static PARAMETERS: LazyLock<Vec<SpecKey>> = LazyLock::new(SprtSettings::keys);

/// What testers of engines take when nothing is said.
fn usual_error() -> f64 {
    0.05
}

/// What a test can be asked for by, with its defaults.
pub fn sprt_parameters() -> &'static [SpecKey] {
    &PARAMETERS
}

/// The test with these values of its [parameters](sprt_parameters).
///
/// # Errors
/// When a value does not fit, as for [`Sprt::new`].
pub fn asked_sprt(values: &BTreeMap<&'static str, Value>) -> Result<Sprt, SettingsError> {
    Sprt::default().with(values)
}

impl DescribedSettings for Sprt {
    fn keys() -> Vec<SpecKey> {
        SprtSettings::keys()
    }

    fn with(self, values: &Values) -> Result<Self, SettingsError> {
        let hint = "elo0 is what is not worth it and elo1 what is: --elo0 0 --elo1 10 --alpha 0.05 --beta 0.05";
        let asked = SprtSettings::from(self).with(values)?;
        Sprt::try_from(asked).map_err(|error| SettingsError::new(error.to_string()).hint_at(hint))
    }

    fn values(&self) -> Vec<(String, serde_json::Value)> {
        SprtSettings::from(*self).values()
    }
}

impl From<Sprt> for SprtSettings {
    fn from(sprt: Sprt) -> Self {
        SprtSettings {
            elo0: sprt.elo0(),
            elo1: sprt.elo1(),
            alpha: sprt.alpha(),
            beta: sprt.beta(),
            model: sprt.model(),
        }
    }
}

impl TryFrom<SprtSettings> for Sprt {
    type Error = SprtError;

    fn try_from(asked: SprtSettings) -> Result<Self, SprtError> {
        let SprtSettings {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = asked;
        Sprt::new(elo0, elo1, alpha, beta, model)
    }
}
