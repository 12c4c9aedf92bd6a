package manifest_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func load(t *testing.T, text string) manifest.Object {
	t.Helper()
	loaded, err := manifest.Load(fstest.MapFS{"dir/a.yaml": {Data: []byte(text)}}, kinds())
	if err != nil {
		t.Fatal(err)
	}
	return loaded.Objects[0]
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		key  manifest.Key
		want string
	}{
		{manifest.Key{Kind: "Network", Name: "front"}, "Network/front"},
		{manifest.Key{Kind: "Network", Namespace: "default", Name: "front"}, "Network/front"},
		{manifest.Key{Kind: "Network", Namespace: "blue", Name: "front"}, "Network/blue/front"},
		{manifest.Key{Kind: "Network"}, "Network"},
	} {
		if got := c.key.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	sorted := []manifest.Key{{Group: "a", Kind: "B"}, {Group: "a", Kind: "C", Namespace: "a"}, {Group: "a", Kind: "C", Namespace: "b"}, {Group: "b"}, {Group: "b", Name: "x"}}
	shuffled := []manifest.Key{sorted[4], sorted[2], sorted[0], sorted[3], sorted[1]}
	slices.SortFunc(shuffled, manifest.Key.Compare)
	if !slices.Equal(sorted, shuffled) {
		t.Errorf("got %v", shuffled)
	}
}

func TestWhere(t *testing.T) {
	o := load(t, `# comment
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata:
  name: x
  labels:
    app.kubernetes.io/name: web
spec:
  base: &base
    deep: 1
  resource:
    rules:
      - protocol: tcp
      - {}
      - port: 1
        protocol:
          udp
    merged:
      <<: *base
`)
	for field, want := range map[string]int{
		"":                                2,
		"spec":                            8,
		"spec.resource.rules[2]":          15,
		"spec.resource.rules[2].protocol": 16,
		"spec.resource.rules[7].protocol": 12,
		"spec.resource.rules[-1]":         12,
		"spec.resource.rules.protocol":    12,
		"spec.resource.nothing":           11,
		"nothing":                         2,
		"metadata.labels[app.kubernetes.io/name]":      7,
		"metadata.labels[app.kubernetes.io/name].more": 7,
		"spec.resource.merged.deep":                    10,
		"spec.resource.rules[2":                        15,
	} {
		if got := o.Where(field); got.Line != want || got.File != "dir/a.yaml" {
			t.Errorf("%s: got %s, want line %d", field, got, want)
		}
	}
}

type everything struct {
	Embedded
	Str      string                `json:"str"`
	Bool     bool                  `json:"bool"`
	I8       int8                  `json:"i8"`
	U16      uint16                `json:"u16"`
	U64      uint64                `json:"u64"`
	F32      float32               `json:"f32"`
	PtrPtr   **int                 `json:"ptrPtr"`
	Bytes    []byte                `json:"bytes"`
	Map      map[string][]int      `json:"map"`
	Typed    map[name]*Embedded    `json:"typed"`
	Raw      json.RawMessage       `json:"raw"`
	Any      any                   `json:"any"`
	Addr     netip.Addr            `json:"addr"`
	Time     time.Time             `json:"time"`
	Either   manifest.IntOrString  `json:"either"`
	EitherP  *manifest.IntOrString `json:"eitherP"`
	Untagged string
	Hidden   string `json:"-"`
}

type name string

type Embedded struct {
	Inner string `json:"inner"`
}

const everythingText = `apiVersion: v1
kind: ConfigMap
metadata: {name: x}
inner: in
str: s
bool: yes
i8: -0x80
u16: 65_535
u64: 18446744073709551615
f32: 3
ptrPtr: 0o17
bytes: aGk=
map: {a: [1, 2], b: []}
typed: {a: {inner: t}}
raw: {a: [1, 2.5, "x", true, null, 1e3], big: 123456789012345678901}
any: [1, a, {b: no}]
addr: 10.0.0.1
time: 2024-01-02T03:04:05Z
either: 3
eitherP: 30%
Untagged: u
`

func TestEveryGoTypeDecodes(t *testing.T) {
	o := load(t, everythingText)
	var got everything
	if problems := o.Decode(&got); len(problems) > 0 {
		t.Fatal(manifest.Problems(problems))
	}
	fifteen := 15
	pointer := &fifteen
	want := everything{
		Embedded: Embedded{"in"}, Str: "s", Bool: true, I8: -128, U16: 65535, U64: math.MaxUint64, F32: 3, PtrPtr: &pointer,
		Bytes: []byte("hi"), Map: map[string][]int{"a": {1, 2}, "b": {}}, Typed: map[name]*Embedded{"a": {"t"}},
		Raw:  json.RawMessage(`{"a":[1,2.5,"x",true,null,1000],"big":123456789012345678901}`),
		Any:  []any{int64(1), "a", map[string]any{"b": false}},
		Addr: netip.MustParseAddr("10.0.0.1"), Time: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		Either: manifest.IntOrString{Int: 3}, EitherP: &manifest.IntOrString{IsString: true, Text: "30%"}, Untagged: "u",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDerivedObjectsDecodeLikeWrittenOnes(t *testing.T) {
	o := load(t, everythingText)
	var first, second everything
	if problems := o.Decode(&first); len(problems) > 0 {
		t.Fatal(manifest.Problems(problems))
	}
	origin := manifest.Origin{File: "b.yaml", Line: 7}
	notes := map[string]string{"a": "b"}
	derived, err := manifest.NewObject(manifest.Key{Kind: "Network", Name: "n"}, "g/v1", origin, notes, first)
	if err != nil {
		t.Fatal(err)
	}
	if derived.Key.Namespace != "default" || derived.APIVersion != "g/v1" || derived.Annotations["a"] != "b" {
		t.Errorf("got %+v", derived)
	}
	if problems := derived.Decode(&second); len(problems) > 0 {
		t.Fatal(manifest.Problems(problems))
	}
	first.Any, second.Any = nil, nil
	if !reflect.DeepEqual(first, second) {
		t.Errorf("got  %+v\nwant %+v", second, first)
	}
	if got := derived.Where("str"); got != origin {
		t.Errorf("got %s", got)
	}
	var narrow struct {
		Str int `json:"str"`
	}
	problems := derived.Decode(&narrow)
	if len(problems) == 0 || !strings.HasPrefix(problems[0].String(), "b.yaml:7: Network/n: ") {
		t.Errorf("got %v", problems)
	}
	if _, err := manifest.NewObject(manifest.Key{Kind: "A", Name: "b"}, "", origin, nil, []int{1}); err == nil {
		t.Error("a list was taken for a body")
	}
	if _, err := manifest.NewObject(manifest.Key{Kind: "A", Name: "b"}, "", origin, nil, math.NaN()); err == nil {
		t.Error("NaN was taken for a body")
	}
}

func TestDefaultsSurviveAbsentFields(t *testing.T) {
	o := load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nb: null\n")
	into := struct {
		A int    `json:"a"`
		B string `json:"b"`
	}{3, "x"}
	if problems := o.Decode(&into); len(problems) > 0 || into.A != 3 || into.B != "x" {
		t.Errorf("got %+v, %v", into, problems)
	}
}

func TestMistakesInGoDeclarationsAreTold(t *testing.T) {
	o := load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
	for want, into := range map[string]any{
		"unknown rule": new(struct {
			A string `rule:"requierd"`
		}),
		"unknown format": new(struct {
			A string `rule:"format=cdir"`
		}),
		"is not supported": new(struct{ A chan int }),
		"is used twice": new(struct {
			Embedded
			B string `json:"inner"`
		}),
		"missing closing ]": new(struct {
			A string `rule:"pattern=["`
		}),
		"invalid syntax": new(struct {
			A string `rule:"min=x"`
		}),
		"cannot be decoded into a": struct{}{},
	} {
		problems := o.Decode(into)
		if len(problems) == 0 || !strings.Contains(problems[0].What, want) {
			t.Errorf("got %v, want %s", problems, want)
		}
	}
}

func TestJSON(t *testing.T) {
	text := "[1]\n{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"j\"},\n\t\"data\": {\n\t\t\"a\": \"\\ud83d\\ude00\",\n\t\t\"a\": \"b\",\n\t\t\"c\": true\n\t}\n}\n"
	loaded, err := manifest.Load(fstest.MapFS{"a.json": {Data: []byte(text)}}, kinds())
	want := "a.json:1: not an object, but a list; write each item as a document of its own, after ---, or below items of kind: List\n" +
		"a.json:7: ConfigMap/j: data.a: written twice, first on line 6; keep one of the two"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	var data struct {
		Data map[string]string `json:"data"`
	}
	problems := loaded.Objects[0].Decode(&data)
	if got, want := manifest.Problems(problems).Error(), `a.json:8: ConfigMap/j: data.c: wants a string, found the boolean true; quote it: "true"`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	smile := load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: 😀}\n")
	if problems := smile.Decode(&data); len(problems) > 0 || data.Data["a"] != "😀" {
		t.Errorf("got %v, %v", data, problems)
	}
}

func TestTypesThatReadThemselves(t *testing.T) {
	o := load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\neither: 1.5\nhidden: 2.5\naddr: 10.0.0\n")
	var into struct {
		Either manifest.IntOrString `json:"either"`
		Hidden manifest.IntOrString `json:"hidden" rule:"secret"`
		Addr   netip.Addr           `json:"addr"`
	}
	got := manifest.Problems(o.Decode(&into)).Error()
	want := "dir/a.yaml:4: ConfigMap/x: either: the number 1.5 is not valid: must be a whole number or a string\n" +
		"dir/a.yaml:5: ConfigMap/x: hidden: not valid\n" +
		"dir/a.yaml:6: ConfigMap/x: addr: the string \"10.0.0\" is not valid: ParseAddr(\"10.0.0\"): IPv4 address too short"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
