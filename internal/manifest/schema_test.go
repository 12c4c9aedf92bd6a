package manifest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

type documented struct {
	Spec struct {
		Name    *string               `json:"name,omitempty" rule:"min=1,max=64" doc:"What people call it."`
		CIDR    string                `json:"cidr" rule:"required,immutable,format=cidr" doc:"The addresses of the network, which is a long story that does not fit on one line of a terminal."`
		MTU     int                   `json:"mtu,omitempty" rule:"min=68,default=1500"`
		Count   uint8                 `json:"count,omitempty"`
		Weight  float64               `json:"weight,omitempty" rule:"enum=0.5|1"`
		Side    string                `json:"side,omitempty" rule:"enum=left|right,default=left"`
		Tags    []string              `json:"tags,omitempty" rule:"unique,max=4,pattern=^[a-z]{1,3}$"`
		Labels  map[string]int        `json:"labels,omitempty" rule:"min=1"`
		Secret  []byte                `json:"secret,omitempty" rule:"secret"`
		MAC     string                `json:"mac,omitempty" rule:"format=mac"`
		URL     string                `json:"url,omitempty" rule:"format=uri"`
		Peers   []peer                `json:"peers,omitempty"`
		Auth    *credentials          `json:"auth,omitempty" rule:"oneof" doc:"How to log in."`
		Deletes *manifest.IntOrString `json:"deletes,omitempty"`
		Free    any                   `json:"free,omitempty"`
		On      bool                  `json:"on,omitempty" rule:"default=true"`
	} `json:"spec" rule:"required" doc:"What is wanted."`
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}

func TestSchema(t *testing.T) {
	schema, err := manifest.Schema(manifest.TypeFor[documented](), manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Net"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "net.schema.json", append(text, '\n'))
}

func TestExplain(t *testing.T) {
	var out bytes.Buffer
	for _, at := range []string{"", "spec", "spec.cidr", "spec.peers", "spec.peers.host", "spec.auth", "metadata.name"} {
		text, err := manifest.Explain(manifest.TypeFor[documented](), at)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("$ explain " + at + "\n" + text + "\n")
	}
	golden(t, "net.explain.txt", out.Bytes())
	for at, want := range map[string]string{
		"spce":           "the document has no field spce; did you mean spec?",
		"spec.peer":      "spec has no field peer; did you mean peers?",
		"spec.cidr.host": "spec.cidr has no fields",
	} {
		if _, err := manifest.Explain(manifest.TypeFor[documented](), at); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", at, err, want)
		}
	}
}

type endless struct {
	Again *endless `json:"again"`
}

func TestSchemaRefusesWhatItCannotSay(t *testing.T) {
	for want, typ := range map[string]manifest.Type{
		"contains itself": manifest.TypeFor[endless](),
		"is not a struct": manifest.TypeFor[string](),
		"unknown rule": manifest.TypeFor[struct {
			A string `rule:"x"`
		}](),
		"is not supported": manifest.TypeFor[struct{ A func() }](),
	} {
		if _, err := manifest.Schema(typ, manifest.GroupVersionKind{Version: "v1", Kind: "A"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
