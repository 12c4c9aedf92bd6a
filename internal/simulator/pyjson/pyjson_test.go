package pyjson_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func TestReprIsPythons(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": [1, 2.50, null, true, false], "a": {"x": "y"}}`: `{'b': [1, 2.50, None, True, False], 'a': {'x': 'y'}}`,
		`"it's"`:           `"it's"`,
		`"both ' and \""`:  `'both \' and "'`,
		`"a\n\t\\\u0001é"`: `'a\n\t\\\x01é'`,
		`{"k": 1, "k": 2}`: `{'k': 2}`,
	} {
		v, err := pyjson.Parse([]byte(in))
		if err != nil {
			t.Fatal(in, err)
		}
		if got := pyjson.Repr(v); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestSchemasRefuseInTheWordsOfTheLibrary(t *testing.T) {
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Required: []string{"name"}, Props: []pyjson.Prop{
		{Name: "name", Schema: pyjson.String(1, 3)}, {Name: "n", Schema: &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]*$", Minimum: pyjson.Int64(1)}},
		{Name: "list", Schema: &pyjson.Schema{Types: []string{"array"}, MaxItems: 1, Items: &pyjson.Schema{Enum: []any{"x"}}}},
		{Name: "id", Schema: &pyjson.Schema{AnyOf: []*pyjson.Schema{{Types: []string{"string"}, Format: "uuid"}, {Types: []string{"null"}}}}}}}
	for in, want := range map[string][2]string{
		`{"name": "a", "n": 5, "list": ["x"], "id": null}`: {"", ""},
		`{}`:                            {"", "'name' is a required property"},
		`[]`:                            {"", "[] is not of type 'object'"},
		`{"name": ""}`:                  {"name", "'' is too short"},
		`{"name": "abcd"}`:              {"name", "'abcd' is too long"},
		`{"name": 1}`:                   {"name", "1 is not of type 'string'"},
		`{"name": "a", "n": 0}`:         {"n", "0 is less than the minimum of 1"},
		`{"name": "a", "n": "0"}`:       {"n", "0 is less than the minimum of 1"},
		`{"name": "a", "n": "z"}`:       {"n", "'z' does not match '^[0-9]*$'"},
		`{"name": "a", "n": 1.5}`:       {"n", "1.5 is not of type 'integer', 'string'"},
		`{"name": "a", "list": ["y"]}`:  {"0", "'y' is not one of ['x']"},
		`{"name": "a", "id": "z"}`:      {"id", "'z' is not valid under any of the given schemas"},
		`{"name": "a", "q": 1, "r": 2}`: {"", "Additional properties are not allowed ('q', 'r' were unexpected)"},
	} {
		v, err := pyjson.Parse([]byte(in))
		if err != nil {
			t.Fatal(in, err)
		}
		var got [2]string
		if f := s.Check(v); f != nil {
			got = [2]string{f.Path, f.Message}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a": [1, null]}`, `[[[`, `"\ud800"`, `1e400`, `{"a": 1} x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := pyjson.Parse(raw)
		if err != nil {
			return
		}
		if pyjson.Repr(v) == "" {
			t.Errorf("%q prints as nothing", raw)
		}
		pyjson.Boolean.Check(v)
		pyjson.Name.Check(v)
	})
}
