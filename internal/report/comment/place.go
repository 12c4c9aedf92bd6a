package comment

import (
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// maxLinked is the maximum number of objects and problems in a comment whose places are links. An address is several times as long as the place,
// and a forge limits the length of comments.
const maxLinked = 300

// place returns the file and line of an object, with the path from the root of the repository. It returns "" if the object is in no file.
func place(o manifest.Origin) string {
	if o.File == "" {
		return ""
	}
	return o.String()
}

// places shows the places of manifests in a commit. The places are links if the addresses of the commit are known.
type places struct {
	at     forge.Browser
	commit string
}

// code returns the file and line of an object as code. It returns "" if the object is in no file.
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

// after returns the file and line in parentheses, to follow other text. layers are places of the same object in later layers.
func (p places) after(o manifest.Origin, layers ...manifest.Origin) string {
	text := p.code(o)
	if text == "" {
		return ""
	}
	for _, at := range layers {
		text += ", " + p.code(at)
	}
	return " (" + text + ")"
}

// places returns the places of the planned commit.
func (p Page) places() places {
	n := len(p.Problems) + len(p.Differs)
	if p.Plan != nil {
		for _, c := range p.Plan.Summary().Counts() {
			n += c.N
		}
	}
	return placesOf(p.Browser, p.Head, n)
}

// placesOf returns the places of a commit, for a comment with n objects and problems.
func placesOf(at forge.Browser, commit string, n int) places {
	if n > maxLinked {
		at = forge.Browser{}
	}
	return places{at, commit}
}
