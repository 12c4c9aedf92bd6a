package mark

import (
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// A Neutron that refuses tags in a create request (all releases before 2025) accepts a description
// in it. The mark is at the end of the description, behind the text of the manifest:
//
//	where the web servers are [stackreeve:prod:Network/front stackreeve-applied:abc…]
//	[stackreeve:prod:Network/front]
//
// The first form is a finished mark. The second form marks an object that needs several requests to
// create, and says that nothing is applied yet. Earlier versions wrote the second form for every
// object. No manifest can contain either form (see [ownertext.LooksLikeMark]).

// maxDescription is the largest length of a description in characters. (neutron-lib
// db/constants.py: LONG_DESCRIPTION_FIELD_SIZE is for other attributes)
const maxDescription = 255

// Text is the description of an object to which nothing is applied yet.
func Text(m kind.Mark) string { return "[" + m.Owner + "]" }

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
// between two requests, the result does not say what was applied.
func InLabels(tags []string, description string) *kind.Mark {
	inTags := InTags(tags)
	_, inText := InDescription(description)
	switch {
	case inTags == nil:
		return inText
	case inText == nil:
		return inTags
	}
	said := ReadApplied(appliedText(*inTags), appliedText(*inText))
	return Claimed(append(inTags.Owners(), inText.Owners()...), said)
}
