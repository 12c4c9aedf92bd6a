package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// These limits divide the characters of a comment among its parts.
const (
	// MaxMarker is the maximal length of the marker.
	MaxMarker = 20_000
	// OutcomeSize is the maximal length of the outcome that is added above a comment after the
	// merge.
	OutcomeSize = 8_000
	// CommentSize is the length that is left for the text.
	CommentSize = forge.MaxComment - MaxMarker - OutcomeSize
)

// NextRun returns the number of a run that begins now and has read these comments. It is greater
// than the number of any run in their markers, even if the clocks differ.
func NextRun(comments []forge.Comment, kind Kind, stack string, now time.Time) int64 {
	run := now.UnixMilli()
	for _, c := range commentsOf(comments, kind, stack) {
		run = max(run, c.marker.Run+1)
	}
	return run
}

// following returns m as the marker that replaces before, with Shown and After set. The argument before is the
// zero value if m replaces no marker. comments are all comments of the conversation. unread says
// that the conversation was not read to its end. Then it is unknown after which comment a hash is
// first shown, so nothing there can approve that hash.
func (m Marker) following(before Marker, comments []forge.Comment, unread bool) Marker {
	var newest int64
	for _, c := range comments {
		newest = max(newest, c.ID)
	}
	m.After = newest
	if m.Head == before.Head {
		m.After = before.After // before already showed this Head
	}
	if m.Head == "" {
		m.After = 0
	}
	m.Shown = slices.Clone(before.Shown)
	if _, ok := m.ShownAfter(m.Hash); !ok && m.Hash != "" && !unread {
		m.Shown = append(m.Shown, Shown{m.Hash, newest})
	}
	m.Shown = m.Shown[max(0, len(m.Shown)-maxShown):]
	return m
}

// ShownAfter returns the newest comment at the time when a hash was first shown.
func (m Marker) ShownAfter(hash string) (comment int64, ok bool) {
	i := slices.IndexFunc(m.Shown, func(s Shown) bool { return s.Hash == hash })
	if i < 0 {
		return 0, false
	}
	return m.Shown[i].After, true
}

// UpToDate reports whether the comments already have the texts in parts, so that nothing has to be
// written. It returns the first of these comments.
func UpToDate(comments []forge.Comment, m Marker, parts []string) (first forge.Comment, ok bool) {
	mine := commentsOf(comments, m.Kind, m.Stack)
	if len(mine) != len(parts) || len(parts) == 0 {
		return first, false
	}
	m = m.following(mine[0].marker, comments, false)
	for i, text := range parts {
		if !mine[i].says(m.part(i, len(parts)), text) {
			return first, false
		}
	}
	return mine[0].Comment, true
}

// part returns the marker of one of several comments.
func (m Marker) part(i, of int) Marker {
	m.Part, m.Parts = i+1, of
	if i > 0 {
		m.Proof, m.Tree, m.Shown, m.After = nil, "", nil, 0
	}
	return m
}

// Upsert writes the texts in parts as our comments of the marker's kind and stack, and edits
// existing comments in place. It returns the first comment, and whether anything was written. It
// writes nothing if only the run's number is new, and never overwrites a newer run. If the
// conversation is too long, it only edits those of our comments that were read, because a new
// comment would not be found again.
func Upsert(ctx context.Context, f forge.Conversations, number int, m Marker, parts []string) (first forge.Comment, news bool, err error) {
	comments, err := f.Comments(ctx, number)
	unread := errors.Is(err, forge.ErrTooMany)
	if err != nil && !unread {
		return first, false, err
	}
	mine := commentsOf(comments, m.Kind, m.Stack)
	if unread && len(mine) < len(parts) {
		return first, false, err
	}
	for _, c := range mine {
		if c.marker.Run > m.Run {
			return mine[0].Comment, false, nil
		}
	}
	var before Marker
	if len(mine) > 0 {
		before = mine[0].marker
	}
	m = m.following(before, comments, unread)
	for i, text := range parts {
		c, wrote, err := put(ctx, f, number, m.part(i, len(parts)), text, mine, i)
		news = news || wrote
		if err != nil {
			return first, news, err
		}
		if i == 0 {
			first = c
		}
	}
	for _, c := range mine[min(len(parts), len(mine)):] {
		news = true
		if err := f.Delete(ctx, number, c.ID); err != nil && !errors.Is(err, forge.ErrNotFound) {
			return first, news, err
		}
	}
	return first, news, nil
}

func put(ctx context.Context, f forge.Conversations, number int, m Marker, text string, mine []marked, i int) (c forge.Comment, wrote bool, err error) {
	body := m.String() + "\n" + text
	if i >= len(mine) {
		c, err = f.Post(ctx, number, body)
		return c, true, err
	}
	c = mine[i].Comment
	if mine[i].says(m, text) {
		return c, false, nil
	}
	err = f.Edit(ctx, number, c.ID, body)
	if errors.Is(err, forge.ErrNotFound) { // somebody has just deleted the comment
		c, err = f.Post(ctx, number, body)
	}
	return c, true, err
}

// says reports whether a comment has this marker and this text. The number of the run may differ.
func (c marked) says(m Marker, text string) bool {
	m.Run = c.marker.Run
	return normal(c.Body) == normal(m.String()+"\n"+text)
}

// normal returns a text without the changes that forges make to line ends and white space.
func normal(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// marked is a comment of ours, with its marker.
type marked struct {
	forge.Comment
	marker Marker
}

// commentsOf finds the comments of a kind and stack, in the order of their parts.
func commentsOf(comments []forge.Comment, kind Kind, stack string) []marked {
	var list []marked
	for _, c := range comments {
		if m, ok := Of(c); ok && m.Kind == kind && m.Stack == stack {
			list = append(list, marked{c, m})
		}
	}
	slices.SortStableFunc(list, func(a, b marked) int { return a.marker.Part - b.marker.Part })
	return list
}

// Find returns our first comment of a kind and stack, and the text below its marker.
func Find(comments []forge.Comment, kind Kind, stack string) (c forge.Comment, m Marker, text string, ok bool) {
	list := commentsOf(comments, kind, stack)
	if len(list) == 0 {
		return c, m, "", false
	}
	_, text, _ = strings.Cut(list[0].Body, "\n")
	return list[0].Comment, list[0].marker, text, true
}

// Texts returns the texts below the markers of our comments of a kind and stack, in the order of
// their parts.
func Texts(comments []forge.Comment, kind Kind, stack string) (texts []string) {
	for _, c := range commentsOf(comments, kind, stack) {
		_, text, _ := strings.Cut(normal(c.Body), "\n")
		texts = append(texts, text)
	}
	return texts
}
