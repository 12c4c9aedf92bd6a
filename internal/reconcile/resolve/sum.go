package resolve

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/checksum"
)

// The desired state of an object has two sums:
//
//	name    sum                                           used in
//	------  --------------------------------------------  ---------------------------------
//	sum     SHA-256 in full; each part with its length    plans, proofs and approvals
//	digest  60 bits, as in every release                  marks, for the last applied state
//
// Both cover the spec, the options, the entry of clouds.yaml and the references. They also cover the data of the references' targets, and
// the filters of imported targets.

// checksums returns both sums of n. They cover everything about n that a commit can change.
func (r *resolver) checksums(n *node) (sum checksum.Sum, digest string) {
	spec, options := Canonical(n.Spec), Canonical(n.Options)
	whole, marked := checksum.New("want"), sha256.New()
	whole.Add(spec, options, n.Entry)
	hashTexts(marked, spec, options)
	if n.Entry != "" {
		hashTexts(marked, "\nentry=", n.Entry)
	}
	for _, ref := range n.Refs {
		if ref.Order {
			continue
		}
		whole.Add(ref.Field, ref.Key.Group, ref.Key.String())
		hashTexts(marked, "\n", ref.Field, "=", ref.Key.String())
		switch target := r.byKey[ref.Key]; {
		case target.Data != nil:
			whole.AddSums(target.dataSum())
			hashTexts(marked, target.dataText())
		case target.Unmanaged && target.Import != nil:
			whole.Add(r.importText(target))
			hashTexts(marked, r.importText(target))
		}
	}
	return whole.Sum(), checksum.Sum(marked.Sum(nil)).Short()
}

// importText returns the content of an import's manifest. A commit that changes the filter may make the import find another object. Then
// the objects that refer to the import differ because of that commit.
func (r *resolver) importText(n *node) string {
	if n.text != "" {
		return n.text
	}
	n.text = Canonical([]any{n.Entry, n.Import.ID, n.Import.Filter})
	for _, ref := range n.Refs {
		n.text += "\n" + ref.Field + "=" + ref.Key.String()
		if target := r.byKey[ref.Key]; target.Unmanaged && target.Import != nil {
			n.text += r.importText(target)
		}
	}
	return n.text
}

func hashTexts(sum hash.Hash, texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(sum, text) // a hash accepts all bytes
	}
}

// dataSum returns the sum of the object's data, byte by byte.
func (n *node) dataSum() checksum.Sum {
	if n.data == nil {
		sum := checksum.New("data")
		for _, name := range slices.Sorted(maps.Keys(n.Data)) {
			sum.Add(name, n.Data[name])
		}
		all := sum.Sum()
		n.data = &all
	}
	return *n.data
}

// longData is the largest size of data in bytes that is written directly into the digest of a mark. Larger data is digested separately, and
// only once even if many objects refer to it.
const longData = 64 << 10

// dataText returns the text for the object's data in digests of marks. JSON cannot represent bytes that are not valid text.
func (n *node) dataText() string {
	if n.text != "" {
		return n.text
	}
	n.text = Canonical(n.Data)
	for _, value := range n.Data {
		if !utf8.ValidString(value) {
			n.text = n.dataSum().Text()
		}
	}
	if len(n.text) > longData {
		n.text = checksum.Short(n.text)
	}
	return n.text
}

// Canonical returns the JSON of a spec, from which its sum is computed. For a value that JSON cannot represent, it returns Go's own format.
func Canonical(spec any) string {
	text, err := json.Marshal(spec)
	if err != nil {
		return fmt.Sprintf("%s: %#v", err, spec)
	}
	return string(text)
}
