package decide

import (
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type vault struct {
	Colour string  `json:"colour,omitempty"`
	Code   *string `json:"code,omitempty" rule:"secret"`
}

// What was applied to an object with secrets is stored as a fingerprint from
// which they cannot be guessed at the price of a plain hash; what earlier
// releases stored is still understood, and renewed in place.
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
	if !p.Applied(&d, &mark) || !p.Applied(&d, &old) || !p.renewed(&d, &old) || p.renewed(&d, &mark) {
		t.Error("an old mark is not understood")
	}
	other := old
	other.Applied = "abcdefghijkl"
	if p.Applied(&d, &other) || p.renewed(&d, &other) {
		t.Error("another mark is taken for ours")
	}
	secret := p.boundSum(&d, true)
	d.Confidential.Secret = ""
	if secret == p.boundSum(&d, true) || secret == d.Sum {
		t.Error("approvals bind a plain sum of the secret")
	}
}
