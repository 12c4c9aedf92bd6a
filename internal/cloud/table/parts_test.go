package table_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// A struct can be created, compared and changed alone, if it is a part of an object with separate
// requests.
func TestParts(t *testing.T) {
	type part struct {
		ID     string `json:"id" api:"id,unwritten"`
		Name   string `json:"part.name" api:"name"`
		Up     bool   `json:"up" api:"admin_state_up" rule:"default=true"`
		Net    string `json:"net" api:"network_id" ref:"Network"`
		Parent string `json:"parent" api:"parent_id,unread"`
		Zones  []string
		Ranges []string `json:"ranges" api:"ranges,set,empty" rule:"format=cidr"`
		Modes  *modes   `json:"modes" api:",inline"`
	}
	var have part
	answer := table.Attributes{"id": json.RawMessage(`"p1"`), "name": json.RawMessage(`"old"`), "admin_state_up": json.RawMessage("false"),
		"network_id": json.RawMessage(`"n1"`), "parent_id": json.RawMessage(`"x"`), "ranges": json.RawMessage(`["10.0.0.0/8"]`)}
	if err := table.Read(answer, &have); err != nil {
		t.Fatal(err)
	}
	want := part{ID: "p1", Name: "new", Net: "n2", Parent: "o1", Modes: &modes{text("slaac")}}
	if got, expected := table.Given(&want), (map[string]any{"name": "new", "network_id": "n2", "parent_id": "o1", "address_mode": "slaac"}); !reflect.DeepEqual(got, expected) {
		t.Errorf("what is given is\n%v, want\n%v", got, expected)
	}
	var c kind.Changes
	table.Differ("spec.parts[0]", &want, &have, &c)
	var fields []string
	for _, change := range c.List() {
		fields = append(fields, change.Field)
	}
	if expected := []string{"spec.parts[0].part.name", "spec.parts[0].up", "spec.parts[0].net", "spec.parts[0].ranges", "spec.parts[0].modes.address"}; !reflect.DeepEqual(fields, expected) {
		t.Errorf("changes are %q, want %q", fields, expected)
	}
	expected := map[string]any{"name": "new", "admin_state_up": true, "ranges": []any{}, "network_id": "n2", "address_mode": "slaac"}
	if got := table.Changed("spec.parts[0]", &want, c.List()); !reflect.DeepEqual(got, expected) {
		t.Errorf("all changes are\n%v, want\n%v", got, expected)
	}
	if got := table.Changed("spec.parts[0]", &want, c.List()[1:2]); !reflect.DeepEqual(got, map[string]any{"admin_state_up": true}) {
		t.Errorf("one change is %v", got)
	}
	if got := table.Changed("spec.parts[1]", &want, c.List()); len(got) > 0 {
		t.Errorf("changes of another part are %v", got)
	}
	have.Name, have.Up, have.Net, have.Ranges, have.Modes = "new", true, "n2", nil, want.Modes
	c = kind.Changes{}
	if table.Differ("spec.parts[0]", &want, &have, &c); len(c.List()) > 0 {
		t.Errorf("nothing differs, changes are %v", c.List())
	}
}

// Spellings are equal if the service does not distinguish them. A request contains the service's
// spelling.
func TestSpellings(t *testing.T) {
	type part struct {
		Name    string   `json:"name" api:"dns_name,lower"`
		Text    string   `json:"text" api:"description,trimmed,empty"`
		Words   []string `json:"words" api:"tags,set,trimmed,lower"`
		Address string   `json:"address" api:"address" rule:"format=ip"`
		Range   string   `json:"range" api:"range" rule:"format=cidr"`
	}
	have := part{"www", "free text", []string{"b", "a"}, "2001:db8::1", "2001:db8::/32"}
	want := part{"WWW", " free text \n", []string{" A", "B\n"}, "2001:DB8:0:0::1", "2001:0DB8::1/32"}
	var c kind.Changes
	if table.Differ("spec", &want, &have, &c); len(c.List()) > 0 {
		t.Errorf("changes are %v", c.List())
	}
	expected := map[string]any{"dns_name": "www", "description": "free text", "tags": []any{"a", "b"}, "address": "2001:db8::1", "range": "2001:db8::/32"}
	if got := table.Given(&want); !reflect.DeepEqual(got, expected) {
		t.Errorf("what is written is\n%v, want\n%v", got, expected)
	}
	want.Text = " \n"
	table.Differ("spec", &want, &have, &c)
	if list := c.List(); len(list) != 1 || list[0].Field != "spec.text" || list[0].Want != "" {
		t.Errorf("of white space alone, changes are %v", list)
	}
}

// References are IDs in requests, and an empty one is null. A field within another one has its name in manifests, unless its tag has a
// different one. A text that only looks empty is no reference.
func TestReferencesAndNestedFieldsInRequests(t *testing.T) {
	type inner struct {
		Plain  string `json:"plain,omitempty"`
		Called string `json:"called,omitempty" api:"name"`
		Deeper struct {
			On bool `json:"on"`
		} `json:"deeper" api:",inline"`
	}
	type linked struct {
		Policy *string  `json:"policyRef,omitempty" api:"policy_id" ref:"Policy"`
		Ports  []string `json:"portRefs,omitempty" api:"ports" ref:"Port"`
		Text   *string  `json:"text,omitempty" api:"text"`
		Part   *inner   `json:"part,omitempty" api:"part"`
	}
	id, none := "one", ""
	part := inner{Plain: "a", Called: "b"}
	part.Deeper.On = true
	w := linked{Policy: &id, Ports: []string{"two"}, Text: &none, Part: &part}
	around := kind.Lookups{PlanLookups: &kind.PlanLookups{Lookup: func(key manifest.Key) kind.Ref { return kind.Ref{Key: key, ID: key.Kind + " " + key.Name} }}}
	body := table.New[linked, struct{}]().Creation(typed.Want[linked]{Want: kind.NewWant(&kind.Desired{}, nil, kind.Mark{}, around), Spec: &w})
	inside := map[string]any{"plain": "a", "name": "b", "on": true}
	if expected := (map[string]any{"policy_id": "Policy one", "ports": []any{"Port two"}, "text": "", "part": inside}); !reflect.DeepEqual(body, expected) {
		t.Errorf("creation is\n%v, want\n%v", body, expected)
	}
	w.Policy = &none
	if body := table.Given(&w); body["policy_id"] != nil || len(body) != 4 || body["text"] != "" {
		t.Errorf("%v", body)
	}
}
