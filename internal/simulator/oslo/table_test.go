package oslo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type gadget struct {
	Name  string   `json:"name"`
	Size  *int     `json:"size"`
	Words []string `json:"words"`
}

var testTypes Types = func(p Problem, name string, v, bound any) *Error {
	return Errorf(400, "Invalid", "%s %d %v %v", name, p, v, bound)
}

var gadgets = Table{
	{Name: "name", Create: Anybody, Update: Anybody, Required: true, Parse: testTypes.Text(3), Plain: true},
	{Name: "size", Create: Anybody, Update: AdminOnly, Default: 7, Parse: OrNull(testTypes.Int(1, 9))},
	{Name: "words", Create: Anybody, Default: []string{}, Parse: testTypes.Texts(testTypes.OneOf("a", "1")), Filter: true},
	{Name: "id"},
}

func testRefuse(why Refusal, names ...string) *Error {
	return Errorf(400, "Refused", "%d %s", why, strings.Join(names, ","))
}

func TestTableSaysWhatRequestsMay(t *testing.T) {
	create := func(body map[string]any, r Refuse) (Values, *Error) { return gadgets.Create(body, r) }
	update := func(body map[string]any, r Refuse) (Values, *Error) { return gadgets.Update(body, r) }
	for _, tc := range []struct {
		method func(map[string]any, Refuse) (Values, *Error)
		body   string
		want   string
	}{
		{create, `{"name": "n"}`, "map[?name:true name:n size:7 words:[]]"},
		{create, `{"name": "n", "size": "3", "words": ["a", 1]}`, "map[?name:true ?size:true ?words:true name:n size:3 words:[a 1]]"},
		{create, `{"name": "n", "size": null}`, "map[?name:true ?size:true name:n size:<nil> words:[]]"},
		{create, `{}`, fmt.Sprint(MissingAttribute, " name")},
		{create, `{"name": "n", "id": "x"}`, fmt.Sprint(NotInCreate, " id")},
		{create, `{"z": 1, "y": 1, "id": "x"}`, fmt.Sprint(UnknownAttribute, " y,z")},
		{create, `{"name": 5}`, fmt.Sprint("name ", NotText, " 5 <nil>")},
		{create, `{"name": "long"}`, fmt.Sprint("name ", TooLong, " long 3")},
		{create, `{"name": "n", "size": 0}`, fmt.Sprint("size ", TooSmall, " 0 1")},
		{create, `{"name": "n", "size": 10}`, fmt.Sprint("size ", TooLarge, " 10 9")},
		{create, `{"name": "n", "size": "x"}`, fmt.Sprint("size ", NotNumber, " x <nil>")},
		{create, `{"name": "n", "words": "a"}`, fmt.Sprint("words ", NotList, " a <nil>")},
		{create, `{"name": "n", "words": ["b"]}`, fmt.Sprint("words ", NotListed, " b [a 1]")},
		{update, `{"size": 2}`, "map[?size:true size:2]"},
		{update, `{"words": []}`, fmt.Sprint(NotInUpdate, " words")},
	} {
		var body map[string]any
		if !Decode([]byte(tc.body), &body) {
			t.Fatal(tc.body)
		}
		v, err := tc.method(body, testRefuse)
		got := fmt.Sprint(map[string]any(v))
		if err != nil {
			got = err.Message
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.body, got, tc.want)
		}
	}
	access := func(a Attribute) Access { return a.Update }
	body := map[string]any{"name": "n", "size": 1}
	if name := gadgets.AdminOnly(&Caller{Roles: []string{"member"}}, body, access); name != "size" {
		t.Errorf("a member may not write %q", name)
	}
	if name := gadgets.AdminOnly(&Caller{Roles: []string{"admin"}}, body, access); name != "" {
		t.Errorf("an admin may not write %q", name)
	}
	if got := gadgets.Plain(Values{"name": "n", "size": 1}); !reflect.DeepEqual(got, Values{"name": "n"}) {
		t.Errorf("plain: %v", got)
	}
	if got := gadgets.Names(func(a Attribute) bool { return a.Filter }); !slices.Equal(got, []string{"words"}) {
		t.Errorf("filters: %v", got)
	}
}

func TestValuesAreStored(t *testing.T) {
	f, rec, five := FieldsOf[gadget](), &gadget{Name: "n"}, 5
	f.Set(rec, Values{"name": "m", "?name": true, "size": 5, "words": []string{"a"}, "nosuch": 1})
	if want := (gadget{Name: "m", Size: &five, Words: []string{"a"}}); !reflect.DeepEqual(*rec, want) {
		t.Errorf("%+v, want %+v", rec, want)
	}
	body := map[string]any{"name": "m", "size": json.Number("5"), "words": []any{"b"}, "nosuch": 1}
	if f.DropUnchanged(rec, body); len(body) != 2 || body["words"] == nil || body["nosuch"] == nil {
		t.Errorf("changed: %v", body)
	}
	if f.Set(rec, Values{"size": nil}); rec.Size != nil {
		t.Errorf("a null stored %d", *rec.Size)
	}
}

func TestSortBy(t *testing.T) {
	f, one, two := FieldsOf[gadget](), 1, 2
	recs := []*gadget{{Name: "b", Size: &two}, {Name: "a", Size: &two}, {Name: "c", Size: &one}, {Name: "d"}}
	SortBy(recs, f, Order{Key: "size", Desc: true}, Order{Key: "name"})
	var got []string
	for _, r := range recs {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("order %v", got)
	}
	name := func(r *gadget) string { return r.Name }
	if rest, ok := After(recs, name, "b"); !ok || len(rest) != 2 {
		t.Errorf("after b: %d, %v", len(rest), ok)
	}
	if _, ok := After(recs, name, "z"); ok {
		t.Error("a marker that is not there was found")
	}
}

func TestQuotas(t *testing.T) {
	q := Quotas{Defaults: map[string]int{"a": 1}}
	q.Set("p", "b", 2)
	for _, tc := range []struct {
		project, name string
		count         int
		want          bool
	}{{"p", "a", 1, false}, {"p", "a", 2, true}, {"p", "b", 3, true}, {"o", "b", 3, false}} {
		if got := q.Exceeded(tc.project, tc.name, tc.count); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	if !slices.Equal(q.Projects(), []string{"p"}) || !q.Reset("p") || q.Reset("p") || q.Limit("p", "b") != -1 {
		t.Error("limits were not reset")
	}
}
