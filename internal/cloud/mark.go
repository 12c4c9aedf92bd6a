package cloud

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// Where each service carries the owner mark. It is always in the request that
// makes the object.
//
//	Neutron   tags; on clouds that refuse tags in a create request the
//	          description until the tags are set
//	Octavia   tags
//	Nova      server metadata; a key pair's comment; a server group's name
//	Cinder    metadata
//	Glance    a property
const (
	ownerPrefix   = "stackreeve:"
	appliedPrefix = "stackreeve-applied:"
	keepSuffix    = ":keep"
	// OwnerKey and AppliedKey are the metadata keys of a mark.
	OwnerKey   = "stackreeve"
	AppliedKey = "stackreeve-applied"
)

func appliedText(m reconcile.Mark) string {
	if m.Keep {
		return m.Applied + keepSuffix
	}
	return m.Applied
}

func readApplied(m *reconcile.Mark, text string) {
	m.Applied, m.Keep = strings.CutSuffix(text, keepSuffix)
}

// Tags returns the user's tags with those of the mark, sorted.
func Tags(m reconcile.Mark, user []string) []string {
	tags := append(slices.Clone(user), m.Owner, appliedPrefix+appliedText(m))
	slices.Sort(tags)
	return slices.Compact(tags)
}

// UserTags returns the tags that are not ours, sorted.
func UserTags(tags []string) []string {
	user := slices.DeleteFunc(slices.Clone(tags), isOurs)
	slices.Sort(user)
	return user
}

func isOurs(tag string) bool {
	return strings.HasPrefix(tag, ownerPrefix) || strings.HasPrefix(tag, appliedPrefix)
}

// MarkInTags finds the mark among tags; nil when there is none.
func MarkInTags(tags []string) *reconcile.Mark {
	var m reconcile.Mark
	for _, tag := range tags {
		if _, ok := reconcile.ParseOwner(tag); ok {
			m.Owner = tag
		}
		if applied, ok := strings.CutPrefix(tag, appliedPrefix); ok {
			readApplied(&m, applied)
		}
	}
	if m.Owner == "" {
		return nil
	}
	return &m
}

// MarkInText finds the mark of a half-made object in its description; nil when
// there is none. Such a mark never says what was applied: the object is not
// finished.
func MarkInText(description string) *reconcile.Mark {
	owner, ok := strings.CutPrefix(description, "[")
	if !ok {
		return nil
	}
	owner, ok = strings.CutSuffix(owner, "]")
	if _, parsed := reconcile.ParseOwner(owner); !ok || !parsed {
		return nil
	}
	return &reconcile.Mark{Owner: owner}
}

// MarkText is the description of an object whose mark cannot be set otherwise
// yet.
func MarkText(m reconcile.Mark) string { return "[" + m.Owner + "]" }

// Metadata returns the user's metadata with the entries of the mark.
func Metadata(m reconcile.Mark, user map[string]string) map[string]string {
	all := make(map[string]string, len(user)+2)
	for k, v := range user {
		all[k] = v
	}
	all[OwnerKey], all[AppliedKey] = m.Owner, appliedText(m)
	return all
}

// UserMetadata returns the entries that are not ours. It is never nil.
func UserMetadata(all map[string]string) map[string]string {
	user := make(map[string]string, len(all))
	for k, v := range all {
		if k != OwnerKey && !strings.HasPrefix(k, OwnerKey+"-") {
			user[k] = v
		}
	}
	return user
}

// MarkInMetadata finds the mark in metadata; nil when there is none.
func MarkInMetadata(all map[string]string) *reconcile.Mark {
	if _, ok := reconcile.ParseOwner(all[OwnerKey]); !ok {
		return nil
	}
	m := reconcile.Mark{Owner: all[OwnerKey]}
	readApplied(&m, all[AppliedKey])
	return &m
}
