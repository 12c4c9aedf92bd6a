package table_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type spec struct {
	Name    *string  `json:"name,omitempty" api:"name,named"`
	Text    *string  `json:"text,omitempty" api:"description,empty"`
	Up      *bool    `json:"up,omitempty" api:"admin_state_up" rule:"default=true"`
	Guarded *bool    `json:"guarded,omitempty" api:"port_security_enabled,absent=true"`
	Size    int      `json:"size" api:"size" rule:"required,immutable"`
	Sort    string   `json:"sort,omitempty" api:"vnic_type,hidden" rule:"default=normal"`
	Flavor  string   `json:"flavor,omitempty" api:"flavorRef,read=flavor.id" show:"flavorID"`
	Address *string  `json:"address,omitempty" api:"ip_address" rule:"format=ip"`
	Names   []string `json:"names,omitempty" api:"nameservers,empty" rule:"format=ip"`
	Zones   []string `json:"zones,omitempty" api:"zones,set"`
	Routes  []route  `json:"routes,omitempty" api:"routes,set,empty"`
	Modes   *modes   `json:"modes,omitempty" api:",inline"`
	Pairs   []pair   `json:"pairs,omitempty" api:"metadata,pairs,empty"`
	Fixed   *fixed   `json:"fixed,omitempty" api:",inline" rule:"immutable"`
	Secret  *string  `json:"secret,omitempty" api:"secret,unread"`
	Nowhere *string  `json:"nowhere,omitempty"`
}

type route struct {
	To  string `json:"to" api:"destination" rule:"format=cidr"`
	Via string `json:"via" api:"nexthop"`
}

func (r route) String() string { return r.To + " via " + r.Via }

type modes struct {
	Address *string `json:"address,omitempty" api:"address_mode,empty" show:"addressMode" rule:"immutable"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type fixed struct {
	Most int `json:"most,omitempty" api:"limits,read=limits.most,empty"`
}

type more struct {
	Status  string   `json:"status" api:"status"`
	Details *details `json:"details,omitempty" api:",inline"`
}

type details struct {
	Segment int `json:"segment,omitempty" api:"provider:segment"`
}

func text(s string) *string { return &s }
func flag(b bool) *bool     { return &b }

func want(s spec) typed.Want[spec] {
	return typed.Want[spec]{Want: kind.Want{Key: manifest.Key{Kind: "Thing", Name: "one"}}, Spec: &s}
}

func read(t *testing.T, answer string) *table.Object[spec, more] {
	t.Helper()
	var o table.Object[spec, more]
	var attributes table.Attributes
	if err := json.Unmarshal([]byte(answer), &attributes); err != nil {
		t.Fatal(err)
	}
	if err := o.Read(attributes); err != nil {
		t.Fatal(err)
	}
	return &o
}

const shown = `{"name": "one", "description": "", "admin_state_up": true, "size": 3, "flavor": {"id": "f1"}, "ip_address": "fd00::1",
	"nameservers": ["1.1.1.1", "::1"], "zones": ["b", "a"], "routes": [{"destination": "10.0.0.0/8", "nexthop": "10.0.0.1"}],
	"address_mode": null, "metadata": {"b": "2", "a": "1"}, "limits": {"most": 2}, "status": "ACTIVE", "provider:segment": 7, "unknown": {"a": 1}}`

func asShown() spec {
	return spec{Size: 3, Flavor: "f1", Address: text("FD00:0::1"), Names: []string{"1.1.1.1", "0:0::1"}, Zones: []string{"a", "b", "a"},
		Routes: []route{{"10.0.0.0/8", "10.0.0.1"}}, Secret: text("s"), Nowhere: text("n"), Guarded: flag(true), Sort: "direct",
		Pairs: []pair{{"a", "1"}, {"b", "2"}}, Fixed: &fixed{2}}
}

func TestCompare(t *testing.T) {
	fields := table.New[spec, more]()
	for _, tt := range []struct {
		name  string
		edit  func(*spec)
		field string
		cost  kind.Disruption
	}{
		{"as shown", func(*spec) {}, "", 0},
		{"a name", func(s *spec) { s.Name = text("two") }, "name", kind.InPlace},
		{"a text", func(s *spec) { s.Text = text("x") }, "text", kind.InPlace},
		{"a flag against its default", func(s *spec) { s.Up = flag(false) }, "up", kind.InPlace},
		{"a flag that is not shown", func(s *spec) { s.Guarded = flag(false) }, "guarded", kind.InPlace},
		{"an immutable number", func(s *spec) { s.Size = 4 }, "size", kind.Replace},
		{"a value within another", func(s *spec) { s.Flavor = "f2" }, "flavor", kind.InPlace},
		{"an address", func(s *spec) { s.Address = text("fd00::2") }, "address", kind.InPlace},
		{"the order of a list", func(s *spec) { s.Names = []string{"::1", "1.1.1.1"} }, "names", kind.InPlace},
		{"a list that is left out", func(s *spec) { s.Names = nil }, "names", kind.InPlace},
		{"a set that is left out", func(s *spec) { s.Zones = nil }, "", 0},
		{"an empty set", func(s *spec) { s.Zones = []string{} }, "zones", kind.InPlace},
		{"a struct in a list", func(s *spec) { s.Routes[0].Via = "10.0.0.2" }, "routes", kind.InPlace},
		{"a field within a field", func(s *spec) { s.Modes = &modes{text("slaac")} }, "modes.address", kind.Replace},
		{"the order of pairs", func(s *spec) { s.Pairs = []pair{{"b", "2"}, {"a", "1"}} }, "", 0},
		{"a pair", func(s *spec) { s.Pairs[0].Value = "3" }, "pairs", kind.InPlace},
		{"pairs that are left out", func(s *spec) { s.Pairs = nil }, "pairs", kind.InPlace},
		{"a field within an immutable one", func(s *spec) { s.Fixed = nil }, "fixed.most", kind.Replace},
		{"what cannot be read", func(s *spec) { s.Secret = text("other") }, "", 0},
		{"what has no attribute", func(s *spec) { s.Nowhere = nil }, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := asShown()
			tt.edit(&s)
			var c kind.Changes
			fields.Compare(want(s), read(t, shown), &c)
			list := c.List()
			switch {
			case tt.field == "" && len(list) > 0, tt.field != "" && len(list) != 1:
				t.Errorf("changes are %v", list)
			case tt.field != "" && (list[0].Field != table.Path(tt.field) || list[0].Disruption != tt.cost):
				t.Errorf("change is %v, want %s at cost %v", list[0], tt.field, tt.cost)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	fields := table.New[spec, more]()
	s := asShown()
	s.Modes = &modes{text("slaac")}
	body := fields.Creation(want(s))
	expected := map[string]any{"name": "one", "port_security_enabled": true, "size": 3, "vnic_type": "direct", "flavorRef": "f1", "ip_address": "fd00::1",
		"nameservers": []any{"1.1.1.1", "::1"}, "zones": []any{"a", "b", "a"}, "routes": []any{map[string]any{"destination": "10.0.0.0/8", "nexthop": "10.0.0.1"}},
		"address_mode": "slaac", "secret": "s", "metadata": map[string]string{"a": "1", "b": "2"}, "limits": 2}
	if !reflect.DeepEqual(body, expected) {
		t.Errorf("creation is\n%v, want\n%v", body, expected)
	}
	changes := []kind.Change{{Field: "spec.resource.up"}, {Field: "spec.resource.text"}, {Field: "spec.resource.names"}, {Field: "spec.resource.nowhere"}, {Field: "spec.resource.pairs"}}
	s.Names, s.Pairs = nil, nil
	body = fields.Update(want(s), read(t, shown), changes)
	if expected := (map[string]any{"admin_state_up": true, "description": "", "nameservers": []any{}, "metadata": map[string]string{}}); !reflect.DeepEqual(body, expected) {
		t.Errorf("update is\n%v, want\n%v", body, expected)
	}
	if got, expected := fields.ValueIn("metadata", &read(t, shown).Spec), (map[string]string{"a": "1", "b": "2"}); !reflect.DeepEqual(got, expected) {
		t.Errorf("present are %v, want %v", got, expected)
	}
}

func TestRequestsLeaveOutWhatOtherCodeWrites(t *testing.T) {
	fields, s := table.New[spec, more](), spec{Size: 3, Text: text("words"), Up: flag(false)}
	fields.LeaveOut("description")
	if body := fields.Creation(want(s)); len(body) != 3 || body["admin_state_up"] != false || body["size"] != 3 {
		t.Errorf("%v", body)
	}
	if body := fields.Update(want(s), nil, []kind.Change{{Field: table.Path("text")}, {Field: table.Path("up")}}); len(body) != 1 || body["admin_state_up"] != false {
		t.Errorf("%v", body)
	}
	if value := fields.ValueIn("description", &s); value != "words" {
		t.Errorf("%v", value)
	}
}

func TestShow(t *testing.T) {
	o, out := read(t, shown), table.Shown{}
	table.Show(&o.Spec, out)
	table.Show(&o.More, out)
	got, err := json.Marshal(out.At([]string{"fd00::1"}))
	const expected = `{"address":"fd00::1","details":{"segment":7},"fixed":{"most":2},"flavorID":"f1","name":"one","names":["1.1.1.1","::1"],"pairs":[{"name":"a","value":"1"},{"name":"b","value":"2"}],"routes":[{"to":"10.0.0.0/8","via":"10.0.0.1"}],"size":3,"status":"ACTIVE","up":true,"zones":["b","a"]}`
	if err != nil || string(got) != expected {
		t.Errorf("shown are\n%s, %v, want\n%s", got, err, expected)
	}
}

func TestMatch(t *testing.T) {
	type filter struct {
		Name    *string `json:"name,omitempty"`
		Address *string `json:"address,omitempty" rule:"format=ip"`
		Status  string  `json:"status,omitempty"`
		Names   *string `json:"names,omitempty" api:"-"`
		Up      *bool   `json:"up,omitempty"`
	}
	for i, tt := range []struct {
		filter filter
		passes bool
	}{
		{filter{}, true},
		{filter{Name: text("one"), Address: text("FD00::1"), Status: "ACTIVE", Names: text("judged elsewhere"), Up: flag(true)}, true},
		{filter{Name: text("on")}, false},
		{filter{Address: text("fd00::2")}, false},
		{filter{Status: "DOWN"}, false},
		{filter{Up: flag(false)}, false},
	} {
		if got := read(t, shown).Match(&tt.filter, nil); got != tt.passes {
			t.Errorf("filter %d: %v, want %v", i, got, tt.passes)
		}
	}
}

// If an answer has values of wrong types, neither reading nor comparing them panics.
func TestAttackAnswersOfOtherTypes(t *testing.T) {
	for _, value := range []string{`1`, `"x"`, `true`, `[]`, `{}`, `[1]`, `{"id": {}}`, `[{"destination": 1}]`, `[null]`, `-1e99`} {
		for _, name := range []string{"name", "admin_state_up", "size", "flavor", "nameservers", "routes", "address_mode", "metadata", "provider:segment"} {
			var o table.Object[spec, more]
			answer := table.Attributes{name: json.RawMessage(value)}
			if err := o.Read(answer); err == nil {
				var c kind.Changes
				table.New[spec, more]().Compare(want(asShown()), &o, &c)
				_ = fmt.Sprint(c.List())
			}
		}
	}
}

// The fields of a flat kind are directly under spec.
func TestFlat(t *testing.T) {
	fields := table.NewFlat[spec, more]()
	s := asShown()
	s.Size = 4
	var c kind.Changes
	fields.Compare(want(s), read(t, shown), &c)
	if list := c.List(); len(list) != 1 || list[0].Field != "spec.size" {
		t.Errorf("changes are %v", list)
	}
	if body := fields.Update(want(s), read(t, shown), c.List()); !reflect.DeepEqual(body, map[string]any{"size": 4}) {
		t.Errorf("update is %v", body)
	}
}

func TestBody(t *testing.T) {
	s := asShown()
	s.Routes, s.Zones, s.Names, s.Guarded, s.Secret = nil, nil, nil, nil, nil
	expected := map[string]any{"description": "", "admin_state_up": true, "size": 3, "vnic_type": "direct", "flavorRef": "f1", "ip_address": "fd00::1",
		"name": "", "nameservers": []any{}, "routes": []any{}, "address_mode": "", "metadata": map[string]string{"a": "1", "b": "2"}, "limits": 2}
	if body := table.Body(&s); !reflect.DeepEqual(body, expected) {
		t.Errorf("body is\n%v, want\n%v", body, expected)
	}
}

func TestID(t *testing.T) {
	key := manifest.Key{Kind: "Network", Name: "front"}
	for _, tt := range []struct {
		ref  kind.Ref
		want string
	}{
		{kind.Ref{}, ""},
		{kind.Ref{Key: key, Name: "front"}, "known once " + key.String() + " is ready"},
		{kind.Ref{Key: key, Name: "front", ID: "about to be replaced"}, "known once " + key.String() + " is ready"},
		{kind.Ref{Key: key, Name: "front", ID: "n1", Ready: true}, "n1"},
	} {
		if got := table.ID(tt.ref); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.ref, got, tt.want)
		}
	}
}

// Some services send flags in words, and an empty text for a missing object.
func TestReadsFlagsInWordsAndMissingObjects(t *testing.T) {
	for answer, want := range map[string]bool{`"True"`: true, `"true"`: true, `true`: true, `"False"`: false, `""`: false, `false`: false} {
		o := read(t, `{"admin_state_up": `+answer+`, "flavor": ""}`)
		if up := o.Spec.Up; up == nil || *up != want || o.Spec.Flavor != "" {
			t.Errorf("%s: up is %v, the flavor %q; want %v and none", answer, up, o.Spec.Flavor, want)
		}
	}
}
