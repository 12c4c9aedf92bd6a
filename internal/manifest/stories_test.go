package manifest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

var update = flag.Bool("update", false, "write what the stories say now")

type network struct {
	Resource resource `json:"resource" rule:"required"`
}

type resource struct {
	Name        *string           `json:"name,omitempty" rule:"max=64"`
	Description *string           `json:"description,omitempty"`
	CIDR        string            `json:"cidr" rule:"required,immutable,format=cidr"`
	MTU         int               `json:"mtu,omitempty" rule:"min=68"`
	VLAN        *int32            `json:"vlan,omitempty" rule:"min=1,max=4094"`
	Weight      int64             `json:"weight,omitempty"`
	Ratio       float64           `json:"ratio,omitempty"`
	Shared      *bool             `json:"shared,omitempty"`
	Tags        []string          `json:"tags,omitempty" rule:"unique,min=1,max=4,pattern=^[a-z]+$"`
	MAC         string            `json:"mac,omitempty" rule:"format=mac"`
	Gateway     string            `json:"gateway,omitempty" rule:"format=ip"`
	DNS         []string          `json:"dns,omitempty" rule:"format=ip"`
	Direction   string            `json:"direction,omitempty" rule:"enum=ingress|egress"`
	Peers       []peer            `json:"peers,omitempty" rule:"key=host"`
	Credentials *credentials      `json:"credentials,omitempty" rule:"oneof"`
	Extra       json.RawMessage   `json:"extra,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
}

type peer struct {
	Host    string `json:"host" rule:"required"`
	Address string `json:"address" rule:"required,format=ip"`
}

type credentials struct {
	Password  *string           `json:"password,omitempty" rule:"secret,max=8"`
	SecretRef *string           `json:"secretRef,omitempty"`
	Token     *string           `json:"token,omitempty" rule:"secret,enum=a|b"`
	Pin       *int              `json:"pin,omitempty" rule:"secret,max=9999"`
	Keys      map[string]string `json:"keys,omitempty" rule:"secret,max=2"`
}

// body returns a struct into which the tests decode an object of the kind.
func body(kind string) any {
	switch kind {
	case "Network":
		return new(struct {
			Spec network `json:"spec" rule:"required"`
		})
	case "VirtualMachine":
		return new(struct {
			Spec machine `json:"spec" rule:"required"`
		})
	case "Secret":
		return new(struct {
			Data       map[string][]byte `json:"data" rule:"secret"`
			StringData map[string]string `json:"stringData" rule:"secret"`
			Type       string            `json:"type"`
		})
	}
	return new(struct {
		Data map[string]string `json:"data"`
	})
}

// report loads a case's files and returns all text that a person would read.
func report(files fstest.MapFS) string {
	loaded, err := manifest.Load(files, kinds())
	var problems manifest.Problems
	errors.As(err, &problems)
	var out strings.Builder
	for _, o := range loaded.Objects {
		problems = append(problems, o.Decode(body(o.Key.Kind))...)
	}
	for _, o := range loaded.Objects {
		if !slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Origin.File == o.Origin.File && p.Key == o.Key }) {
			fmt.Fprintf(&out, "ok %s: %s\n", o.Origin, o.Key)
		}
	}
	for _, i := range loaded.Ignored {
		fmt.Fprintf(&out, "ignored %s: %s\n", i.Origin, i.Why)
	}
	if len(problems) > 0 {
		out.WriteString(problems.Error() + "\n")
	}
	return out.String()
}

func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, name := range stories {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			want := &txtar.File{}
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = &archive.Files[i]
					continue
				}
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			got := report(files)
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want.Data)
			}
		})
	}
}

func TestSecretsStayOut(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/stories/secrets.txtar")
	if err != nil {
		t.Fatal(err)
	}
	got := report(fstest.MapFS{"a.yaml": {Data: archive.Files[0].Data}})
	for _, secret := range []string{"hunter", "5555", "987654", "123456", "777777"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is shown in\n%s", secret, got)
		}
	}
}
