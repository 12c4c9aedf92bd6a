// Package mark is the owner mark: what it says, and where the objects of each kind
// carry it, beside what people write there.
//
// Where each service carries it; it is always in the request that makes the object:
//
//	Neutron   tags; on clouds that refuse tags in a create request the end of
//	          the description (see description.go)
//	Octavia   tags
//	Nova      server metadata; a key pair's comment; a server group's name
//	Cinder    metadata; the description of a volume while a backup is restored to it
//	Glance    a property
//	Manila    the end of the description
//	Swift     metadata headers
//
// Whatever is read here is a claim: people and clouds can write, copy and double
// all of it. A new form of mark must be one that [ownertext.LooksLikeMark] knows,
// so that no manifest can hold it.
package mark

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The words that a mark is written with.
const (
	appliedPrefix = AppliedKey + ":"
	keepSuffix    = ":keep"
	// detachSuffix stands before keepSuffix, so that versions which do not know it keep
	// the object.
	detachSuffix = ":d"
	// losesSuffix stands alone: what is kept loses nothing.
	losesSuffix = ":loses"
	// refusedInfix stands between what is applied and what a group went back from.
	refusedInfix = ":not:"
	// OwnerKey and AppliedKey are the metadata keys of a mark. SelfKey holds the
	// ID of the object that a mark was written on: in a copy it is another's.
	// ProjectKey holds the project of the stack where others' objects are, too.
	OwnerKey   = ownertext.Word
	AppliedKey = OwnerKey + "-applied"
	SelfKey    = OwnerKey + "-self"
	ProjectKey = OwnerKey + "-project"
	// TargetKey holds [kind.Mark.Target].
	TargetKey = OwnerKey + "-target"
	// AsksKey is for others to write: how many members the group shall have whose first one this is.
	AsksKey = OwnerKey + "-replicas"
)

// Begun is the mark of an object that takes several requests to make, for the first
// of them: a kill between them is then not taken for somebody's change.
func Begun(m kind.Mark) kind.Mark {
	m.Applied = ""
	return m
}

// UnmarkByTag is how people take the mark off an object that carries it in tags;
// what is the word for it in their client.
func UnmarkByTag(what string) string {
	return "openstack " + what + " unset --tag <mark> <id>"
}

// UnmarkByLabel is the same for what may carry it in its description too.
func UnmarkByLabel(what string) string {
	return UnmarkByTag(what) + ", or where it stands in the description, openstack " + what + " set --description <text> <id>"
}

// UnmarkByProperty is the same for metadata.
func UnmarkByProperty(what string) string {
	return "openstack " + what + " unset --property " + OwnerKey + " --property " + AppliedKey + " <id>"
}

// AppliedText is what a mark says of what was applied, see [ReadApplied].
func AppliedText(m kind.Mark) string { return appliedText(m) }

func appliedText(m kind.Mark) string {
	text := m.Applied
	if m.Refused != "" && m.Applied != "" {
		text += refusedInfix + m.Refused
	}
	switch {
	case m.Detach:
		return text + detachSuffix + keepSuffix
	case m.Keep:
		return text + keepSuffix
	case m.Loses && m.Applied != "":
		return text + losesSuffix
	}
	return text
}

// ReadApplied reads what marks say of what was applied. If several disagree, what
// was applied is unreadable; one that says keep is enough, and to detach all of them
// must say so, and so must they of what was refused. The mark has no owner.
func ReadApplied(texts ...string) (said kind.Mark) {
	for i, text := range texts {
		digest, stays := strings.CutSuffix(text, keepSuffix)
		detach := false
		if stays {
			digest, detach = strings.CutSuffix(digest, detachSuffix)
		}
		digest, loses := strings.CutSuffix(digest, losesSuffix)
		digest, refused, _ := strings.Cut(digest, refusedInfix)
		if i > 0 && digest != said.Applied {
			digest = kind.Unreadable
		}
		if i > 0 && refused != said.Refused {
			refused = ""
		}
		said.Refused, said.Loses = refused, loses && (i == 0 || said.Loses)
		said.Applied, said.Keep, said.Detach = digest, said.Keep || stays, detach && (i == 0 || said.Detach)
	}
	if said.Applied == "" {
		said.Applied = kind.Unreadable
	}
	if said.Applied == kind.Unreadable {
		said.Refused, said.Loses = "", false
	}
	return said
}

// nothingApplied reports whether a text of a mark says that nothing was applied.
func nothingApplied(text string) bool {
	return text == "" || text == keepSuffix || text == detachSuffix+keepSuffix
}

// Tags returns the user's tags with those of the mark, sorted.
func Tags(m kind.Mark, user []string) []string {
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

// Records are the tags that are ours and no part of a mark: what is noted beside it, and stays when a mark is written.
func Records(tags []string) (list []string) {
	for _, tag := range tags {
		if _, owner := ownertext.Parse(tag); !owner && strings.HasPrefix(tag, ownertext.Prefix) {
			list = append(list, tag)
		}
	}
	return list
}

func isOurs(tag string) bool {
	return strings.HasPrefix(tag, ownertext.Prefix) || strings.HasPrefix(tag, appliedPrefix)
}

// InTags finds the mark among tags; nil when there is none. Every request of
// ours that writes the owner writes what was applied too, so a mark in tags is
// never half-made.
func InTags(tags []string) *kind.Mark {
	var owners, applied []string
	for _, tag := range tags {
		if _, ok := ownertext.Parse(tag); ok {
			owners = append(owners, tag)
		}
		if text, ok := strings.CutPrefix(tag, appliedPrefix); ok {
			applied = append(applied, text)
		}
	}
	return Claimed(owners, ReadApplied(applied...))
}

// Metadata returns the user's metadata with the entries of the mark.
func Metadata(m kind.Mark, user map[string]string) map[string]string {
	all := make(map[string]string, len(user)+2)
	maps.Copy(all, user)
	all[OwnerKey], all[AppliedKey] = m.Owner, appliedText(m)
	if m.Target != "" {
		all[TargetKey] = m.Target
	}
	return all
}

// UserMetadata returns the entries that are not ours. It is never nil.
func UserMetadata(all map[string]string) map[string]string {
	user := make(map[string]string, len(all))
	for k, v := range all {
		if !ownertext.ReservedKey(k) {
			user[k] = v
		}
	}
	return user
}

// InMetadata finds the mark in metadata; nil when there is none. It is
// half-made only where it says so itself. A key that differs from ours in case
// makes no mark, and a rival of one.
func InMetadata(all map[string]string) *kind.Mark {
	if _, ok := ownertext.Parse(all[OwnerKey]); !ok {
		return nil
	}
	var owners []string
	for key, text := range all {
		if _, ok := ownertext.Parse(text); ok && strings.EqualFold(strings.TrimSpace(key), OwnerKey) {
			owners = append(owners, text)
		}
	}
	text, written := all[AppliedKey]
	said := ReadApplied(text)
	if written && nothingApplied(text) {
		said.Applied = ""
	}
	said.Target = all[TargetKey]
	return Claimed(owners, said)
}
