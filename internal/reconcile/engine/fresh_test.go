package engine

import (
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// An object is to be adopted when another object is ready. Before that, another stack adopts it. The object is listed
// again before it is written, so the first stack does not adopt it.
func TestWhatAnotherStackHasTakenMeanwhileIsNotAdopted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, dogs := thingtest.New(), thingtest.New()
		w.Delay = 100 // number of lists until the house is built
		rex := dogs.Put(thingtest.Thing{Name: "rex", Mine: true})
		e := engineOf(w)
		e.Kinds = append(e.Kinds, thingtest.Of(kind.Info{Group: "test", Version: "v1", Kind: "Dog"}, dogs))
		dog := strings.Replace(thingtest.Manifest("rex near=house adopt="+rex.ID), "kind: Thing", "kind: Dog", 1)
		want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(thingtest.Manifest("house") + "\n---\n" + dog)}}, e.Kinds)
		if err != nil {
			t.Fatal(err)
		}
		theirs := &kind.Mark{Owner: "other/Dog/default/rex", Applied: "x"}
		time.AfterFunc(3*time.Minute, func() {
			dogs.Mu.Lock()
			defer dogs.Mu.Unlock()
			dogs.Things[rex.ID].Mark = theirs
		})
		pass := e.Sync(t.Context(), Revision{Want: want})
		if pass.Took < 4*time.Minute {
			t.Fatalf("the house was built within %s", pass.Took)
		}
		if got := dogs.Things[rex.ID].Mark; got != theirs {
			t.Errorf("its mark is %v: %s", got, failed(pass))
		}
	})
}
