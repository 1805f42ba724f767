//! Pictures of how a game goes, on the page of its rules: positions of a match, drawn by the game.

use std::collections::BTreeMap;
use std::sync::Mutex;

use flipside_games::AnyGame;
use flipside_operations::{SampleScene, sample_scenes};

use crate::shared::threads::locked;

/// The heading of the part of a page of rules that the pictures follow.
const HOW_TO_PLAY: &str = "<h2 id=\"how-to-play\">";

/// Rules as HTML with pictures after the part that says how to play; as they are where they have no such part.
pub(super) fn with_scenes(rules: String, game: &dyn AnyGame) -> String {
    let Some(begin) = rules.find(HOW_TO_PLAY) else {
        return rules;
    };
    let rest = begin + HOW_TO_PLAY.len();
    let end = rules[rest..]
        .find("<h2")
        .map_or(rules.len(), |at| rest + at);
    let (before, after) = rules.split_at(end);
    format!("{before}{}{after}", scenes(game))
}

/// The pictures of a built-in game, which are made once.
fn scenes(game: &dyn AnyGame) -> String {
    static MADE: Mutex<BTreeMap<&str, String>> = Mutex::new(BTreeMap::new());
    let id = game.info().id;
    if let Some(known) = locked(&MADE).get(id) {
        return known.clone();
    }
    let scenes = sample_scenes(game).into_iter().flatten();
    let figure = |scene: SampleScene| {
        format!(
            "<figure class=\"board\">{}<figcaption>{}</figcaption></figure>",
            scene.svg, scene.caption
        )
    };
    let figures: String = scenes.map(figure).collect();
    let scenes = format!("<div class=\"scenes\">{figures}</div>\n");
    locked(&MADE).insert(id, scenes.clone());
    scenes
}

#[cfg(test)]
mod tests {
    use flipside_games::GAMES;
    use flipside_operations::rules_page;

    use super::*;
    use crate::shared::markdown;

    #[test]
    fn every_game_tells_first_how_to_play_it_with_two_pictures_and_then_the_rest() {
        for game in GAMES {
            let id = game.info().id;
            let rules = markdown::html(rules_page(id).unwrap());
            let shown = with_scenes(rules.clone(), *game);
            let [how, rest] = [0, 1].map(|at| shown.match_indices("<h2").nth(at).unwrap().0);
            assert!(shown[how..].starts_with(HOW_TO_PLAY), "{id}");
            let part = &shown[how..rest];
            assert_eq!(part.matches("<svg xmlns").count(), 2, "{id}");
            assert!((6..=10).contains(&part.matches("<li>").count()), "{id}");
            assert!(part.ends_with("</figure></div>\n"), "{id}");
            assert_eq!(shown.replace(&scenes(*game), ""), rules, "{id}");
        }
    }

    #[test]
    fn rules_without_such_a_part_stay_as_they_are() {
        let rules = "<p>Take stones.</p><h2 id=\"the-view\">The view</h2>";
        assert_eq!(with_scenes(rules.into(), GAMES[0]), rules);
    }
}
