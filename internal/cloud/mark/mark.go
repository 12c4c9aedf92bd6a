// Package mark is the owner mark: its content, and its place on the objects of each kind, beside the text that people
// write there.
//
// The place of the mark depends on the service. The mark is always in the request that creates the object:
//
//	Neutron            tags; on clouds that refuse tags in a create request the end of
//	                   the description (see description.go)
//	Octavia            tags
//	Nova               server metadata; a key pair's comment; a server group's name
//	Cinder             metadata; the description of a volume while a backup is restored to it
//	Glance             a property
//	Keystone           an attribute, or the end of the description (see identity.go)
//	Manila, Designate  the end of the description
//	Barbican           the end of the name
//	Swift              metadata headers
//
// A mark that is read is only a claim, because people and clouds can write, copy and double it.
// [ownertext.LooksLikeMark] must recognise a new form of mark, so that no manifest can contain it.
package mark

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The words of a written mark.
const (
	appliedPrefix = AppliedKey + ":"
	keepSuffix    = ":keep"
	// detachSuffix is written before keepSuffix. Older versions do not know it, but read keepSuffix, and so they keep
	// the object.
	detachSuffix = ":d"
	// losesSuffix is never written together with keepSuffix, because an object that is kept loses nothing.
	losesSuffix = ":loses"
	// refusedInfix is written between the applied digest and the digest that a group rolled back.
	refusedInfix = ":not:"
	// OwnerKey and AppliedKey are the metadata keys of a mark. SelfKey contains the ID of the object that a mark was
	// written on. A copy of that object contains the same ID, which is not its own. ProjectKey contains the project of
	// the stack, for collections that also list objects of other projects.
	OwnerKey   = ownertext.Word
	AppliedKey = OwnerKey + "-applied"
	SelfKey    = OwnerKey + "-self"
	ProjectKey = OwnerKey + "-project"
	// TargetKey contains [kind.Mark.Target].
	TargetKey = OwnerKey + "-target"
	// AsksKey is written by people or other programs, on the first member of a group. It contains the number of members
	// that the group shall have.
	AsksKey = OwnerKey + "-replicas"
)

// HalfMade returns the mark for the first request of an object that needs several requests to create. After a kill
// between them, the mark shows that people have not changed the object.
func HalfMade(m kind.Mark) kind.Mark {
	m.Applied = kind.HalfMade
	return m
}

// UnmarkByTag is the command with which people remove the mark from an object that has it in tags. The argument
// what is the openstack command's word for the object.
func UnmarkByTag(what string) string {
	return "openstack " + what + " unset --tag <mark> <id>"
}

// UnmarkByLabel is the command for objects that may have the mark in their description, too.
func UnmarkByLabel(what string) string {
	return UnmarkByTag(what) + ", or if the mark is in the description, openstack " + what + " set --description <text> <id>"
}

// UnmarkByProperty is the command for objects that have the mark in metadata.
func UnmarkByProperty(what string) string {
	return "openstack " + what + " unset --property " + OwnerKey + " --property " + AppliedKey + " <id>"
}

// AppliedText is the part of a mark about the applied state, see [ReadApplied].
func AppliedText(m kind.Mark) string { return appliedText(m) }

func appliedText(m kind.Mark) string {
	text := m.Applied
	if m.Refused != "" && m.Applied != kind.HalfMade {
		text += refusedInfix + m.Refused
	}
	switch {
	case m.Detach:
		return text + detachSuffix + keepSuffix
	case m.Keep:
		return text + keepSuffix
	case m.Loses && m.Applied != kind.HalfMade:
		return text + losesSuffix
	}
	return text
}

// ReadApplied reads the applied state from the texts of one or several marks. If their digests differ, Applied is
// unreadable. Keep is set if one of them has it; Detach, Loses and Refused are only set if all agree. The result has
// no owner.
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
	if said.Applied == kind.HalfMade {
		said.Applied = kind.Unreadable
	}
	if said.Applied == kind.Unreadable {
		said.Refused, said.Loses = "", false
	}
	return said
}

// nothingApplied reports whether the text of a mark says that nothing was applied.
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

// Records returns our tags that are no part of a mark. They are notes beside the mark, and stay when a mark is
// written.
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

// InTags finds the mark among tags, or nil if there is none. A half-made mark in tags, which has an empty digest, is read as
// [kind.Unreadable]: in some clouds everybody who sees an object can write such a tag, and a half-made copy may be deleted.
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

// Metadata returns the user's metadata together with the keys and values of the mark.
func Metadata(m kind.Mark, user map[string]string) map[string]string {
	all := make(map[string]string, len(user)+2)
	maps.Copy(all, user)
	all[OwnerKey], all[AppliedKey] = m.Owner, appliedText(m)
	if m.Target != "" {
		all[TargetKey] = m.Target
	}
	return all
}

// UserMetadata returns the metadata without our reserved keys. It is never nil.
func UserMetadata(all map[string]string) map[string]string {
	user := make(map[string]string, len(all))
	for k, v := range all {
		if !ownertext.ReservedKey(k) {
			user[k] = v
		}
	}
	return user
}

// InMetadata finds the mark in metadata, or nil if there is none. The mark is half-made only if it says so. A key
// that differs from ours only in case makes no mark. If there is a mark, the owner in such a key is its rival.
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
		said.Applied = kind.HalfMade
	}
	said.Target = all[TargetKey]
	return Claimed(owners, said)
}
