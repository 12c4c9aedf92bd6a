package report

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Block is a paragraph of [Text.Plan] in parts. It is about one object, or about several with the same text.
type Block struct {
	// Does is the effect on the object: create, change, replace, delete, let go, wait, refused, only reported, or stays. It is "" if nothing happens to
	// the object itself, but only to its parts.
	Does    string   `json:"does,omitempty"`
	Title   string   `json:"title"`
	Text    string   `json:"text,omitempty"`
	Written string   `json:"written,omitempty"` // FILE:LINE
	Lines   []string `json:"lines,omitempty"`   // further lines about the object
	Parts   []Block  `json:"parts,omitempty"`
}

// size is the number of characters in the block.
func (b Block) size() int {
	n := len(b.Title) + len(b.Text) + len(b.Written)
	for _, line := range b.Lines {
		n += len(line)
	}
	for _, part := range b.Parts {
		n += part.size()
	}
	return n
}

// Outline is a plan in parts.
type Outline struct {
	Blocks []Block  `json:"blocks"`
	Notes  []string `json:"notes,omitempty"` // about the whole plan, such as quotas that are too small
	Sum    string   `json:"sum"`
	More   int      `json:"more,omitempty"` // the number of blocks that were left out
}

// OutlineOf returns a plan and its requirements for the cloud in parts. The outline has at most limit characters.
func OutlineOf(p plan.Plan, needs preflight.Findings, limit int) Outline {
	t := Text{NoFlags: true, keeping: p.Summary().Delete > 0}
	o := Outline{Blocks: []Block{}, Sum: sum(p)}
	for _, e := range together(t.paragraphs(p), false) {
		b := e.block()
		if limit -= b.size(); limit < 0 {
			o.More++
			continue
		}
		o.Blocks = append(o.Blocks, b)
	}
	if n := Renewals(p); n > 0 {
		o.Notes = append(o.Notes, Plural(n, "object")+": only the owner mark is renewed")
	}
	for _, reason := range p.Unlisted {
		o.Notes = append(o.Notes, Clean("could not be listed, so the plan does not change its objects: "+reason))
	}
	for _, reason := range p.Refused {
		o.Notes = append(o.Notes, Clean(RefusedText(reason)))
	}
	var more strings.Builder
	t.W = &more
	t.ignoredFiles(p.Ignored)
	t.preflight(needs)
	for line := range strings.Lines(more.String()) {
		if line = strings.TrimSpace(line); line != "" {
			o.Notes = append(o.Notes, line)
		}
	}
	return o
}

func (e entry) block() Block {
	b := Block{Does: e.does, Title: e.title(), Text: e.effectText(), Written: place(e.origin), Lines: e.lines}
	for _, part := range e.parts {
		b.Parts = append(b.Parts, part.block())
	}
	return b
}

// effectText returns the effect on the object of a step, in one or two words.
func effectText(s plan.Step) string {
	switch s.Action {
	case plan.Create:
		return "create"
	case plan.Update:
		return "change"
	case plan.Recreate:
		return "replace"
	case plan.Delete:
		return "delete"
	case plan.Detach:
		return "let go"
	case plan.Wait:
		return "wait"
	case plan.Refuse:
		return "refused"
	case plan.Keep:
	}
	if s.Drifting() {
		return "only reported"
	}
	return "stays"
}

// flagged returns a hint about a flag, or "" if the reader cannot set flags.
func (t Text) flagged(hint string) string {
	if t.NoFlags {
		return ""
	}
	return hint
}
