package mark

import (
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// A Neutron that refuses tags in a create request (all releases before 2025) takes
// a description there, and the mark stands at its end, behind what the manifest
// says:
//
//	where the web servers are [stackreeve:prod:Network/front stackreeve-applied:abc…]
//	[stackreeve:prod:Network/front]
//
// The first form is a finished mark, and stays. The second is that of an object
// which takes several requests to make: it has the form of all that earlier versions
// made, and says that nothing is applied yet. No manifest can hold either (see
// [ownertext.LooksLikeMark]).

// maxDescription is how many characters a description can have.
// (neutron-lib db/constants.py: LONG_DESCRIPTION_FIELD_SIZE is for others)
const maxDescription = 255

// Text is the description of an object to which nothing is applied yet.
func Text(m kind.Mark) string { return "[" + m.Owner + "]" }

// InText finds the mark in a text that holds nothing else, and which says that
// nothing is applied yet; nil when there is none.
func InText(text string) *kind.Mark {
	if own, m := InDescription(text); own == "" && m != nil && m.Applied == "" {
		return m
	}
	return nil
}

// Description puts the mark behind what people wrote. ok is false where there is no
// room for it.
func Description(m kind.Mark, own string) (text string, ok bool) {
	text = "[" + m.Owner + " " + appliedPrefix + appliedText(m) + "]"
	if own != "" {
		text = own + " " + text
	}
	return text, utf8.RuneCountInString(text) <= maxDescription
}

// InDescription is the opposite of [Description]: what people wrote, and the mark behind
// it, nil when there is none. Anyone who is named as an owner in front of a mark is a rival.
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

// InLabels finds the mark of an object that may carry it in its tags and in its
// description. Two owners are rivals, wherever they stand; two marks of one owner that
// do not agree, as between two requests, say nothing of what was applied.
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
