package machine

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// CheckRepository reports an address of releases that does not say where in it the version stands.
func CheckRepository(address string, r *kind.Report) {
	if address != "" && !strings.Contains(address, "{version}") {
		r.Problem("spec.repository", "does not say where in it the version stands", "write {version} there, and {arch} where it has one of amd64 and arm64")
	}
}

// CheckClaim reports a claim for a volume whose request for storage, at a field, is no size; example is one.
func CheckClaim(storage, field, example string, r *kind.Report) {
	if _, ok := Gibibytes(storage); !ok {
		r.Problem(field+".resources.requests.storage", "is not a size", example)
	}
}

// NoteUnchecked notes that what machines run is compared with no digest.
func NoteUnchecked(from, sum string, e *kind.Expansion) {
	if from != "" && sum == "" {
		e.Note("spec.checksum", "is left out: machines run what "+from+" gives them, whatever that is")
	}
}

// GuardOf is the security group of a cluster.
func GuardOf(rules []Fields) Fields {
	return Fields{"spec": Fields{"resource": Fields{"rules": rules}}}
}

// GroupOf is that of a cluster's machines: one is changed at a time, after what it led was handed over, and one that does not work is healed.
func GroupOf(template Fields) Fields {
	return Fields{"template": template, "strategy": Fields{"maxUnavailable": 1, "drainSeconds": 1}, "heal": Fields{"stopped": "restart", "failed": "replace"}}
}
