package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// shortestSign is the number of characters from which on a value counts as found in another text.
const shortestSign = 4

// encrypted remembers the encrypted values of an object in the repository. It returns problems for values at places that
// everybody sees.
func (r *resolver) encrypted(n *node, k *kind.Kind) (problems []manifest.Problem) {
	if n.Parent != (manifest.Key{}) {
		if len(r.plain) == 0 {
			return nil
		}
		for _, value := range r.plain[r.root(n)] {
			if len(value) >= shortestSign && (strings.Contains(n.Key.Name, value) || strings.Contains(n.Key.Namespace, value)) {
				n.Key.Name, n.Key.Namespace = "", ""
				return []manifest.Problem{n.Problem("", "has a name that is made of an encrypted value", "encrypt only values that no name is made of")}
			}
		}
		return nil
	}
	if len(n.Encrypted) == 0 {
		return nil
	}
	if k.Define != nil {
		problems = append(problems, n.Problem("", "is in an encrypted file, and definitions are not decrypted", "move it to a file of its own that is not encrypted"))
	}
	if r.defined[k.Info.Kind] {
		problems = append(problems, n.Problem(n.Encrypted[0], "is an encrypted value, or has a value from a Secret, and the expressions of a definition could show it", "put the value into a Secret or a field of another object, and refer to that object"))
	}
	for _, field := range n.Encrypted {
		if (n.Spec != nil || n.Import != nil) && !kind.Within(field, n.SpecPath) && !kind.Within(field, "spec.import") {
			problems = append(problems, n.Problem(field, "is encrypted, but everybody sees this field", "leave it in clear text: sops encrypt --encrypted-regex"))
		}
	}
	r.plain[n.Key] = n.Object.Plain()
	return problems
}

// withoutUnknown leaves out the problems of fields whose values are unknown because they were not decrypted.
func (r *resolver) withoutUnknown(n *node, problems []manifest.Problem) []manifest.Problem {
	if len(problems) == 0 || len(r.plain) == 0 {
		return problems
	}
	root := n
	if n.Parent != (manifest.Key{}) {
		root = r.byKey[r.root(n)]
	}
	if root == nil || root.Object == nil || !root.Object.Unknown() {
		return problems
	}
	return slices.DeleteFunc(problems, func(p manifest.Problem) bool {
		return n != root || root.Encrypts(p.Field)
	})
}

// discreet removes the texts of problems of an object with decrypted values. It also does so for objects that such an object expands
// into, whose kinds do not know that the values are secret.
func (r *resolver) discreet(n *node, problems []manifest.Problem) []manifest.Problem {
	if len(problems) == 0 || len(r.plain) == 0 {
		return problems
	}
	if root := r.byKey[r.root(n)]; root == nil || !root.Object.Decrypted() {
		return problems
	}
	for i := range problems {
		problems[i] = kind.Discreet(problems[i])
	}
	return problems
}

// public returns a function that removes the encrypted values of all objects from a text. nil means that there are none.
func (r *resolver) public() func(text string) string {
	if len(r.plain) == 0 {
		return nil
	}
	var names []string
	for key := range r.byKey {
		names = append(names, key.Name, key.Kind)
	}
	return confidential.RedactorOf(slices.Concat(slices.Collect(maps.Values(r.plain))...), names...).Text
}

// withoutValues removes encrypted values from a problem. n is the object with the problem; nil if it is not known.
func (r *resolver) withoutValues(n *node, p manifest.Problem) manifest.Problem {
	if n == nil || len(r.plain) == 0 {
		return p
	}
	for _, value := range r.plain[r.root(n)] {
		if value != "" && (strings.Contains(p.What, value) || strings.Contains(p.Fix, value)) {
			p.What, p.Fix = "the value is wrong; the reason is not shown, because it contains an encrypted value", ""
		}
	}
	return p
}

// encryptedIn returns the encrypted fields of n. If n was expanded from another object, these are the fields that have one
// of its encrypted values.
func (r *resolver) encryptedIn(n *node) []string {
	if n.Parent == (manifest.Key{}) || len(r.plain) == 0 {
		return n.Encrypted
	}
	values := r.plain[r.root(n)]
	if len(values) == 0 {
		return n.Encrypted
	}
	var fields []string
	confidential.Leaves(n.Spec, n.SpecPath, func(field, text string) {
		if slices.Contains(values, text) {
			fields = append(fields, field)
		}
	})
	slices.Sort(fields)
	return fields
}

// checkEncryptedReferences refuses references that are encrypted, because plans show which object refers to which.
func (r *resolver) checkEncryptedReferences() {
	for _, n := range r.order {
		if n.Parent != (manifest.Key{}) || len(n.Encrypted) == 0 {
			continue
		}
		for _, ref := range n.Refs {
			if slices.Contains(n.Encrypted, ref.Field) {
				r.report(n.Problem(ref.Field, "is an encrypted reference; a reference cannot be secret, because plans and the status show it", "encrypt only the fields that are secret, such as with sops encrypt --encrypted-regex '^(data|stringData)$'"))
			}
		}
	}
}
