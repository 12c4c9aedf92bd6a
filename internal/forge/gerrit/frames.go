package gerrit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// A comment of ours is one or more messages, because Gerrit accepts only 16 KiB in a message. The
// last line of a message is its frame. The frame has the number of the part, and names the comment:
//
//	new        the message belongs to a new comment; the ID of its first message is the comment's ID
//	a number   the message belongs to a new text for the comment with this ID
//
// A comment begins with a hidden line. Gerrit cannot hide that line, so it is moved to the end of
// the comment.
const (
	frameOpen = "[stackreeve: comment "
	// maxPiece is the maximal length of a part in UTF-16 units, because Gerrit counts those.
	maxPiece  = 14_000
	maxParts  = 100
	continued = "(continued)\n"
)

var frameForm = pattern.Of(`^\[stackreeve: comment (new|[0-9]{1,9}), (withdrawn|part ([0-9]{1,3}) of ([0-9]{1,3}))( marked)?\]$`)

// frame is the parsed last line of a message.
type frame struct {
	comment  int64 // 0 for a new comment.
	part, of int   // both 0 if the comment is withdrawn.
	marked   bool  // whether the hidden line of the comment is its last line.
}

func (f frame) String() string {
	comment, part, marked := "new", "withdrawn", ""
	if f.comment > 0 {
		comment = strconv.FormatInt(f.comment, 10)
	}
	if f.of > 0 {
		part = fmt.Sprintf("part %d of %d", f.part, f.of)
	}
	if f.marked {
		marked = " marked"
	}
	return frameOpen + comment + ", " + part + marked + "]"
}

// framed splits a message of ours into its text and its frame.
func framed(body string) (text string, f frame, ok bool) {
	i := strings.LastIndexByte(body, '\n')
	groups := frameForm.FindStringSubmatch(body[i+1:])
	if groups == nil {
		return "", f, false
	}
	f.comment, _ = strconv.ParseInt(groups[1], 10, 64) // "new" is 0
	f.part, _ = strconv.Atoi(groups[3])
	f.of, _ = strconv.Atoi(groups[4])
	f.marked = groups[5] != ""
	if f.of > 0 && (f.part < 1 || f.part > f.of || f.of > maxParts) || f.of == 0 && groups[2] != "withdrawn" {
		return "", f, false
	}
	text = strings.TrimSuffix(body[:max(i, 0)], "\n")
	if f.part > 1 {
		text = strings.TrimPrefix(text, continued)
	}
	return text, f, true
}

// pieces splits a text into messages. comment is the ID of the comment that gets this text; 0 means
// a new comment.
func pieces(comment int64, body string) (list []string) {
	marked := false
	if first, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(first, "<!--") {
		body, marked = rest+"\n"+first, true
	}
	var parts []string
	for rest := body; rest != "" || len(parts) == 0; {
		cut := len(rest)
		units := 0
		for i, c := range rest {
			if units += max(utf16.RuneLen(c), 1); units > maxPiece {
				cut = i
				break
			}
		}
		parts = append(parts, rest[:cut])
		rest = rest[cut:]
	}
	for i, part := range parts {
		if i > 0 {
			part = continued + part
		}
		list = append(list, part+"\n\n"+frame{comment, i + 1, len(parts), marked}.String())
	}
	return list
}

// reader joins our messages to comments.
type reader struct {
	comments []forge.Comment
	begun    forge.Comment // the comment whose parts are being read
	last     frame
	body     string
}

// take processes the next message of ours, with this text and frame. c is the message as a comment.
func (r *reader) take(c forge.Comment, text string, f frame) {
	if f.of == 0 {
		r.comments = slices.DeleteFunc(r.comments, func(o forge.Comment) bool { return o.ID == f.comment && o.Mine })
		return
	}
	if f.part == 1 {
		r.begun, r.body = c, ""
	} else if f.part != r.last.part+1 || f.of != r.last.of || f.comment != r.last.comment {
		r.last = frame{} // a part is missing, so the other parts are ignored
		return
	}
	r.last, r.body = f, r.body+text
	if f.part < f.of {
		return
	}
	r.last = frame{}
	r.begun.Body = r.body
	if i := strings.LastIndexByte(r.body, '\n'); f.marked && i >= 0 {
		r.begun.Body = r.body[i+1:] + "\n" + r.body[:i]
	}
	r.put(f.comment)
}

// put adds the comment that was read. If comment is the ID of an older comment, put replaces the
// text of that comment instead.
func (r *reader) put(comment int64) {
	if comment == 0 {
		r.comments = append(r.comments, r.begun)
		return
	}
	for i, o := range r.comments {
		if o.ID == comment && o.Mine {
			r.comments[i].Body, r.comments[i].Created = r.begun.Body, r.begun.Created
		}
	}
}

// list returns the comments, oldest first.
func (r *reader) list() []forge.Comment {
	slices.SortFunc(r.comments, func(a, b forge.Comment) int { return cmp.Compare(a.ID, b.ID) })
	return r.comments
}
