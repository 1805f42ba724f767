use flipside_games::testing::laws::{Effort, keep};
use flipside_games::Flip4;
#[test]
fn laws() { keep::<Flip4>(Effort::default()); }
