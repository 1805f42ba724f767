//! What a seat sees as an array of numbers, for programs that learn.

use serde::Serialize;

/// The form of the arrays of a game. An array has one byte for each entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObservationForm {
    /// Planes, rows and columns. The rows go from the top rank down, the columns from file `a` on.
    pub shape: [usize; 3],
    /// What each plane shows, as seen from the seat that looks.
    pub planes: Vec<String>,
}

impl ObservationForm {
    /// Returns the number of bytes of an array.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product()
    }
}
