package resolve

import (
	"crypto/sha256"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// confidential finds the secrets among the parts of n that a commit can change.
func (r *resolver) confidential(n *node) (c kind.Confidential) {
	for value := range confidential.Values([]kind.Desired{n.Desired}) {
		c.Secret += "\n" + r.secretText(value)
	}
	root := r.byKey[r.root(n)]
	c.Holder = root.Key.String()
	for _, key := range root.From {
		c.Former = append(c.Former, key.String())
	}
	for _, ref := range n.Refs {
		if target := r.byKey[ref.Key]; !ref.Order && target.Data != nil && (!target.PublicData || len(target.Encrypted) > 0) {
			c.Secret += "\n" + ref.Field + "=" + target.dataText()
			c.Holder, c.Former = ref.Key.String(), nil
		}
	}
	if c.Secret == "" {
		return kind.Confidential{}
	}
	sum := sha256.Sum256([]byte(c.Secret)) // short, and never shown
	c.Secret = string(sum[:])
	return c
}

// secretText returns a text that identifies a secret. Many objects may contain the same long secret, such as the script of a group's
// machines, so it is digested only once.
func (r *resolver) secretText(value string) string {
	const long = 1 << 10
	if len(value) < long {
		return Canonical(value)
	}
	text, known := r.secrets[value]
	if !known {
		text = checksum.Short(value)
		r.secrets[value] = text
	}
	return text
}

// root returns the object in the repository that n was expanded from.
func (r *resolver) root(n *node) manifest.Key {
	for range r.order {
		parent := r.byKey[n.Parent]
		if parent == nil {
			break
		}
		n = parent
	}
	return n.Key
}
