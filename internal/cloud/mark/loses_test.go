package mark

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The permission to lose data is read back as it was written, in every place of a mark. It is never read for an object that is
// kept, that is half-made, or that has two contradicting marks.
func TestThatDataMayBeLostIsRemembered(t *testing.T) {
	m := kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "g", Kind: "Volume", Namespace: "default", Name: "a"}), Applied: "digest", Loses: true}
	refused := m
	refused.Refused = "other"
	for _, want := range []kind.Mark{m, refused} {
		if got := InTags(Tags(want, nil)); got == nil || *got != want {
			t.Errorf("in tags: %v", got)
		}
		if got := InMetadata(Metadata(want, nil)); got == nil || *got != want {
			t.Errorf("in metadata: %v", got)
		}
		text, _ := Description(want, "what people wrote")
		if _, got := InDescription(text); got == nil || *got != want {
			t.Errorf("in a description: %v", got)
		}
	}
	kept, half := m, m
	kept.Keep, half.Applied = true, ""
	for _, never := range []kind.Mark{kept, half} {
		if got := InMetadata(Metadata(never, nil)); got == nil || got.Loses {
			t.Errorf("%v comes back as %v", never, got)
		}
	}
	if said := ReadApplied("digest"+losesSuffix, "digest"); said.Loses {
		t.Error("one of two is enough")
	}
}
