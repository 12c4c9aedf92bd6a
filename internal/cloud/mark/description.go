package mark

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// A Neutron that refuses tags in a create request (all releases before 2025) accepts a description
// in it. The mark is at the end of the description, behind the text of the manifest:
//
//	where the web servers are [stackreeve:prod:Network/front stackreeve-applied:abc…]
//	where the web servers are [stackreeve:prod:Network/front stackreeve-applied:tags]
//	[stackreeve:prod:Network/front]
//
// The first form is a finished mark. The second one, the short mark, says that the finished mark is in the tags, or will be there. If the tags have
// no mark, nothing is applied yet. The short mark stays until the description is written again. The third form is in place of a text that has no
// room for a short mark, and says that nothing is applied yet. No manifest can contain any of them (see [ownertext.LooksLikeMark]).

// maxDescription is the largest length of a description in characters. (neutron-lib
// db/constants.py: LONG_DESCRIPTION_FIELD_SIZE is for other attributes)
const maxDescription = 255

// Text is the description of an object to which nothing is applied yet.
func Text(m kind.Mark) string { return "[" + m.Owner + "]" }

// inTags stands for the digest in a short mark. It is shorter than any digest.
const inTags = "tags"

// ShortText appends the short mark to people's own text. ok is false if there is no room for it.
func ShortText(m kind.Mark, own string) (text string, ok bool) {
	return Description(kind.Mark{Owner: m.Owner, Applied: inTags}, own)
}

// InLabel is like [InDescription], for objects of the network service. short reports whether the mark is the short mark, which says that nothing is
// applied yet.
func InLabel(text string) (own string, m *kind.Mark, short bool) {
	own, m = InDescription(text)
	if m == nil || m.Applied != inTags {
		return own, m, false
	}
	m.Applied = kind.HalfMade
	return own, m, true
}

// InText finds a mark in a text with no other content, if the mark says that nothing is applied
// yet; nil if there is none.
func InText(text string) *kind.Mark {
	if own, m := InDescription(text); own == "" && m != nil && m.Applied == kind.HalfMade {
		return m
	}
	return nil
}

// Description appends the mark to people's own text. ok is false if there is no room for it.
func Description(m kind.Mark, own string) (text string, ok bool) {
	text = "[" + m.Owner + " " + appliedPrefix + appliedText(m) + "]"
	if own != "" {
		text = own + " " + text
	}
	return text, utf8.RuneCountInString(text) <= maxDescription
}

// InDescription reverses [Description]: it returns people's own text, and the mark behind it, nil
// if there is none. If the text before the mark names another owner, that owner is a rival.
func InDescription(text string) (own string, m *kind.Mark) {
	begin := strings.LastIndexByte(text, '[')
	inside, closed := strings.CutSuffix(text, "]")
	if begin < 0 || !closed {
		return text, nil
	}
	own = text[:begin]
	owner, rest, finished := strings.Cut(inside[begin+1:], " ")
	if _, ok := ownertext.Parse(owner); !ok {
		return text, nil
	}
	if !finished {
		if own != "" {
			return text, nil
		}
		return "", &kind.Mark{Owner: owner}
	}
	digest, ok := strings.CutPrefix(rest, appliedPrefix)
	own, apart := strings.CutSuffix(own, " ")
	if !ok || begin > 0 && !apart || strings.ContainsAny(digest, " \t\n") {
		return text, nil
	}
	return own, Claimed(append(ownertext.In(own), owner), ReadApplied(digest))
}

// InLabels finds the mark of an object that may have it in its tags and in its description. If the
// two places name different owners, these are rivals. If they have different marks of one owner, as
// between two requests, the result does not say what was applied. A short mark only confirms the tags.
func InLabels(tags []string, description string) *kind.Mark {
	tagged := InTags(tags)
	_, described, short := InLabel(description)
	switch {
	case tagged == nil:
		return described
	case described == nil, short && slices.Equal(tagged.Owners(), described.Owners()):
		return tagged
	}
	said := ReadApplied(appliedText(*tagged), appliedText(*described))
	return Claimed(append(tagged.Owners(), described.Owners()...), said)
}
