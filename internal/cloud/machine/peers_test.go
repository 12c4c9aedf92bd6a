package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{"0": "[0]", "0-2,4": "[0 1 2 4]", "1-1": "[1]", "7,9-10": "[7 9 10]"} {
		got, err := (&machine.Group{Numbers: text}).Members()
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if back := machine.Numbers(got); text != "1-1" && back != text {
			t.Errorf("%s comes back as %s", text, back)
		}
	}
	for _, text := range []string{"", "a", "-1", "2-1", "0,0", "3,2", "0-", "0-1000", "0-999,1001", "0-99999999999999999999", "1--2"} {
		if got, err := (&machine.Group{Numbers: text}).Members(); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	if n := len((&machine.Group{Name: "web", Numbers: "0-999"}).Peers()); n != 1000 {
		t.Errorf("%d peers", n)
	}
}

// A machine is not created while an address in its template is unknown.
func TestAMissingAddress(t *testing.T) {
	known, unknown := machine.Fact{Name: "a", Address: "10.0.0.1"}, machine.Fact{Name: "b"}
	for text, f := range map[string]machine.Facts{
		"{{address}}": {Fact: unknown}, "{{#peers}}{{address}}{{/peers}}": {Fact: known, Peers: []machine.Fact{known, unknown}},
	} {
		if got, err := machine.Complete(text, f); err == nil || !strings.Contains(err.Error(), "not known yet") {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got, err := machine.Complete("{{#peers}}{{name}}{{/peers}}", machine.Facts{Fact: unknown, Peers: []machine.Fact{unknown}}); err != nil || got != "b" {
		t.Errorf("%q, %v", got, err)
	}
}
