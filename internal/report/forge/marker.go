package forge

import (
	"encoding/json"
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
	// Hash and Steps are the plan's: what an approval of the hash covers.
	Hash  string   `json:"hash,omitempty"`
	Steps []string `json:"steps,omitempty"`
	// Done is the state of the merged commit that the comment tells the outcome
	// of.
	Done State `json:"done,omitempty"`
	// Told are the pull requests that were told of the same drift.
	Told []int `json:"told,omitempty"`
	// To is the comment that an answer answers.
	To int64 `json:"to,omitempty"`
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
