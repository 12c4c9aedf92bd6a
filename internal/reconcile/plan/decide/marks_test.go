package decide

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type vault struct {
	Colour string  `json:"colour,omitempty"`
	Code   *string `json:"code,omitempty" rule:"secret"`
}

// Marks store a fingerprint for an object with secrets, so that guessing the secrets costs much more than with a plain hash. The digests
// that earlier releases stored are still accepted, and replaced by fingerprints in place.
func TestAttackSecretDigest(t *testing.T) {
	k := typed.Kind[vault, struct{}, vault]{Info: kind.Info{Group: "test", Version: "v1", Kind: "Vault"}}.Flat()
	text := "apiVersion: test/v1\nkind: Vault\nmetadata: {name: v}\nspec: {code: '4711'}\n"
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, []*kind.Kind{k})
	if err != nil {
		t.Fatal(err)
	}
	d := want[0]
	prints, err := fingerprint.New("project/s")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(world.Input{Stack: "s", Printer: prints})
	mark := p.mark(&d)
	if mark.Applied == d.Digest || len("stackreeve-applied:"+mark.Applied+":keep") > ownertext.Max {
		t.Errorf("the mark says %s", mark.Applied)
	}
	if prints.Count() != 1 {
		t.Errorf("%d slow hashes for one secret", prints.Count())
	}
	old := kind.Mark{Owner: mark.Owner, Applied: d.Digest}
	if !p.Applied(&d, &mark) || !p.Applied(&d, &old) || !p.sameMeaning(&d, &old) || p.sameMeaning(&d, &mark) {
		t.Error("an old mark is not understood")
	}
	other := old
	other.Applied = "abcdefghijkl"
	if p.Applied(&d, &other) || p.sameMeaning(&d, &other) {
		t.Error("another mark is taken for ours")
	}
	secret := p.boundSum(&d, true)
	d.Confidential.Secret = ""
	if secret == p.boundSum(&d, true) || secret == d.Sum {
		t.Error("approvals bind a plain sum of the secret")
	}
}

// A cautious agent finishes the change of an object that the present manifest has started, even for an object with secrets.
func TestCautionKnowsWhatWasAppliedOfSecrets(t *testing.T) {
	k := typed.Kind[vault, struct{}, vault]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: "Vault"},
		Name: func(w typed.Want[vault]) string { return w.Key.Name },
		Diff: func(w typed.Want[vault], have *vault, c *kind.Changes) {
			kind.Field(c, "spec.colour", have.Colour, w.Spec.Colour)
		},
		List: func(context.Context, kind.Listing) ([]typed.Live[vault], error) { return nil, nil },
	}.Flat()
	text := "apiVersion: test/v1\nkind: Vault\nmetadata: {name: v}\nspec: {colour: blue, code: '4711'}\n"
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, []*kind.Kind{k})
	if err != nil {
		t.Fatal(err)
	}
	prints, err := fingerprint.New("project/s")
	if err != nil {
		t.Fatal(err)
	}
	in := world.Input{Stack: "s", Printer: prints, Kinds: []*kind.Kind{k}, Want: want, Past: world.Past{Begun: map[manifest.Key]bool{want[0].Key: true}}}
	mark := newPlanner(in).mark(&want[0])
	for applied, want := range map[string]plan.Action{mark.Applied: plan.Update, "abcdefghijkl": plan.Keep} {
		mark.Applied = applied
		in.Have = kind.Snapshot{"Vault": {Items: []*kind.Live{{ID: "1", Name: "v", InOwnProject: true, Phase: kind.Ready, Mark: &mark, State: &vault{Colour: "red"}}}}}
		p := Compute(in).Apply(guard.Cautious)
		if len(p.Steps) != 1 || p.Steps[0].Action != want || p.Steps[0].Drift {
			t.Errorf("applied %q: %+v, want %s", applied, p.Steps, want)
		}
	}
}
