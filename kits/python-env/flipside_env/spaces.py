"""The spaces of observations: views as dictionaries, checked by the JSON Schema of the game."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np
from gymnasium import spaces

#: Parses regular expressions; it moved in Python 3.11.
_regex_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

#: Whole numbers of a sample are at most this far from their bound, where a schema names only one or none.
SAMPLED_RANGE = 100

#: Lists and repetitions of a sample have at most so many items, where a schema allows more.
SAMPLED_ITEMS = 5


class View(Dict[str, Any]):
    """What a seat sees, as a dictionary with the fields that the page of the game's rules explains."""

    #: Tools that expect arrays ask for it.
    dtype: Optional[np.dtype[Any]] = None


class ViewSpace(spaces.Space[View]):
    """The views of a game: the dictionaries that match its JSON Schema.

    :meth:`sample` returns a view of the right form, which need not be a position of the game.
    """

    def __init__(self, schema: Dict[str, Any], seed: Optional[int] = None) -> None:
        self.schema = schema
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def contains(self, x: Any) -> bool:
        return isinstance(x, dict) and self.why_not(x) is None

    def why_not(self, x: Any) -> Optional[str]:
        """Returns why something is no view of the game; None if it is one."""
        return _Schema(self.schema).mismatch(self.schema, x, "the view")

    def sample(self, mask: Any = None, probability: Any = None) -> View:
        """Returns a random view. There are no masks for views."""
        if mask is not None or probability is not None:
            raise ValueError("a space of views has no masks and no probabilities")
        return View(_Schema(self.schema).sample(self.schema, self.np_random))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ViewSpace) and self.schema == other.schema

    def __repr__(self) -> str:
        return f"ViewSpace({self.schema.get('description', self.schema.get('title', ''))!r})"


_TYPES: Dict[str, Callable[[Any], bool]] = {
    "null": lambda x: x is None,
    "boolean": lambda x: isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
    "string": lambda x: isinstance(x, str),
    "array": lambda x: isinstance(x, (list, tuple)),
    "object": lambda x: isinstance(x, dict),
}

_Rule = Union[Dict[str, Any], bool]


class _Schema:
    """The part of JSON Schema that games describe their views with. Other keywords are refused, not ignored."""

    KNOWN = frozenset(
        "$schema $defs $ref title description default examples format type enum const oneOf anyOf allOf properties"
        " required additionalProperties items prefixItems minItems maxItems minimum maximum pattern minLength"
        " maxLength".split()
    )

    def __init__(self, root: Dict[str, Any]) -> None:
        self.root = root

    def rule(self, rule: _Rule) -> Dict[str, Any]:
        """Returns the rule with its reference followed."""
        if isinstance(rule, bool):
            return {} if rule else {"enum": []}
        unknown = rule.keys() - self.KNOWN
        if unknown:
            raise NotImplementedError(f"the schema of the view has the keyword {min(unknown)}, which is not supported")
        if "$ref" in rule:
            target: Any = self.root
            for part in rule["$ref"].lstrip("#/").split("/"):
                target = target[part]
            return {**self.rule(target), **{key: value for key, value in rule.items() if key != "$ref"}}
        return rule

    def mismatch(self, rule: _Rule, x: Any, at: str) -> Optional[str]:
        """Returns where and how a value differs from its rule; None if it does not."""
        rule = self.rule(rule)
        types = rule.get("type")
        if types is not None:
            types = [types] if isinstance(types, str) else types
            if not any(_TYPES[name](x) for name in types):
                return f"{at} is not of the type {' or '.join(types)}"
        if "const" in rule and not _same(x, rule["const"]):
            return f"{at} is not {rule['const']!r}"
        if "enum" in rule and not any(_same(x, value) for value in rule["enum"]):
            return f"{at} is none of {rule['enum']!r}"
        for part in rule.get("allOf", ()):
            why = self.mismatch(part, x, at)
            if why is not None:
                return why
        for key in ("anyOf", "oneOf"):
            if key in rule:
                whys = [self.mismatch(part, x, at) for part in rule[key]]
                fits = whys.count(None)
                if fits == 0:
                    return whys[0] if len(whys) == 1 else f"{at} has none of its {len(whys)} forms"
                if key == "oneOf" and fits > 1:
                    return f"{at} has {fits} forms at once"
        if isinstance(x, dict):
            return self._object(rule, x, at)
        if isinstance(x, (list, tuple)):
            return self._array(rule, x, at)
        if isinstance(x, str):
            if not rule.get("minLength", 0) <= len(x) <= rule.get("maxLength", len(x)):
                return f"{at} has {len(x)} characters"
            if "pattern" in rule and re.search(rule["pattern"], x) is None:
                return f"{at} does not match {rule['pattern']}"
        if isinstance(x, (int, float)) and not isinstance(x, bool):
            if not rule.get("minimum", x) <= x <= rule.get("maximum", x):
                return f"{at} is out of range: {x}"
        return None

    def _object(self, rule: Dict[str, Any], x: Dict[str, Any], at: str) -> Optional[str]:
        properties = rule.get("properties", {})
        for name in rule.get("required", ()):
            if name not in x:
                return f"{at} has no field {name}"
        others = rule.get("additionalProperties", True)
        for name, value in x.items():
            if name not in properties and others is False:
                return f"{at} has the unknown field {name}"
            why = self.mismatch(properties.get(name, others), value, f"{at}.{name}")
            if why is not None:
                return why
        return None

    def _array(self, rule: Dict[str, Any], x: Any, at: str) -> Optional[str]:
        if not rule.get("minItems", 0) <= len(x) <= rule.get("maxItems", len(x)):
            return f"{at} has {len(x)} items"
        first: List[_Rule] = rule.get("prefixItems", [])
        for index, value in enumerate(x):
            part = first[index] if index < len(first) else rule.get("items", True)
            why = self.mismatch(part, value, f"{at}[{index}]")
            if why is not None:
                return why
        return None

    def sample(self, rule: _Rule, random: np.random.Generator) -> Any:
        """Returns a value that fits a rule."""
        rule = self.rule(rule)
        if "const" in rule:
            return rule["const"]
        if "enum" in rule:
            return rule["enum"][random.integers(len(rule["enum"]))]
        for part in rule.get("allOf", ()):
            rule = {**rule, **self.rule(part)}
        for key in ("oneOf", "anyOf"):
            if key in rule:
                return self.sample(rule[key][random.integers(len(rule[key]))], random)
        kind = rule.get("type", "object")
        if not isinstance(kind, str):
            kind = kind[random.integers(len(kind))]
        if kind == "object":
            required = rule.get("required", ())
            return {
                name: self.sample(part, random)
                for name, part in rule.get("properties", {}).items()
                if name in required or random.integers(2)
            }
        if kind == "array":
            first: List[_Rule] = rule.get("prefixItems", [])
            least = rule.get("minItems", len(first))
            most = rule.get("maxItems", max(least, SAMPLED_ITEMS))
            count = int(random.integers(least, most + 1))
            return [
                self.sample(first[index] if index < len(first) else rule.get("items", True), random)
                for index in range(count)
            ]
        if kind in ("integer", "number"):
            least = rule.get("minimum", rule.get("maximum", SAMPLED_RANGE) - SAMPLED_RANGE)
            return int(random.integers(least, rule.get("maximum", least + SAMPLED_RANGE) + 1))
        if kind == "boolean":
            return bool(random.integers(2))
        if kind == "string":
            least = rule.get("minLength", 0)
            return _text(rule.get("pattern"), least, rule.get("maxLength"), random)
        return None


def _same(x: Any, value: Any) -> bool:
    return type(x) is type(value) and bool(x == value)


def _text(pattern: Optional[str], least: int, most: Optional[int], random: np.random.Generator) -> str:
    """Returns a text that a regular expression matches, with as many characters as are allowed."""
    if pattern is None:
        return "x" * least
    parsed = _regex_parser.parse(pattern)
    # A pattern and a length are two conditions; only repetitions can be longer or shorter.
    return _matched(parsed, least, SAMPLED_ITEMS if most is None else most, random)


def _matched(parsed: Any, least: int, most: int, random: np.random.Generator) -> str:
    text = ""
    for operation, value in parsed:
        name = str(operation)
        if name == "LITERAL":
            text += chr(value)
        elif name == "IN":
            text += _character(value, random)
        elif name == "BRANCH":
            text += _matched(value[1][random.integers(len(value[1]))], least, most, random)
        elif name == "SUBPATTERN":
            text += _matched(value[-1], least, most, random)
        elif name == "MAX_REPEAT":
            low, high, part = value
            low, high = max(low, min(least, int(high))), min(int(high), max(most, low))
            text += "".join(_matched(part, 1, 1, random) for _ in range(random.integers(low, high + 1)))
        elif name != "AT":
            raise NotImplementedError(f"a pattern of the view has the operation {name}, which is not supported")
    return text


def _character(choices: Any, random: np.random.Generator) -> str:
    operation, value = choices[random.integers(len(choices))]
    name = str(operation)
    if name == "LITERAL":
        return chr(value)
    if name == "RANGE":
        return chr(int(random.integers(value[0], value[1] + 1)))
    raise NotImplementedError(f"a pattern of the view has the set {name}, which is not supported")
