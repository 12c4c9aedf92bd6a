package report

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// A file name, an object name and a value can neither end a command nor begin one.
func TestAttackWorkflowCommands(t *testing.T) {
	for _, evil := range []string{"a,line=9,title=b", "a::b", "a\n::add-mask::x", "a\r\n::stop-commands::x", "100%0A::error::x", "##[error]x", "\u2028::error::x"} {
		v := Validation{Problems: manifest.Problems{{Origin: manifest.Origin{File: evil, Line: 3}, Key: key(evil, evil), Field: evil, What: evil, Fix: evil}}}
		var out bytes.Buffer
		v.Workflow(printable.NewCommandWriter(&out))
		line, more, _ := strings.Cut(out.String(), "\n")
		head, _, found := strings.Cut(strings.TrimPrefix(line, "::error "), "::")
		if more != "" || !found || !strings.HasPrefix(line, "::error file=") || strings.Count(head, ",") != 2 || strings.Contains(head, "\r") || strings.Contains(line, "##[") {
			t.Errorf("%q makes %q", evil, out.String())
		}
	}
}

// The parts that SARIF 2.1.0 requires are there, for files of any name.
func TestSARIFHasWhatItsSchemaRequires(t *testing.T) {
	v := Validation{
		Problems: manifest.Problems{{Origin: manifest.Origin{File: "a b/ü%:x.yaml"}, What: "is wrong"}, {Origin: manifest.Origin{File: "/abs/c.yaml", Line: 4}, Key: key("Kind", "n"), What: "is wrong"}},
		Notes:    []manifest.Problem{{Origin: manifest.Origin{File: "c:d", Line: 1}, What: "is odd"}},
	}
	text, err := json.Marshal(v.SARIF("stackreeve", "1"))
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("%v: %s", err, text)
	}
	rules := map[string]bool{}
	for _, r := range log.Runs[0].Tool.Driver.Rules {
		rules[r.ID] = true
	}
	var places []string
	for _, r := range log.Runs[0].Results {
		place := r.Locations[0].PhysicalLocation
		u, err := url.Parse(place.ArtifactLocation.URI)
		if err != nil || !rules[r.RuleID] || r.Message.Text == "" || r.Level != "error" && r.Level != "note" || place.Region != nil && place.Region.StartLine < 1 {
			t.Errorf("%+v (%v)", r, err)
			continue
		}
		places = append(places, u.Path)
	}
	if got := strings.Join(places, " "); got != "/abs/c.yaml a b/ü%:x.yaml ./c:d" {
		t.Errorf("places are %s", got)
	}
}

// The result is also right for one object, for several paths, and for nothing.
func TestAValidationInWords(t *testing.T) {
	for want, v := range map[string]Validation{
		"a: 1 object, no problems\n":                     {Paths: []string{"a"}, Objects: 1},
		"a b c d e and 2 more: 3 objects, no problems\n": {Paths: strings.Fields("a b c d e f g"), Objects: 3},
		"stackreeve.yaml: 2 stacks, no problems\n":       {Paths: []string{"stackreeve.yaml"}, Stacks: 2},
		"\"a b\" - s: 2 objects, 1 stack, no problems\n": {Paths: []string{"a b", "-", "s"}, Objects: 2, Stacks: 1},
	} {
		var out bytes.Buffer
		v.Text(&out, io.Discard)
		if out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}
