package signature

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Object is a commit or an annotated tag.
type Object struct {
	Payload []byte // the bytes that the signature covers
	Armor   string // the signature; "" if there is none
	// Email and Time are those of the committer or the tagger. The person who made the object wrote them, so they prove nothing.
	Email string
	Time  time.Time

	Tree    string   // the hash of a commit's root folder
	Parents []string // the hashes of a commit's parents

	Target string // the hash of the object that a tag names; "" if that is not a commit
	Tag    string // the name in a tag, without refs/tags/
}

var hash = pattern.Of(`^[0-9a-f]{40}$`)

// header is a line of an object's header, with the lines that continue it.
type header struct {
	name, value string
	raw         []byte
}

// splitHeaders splits an object into its header and the rest, which begins with the empty line.
func splitHeaders(raw []byte) (list []header, rest []byte) {
	for len(raw) > 0 && raw[0] != '\n' {
		end := 0
		for {
			next := bytes.IndexByte(raw[end:], '\n')
			if next < 0 {
				end = len(raw)
				break
			}
			if end += next + 1; end == len(raw) || raw[end] != ' ' {
				break
			}
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(string(raw[:end]), "\n"), " ")
		list = append(list, header{name, value, raw[:end]})
		raw = raw[end:]
	}
	return list, raw
}

const signed = "gpgsig"

// ParseCommit reads the bytes of a commit. It is stricter than git: the header begins with one tree, then the parents, one author and one
// committer, and none of these follows again. So everybody who reads the commit finds the same tree. The error is a [*Fault].
func ParseCommit(raw []byte) (Object, error) {
	list, rest := splitHeaders(raw)
	var o Object
	take := func(name string) (value string, ok bool) {
		if len(list) == 0 || list[0].name != name || strings.Contains(list[0].value, "\n") {
			return "", false
		}
		value, list = list[0].value, list[1:]
		return value, true
	}
	payload := raw[:len(raw)-len(rest)]
	var ok bool
	if o.Tree, ok = take("tree"); !ok || !hash.MatchString(o.Tree) {
		return Object{}, malformed("the commit does not begin with its tree")
	}
	for {
		parent, ok := take("parent")
		if !ok {
			break
		}
		if !hash.MatchString(parent) {
			return Object{}, malformed("a parent of the commit is not a hash")
		}
		o.Parents = append(o.Parents, parent)
	}
	if _, ok = take("author"); !ok {
		return Object{}, malformed("the commit has no author where git writes it")
	}
	committer, ok := take("committer")
	if !ok {
		return Object{}, malformed("the commit has no committer where git writes it")
	}
	if o.Email, o.Time, ok = person(committer); !ok {
		return Object{}, malformed("the committer cannot be read")
	}
	o.Payload = append(o.Payload, payload[:len(payload)-lengthOf(list)]...)
	found := false
	for _, h := range list {
		switch {
		case h.name == signed && !found:
			found, o.Armor = true, strings.ReplaceAll(h.value, "\n ", "\n")
		case strings.HasPrefix(h.name, signed):
			return Object{}, malformed("the commit has several signatures")
		case h.name == "tree", h.name == "parent", h.name == "author", h.name == "committer":
			return Object{}, malformed("the commit names its %s twice", h.name)
		default:
			o.Payload = append(o.Payload, h.raw...)
		}
	}
	o.Payload = append(o.Payload, rest...)
	return o, nil
}

func lengthOf(list []header) (n int) {
	for _, h := range list {
		n += len(h.raw)
	}
	return n
}

// armors are the lines with which signatures of tags begin.
var armors = []string{"-----BEGIN PGP SIGNATURE-----", "-----BEGIN SSH SIGNATURE-----", "-----BEGIN SIGNED MESSAGE-----"}

// ParseTag reads the bytes of an annotated tag. The signature of a tag follows its message. The error is a [*Fault].
func ParseTag(raw []byte) (Object, error) {
	list, rest := splitHeaders(raw)
	if len(list) != 4 || list[0].name != "object" || list[1].name != "type" || list[2].name != "tag" || list[3].name != "tagger" ||
		!hash.MatchString(list[0].value) {
		return Object{}, malformed("the tag does not have the header that git writes: object, type, tag, tagger")
	}
	o := Object{Tag: list[2].value, Payload: raw}
	if list[1].value == "commit" {
		o.Target = list[0].value
	}
	var ok bool
	if o.Email, o.Time, ok = person(list[3].value); !ok {
		return Object{}, malformed("the tagger cannot be read")
	}
	at := -1
	for _, begin := range armors {
		at = max(at, bytes.LastIndex(rest, []byte("\n"+begin)))
	}
	if at >= 0 {
		start := len(raw) - len(rest) + at + 1
		o.Payload, o.Armor = raw[:start], string(raw[start:])
	}
	return o, nil
}

// maxEmail is the maximum length of an e-mail address in bytes. RFC 5321 allows 254.
const maxEmail = 320

// person reads "Name <email> seconds zone".
func person(text string) (email string, at time.Time, ok bool) {
	open, end := strings.Index(text, "<"), strings.LastIndex(text, ">")
	if open < 0 || end < open || strings.Contains(text, "\n") {
		return "", at, false
	}
	email = text[open+1 : end]
	seconds, _, _ := strings.Cut(strings.TrimSpace(text[end+1:]), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(email) > maxEmail || strings.ContainsAny(email, "<>") {
		return "", at, false
	}
	return email, time.Unix(n, 0), true
}
