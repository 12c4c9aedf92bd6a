package report

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/redact"
)

func outputsFor(t *testing.T, resource any) Outputs {
	t.Helper()
	o := status.Object{Kind: "Server", Metadata: status.Metadata{Name: "web-1", Namespace: "default"}}
	o.Status.ID, o.Status.Addresses, o.Status.Resource, o.Status.Message = "id-1", []string{"10.0.0.5", "192.0.2.1"}, resource, "a message"
	out, err := OutputsOf(o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestValuesOfAStatus(t *testing.T) {
	t.Parallel()
	out := outputsFor(t, map[string]any{"ports": []any{map[string]any{"ip": "10.0.0.5"}}, "size": json.Number("12345678901234567890"), "none": nil})
	for path, want := range map[string]string{
		"id": "id-1\n", "addresses": "10.0.0.5\n192.0.2.1\n", "addresses.1": "192.0.2.1\n", "resource.ports.0.ip": "10.0.0.5\n", "resource.size": "12345678901234567890\n",
		"resource.ports": "{\"ip\":\"10.0.0.5\"}\n", "addresses.2": "", "addresses.-1": "", "addresses.x": "", "id.0": "", "nothing": "", "message": "", "conditions": "", "resource.none": "",
	} {
		var b strings.Builder
		v, found := out.Find(path)
		if found {
			if err := OutputText(&b, v); err != nil {
				t.Error(err)
			}
		}
		if b.String() != want || found != (want != "") {
			t.Errorf("%s is %q (%t), want %q", path, b.String(), found, want)
		}
	}
}

// A shell that evaluates the variables runs nothing and reads each value as it is.
func TestVariablesForShells(t *testing.T) {
	t.Parallel()
	hostile := "'; touch /nowhere/x; echo $(id) `id` \"$HOME\" \\"
	out := outputsFor(t, map[string]any{"name": hostile, "secret": "a " + redact.Hidden})
	var b strings.Builder
	if err := OutputEnv(&b, out.List()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "SECRET") || !strings.Contains(b.String(), "OUT_SERVER_WEB_1_ADDRESSES_0='10.0.0.5'\n") {
		t.Error(b.String())
	}
	got, err := exec.Command("/bin/sh", "-euc", b.String()+`printf %s "$OUT_SERVER_WEB_1_RESOURCE_NAME"`).Output()
	if err != nil || string(got) != hostile {
		t.Errorf("%q, %v", got, err)
	}
}

// Values that cannot be variables are refused, and then none is written.
func TestVariablesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, resource := range map[string]map[string]any{
		"two with one name":    {"a-b": "1", "a_b": "2"},
		"a control character":  {"name": "a\x1b[2J"},
		"a line break":         {"name": "a\nPATH=/x"},
		"an invisible one":     {"name": "a\u202eb"},
		"a zero byte in a row": {"name": "a\x00b"},
	} {
		var b strings.Builder
		if err := OutputEnv(&b, outputsFor(t, resource).List()); err == nil || b.String() != "" {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}

// No name of a kind, an object or a field makes a variable that programs obey.
func FuzzVariable(f *testing.F) {
	f.Add("Git/ssh", "command", "x")
	f.Add("LD/preload", "\n=", "'")
	f.Fuzz(func(t *testing.T, object, field, value string) {
		name := Output{object, field, value}.Variable()
		if !strings.HasPrefix(name, variablePrefix) || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			t.Errorf("%q", name)
		}
		var b strings.Builder
		if OutputEnv(&b, []Output{{object, field, value}}) == nil && (strings.Count(b.String(), "\n") != 1 || !strings.HasPrefix(b.String(), name+"='")) {
			t.Errorf("%q", b.String())
		}
	})
}
