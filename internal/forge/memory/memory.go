package memory

// This file has the code that writes the data on a forge. Next to it, it has the code that reads
// the same data.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

const (
	markerOpen  = "<!-- stackreeve "
	markerClose = " -->"
)

// These are the limits of a valid marker. If a marker has more, somebody has edited it.
const (
	// MaxSteps is the number of steps of a plan that a marker holds.
	MaxSteps    = 400
	maxShown    = 10
	maxParts    = 1000
	maxReported = 1000
	// lastRun is a number that no run ever gets, because the numbers of runs begin as milliseconds
	// since 1970.
	lastRun = 1 << 53
)

// String returns the marker as a line, without the line end.
func (m Marker) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return ""
	}
	// "--" would end the HTML comment; JSON has another spelling for it.
	return markerOpen + strings.ReplaceAll(string(text), "-", `\u002d`) + markerClose
}

// Of returns the marker of a comment, if the comment is ours and has one.
func Of(c forge.Comment) (m Marker, ok bool) {
	if !c.Mine {
		return m, false
	}
	return ParseMarker(c.Body)
}

// Marked reports whether a text begins like a marker, even if the marker is cut off.
func Marked(body string) bool {
	return strings.HasPrefix(strings.TrimSpace(body), strings.TrimSpace(markerOpen))
}

// ParseMarker reads the marker of a comment. It drops values that exceed the limits of the markers
// that we write.
func ParseMarker(body string) (m Marker, ok bool) {
	line, _, _ := strings.Cut(body, "\n")
	text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), markerOpen)
	if !ok {
		return m, false
	}
	if text, ok = strings.CutSuffix(text, markerClose); !ok || json.Unmarshal([]byte(text), &m) != nil {
		return Marker{}, false
	}
	if m.Kind != PlanComment && m.Kind != DriftComment && m.Kind != AnswerComment {
		return Marker{}, false
	}
	return m.bounded(), true
}

var digits = pattern.Of(`^[0-9a-f]{64}$`)

// bounded returns the marker without values that we do not write.
func (m Marker) bounded() Marker {
	if m.Run < 0 || m.Run > lastRun {
		m.Run = 0
	}
	if m.Part < 0 || m.Part > maxParts || m.Parts < 0 || m.Parts > maxParts {
		m.Part, m.Parts = 0, 0
	}
	if len(m.Proof) == 0 || len(m.Proof) > 1+MaxSteps {
		m.Proof, m.Tree = nil, ""
	}
	if !digits.MatchString(m.Hash) { // earlier releases had shorter hashes, which two plans could share
		m.Hash, m.Proof, m.Tree = "", nil, ""
	}
	m.Shown = slices.DeleteFunc(m.Shown, func(s Shown) bool { return s.After < 0 || !digits.MatchString(s.Hash) })
	m.Shown = m.Shown[max(0, len(m.Shown)-maxShown):]
	m.Reported = slices.DeleteFunc(m.Reported, func(number int) bool { return number <= 0 })
	m.Reported = m.Reported[:min(len(m.Reported), maxReported)]
	m.After, m.To = max(m.After, 0), max(m.To, 0)
	switch m.Done {
	case forge.Pending, forge.Success, forge.Failure, forge.Error:
	default:
		m.Done = ""
	}
	return m
}

// divider is the line between newer text and the text that was there before. No text of a manifest
// can have such a line: HTML comments are escaped, except in blocks of code, and there, a value is
// never a line alone.
const divider = "<!-- before -->"

// DividerSize is the length of divider in bytes.
const DividerSize = len(divider)

// Divided returns the text of a comment with news above its earlier text.
func Divided(news, before string) string {
	return strings.TrimRight(news, "\n") + "\n\n" + divider + "\n" + before
}

// Below returns the earlier text of a comment, without the news above it. If there are no news, it
// returns the whole text.
func Below(text string) string {
	if _, before, ok := strings.Cut("\n"+text, "\n"+divider+"\n"); ok {
		return before
	}
	return text
}

var pullAddress = pattern.Of(`/(?:pulls?|merge_requests)/([0-9]{1,9})#`)

// PullOf returns the number of the pull request in the address of a status. The address leads to a
// comment of that pull request.
func PullOf(s forge.Status) (number int, ok bool) {
	m := pullAddress.FindStringSubmatch(s.URL)
	if m == nil {
		return 0, false
	}
	number, err := strconv.Atoi(m[1])
	return number, err == nil && number > 0
}

const minute = "15:04 UTC, 2 Jan 2006" // the time format in a status

// Forge returns the status in the form in which it is stored on the forge, without context and
// address.
func (s Status) Forge() forge.Status {
	state, text := s.written()
	if s.Is == Failed && ParseStatus(forge.Status{State: state, Description: forge.Describe(text)}).Is != Failed {
		text = "failed: " + text // so that the text is not read as another meaning
	}
	return forge.Status{State: state, Description: forge.Describe(text)}
}

func (s Status) written() (forge.State, string) {
	objects := fmt.Sprint(s.Objects, " objects")
	if s.Objects == 1 {
		objects = "1 object"
	}
	switch s.Is {
	case Running:
		return forge.Pending, s.Why
	case InSync:
		if s.Paused {
			objects += "; suspended"
		}
		return forge.Success, "in sync: " + objects
	case WasInSync:
		return forge.Success, "in sync until " + s.Commit
	case NoDrift:
		return forge.Success, "no drift"
	case Drifted:
		return forge.Failure, "drifted: " + objects + " since " + s.Since.UTC().Format(minute)
	case Held:
		switch {
		case s.Command != "" && s.Unread:
			return forge.Failure, "held: unread; approve: " + s.Command + "; " + s.Why
		case s.Command != "":
			return forge.Failure, "held: approve: " + s.Command + "; " + s.Why
		}
		return forge.Failure, "held: approve " + s.Hash + "; " + s.Why
	case Suspended:
		return forge.Failure, fmt.Sprintf("suspended (%d differ): %s", s.Objects, s.Why)
	case Failed:
		return forge.Failure, s.Why
	case Unknown:
	}
	return forge.Error, s.Why
}

// forms are the descriptions that have a meaning, as this version and earlier ones write them. Each
// has a state, a form, and a function that reads the groups of the form. The last form of a state,
// if it is (.*), matches all other texts.
var forms = []struct {
	state forge.State
	form  *pattern.Pattern
	means func(groups []string) Status
}{
	{forge.Success, form(`in sync: (\d{1,9}) objects?(; suspended)?`), func(g []string) Status {
		return Status{Is: InSync, Objects: count(g[1]), Paused: g[2] != ""}
	}},
	{forge.Success, form(`in sync until ([0-9a-f]{1,10})`), func(g []string) Status { return Status{Is: WasInSync, Commit: g[1]} }},
	{forge.Success, form(`no drift`), func([]string) Status { return Status{Is: NoDrift} }},
	{forge.Failure, form(`drifted: (\d{1,9}) objects? since (\d.*\d)`), func(g []string) Status {
		since, err := time.Parse(minute, g[2])
		if err != nil {
			return Status{Is: Failed, Why: g[0]}
		}
		return Status{Is: Drifted, Objects: count(g[1]), Since: since}
	}},
	{forge.Failure, form(`held: approve ([0-9a-f]{1,64}); (.*)`), func(g []string) Status { return Status{Is: Held, Hash: g[1], Why: g[2]} }},
	{forge.Failure, form(`held: (?:not from a pull request; |no pull request brought it; )?approve: (.+?)(?:; (.*))?`), func(g []string) Status {
		return Status{Is: Held, Command: g[1], Why: g[2]}
	}},
	{forge.Failure, form(`held: (?:unread|too many comments to be read); approve: (.+?)(?:; (.*))?`), func(g []string) Status {
		return Status{Is: Held, Command: g[1], Unread: true, Why: g[2]}
	}},
	{forge.Failure, form(`suspended \((\d{1,9}) differ\): (.*)`), func(g []string) Status { return Status{Is: Suspended, Objects: count(g[1]), Why: g[2]} }},
	{forge.Failure, form(`(.*)`), func(g []string) Status { return Status{Is: Failed, Why: g[1]} }},
	{forge.Pending, form(`(.*)`), func(g []string) Status { return Status{Is: Running, Why: g[1]} }},
}

func form(text string) *pattern.Pattern { return pattern.Of(`^` + text + `$`) }

func count(digits string) int { n, _ := strconv.Atoi(digits); return n } // at most nine digits

// ParseStatus returns the meaning of a status of ours.
func ParseStatus(s forge.Status) Status {
	for _, f := range forms {
		if groups := f.form.FindStringSubmatch(s.Description); groups != nil && f.state == s.State {
			return f.means(groups)
		}
	}
	return Status{Why: s.Description}
}
