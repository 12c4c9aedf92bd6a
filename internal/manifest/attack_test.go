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

// TestAttackManyUnknownFields: nobody reads a hundred thousand problems, and
// they are not kept.
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

// TestAttackManyAnnotations: each of them is ours, and misspelt.
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

// TestAttackStoppedLoad counts what is still found after a stop.
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

// TestAttackHeldInMemory: what was released is parsed again from its text, and
// is not in memory in between.
func TestAttackHeldInMemory(t *testing.T) {
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
