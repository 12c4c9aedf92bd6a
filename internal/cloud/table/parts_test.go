package table_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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
