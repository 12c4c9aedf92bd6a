package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackManyUnknownFields checks that at most 1000 problems are stored, because nobody reads a hundred
// thousand.
func TestAttackManyUnknownFields(t *testing.T) {
	var text strings.Builder
	text.WriteString(head + "spec:\n")
	for i := range 45_000 {
		fmt.Fprintf(&text, "  unknown%d: x\n", i)
	}
	loaded, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, kinds())
	if err != nil {
		t.Fatal(err)
	}
	var into struct {
		Spec network `json:"spec"`
	}
	if problems := loaded.Objects[0].Decode(&into); len(problems) != 1000 {
		t.Errorf("%d problems", len(problems))
	}
}

// TestAttackManyAnnotations uses one object with 9,000 misspelt annotations of Stackreeve.
func TestAttackManyAnnotations(t *testing.T) {
	var text strings.Builder
	text.WriteString("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata:\n  name: x\n  annotations:\n")
	for i := range 9_000 {
		fmt.Fprintf(&text, "    stackreeve.dev/x%d: \"\"\n", i)
	}
	opts := kinds()
	opts.Annotations = []string{"stackreeve.dev/prune"}
	_, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, opts)
	var problems manifest.Problems
	if !errors.As(err, &problems) || len(problems) != 100 {
		t.Errorf("%d problems", len(problems))
	}
}

// TestAttackStoppedLoad counts the objects that a load still finds after it was stopped.
func TestAttackStoppedLoad(t *testing.T) {
	ended := errors.New("stop")
	for _, files := range []fstest.MapFS{
		many(100),
		{"a.yaml": {Data: []byte(strings.Repeat("---\n"+head, 1000))}},
		{"a.yaml": {Data: []byte("apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: x}}\n", 1000))}},
	} {
		found, stopped := 0, false
		opts := kinds()
		opts.Each = func(*manifest.Object) { found++; stopped = found >= 50 }
		opts.Stop = func() error {
			if stopped {
				return ended
			}
			return nil
		}
		if _, err := manifest.Load(files, opts); !errors.Is(err, ended) || found != 50 {
			t.Errorf("%d objects were found, %v", found, err)
		}
	}
}

// TestAttackHeldInMemory checks that a released object is not in memory, and that it is parsed again
// from its text when it is needed.
func TestAttackHeldInMemory(t *testing.T) {
	testcost.Long(t)
	files := many(500)
	var objects []*manifest.Object
	opts := kinds()
	opts.Each = func(o *manifest.Object) { o.Release(); objects = append(objects, o) }
	var err error
	_, kept := testcost.AllocatedAndKept(func() { _, err = manifest.Load(files, opts) })
	if err != nil {
		t.Fatal(err)
	}
	if each := kept / int64(len(objects)); each > 2000 {
		t.Errorf("%d bytes an object", each)
	}
	for _, o := range objects[:20] {
		if at := o.Where("spec.resource.mtu"); at.Line != o.Origin.Line+9 {
			t.Errorf("%s: its MTU is at %s, the document at %s", o.Key, at, o.Origin)
		}
	}
}

// TestAttackControlCharacters checks that a text with control characters cannot damage the header, address or
// log into which it is written.
func TestAttackControlCharacters(t *testing.T) {
	for value, want := range map[string][4]int{ // problems of plain, of lines, of raw and of secret
		`"https://example.org/\x01"`:     {1, 1, 0, 0},
		`"a\r\nSet-Cookie: x"`:           {1, 0, 0, 0},
		`"a\tb"`:                         {1, 0, 0, 0},
		`"\e[31m"`:                       {1, 1, 0, 0},
		`"\x85"`:                         {1, 1, 0, 0},
		`"\x7f"`:                         {1, 1, 0, 0},
		"|\n      first\n      second\n": {1, 0, 0, 0},
		"|-\n      one\n":                {0, 0, 0, 0},
		`"\u00fc \U0001F600"`:            {0, 0, 0, 0},
	} {
		for i, field := range []string{"plain", "lines", "raw", "secret", "list", "map"} {
			written := value
			switch field {
			case "list":
				written = "[" + value + "]"
			case "map":
				written = "{a: " + value + "}"
			}
			if strings.HasPrefix(value, "|") && i > 3 {
				continue
			}
			text := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: x}\nspec:\n    " + field + ": " + written + "\n"
			loaded, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, kinds())
			if err != nil {
				t.Fatal(err)
			}
			var into struct {
				Spec struct {
					Plain  string            `json:"plain"`
					Lines  string            `json:"lines" rule:"lines"`
					Raw    string            `json:"raw" rule:"raw"`
					Secret string            `json:"secret" rule:"secret"`
					List   []string          `json:"list"`
					Map    map[string]string `json:"map"`
				} `json:"spec"`
			}
			problems := loaded.Objects[0].Decode(&into)
			n := want[0]
			if i < 4 {
				n = want[i]
			}
			if len(problems) != n {
				t.Errorf("%s: %s: %v, want %d problems", field, value, problems, n)
			}
		}
	}
}
