package comment

import (
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// mostLinked is the number of objects and problems up to which their places are links. An address is several times as long as the place, and a
// forge limits the length of comments.
const mostLinked = 300

// place is the file and line of an object from the root of the repository; "" when it has none.
func place(o manifest.Origin) string {
	if o.File == "" {
		return ""
	}
	return o.String()
}

// places shows where in a commit something is written. The places are links if the addresses of the commit are known.
type places struct {
	at     forge.Browser
	commit string
}

// code is the file and line, from the root of the repository; "" when it has none.
func (p places) code(o manifest.Origin) string {
	text := place(o)
	if text == "" {
		return ""
	}
	if to := p.at.Line(p.commit, o.File, o.Line); to != "" {
		return "[" + code(text) + "](" + to + ")"
	}
	return code(text)
}

// after is code, in the form that follows other text.
func (p places) after(o manifest.Origin) string {
	if text := p.code(o); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// places are those of the planned commit.
func (p Page) places() places {
	n := len(p.Problems) + len(p.Differs)
	if p.Plan != nil {
		for _, c := range p.Plan.Summary().Counts() {
			n += c.N
		}
	}
	return placesOf(p.Browser, p.Head, n)
}

// placesOf are the places of n objects and problems in a commit.
func placesOf(at forge.Browser, commit string, n int) places {
	if n > mostLinked {
		at = forge.Browser{}
	}
	return places{at, commit}
}
