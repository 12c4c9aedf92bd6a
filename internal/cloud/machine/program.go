package machine

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// CheckRepository reports an address of releases that does not contain the version.
func CheckRepository(address string, r *kind.Report) {
	if address != "" && !strings.Contains(address, "{version}") {
		r.Problem("spec.repository", "has no place for the version", "write {version} in place of the version, and {arch} in place of amd64 or arm64")
	}
}

// CheckClaim reports a claim for a volume whose requested storage is no size. field is the path of the claim, example a valid request.
func CheckClaim(storage, field, example string, r *kind.Report) {
	if _, ok := Gibibytes(storage); !ok {
		r.Problem(field+".resources.requests.storage", "is not a size", example)
	}
}

// NoteUnchecked notes that no checksum protects the program that machines download.
func NoteUnchecked(from, sum string, e *kind.Expansion) {
	if from != "" && sum == "" {
		e.Note("spec.checksum", "is left out, so machines run the program that "+from+" returns, unchecked")
	}
}

// SecurityGroupOf is the security group of a cluster.
func SecurityGroupOf(rules []Fields) Fields {
	return Fields{"spec": Fields{"resource": Fields{"rules": rules}}}
}

// GroupOf is the group of a cluster's machines. One machine is changed at a time, after it has handed over its leadership. A machine that
// does not work is healed.
func GroupOf(template Fields) Fields {
	return Fields{"template": template, "strategy": Fields{"maxUnavailable": 1, "drainSeconds": 1}, "heal": Fields{"stopped": "restart", "failed": "replace"}}
}
