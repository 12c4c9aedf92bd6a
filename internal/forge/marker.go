package forge

import (
	"encoding/json"
	"slices"
	"strings"
)

// Marker is the hidden first line of a comment of ours: it finds the comment
// again, among any number of others and after a restart on an empty disk.
// Anybody can copy it: it counts only in a comment that is [Comment.Mine].
type Marker struct {
	Kind  string `json:"kind"` // plan, drift or answer
	Stack string `json:"stack,omitempty"`
	// Run grows with every look: an older one never overwrites a newer.
	Run int64 `json:"run,omitempty"`
	// Part counts from 1: a long text takes several comments.
	Part  int `json:"part,omitempty"`
	Parts int `json:"parts,omitempty"`
	// Head and Base are the commits that were looked at.
	Head string `json:"head,omitempty"`
	Base string `json:"base,omitempty"`
	// Hash is the plan's; Exact and Steps prove what it stands for, and Tree is the
	// hash of the folder that was planned.
	Hash  string   `json:"hash,omitempty"`
	Exact string   `json:"exact,omitempty"`
	Steps []string `json:"steps,omitempty"`
	Tree  string   `json:"tree,omitempty"`
	// Shown are the hashes that the comment has shown, and After the newest comment
	// there was when it first showed the Head. Whoever wrote later can have seen
	// it. [Upsert] keeps them.
	Shown []Shown `json:"shown,omitempty"`
	After int64   `json:"after,omitempty"`
	// Done is the state of the merged commit that the comment tells the outcome
	// of.
	Done State `json:"done,omitempty"`
	// Told are the pull requests that were told of the same drift.
	Told []int `json:"told,omitempty"`
	// To is the comment that an answer answers.
	To int64 `json:"to,omitempty"`
}

// Shown is a hash, and the newest comment there was when it was first shown.
type Shown struct {
	Hash  string `json:"hash"`
	After int64  `json:"after"`
}

// mostShown is how many hashes a marker remembers.
const mostShown = 10

// following is the marker as it takes the place of another, or of none, in a
// conversation with these comments.
func (m Marker) following(before Marker, comments []Comment) Marker {
	var newest int64
	for _, c := range comments {
		newest = max(newest, c.ID)
	}
	if m.After = newest; m.Head == before.Head {
		m.After = before.After
	}
	if m.Head == "" {
		m.After = 0
	}
	m.Shown = slices.Clone(before.Shown)
	if _, ok := m.ShownAfter(m.Hash); !ok && m.Hash != "" {
		m.Shown = append(m.Shown, Shown{m.Hash, newest})
	}
	m.Shown = m.Shown[max(0, len(m.Shown)-mostShown):]
	return m
}

// ShownAfter is the newest comment there was when a hash was first shown.
func (m Marker) ShownAfter(hash string) (comment int64, ok bool) {
	i := slices.IndexFunc(m.Shown, func(s Shown) bool { return s.Hash == hash })
	if i < 0 {
		return 0, false
	}
	return m.Shown[i].After, true
}

const (
	markerOpen  = "<!-- stackreeve "
	markerClose = " -->"
)

// String is the line, without its end.
func (m Marker) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return ""
	}
	// "--" would end the HTML comment; JSON may spell it otherwise.
	return markerOpen + strings.ReplaceAll(string(text), "-", `\u002d`) + markerClose
}

// Marker is the comment's marker, if it is one of ours.
func (c Comment) Marker() (m Marker, ok bool) {
	if !c.Mine {
		return m, false
	}
	return ParseMarker(c.Body)
}

// Marked tells whether a comment begins like a marker, whole or not.
func Marked(body string) bool {
	return strings.HasPrefix(strings.TrimSpace(body), strings.TrimSpace(markerOpen))
}

// ParseMarker reads the marker of a comment.
func ParseMarker(body string) (m Marker, ok bool) {
	line, _, _ := strings.Cut(body, "\n")
	line = strings.TrimSuffix(line, "\r")
	text, ok := strings.CutPrefix(line, markerOpen)
	if !ok {
		return m, false
	}
	if text, ok = strings.CutSuffix(text, markerClose); !ok {
		return m, false
	}
	return m, json.Unmarshal([]byte(text), &m) == nil
}
