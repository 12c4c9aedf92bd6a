package manifest

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

type inner struct {
	A string `json:"a"`
	B *int   `json:"b,omitempty"`
	c int
}

type outer struct {
	inner `json:",inline"`
	D     any               `json:"d"`
	E     []string          `json:"e,omitempty"`
	F     map[string]inner  `json:"f"`
	G     json.RawMessage   `json:"g,omitempty"`
	H     []byte            `json:"h"`
	I     float64           `json:"i"`
	J     bool              `json:"j,omitempty"`
	K     uint8             `json:"k"`
	L     IntOrString       `json:"l"`
	M     time.Time         `json:"m"`
	N     netip.Addr        `json:"n"`
	O     *outer            `json:"o,omitempty"`
	P     [2]int            `json:"p"`
	Q     map[int]string    `json:"q,omitempty"`
	R     string            `json:"-"`
	S     struct{}          `json:"s,omitempty"`
	T     map[string]string `json:"t,omitempty"`
	U     int
}

type twice struct {
	inner
	A int `json:"a"`
}

// TestBodyIsWhatJSONMakesOfIt compares the direct conversion with the conversion to JSON and back.
func TestBodyIsWhatJSONMakesOfIt(t *testing.T) {
	n := 7
	full := outer{
		inner: inner{A: "a<\u2028>é", B: &n, c: 1}, D: map[string]any{"z": nil, "y": []any{1, "2", 3.5, true}}, E: []string{}, F: map[string]inner{"k": {}},
		G: json.RawMessage(`{"x": [1]}`), H: []byte("hello"), I: 1e21, J: true, K: 200, M: time.Unix(0, 0).UTC(), N: netip.MustParseAddr("10.0.0.1"),
		P: [2]int{1, 2}, Q: map[int]string{3: "x"}, R: "not shown", U: math.MinInt64,
	}
	full.O = &outer{D: "broken \xff text"}
	for _, from := range []any{full, &full, outer{}, twice{}, map[string]any{"list": []inner{{}}, "nil": []string(nil)}, map[string]any{}} {
		text, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		want, err := parseJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewBody(from, 1)
		if err != nil {
			t.Fatal(err)
		}
		o := got.Object(Key{}, "", Origin{}, nil)
		counted := bodyMaker{line: 1}
		counted.count(want[0])
		if counted.made.Values != got.Values || counted.made.Bytes != got.Bytes {
			t.Errorf("%s: counted %d values and %d bytes, want %d and %d", text, got.Values, got.Bytes, counted.made.Values, counted.made.Bytes)
		}
		if a, b := plainTree(t, &o), plainTree(t, &Object{body: want[0]}); !reflect.DeepEqual(a, b) {
			t.Errorf("got %v\nwant %v", a, b)
		}
	}
}

func plainTree(t *testing.T, o *Object) (tree any) {
	d := decoder{}
	tree, ok := d.free(o.body, spot{})
	if !ok || len(d.problems) > 0 {
		t.Error(d.problems)
	}
	return tree
}
