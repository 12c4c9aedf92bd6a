package review_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// TestEncryptedValuesOfForksAreNotPlanned asks for the plan of a fork whose files have encrypted values.
func TestEncryptedValuesOfForksAreNotPlanned(t *testing.T) {
	text, err := os.ReadFile("../sops/testdata/real/secret.yaml")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := manifest.Load(fstest.MapFS{"a.yaml": {Data: text}},
		manifest.Options{Kinds: []manifest.GroupVersionKind{{Version: "v1", Kind: "Secret"}}, Decryption: manifest.Decryption{Unknown: true}})
	if err != nil {
		t.Fatal(err)
	}
	secret := &loaded.Objects[0]
	for _, encrypted := range []bool{true, false} {
		inWorld(t, func(w *world) {
			w.Review.Plan = func(context.Context, string, fs.FS) (plan.Plan, preflight.Findings, error) {
				t.Error("the files of a fork are read with keys")
				return plan.Plan{}, preflight.Findings{}, nil
			}
			if encrypted {
				w.Review.Read = func(context.Context, fs.FS) ([]kind.Desired, error) {
					return []kind.Desired{{Key: secret.Key, Object: secret}}, nil
				}
			}
			head := w.Fork(1, "+a")
			w.Visit()
			w.Forge.AddComment(1, "ann", "/stackreeve plan "+head)
			w.Visit()
			if !encrypted {
				w.WantStatus(head, "plan", forge.Success, "1 to create")
				return
			}
			w.WantStatus(head, "plan", forge.Pending, "not planned: it comes from a fork")
			if got := w.Comments(1); w.Plans != 0 || len(got) == 0 || !strings.Contains(got[0], "decrypts no values") {
				t.Errorf("%d plans, comments %q", w.Plans, got)
			}
		})
	}
}
