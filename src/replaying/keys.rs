//! What the keys of the screen do, as a state machine without a terminal.

use std::time::Duration;

use flipside_operations::{MatchReplay, StepKind};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The times between two steps while the match plays by itself, the fastest first.
const SPEEDS: [Duration; 7] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_millis(1000),
    Duration::from_millis(2000),
    Duration::from_millis(4000),
];

/// The speed at the start.
const USUAL_SPEED: usize = 4;

/// The most digits of a ply that are taken.
const MAX_DIGITS: usize = 9;

/// So many steps are one page.
const PAGE: usize = 10;

/// Keys, with what they do.
pub(super) const HELP: [(&str, &str); 12] = [
    ("→ l", "next step"),
    ("← h", "previous step"),
    ("PgDn PgUp", "ten steps"),
    ("Home End", "start, end"),
    ("12 Enter", "ply 12"),
    ("c C", "next, previous chance event"),
    ("x X", "next, previous fault"),
    ("v V", "another view"),
    ("n", "notes"),
    ("space", "play, pause"),
    ("+ -", "faster, slower"),
    ("↑ ↓", "scroll; q quits"),
];

/// What a key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyOutcome {
    /// The screen is drawn again.
    Draw,
    /// The screen is left.
    Quit,
    /// The process is stopped, and continued later.
    Suspend,
}

/// What the screen shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyState {
    /// The kinds of the steps, and the ply after each.
    steps: Vec<(StepKind, u64)>,
    /// The number of views to choose from.
    views: usize,
    /// The step that is shown.
    pub(super) at: usize,
    /// The number of the view that is shown.
    pub(super) view: usize,
    /// The first line of the board that is shown.
    pub(super) scroll: usize,
    /// The digits of a ply that were typed.
    pub(super) typed: String,
    /// What to tell the person, until the next key.
    pub(super) message: Option<String>,
    /// Whether the match plays by itself.
    pub(super) is_playing: bool,
    /// Whether the notes are shown.
    pub(super) has_notes: bool,
    /// Whether all keys are listed.
    pub(super) has_help: bool,
    speed: usize,
}

impl KeyState {
    pub(super) fn of(replay: &MatchReplay) -> Self {
        let steps = replay.steps.iter().map(|step| (step.kind, step.ply));
        KeyState::new(steps.collect(), replay.viewers().len())
    }

    fn new(steps: Vec<(StepKind, u64)>, views: usize) -> Self {
        KeyState {
            steps,
            views,
            at: 0,
            view: 0,
            scroll: 0,
            typed: String::new(),
            message: None,
            is_playing: false,
            has_notes: true,
            has_help: false,
            speed: USUAL_SPEED,
        }
    }

    /// The time between two steps.
    pub(super) fn pause(&self) -> Duration {
        SPEEDS[self.speed]
    }

    pub(super) fn last(&self) -> usize {
        self.steps.len() - 1
    }

    /// A step of the match that plays by itself. At the end it pauses.
    pub(super) fn tick(&mut self) {
        if self.is_playing {
            self.go(self.at + 1);
            self.is_playing = self.at < self.last();
        }
    }

    /// Does what a key says.
    pub(super) fn press(&mut self, key: KeyEvent) -> KeyOutcome {
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c' | 'd') => return KeyOutcome::Quit,
                KeyCode::Char('z') => return KeyOutcome::Suspend,
                _ => return KeyOutcome::Draw,
            }
        }
        match key.code {
            KeyCode::Char(digit @ '0'..='9') => {
                if self.typed.len() < MAX_DIGITS {
                    self.typed.push(digit);
                }
                return KeyOutcome::Draw;
            }
            KeyCode::Backspace => {
                self.typed.pop();
                return KeyOutcome::Draw;
            }
            KeyCode::Enter => {
                self.go_to_typed();
                return KeyOutcome::Draw;
            }
            KeyCode::Esc if !self.typed.is_empty() => {}
            KeyCode::Char('q') | KeyCode::Esc => return KeyOutcome::Quit,
            KeyCode::Right | KeyCode::Char('l' | 'j') => self.step_to(self.at + 1),
            KeyCode::Left | KeyCode::Char('h' | 'k') => self.step_to(self.at.saturating_sub(1)),
            KeyCode::PageDown => self.step_to(self.at + PAGE),
            KeyCode::PageUp => self.step_to(self.at.saturating_sub(PAGE)),
            KeyCode::Home | KeyCode::Char('g') => self.step_to(0),
            KeyCode::End | KeyCode::Char('G') => self.step_to(self.last()),
            KeyCode::Char('c') => self.find(StepKind::Chance, true),
            KeyCode::Char('C') => self.find(StepKind::Chance, false),
            KeyCode::Char('x') => self.find(StepKind::Fault, true),
            KeyCode::Char('X') => self.find(StepKind::Fault, false),
            KeyCode::Char('v') | KeyCode::Tab => self.look(1),
            KeyCode::Char('V') | KeyCode::BackTab => self.look(self.views - 1),
            KeyCode::Char('n') => self.has_notes = !self.has_notes,
            KeyCode::Char('?') => self.has_help = !self.has_help,
            KeyCode::Char(' ') => self.play_or_pause(),
            KeyCode::Char('+' | '=') => self.speed = self.speed.saturating_sub(1),
            KeyCode::Char('-') => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            KeyCode::Down => self.scroll += 1,
            KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            _ => {}
        }
        self.typed.clear();
        KeyOutcome::Draw
    }

    fn go(&mut self, step: usize) {
        self.at = step.min(self.last());
    }

    /// Goes to a step because a person wants it, so the match does not play on.
    fn step_to(&mut self, step: usize) {
        self.is_playing = false;
        self.go(step);
    }

    fn go_to_typed(&mut self) {
        let Ok(ply) = std::mem::take(&mut self.typed).parse::<u64>() else {
            return;
        };
        match self.steps.iter().position(|&(_, taken)| taken >= ply) {
            Some(step) => self.step_to(step),
            None => {
                let last = self.steps.last().map_or(0, |&(_, ply)| ply);
                self.message = Some(format!("the last ply is {last}"));
            }
        }
    }

    /// Goes to the next or the previous step of a kind.
    fn find(&mut self, kind: StepKind, is_forward: bool) {
        let is_it = |step: &usize| self.steps[*step].0 == kind;
        let found = if is_forward {
            (self.at + 1..self.steps.len()).find(is_it)
        } else {
            (0..self.at).rev().find(is_it)
        };
        match found {
            Some(step) => self.step_to(step),
            None => {
                let what = if kind == StepKind::Fault {
                    "fault"
                } else {
                    "chance event"
                };
                let place = if is_forward { "after" } else { "before" };
                self.message = Some(format!("there is no {what} {place} this step"));
            }
        }
    }

    fn look(&mut self, further: usize) {
        self.view = (self.view + further) % self.views;
        if self.views == 1 {
            self.message = Some("there is only this view".into());
        }
    }

    /// Playing at the end begins again.
    fn play_or_pause(&mut self) {
        self.is_playing = !self.is_playing;
        if self.is_playing && self.at == self.last() {
            self.at = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A match with two chance events, a fault and six plies, of which two are taken together.
    fn state() -> KeyState {
        use StepKind::{Acts, Chance, Fault, Over, Ready, Start};
        let steps = [
            (Start, 0),
            (Ready, 0),
            (Chance, 0),
            (Acts, 1),
            (Acts, 3),
            (Chance, 3),
            (Acts, 4),
            (Fault, 4),
            (Over, 4),
        ];
        KeyState::new(steps.to_vec(), 3)
    }

    /// Presses keys: letters, `>` and `<` for the arrows, `$` and `^` for End and Home, `!` for Enter.
    fn pressed(state: &mut KeyState, keys: &str) -> KeyOutcome {
        let mut then = KeyOutcome::Draw;
        for key in keys.chars() {
            let code = match key {
                '>' => KeyCode::Right,
                '<' => KeyCode::Left,
                '$' => KeyCode::End,
                '^' => KeyCode::Home,
                '!' => KeyCode::Enter,
                key => KeyCode::Char(key),
            };
            then = state.press(KeyEvent::new(code, KeyModifiers::NONE));
        }
        then
    }

    /// Any key that does something, and some that do nothing.
    fn any_key() -> impl Strategy<Value = KeyEvent> {
        let codes = [
            KeyCode::Right,
            KeyCode::Left,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Enter,
            KeyCode::Backspace,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Delete,
        ];
        let letters = "0123456789hjklgGcCfFvVn? +-=x".chars().map(KeyCode::Char);
        let codes: Vec<KeyCode> = codes.into_iter().chain(letters).collect();
        proptest::sample::select(codes).prop_map(|code| KeyEvent::new(code, KeyModifiers::NONE))
    }

    proptest! {
        #[test]
        fn whatever_is_pressed_the_state_is_one_that_can_be_shown(
            keys in proptest::collection::vec((any_key(), 0..3_usize), 0..60),
        ) {
            let mut state = state();
            for (key, ticks) in keys {
                let before = state.clone();
                let then = state.press(key);
                prop_assert_eq!(then, KeyOutcome::Draw, "{:?} leaves the screen", key);
                prop_assert!(state.at <= state.last());
                prop_assert!(state.view < 3);
                prop_assert!(state.typed.len() <= MAX_DIGITS);
                prop_assert!(SPEEDS.contains(&state.pause()));
                // Who does not go on a step is told why, and who did is told nothing.
                prop_assert!(state.message.is_none() || state.at == before.at);
                if state.is_playing {
                    prop_assert!(state.at < state.last());
                }
                for _ in 0..ticks {
                    let at = state.at;
                    state.tick();
                    prop_assert!(state.at == at || state.at == at + 1);
                }
            }
            state.press(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
            prop_assert_eq!((state.at, state.is_playing), (0, false));
        }

        #[test]
        fn a_step_forward_and_a_step_back_lead_to_where_one_was(at in 0..8_usize) {
            let mut state = state();
            state.go(at);
            pressed(&mut state, "><");
            prop_assert_eq!(state.at, at);
        }

        #[test]
        fn every_ply_of_the_match_can_be_typed(ply in 0..=4_u64) {
            let mut state = state();
            pressed(&mut state, &format!("{ply}!"));
            prop_assert_eq!(state.message.as_deref(), None);
            prop_assert!(state.steps[state.at].1 >= ply);
            prop_assert!(state.at == 0 || state.steps[state.at - 1].1 < ply);
        }
    }

    #[test]
    fn steps_end_at_the_start_and_at_the_end() {
        for (keys, at) in [
            ("<", 0),
            (">", 1),
            (">><", 1),
            ("$", 8),
            ("$>", 8),
            ("$^", 0),
        ] {
            let mut state = state();
            assert_eq!(pressed(&mut state, keys), KeyOutcome::Draw);
            assert_eq!(state.at, at, "{keys}");
        }
    }

    #[test]
    fn a_typed_ply_is_the_step_that_takes_it() {
        for (keys, at) in [("1!", 3), ("2!", 4), ("3!", 4), ("$0!", 0), ("4!", 6)] {
            let mut state = state();
            pressed(&mut state, keys);
            assert_eq!((state.at, state.message), (at, None), "{keys}");
        }
        let mut state = state();
        pressed(&mut state, ">5!");
        assert_eq!(state.at, 1, "it stays where it was");
        assert_eq!(state.message.as_deref(), Some("the last ply is 4"));
        pressed(&mut state, "1>!");
        assert_eq!(state.at, 2, "another key forgets the digits");
    }

    #[test]
    fn chance_and_faults_are_found_in_both_directions() {
        for (keys, at, message) in [
            ("c", 2, None),
            ("cc", 5, None),
            ("ccc", 5, Some("there is no chance event after this step")),
            ("$C", 5, None),
            ("C", 0, Some("there is no chance event before this step")),
            ("x", 7, None),
            ("xx", 7, Some("there is no fault after this step")),
            ("$X", 7, None),
        ] {
            let mut state = state();
            pressed(&mut state, keys);
            assert_eq!((state.at, state.message.as_deref()), (at, message));
        }
    }

    #[test]
    fn a_match_that_plays_pauses_at_the_end_and_begins_again() {
        let mut state = state();
        state.tick();
        assert_eq!(state.at, 0, "it does not play unasked");
        pressed(&mut state, " ");
        (0..20).for_each(|_| state.tick());
        assert_eq!((state.at, state.is_playing), (8, false));
        pressed(&mut state, " ");
        assert_eq!((state.at, state.is_playing), (0, true));
        pressed(&mut state, ">");
        assert!(!state.is_playing, "a person who steps wants it to stay");
    }

    #[test]
    fn the_speed_has_two_ends() {
        let mut state = state();
        let usual = state.pause();
        pressed(&mut state, "+");
        assert!(state.pause() < usual);
        pressed(&mut state, "++++++++++");
        assert_eq!(state.pause(), SPEEDS[0]);
        pressed(&mut state, "-----------------");
        assert_eq!(state.pause(), SPEEDS[SPEEDS.len() - 1]);
    }

    #[test]
    fn views_come_round_and_a_match_with_one_says_so() {
        let mut state = state();
        for view in [1, 2, 0] {
            pressed(&mut state, "v");
            assert_eq!(state.view, view);
        }
        pressed(&mut state, "V");
        assert_eq!(state.view, 2);
        let mut only = KeyState::new(vec![(StepKind::Start, 0)], 1);
        pressed(&mut only, "v");
        assert_eq!(only.view, 0);
        assert!(only.message.is_some());
    }

    #[test]
    fn q_escape_and_control_c_quit() {
        let key = |code, modifiers| state().press(KeyEvent::new(code, modifiers));
        assert_eq!(
            key(KeyCode::Char('q'), KeyModifiers::NONE),
            KeyOutcome::Quit
        );
        assert_eq!(key(KeyCode::Esc, KeyModifiers::NONE), KeyOutcome::Quit);
        assert_eq!(
            key(KeyCode::Char('c'), KeyModifiers::CONTROL),
            KeyOutcome::Quit
        );
        assert_eq!(
            key(KeyCode::Char('z'), KeyModifiers::CONTROL),
            KeyOutcome::Suspend
        );
    }
}
