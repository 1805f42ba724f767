//! The types of views and events in the kits agree with the schemas.

use super::{root, run_script};
use crate::common::games;

/// Compares the classes of flipside.py with the schemas, all the way down.
const COMPARE: &str = r##"
import json, subprocess, sys, typing
sys.path.insert(0, sys.argv[1])
import flipside

def compare(where, hint, schema, root):
    while "$ref" in schema or "anyOf" in schema:
        schema = schema.get("anyOf", [schema])[0]
        schema = root["$defs"][schema["$ref"].split("/")[-1]]
    arguments = [a for a in typing.get_args(hint) if a is not type(None)]
    if typing.get_origin(hint) is typing.Union:
        return compare(where, arguments[0], schema, root)
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "array":
        assert typing.get_origin(hint) is list, (where, hint)
        return compare(where + "[]", arguments[0], schema["items"], root)
    if kind == "object":
        assert set(hint.__annotations__) == set(schema["properties"]), (where, hint, sorted(schema["properties"]))
        assert hint.__required_keys__ == set(schema["required"]), (where, hint, schema["required"])
        for name, inner in typing.get_type_hints(hint).items():
            compare(where + "." + name, inner, schema["properties"][name], root)
        return
    assert hint is {"integer": int, "string": str, "boolean": bool}[kind], (where, hint, schema)

for game in sys.argv[2:]:
    view = json.loads(subprocess.check_output(["flipside", "schema", game]))["view"]
    compare(game, flipside.VIEWS[game], view, view)
assert set(sys.argv[2:]) == set(flipside.VIEWS)

messages = json.loads(subprocess.check_output(["flipside", "schema"]))["from_referee"]
kinds = {}
for kind in messages["$defs"]["TurnEvent"]["oneOf"]:
    kinds.update(kind["properties"])
events = typing.get_type_hints(flipside.Event)
assert set(events) == set(kinds), (events, kinds)
for name in set(kinds) - {"chance"}:
    compare("event." + name, events[name], kinds[name], messages)
print("ok")
"##;

#[test]
fn the_types_of_the_python_kit_are_those_of_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("compare.py"), COMPARE).unwrap();
    let kit = root().join("kits/python");
    let script = format!(
        "python3 compare.py '{}' {}",
        kit.display(),
        games().join(" ")
    );
    assert_eq!(run_script(folder.path(), &script), "ok\n");
}

#[test]
fn the_javascript_kit_names_every_kind_of_event() {
    let kit = std::fs::read_to_string(root().join("kits/javascript/flipside.js")).unwrap();
    let text = kit.split("@typedef {object} Event").nth(1).unwrap();
    let text = text.split("*/").next().unwrap();
    let schemas = run_script(root(), "flipside schema");
    let schemas: serde_json::Value = serde_json::from_str(&schemas).unwrap();
    let kinds = &schemas["from_referee"]["$defs"]["TurnEvent"]["oneOf"];
    let kinds: Vec<_> = kinds.as_array().unwrap().iter().collect();
    assert!(kinds.len() >= 4);
    for kind in kinds {
        let name = kind["required"][0].as_str().unwrap();
        assert!(text.contains(&format!("}} [{name}] ")), "{name}");
    }
}

#[test]
fn the_javascript_kit_names_every_field_of_a_view() {
    let kit = std::fs::read_to_string(root().join("kits/javascript/flipside.js")).unwrap();
    let types = kit.split("The view of").skip(1).collect::<Vec<_>>();
    for game in games() {
        let schemas = flipside_games::find(game).unwrap().schemas();
        let schemas = serde_json::to_value(schemas).unwrap();
        let name = match game {
            "flipfour" | "yonmoque" | "flipflop-3x3" | "flipflop-5x5" => "`flipfour`",
            _ => &format!("`{game}`"),
        };
        let text = types
            .iter()
            .find(|text| text.lines().next().unwrap().contains(name));
        let text = text.unwrap_or_else(|| panic!("no type of the view of {game}"));
        let text = text.split("*/").next().unwrap();
        for (field, _) in schemas["view"]["properties"].as_object().unwrap() {
            let is_required = schemas["view"]["required"]
                .as_array()
                .unwrap()
                .contains(&field.as_str().into());
            // The board games share a type, and not all have hands.
            let is_of_all = is_required && (field, name) != (&"hands".to_owned(), "`flipfour`");
            let wanted = match is_of_all {
                true => format!("}} {field} "),
                false => format!("}} [{field}] "),
            };
            assert!(text.contains(&wanted), "{game}: {field}");
        }
    }
}
