//! The tables of a client, and the answers to its requests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use flipside_games::{AnyGame, Seat, SeatTurn, Table, Viewer};
use flipside_protocol::game::{DrawingForm, GameViewer};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::batch::Batch;
use super::messages::{
    BatchRequest, CloneRequest, CloseRequest, DescribeRequest, DrawRequest, GREATEST_SEED,
    HistoryRequest, Kind, Part, Parts, PlayRequest, RedealRequest, ResetRequest, RestoreRequest,
    StatesRequest, Step, StepsRequest, ViewRequest, put, put_bytes,
};
use super::played::{PlayedTable, Refused};
use super::vocabulary::Vocabulary;

/// The most tables of an environment, and of a batch.
pub const MAX_TABLES: u32 = 65_536;

/// The most tables of a game program, each of which has a process.
pub const MAX_PROGRAM_TABLES: usize = 64;

/// Tables of one game, without a referee, on which a client plays.
pub struct Environment {
    game: &'static dyn AnyGame,
    vocabulary: Option<Vocabulary>,
    tables: BTreeMap<u32, PlayedTable>,
    batch: Option<Batch>,
}

impl Environment {
    /// An environment of a game, without tables.
    pub fn new(game: &'static dyn AnyGame) -> Self {
        Environment {
            game,
            vocabulary: Vocabulary::of(game.notation()),
            tables: BTreeMap::new(),
            batch: None,
        }
    }

    /// Appends the answer to a request, without the last newline: a line, which the arrays of a batch follow.
    pub fn answer(&mut self, request: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        if let Err(why) = self.try_answer(request, out) {
            out.truncate(begin);
            put(out, &json!({ "type": "error", "why": why }));
        }
    }

    /// The table of this number.
    #[cfg(test)]
    pub(super) fn table_of(&self, number: u32) -> &dyn Table {
        &*self.tables[&number].table
    }

    fn try_answer(&mut self, request: &[u8], out: &mut Vec<u8>) -> Refused<()> {
        let text = std::str::from_utf8(request).map_err(|_| "a request is UTF-8")?;
        let Kind { kind } = read(text)?;
        match &*kind {
            "describe" => {
                let DescribeRequest { .. } = read(text)?;
                self.describe(out);
                Ok(())
            }
            "reset" => self.reset(&read(text)?, out),
            "step" => self.step(&read(text)?, out),
            "states" => self.states(&read(text)?, out),
            "view" => self.view(&read(text)?, out),
            "draw" => self.draw(&read(text)?, out),
            "clone" => self.clone_table(&read(text)?, out),
            "redeal" => self.redeal(&read(text)?, out),
            "history" => self.history(&read(text)?, out),
            "restore" => self.restore(&read(text)?, out),
            "close" => self.close(&read(text)?, out),
            "batch" => self.begin_batch(&read(text)?, out),
            "play" => self.play_batch(&read(text)?, out),
            other => Err(format!("there is no request {other:?}")),
        }
    }

    fn describe(&self, out: &mut Vec<u8>) {
        let schemas = self.game.schemas();
        let mut described = json!({
            "type": "environment",
            "protocol": 1,
            "game": self.game.info(),
            "notation": self.game.notation(),
            "options": schemas.options,
            "view": schemas.view,
        });
        if let Some(vocabulary) = &self.vocabulary {
            described["all_actions"] = json!(vocabulary.texts());
        }
        if let Some(form) = self.game.observation_form() {
            described["observation"] = json!(form);
        }
        put(out, &described);
    }

    fn reset(&mut self, request: &ResetRequest<'_>, out: &mut Vec<u8>) -> Refused<()> {
        let ResetRequest {
            tables,
            seeds,
            options,
            seats,
            chance,
            with,
            ..
        } = request;
        let (options, seats) = self.beginning(*options, *seats);
        let game = self.game;
        self.replace(tables, Some(seeds), with, out, |seed| {
            PlayedTable::begin(game, options, seats, *chance, seed.unwrap_or_default())
        })
    }

    fn restore(&mut self, request: &RestoreRequest<'_>, out: &mut Vec<u8>) -> Refused<()> {
        let RestoreRequest {
            tables,
            seeds,
            options,
            seats,
            events,
            chance,
            with,
            ..
        } = request;
        let (options, seats) = self.beginning(*options, *seats);
        let game = self.game;
        self.replace(tables, Some(seeds), with, out, |seed| {
            PlayedTable::restore(
                game,
                options,
                seats,
                *chance,
                seed.unwrap_or_default(),
                events,
            )
        })
    }

    fn clone_table(&mut self, request: &CloneRequest, out: &mut Vec<u8>) -> Refused<()> {
        let CloneRequest {
            table,
            to,
            seeds,
            with,
            ..
        } = request;
        // It may be among those that are replaced.
        let source = self.table(*table)?.copy(None)?;
        self.replace(to, seeds.as_deref(), with, out, |seed| source.copy(seed))
    }

    fn redeal(&mut self, request: &RedealRequest, out: &mut Vec<u8>) -> Refused<()> {
        let RedealRequest {
            table,
            to,
            seeds,
            viewer,
            with,
            ..
        } = request;
        let source = self.table(*table)?.copy(None)?;
        let viewer = viewer_at(&*source.table, *viewer)?;
        self.replace(to, Some(seeds), with, out, |seed| {
            source.redealt(viewer, seed.unwrap_or_default())
        })
    }

    /// How a match begins where something is not said.
    fn beginning<'a>(&self, options: Option<&'a RawValue>, seats: Option<u8>) -> (&'a str, u8) {
        let options = options.map_or("{}", RawValue::get);
        (
            options,
            seats.unwrap_or_else(|| self.game.info().least_seats()),
        )
    }

    /// Puts a new match on each of these tables. Either all are begun, or none is.
    fn replace(
        &mut self,
        tables: &[u32],
        seeds: Option<&[u64]>,
        with: &Parts,
        out: &mut Vec<u8>,
        begin: impl Fn(Option<u64>) -> Refused<PlayedTable>,
    ) -> Refused<()> {
        refuse_repeated(tables.iter().copied())?;
        if let Some(table) = tables.iter().find(|&&table| table >= MAX_TABLES) {
            return Err(format!(
                "a table has a number below {MAX_TABLES}, not {table}"
            ));
        }
        if let Some(seeds) = seeds {
            if seeds.len() != tables.len() {
                return Err(format!(
                    "there are {} tables and {} seeds",
                    tables.len(),
                    seeds.len()
                ));
            }
            seeds.iter().try_for_each(|&seed| check_seed(seed))?;
        }
        let further = tables
            .iter()
            .filter(|table| !self.tables.contains_key(table));
        let count = self.tables.len() + further.count();
        if self.game.program().is_some() && count > MAX_PROGRAM_TABLES {
            return Err(format!(
                "a game program has at most {MAX_PROGRAM_TABLES} tables"
            ));
        }
        let seed_of = |at: usize| seeds.map(|seeds| seeds[at]);
        let begun = (0..tables.len()).map(|at| begin(seed_of(at)));
        let begun = begun.collect::<Refused<Vec<PlayedTable>>>()?;
        out.extend_from_slice(b"{\"type\":\"states\"");
        if let Some(first) = begun.first() {
            out.extend_from_slice(b",\"options\":");
            out.extend_from_slice(first.beginning.options.as_bytes());
            out.extend_from_slice(b",\"seats\":");
            put(out, &first.beginning.seats);
            out.extend_from_slice(b",\"sides\":");
            let sides: Vec<u8> = (0..first.beginning.seats)
                .map(|seat| first.table.side(seat))
                .collect();
            put(out, &sides);
        }
        self.tables.extend(tables.iter().copied().zip(begun));
        self.put_states(tables.iter().map(|&table| (table, None)), with, out)
    }

    fn step(&mut self, request: &StepsRequest<'_>, out: &mut Vec<u8>) -> Refused<()> {
        let StepsRequest { steps, with, .. } = request;
        refuse_repeated(steps.iter().map(|step| step.table))?;
        for step in steps {
            self.table(step.table)?;
        }
        let mut refusals = Vec::with_capacity(steps.len());
        for step in steps {
            let played = self.tables.get_mut(&step.table).ok_or("it was there")?;
            refusals.push(take_step(played, self.vocabulary.as_ref(), step).err());
        }
        out.extend_from_slice(b"{\"type\":\"states\"");
        let tables = steps.iter().map(|step| step.table);
        self.put_states(tables.zip(refusals), with, out)
    }

    fn states(&mut self, request: &StatesRequest, out: &mut Vec<u8>) -> Refused<()> {
        for &table in &request.tables {
            self.table(table)?;
        }
        out.extend_from_slice(b"{\"type\":\"states\"");
        let tables = request.tables.iter().map(|&table| (table, None));
        self.put_states(tables, &request.with, out)
    }

    fn view(&self, request: &ViewRequest, out: &mut Vec<u8>) -> Refused<()> {
        let table = &*self.table(request.table)?.table;
        let viewer = viewer_at(table, request.viewer)?;
        out.extend_from_slice(b"{\"type\":\"view\",\"view\":");
        table.write_view(viewer, out);
        refuse_failed(table)?;
        if let Viewer::Seat(seat) = viewer {
            let mut array = Vec::new();
            table.write_observation(seat, &mut array);
            if !array.is_empty() {
                out.extend_from_slice(b",\"observation\":");
                put_bytes(out, &array);
            }
        }
        out.push(b'}');
        Ok(())
    }

    fn draw(&self, request: &DrawRequest, out: &mut Vec<u8>) -> Refused<()> {
        let table = &*self.table(request.table)?.table;
        let viewer = viewer_at(table, request.viewer)?;
        let drawing = match request.form {
            DrawingForm::Text => table.text(viewer),
            DrawingForm::Svg => table.svg(viewer),
        };
        refuse_failed(table)?;
        put(out, &json!({ "type": "drawing", "drawing": drawing }));
        Ok(())
    }

    fn history(&self, request: &HistoryRequest, out: &mut Vec<u8>) -> Refused<()> {
        let played = self.table(request.table)?;
        let events = played.events()?;
        out.extend_from_slice(b"{\"type\":\"history\",\"options\":");
        out.extend_from_slice(played.beginning.options.as_bytes());
        out.extend_from_slice(b",\"seats\":");
        put(out, &played.beginning.seats);
        out.extend_from_slice(b",\"events\":");
        put(out, events);
        out.push(b'}');
        Ok(())
    }

    fn close(&mut self, request: &CloseRequest, out: &mut Vec<u8>) -> Refused<()> {
        for &table in &request.tables {
            self.table(table)?;
        }
        for table in &request.tables {
            self.tables.remove(table);
        }
        put(out, &json!({ "type": "closed" }));
        Ok(())
    }

    fn begin_batch(&mut self, request: &BatchRequest<'_>, out: &mut Vec<u8>) -> Refused<()> {
        let BatchRequest {
            tables,
            seed,
            options,
            seats,
            ..
        } = request;
        if !(1..=MAX_TABLES).contains(tables) {
            return Err(format!(
                "a batch has 1 to {MAX_TABLES} tables, not {tables}"
            ));
        }
        check_seed(*seed)?;
        check_seed(seed + u64::from(*tables - 1))?;
        let (options, seats) = self.beginning(*options, *seats);
        let vocabulary = self.vocabulary.as_ref();
        let vocabulary =
            vocabulary.ok_or("the game has too many actions for a batch; use reset and step")?;
        let batch = Batch::begin(self.game, vocabulary, options, seats, *tables, *seed)?;
        batch.put(out);
        self.batch = Some(batch);
        Ok(())
    }

    fn play_batch(&mut self, request: &PlayRequest, out: &mut Vec<u8>) -> Refused<()> {
        let batch = self
            .batch
            .as_mut()
            .ok_or("there is no batch; a request of the type batch begins one")?;
        let vocabulary = self.vocabulary.as_ref().ok_or("it was there")?;
        batch.play(vocabulary, &request.actions)?;
        batch.put(out);
        Ok(())
    }

    fn table(&self, number: u32) -> Refused<&PlayedTable> {
        let table = self.tables.get(&number);
        table.ok_or_else(|| {
            format!("there is no table {number}; a request of the type reset makes one")
        })
    }

    /// Appends the states of tables, each with why its step was refused, and ends the answer.
    fn put_states(
        &mut self,
        tables: impl Iterator<Item = (u32, Option<String>)>,
        with: &Parts,
        out: &mut Vec<u8>,
    ) -> Refused<()> {
        out.extend_from_slice(b",\"states\":[");
        for (at, (number, refused)) in tables.enumerate() {
            if at > 0 {
                out.push(b',');
            }
            let played = self.tables.get_mut(&number).ok_or("it was there")?;
            put_state(
                number,
                &mut *played.table,
                refused,
                self.vocabulary.as_ref(),
                with,
                out,
            )?;
        }
        out.extend_from_slice(b"]}");
        Ok(())
    }
}

/// Appends the state of a table.
fn put_state(
    number: u32,
    table: &mut dyn Table,
    refused: Option<String>,
    vocabulary: Option<&Vocabulary>,
    with: &Parts,
    out: &mut Vec<u8>,
) -> Refused<()> {
    // A program that has failed may be asked nothing; its table says so instead.
    let refused = refused.or_else(|| table.failure().map(|failure| failure.to_string()));
    let turn = table.turn();
    let asked: Vec<Seat> = turn.asked().collect();
    out.extend_from_slice(b"{\"table\":");
    put(out, &number);
    out.extend_from_slice(b",\"asked\":");
    put(out, &asked);
    if turn == SeatTurn::Chance {
        out.extend_from_slice(b",\"waits\":\"chance\"");
    }
    if with.has(Part::Views) {
        put_each(out, "views", &asked, |seat, out| {
            table.write_view(Viewer::Seat(seat), out);
        });
    }
    put_actions(table, &asked, vocabulary, with, out)?;
    if with.has(Part::Observations) {
        put_observations(table, &asked, out);
    }
    if let SeatTurn::Over(outcome) = turn {
        let over = json!({
            "points": outcome.points,
            "places": outcome.places(),
            "reason": outcome.reason,
        });
        out.extend_from_slice(b",\"over\":");
        put(out, &over);
    }
    if let Some(refused) = refused {
        out.extend_from_slice(b",\"refused\":");
        put(out, &refused);
    }
    out.push(b'}');
    Ok(())
}

/// Appends the legal actions of the seats that are asked, as texts and as indices where these are wanted.
fn put_actions(
    table: &mut dyn Table,
    asked: &[Seat],
    vocabulary: Option<&Vocabulary>,
    with: &Parts,
    out: &mut Vec<u8>,
) -> Refused<()> {
    if !table.lists_actions() || !(with.has(Part::Actions) || with.has(Part::Indices)) {
        return Ok(());
    }
    let mut lists = Vec::with_capacity(asked.len());
    for &seat in asked {
        let mut list = Vec::new();
        table.write_actions(seat, &mut list);
        lists.push(list);
    }
    if with.has(Part::Indices)
        && let Some(vocabulary) = vocabulary
    {
        let indices = lists.iter().map(|list| indices(vocabulary, list));
        let indices = indices.collect::<Refused<Vec<Vec<u32>>>>()?;
        out.extend_from_slice(b",\"indices\":");
        put(out, &indices);
    }
    if with.has(Part::Actions) {
        let mut lists = lists.into_iter();
        put_each(out, "actions", asked, |_, out| {
            out.extend(lists.next().unwrap_or_default());
        });
    }
    Ok(())
}

/// Appends what the seats that are asked see as arrays, in games that have them.
fn put_observations(table: &dyn Table, asked: &[Seat], out: &mut Vec<u8>) {
    let mut array = Vec::new();
    let mut arrays = Vec::new();
    for &seat in asked {
        array.clear();
        table.write_observation(seat, &mut array);
        arrays.push(array.clone());
    }
    if arrays.iter().any(|array| !array.is_empty()) {
        let mut arrays = arrays.iter();
        put_each(out, "observations", asked, |_, out| {
            put_bytes(out, arrays.next().map_or(&[], |array| array));
        });
    }
}

/// Appends a field with a list that has an entry for each seat.
fn put_each(
    out: &mut Vec<u8>,
    field: &str,
    seats: &[Seat],
    mut entry: impl FnMut(Seat, &mut Vec<u8>),
) {
    out.extend_from_slice(format!(",\"{field}\":[").as_bytes());
    for (at, &seat) in seats.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        entry(seat, out);
    }
    out.push(b']');
}

/// The indices of a list of actions.
pub(super) fn indices(vocabulary: &Vocabulary, list: &[u8]) -> Refused<Vec<u32>> {
    let texts: Vec<Cow<'_, str>> =
        serde_json::from_slice(list).map_err(|error| error.to_string())?;
    let index = |text: &Cow<'_, str>| {
        let index = vocabulary.index(text);
        index.ok_or_else(|| format!("the game lists {text:?}, which is not in its notation"))
    };
    texts.iter().map(index).collect()
}

/// Plays what a step says.
fn take_step(
    played: &mut PlayedTable,
    vocabulary: Option<&Vocabulary>,
    step: &Step<'_>,
) -> Refused<()> {
    match step {
        Step {
            acts: Some(acts),
            indices: None,
            chance: None,
            sample: false,
            ..
        } => {
            let acts: Vec<&str> = acts.iter().map(|act| &**act).collect();
            played.act(&acts)
        }
        Step {
            acts: None,
            indices: Some(indices),
            chance: None,
            sample: false,
            ..
        } => {
            let vocabulary =
                vocabulary.ok_or("the game has too many actions for indices; use acts")?;
            let action = |&index: &u32| {
                let count = vocabulary.len();
                let action = vocabulary.action(index);
                action.ok_or_else(|| format!("there are {count} actions, and so no index {index}"))
            };
            played.act(&indices.iter().map(action).collect::<Refused<Vec<&str>>>()?)
        }
        Step {
            acts: None,
            indices: None,
            chance: Some(outcome),
            sample: false,
            ..
        } => played.chance(outcome.get()),
        Step {
            acts: None,
            indices: None,
            chance: None,
            sample: true,
            ..
        } => played.sample(),
        _ => Err("a step has one of acts, indices, chance and sample".into()),
    }
}

/// Who looks at this table.
fn viewer_at(table: &dyn Table, viewer: GameViewer) -> Refused<Viewer> {
    match viewer {
        GameViewer::Seat(seat) if seat >= table.seats() => {
            Err(format!("the table has {} seats, from 0", table.seats()))
        }
        GameViewer::Seat(seat) => Ok(Viewer::Seat(seat)),
        GameViewer::Public => Ok(Viewer::Public),
        GameViewer::Open => Ok(Viewer::Open),
    }
}

fn refuse_failed(table: &dyn Table) -> Refused<()> {
    table
        .failure()
        .map_or(Ok(()), |failure| Err(failure.to_string()))
}

fn refuse_repeated(tables: impl Iterator<Item = u32>) -> Refused<()> {
    let mut known = BTreeSet::new();
    for table in tables {
        if !known.insert(table) {
            return Err(format!(
                "a request names a table once, and this one names {table} again"
            ));
        }
    }
    Ok(())
}

fn check_seed(seed: u64) -> Refused<()> {
    if seed > GREATEST_SEED {
        return Err(format!("a seed is from 0 to {GREATEST_SEED}, not {seed}"));
    }
    Ok(())
}

/// Reads a request of one kind.
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Refused<T> {
    // A struct would be read from the list of its fields too.
    if !text.trim_start().starts_with('{') {
        return Err("a request is a JSON object".into());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}
