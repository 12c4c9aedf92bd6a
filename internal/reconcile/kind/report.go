package kind

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Report collects what is wrong with one spec, and what is accepted but not
// realised.
type Report struct {
	problems []fieldText
	more     int // problems that are only counted
	notes    []Note
}

type fieldText struct{ field, what, fix string }

// Note is something accepted in a manifest that has no effect, or a lesser one
// than its words promise.
type Note struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// mostOfOne is how many problems, and how many notes, one object can have.
const mostOfOne = 100

// Problem records what is wrong with field and how to correct it.
func (r *Report) Problem(field, what, fix string) {
	if len(r.problems) >= mostOfOne {
		r.more++
		return
	}
	r.problems = append(r.problems, fieldText{field, what, fix})
}

// Notes are what was accepted without being (fully) realised.
func (r *Report) Notes() []Note { return r.notes }

// Note records that field is accepted without being (fully) realised.
func (r *Report) Note(field, text string) {
	if len(r.notes) < mostOfOne {
		r.notes = append(r.notes, Note{field, text})
	}
}

// Problems are what is wrong, placed in the object that it is wrong with.
func (r *Report) Problems(obj *manifest.Object) []manifest.Problem {
	var out []manifest.Problem
	for _, p := range r.problems {
		out = append(out, manifest.Problem{Origin: obj.Where(p.field), Key: obj.Key, Field: p.field, What: p.what, Fix: p.fix})
	}
	if r.more > 0 {
		out = append(out, manifest.Problem{Origin: obj.Origin, Key: obj.Key, What: fmt.Sprintf("and %d problems more", r.more)})
	}
	return out
}
