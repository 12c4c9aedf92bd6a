package kind

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Report collects the mistakes in one spec, and the parts that are accepted but not realised.
type Report struct {
	problems []fieldText
	more     int // number of problems that are counted but not stored
	notes    []Note
}

type fieldText struct{ field, what, fix string }

// Note is a part of a manifest that is accepted but has no effect, or less effect than its name
// promises.
type Note struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// maxReports is the largest number of problems, and of notes, that one object can have.
const maxReports = 100

// Problem records what is wrong with field and how to correct it.
func (r *Report) Problem(field, what, fix string) {
	if len(r.problems) >= maxReports {
		r.more++
		return
	}
	r.problems = append(r.problems, fieldText{field, what, fix})
}

// Notes are the parts that were accepted without being (fully) realised.
func (r *Report) Notes() []Note { return r.notes }

// Note records that field is accepted without being (fully) realised.
func (r *Report) Note(field, text string) {
	if len(r.notes) < maxReports {
		r.notes = append(r.notes, Note{field, text})
	}
}

// Problems are the mistakes, with their positions in the object. Those of an object with decrypted values have a general text,
// because each may repeat such a value, or say something about it.
func (r *Report) Problems(obj *manifest.Object) []manifest.Problem {
	var out []manifest.Problem
	decrypted := obj.Decrypted()
	for _, p := range r.problems {
		made := manifest.Problem{Origin: obj.Where(p.field), Key: obj.Key, Field: p.field, What: p.what, Fix: p.fix}
		if decrypted {
			made = Discreet(made)
		}
		out = append(out, made)
	}
	if r.more > 0 {
		out = append(out, manifest.Problem{Origin: obj.Origin, Key: obj.Key, What: fmt.Sprintf("and %d more problems", r.more)})
	}
	return out
}

// Discreet returns a problem of an object with decrypted values, without its text. A problem of the metadata keeps its text, because
// nothing there can be encrypted.
func Discreet(p manifest.Problem) manifest.Problem {
	if !Within(p.Field, "metadata") {
		p.What, p.Fix = "is not accepted; the reason is not shown, because it could reveal encrypted values of the object",
			"run `stackreeve validate` without keys, which shows the reasons for fields in clear text; for other fields, decrypt the file on a machine of yours first"
	}
	return p
}
