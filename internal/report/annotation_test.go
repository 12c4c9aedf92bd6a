package report

import (
	"encoding/json"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// prints returns the fingerprints of findings, in their order.
func prints(t *testing.T, v Validation) (list []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range CodeQuality(v.Annotations()) {
		if seen[d.Fingerprint] || d.Fingerprint == "" {
			t.Errorf("the fingerprint %q is not unique", d.Fingerprint)
		}
		seen[d.Fingerprint] = true
		list = append(list, d.Fingerprint)
	}
	return list
}

// GitLab finds new findings by comparing fingerprints. A fingerprint stays the same if lines move, if words
// change or if there is another finding.
func TestFingerprintsOfFindings(t *testing.T) {
	at := func(line int) manifest.Origin { return manifest.Origin{File: "./a.yaml", Line: line} }
	before := prints(t, Validation{Problems: manifest.Problems{
		{Origin: at(4), Key: key("Network", "a"), Field: "spec.x", What: "unknown field"},
		{Origin: at(9), Key: key("Network", "b"), Field: "spec.x", What: "unknown field"},
		{Origin: at(9), Key: key("Network", "b"), Field: "spec.x", What: "another"},
	}})
	after := prints(t, Validation{Problems: manifest.Problems{
		{Origin: at(1), Key: key("Network", "new"), Field: "spec.x", What: "unknown field"},
		{Origin: at(14), Key: key("Network", "a"), Field: "spec.x", What: "in other words"},
		{Origin: manifest.Origin{File: "a.yaml", Line: 19}, Key: key("Network", "b"), Field: "spec.x", What: "unknown field"},
	}})
	if len(before) != 3 || len(after) != 3 || before[0] != after[1] || before[1] != after[2] {
		t.Errorf("before %v, after %v", before, after)
	}
}

// A report contains every field that GitLab requires, in the required form. Findings without a file are left
// out.
func TestCodeQuality(t *testing.T) {
	v := Validation{
		Problems: manifest.Problems{{Origin: manifest.Origin{File: "./clouds/a.yaml"}, Key: key("Network", "a"), Field: "spec", What: "is\nwrong", Fix: "mend it"}, {What: "no file"}},
		Notes:    []manifest.Problem{{Origin: manifest.Origin{File: "b.yaml", Line: 7}, What: "is odd"}},
	}
	docs := CodeQuality(append(v.Annotations(), forge.Annotation{File: "c.yaml", Line: 1, Rule: forge.RuleDestroyed, Level: forge.Warning}))
	text, err := json.Marshal(docs)
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Description, Fingerprint, Severity string
		CheckName                          string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil || len(got) != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	for i, want := range []struct {
		path, severity, check string
		begin                 int
	}{{"clouds/a.yaml", "critical", "stackreeve/problem", 1}, {"b.yaml", "info", "stackreeve/note", 7}, {"c.yaml", "major", "stackreeve/destroyed", 1}} {
		g := got[i]
		if g.Location.Path != want.path || g.Location.Lines.Begin != want.begin || g.Severity != want.severity || g.CheckName != want.check || g.Description == "" {
			t.Errorf("%+v, want %+v", g, want)
		}
	}
	if text, err := json.Marshal(CodeQuality(nil)); err != nil || string(text) != "[]" {
		t.Errorf("no findings make %s (%v)", text, err)
	}
}
