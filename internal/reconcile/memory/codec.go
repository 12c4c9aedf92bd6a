package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// The file is for the next process. Because of it, that process waits, heals less, or reports less drift. The file never makes it delete,
// adopt or create more. It contains the names of objects, and times, but no secrets. docs/decisions/0046-the-past-has-one-home.md has the
// reason for each field.

const (
	format         = 1
	maxBytes       = 16 << 20       // size of a document: 100,000 objects.
	maxAge         = 24 * time.Hour // age of a document; an older one says nothing about current requests.
	maxRequestTime = time.Hour      // longest time for which a request may continue.
	clockError     = time.Minute
)

type document struct {
	Format     int           `json:"format"`
	Stack      string        `json:"stack"`
	Where      string        `json:"where"`
	Saved      time.Time     `json:"saved"`
	Begun      []begunDoc    `json:"begun,omitempty"`
	Unanswered []requestDoc  `json:"unanswered,omitempty"`
	Healed     []patientsDoc `json:"healed,omitempty"`
	// Login and Unused say which kinds that login has listed, without an object of the stack.
	Login  string      `json:"login,omitempty"`
	Unused []unusedDoc `json:"unused,omitempty"`
	// Owned are the kinds of which the stack owns objects, or may own some.
	Owned []string `json:"owned,omitempty"`
}

type unusedDoc struct {
	Kind    string    `json:"kind"`
	At      time.Time `json:"at"`
	Refused string    `json:"refused,omitempty"` // the reason why the kind may not be listed, without secrets; "" if it was listed
}

// maxRefusal is the maximum length of such a reason, in characters.
const maxRefusal = 500

// refusal is a reason from the file.
type refusal string

func (r refusal) Error() string { return string(r) }

func (refusal) Is(target error) bool {
	return target == kind.ErrForbidden || target == kind.ErrRejected
}

type keyDoc struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

type begunDoc struct {
	Key     keyDoc    `json:"key"`
	Until   time.Time `json:"until,omitzero"`
	Deletes bool      `json:"goes,omitempty"`
}

type requestDoc struct {
	Step  string    `json:"step"`
	Until time.Time `json:"until"`
}

type patientsDoc struct {
	Member keyDoc      `json:"member"`
	At     []time.Time `json:"at"`
}

// document returns the content of the file, always in the same order.
func (m *Memory) document() document {
	d := document{Format: format, Stack: m.stack, Where: m.where}
	for key, o := range m.begun {
		d.Begun = append(d.Begun, begunDoc{keyDoc(key), o.until.UTC(), o.deletes})
	}
	for step, until := range m.unanswered {
		d.Unanswered = append(d.Unanswered, requestDoc{step, until.UTC()})
	}
	for member, p := range m.patients {
		if len(p.Healed) > 0 {
			d.Healed = append(d.Healed, patientsDoc{keyDoc(member), p.Healed})
		}
	}
	for at, f := range m.found {
		switch { // each further entry has a login of its own
		case at.Entry != "":
		case f.Owns:
			d.Owned = append(d.Owned, at.Kind)
		case m.login != "" && f.Refused != nil:
			d.Login, d.Unused = m.login, append(d.Unused, unusedDoc{at.Kind, f.At.UTC(), printable.Clip(f.Refused.Error(), maxRefusal)})
		case m.login != "" && !f.At.IsZero():
			d.Login, d.Unused = m.login, append(d.Unused, unusedDoc{Kind: at.Kind, At: f.At.UTC()})
		}
	}
	slices.Sort(d.Owned)
	slices.SortFunc(d.Unused, func(a, b unusedDoc) int { return strings.Compare(a.Kind, b.Kind) })
	slices.SortFunc(d.Begun, func(a, b begunDoc) int { return manifest.Key(a.Key).Compare(manifest.Key(b.Key)) })
	slices.SortFunc(d.Unanswered, func(a, b requestDoc) int { return strings.Compare(a.Step, b.Step) })
	slices.SortFunc(d.Healed, func(a, b patientsDoc) int { return manifest.Key(a.Member).Compare(manifest.Key(b.Member)) })
	return d
}

func (d document) empty() bool {
	return len(d.Begun)+len(d.Unanswered)+len(d.Healed)+len(d.Unused)+len(d.Owned) == 0
}

// decode reads a document of a stack; "" means any stack.
func decode(text []byte, stack string, now time.Time) (d document, err error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.DisallowUnknownFields()
	if err := from.Decode(&d); err != nil {
		return document{}, err
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return document{}, errors.New("there is text after the document")
	}
	if err := d.check(stack, now); err != nil {
		return document{}, err
	}
	return d, nil
}

func (d document) check(stack string, now time.Time) error {
	switch {
	case d.Format != format:
		return fmt.Errorf("format %d is not known", d.Format)
	case d.Stack == "" || stack != "" && d.Stack != stack:
		return errors.New("the document belongs to another stack")
	case d.Where == "":
		return errors.New("the document does not name its project")
	case d.Saved.After(now.Add(clockError)):
		return errors.New("the time of the document is in the future")
	case now.Sub(d.Saved) > maxAge:
		return fmt.Errorf("the document is older than %s", maxAge)
	}
	ahead := func(until time.Time) bool { return until.After(d.Saved.Add(maxRequestTime)) }
	for _, o := range d.Begun {
		if o.Key.Kind == "" || o.Key.Name == "" || ahead(o.Until) {
			return fmt.Errorf("an entry of the field \"begun\" has no kind or no name, or its time is more than %s after the time of the document", maxRequestTime)
		}
	}
	for _, r := range d.Unanswered {
		if r.Step == "" || ahead(r.Until) {
			return fmt.Errorf("an entry of the field \"unanswered\" names no step, or its time is more than %s after the time of the document", maxRequestTime)
		}
	}
	for _, u := range d.Unused {
		if u.Kind == "" || u.At.After(d.Saved.Add(clockError)) {
			return fmt.Errorf("an element of unused names no kind, or its time is more than %s after the time of the document", clockError)
		}
	}
	if slices.Contains(d.Owned, "") {
		return errors.New("an element of owned names no kind")
	}
	for _, p := range d.Healed {
		late := func(at time.Time) bool { return at.After(d.Saved.Add(clockError)) }
		if p.Member.Kind == "" || p.Member.Name == "" || slices.ContainsFunc(p.At, late) {
			return fmt.Errorf("a member in healed has no kind or no name, or its time is more than %s after the time of the document", clockError)
		}
	}
	return nil
}

// restore takes over the content of a document. A document does not contain the time since when a member does not serve, because the member
// may have served in the meantime.
func (m *Memory) restore(d document) {
	m.where, m.login, m.restored = d.Where, d.Login, true
	for _, u := range d.Unused {
		f := Finding{At: u.At}
		if u.Refused != "" {
			f.Refused = refusal(u.Refused)
		}
		set(&m.found, Place{Kind: u.Kind}, f)
	}
	for _, name := range d.Owned {
		set(&m.found, Place{Kind: name}, Finding{Owns: true, At: d.Saved})
	}
	for _, o := range d.Begun {
		set(&m.begun, manifest.Key(o.Key), begun{o.Until, o.Deletes})
	}
	for _, r := range d.Unanswered {
		set(&m.unanswered, r.Step, r.Until)
	}
	for _, p := range d.Healed {
		set(&m.patients, manifest.Key(p.Member), rollout.Patient{Healed: p.At})
	}
}
