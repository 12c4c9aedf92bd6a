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

// A commit's wish for an object is put into two sums:
//
//	sum     SHA-256, whole, each part with its length   what plans, proofs and approvals are bound by
//	digest  60 bits, as every release has written it    what marks say was applied
//
// Both are of the spec, the options, the entry of clouds.yaml, the references, the data that these lead to and how what
// is imported is found.

// sums are of everything that a commit can change about n.
func (r *resolver) sums(n *node) (sum checksum.Sum, digest string) {
	spec, options := Canonical(n.Spec), Canonical(n.Options)
	whole, marked := checksum.New("want"), sha256.New()
	whole.Add(spec, options, n.Entry)
	put(marked, spec, options)
	if n.Entry != "" {
		put(marked, "\nentry=", n.Entry)
	}
	for _, ref := range n.Refs {
		if ref.Order {
			continue
		}
		whole.Add(ref.Field, ref.Key.Group, ref.Key.String())
		put(marked, "\n", ref.Field, "=", ref.Key.String())
		switch target := r.byKey[ref.Key]; {
		case target.Data != nil:
			whole.AddSums(target.dataSum())
			put(marked, target.dataText())
		case target.Unmanaged && target.Import != nil:
			whole.Add(r.importText(target))
			put(marked, r.importText(target))
		}
	}
	return whole.Sum(), checksum.Sum(marked.Sum(nil)).Short()
}

// importText stands for what the manifest of an import says: another filter may find another object, and then what refers to it
// differs by that commit.
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

func put(sum hash.Hash, texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(sum, text) // a hash takes everything
	}
}

// dataSum is of the object's data, byte by byte.
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

// longData is how many bytes of data go into the digest of a mark as they are. More is
// digested by itself, once, however many objects refer to it.
const longData = 64 << 10

// dataText stands for the object's data in digests of marks. JSON has no bytes that are no text.
func (n *node) dataText() string {
	if n.text != "" {
		return n.text
	}
	n.text = Canonical(n.Data)
	for _, value := range n.Data {
		if !utf8.ValidString(value) {
			n.text = n.dataSum().Text()
			return n.text
		}
	}
	if len(n.text) > longData {
		n.text = checksum.Short(n.text)
	}
	return n.text
}

// Canonical is the JSON of a spec, the input of its sum. A value that JSON has no form for is spelled by Go.
func Canonical(spec any) string {
	text, err := json.Marshal(spec)
	if err != nil {
		return fmt.Sprintf("%s: %#v", err, spec)
	}
	return string(text)
}
