package export

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// longest is the maximum length of a name. Together with the ID after it, such a name fits into a mark's text. A
// name that a person has chosen may be as long as a label.
const (
	longest       = 40
	longestChosen = 63
)

// called returns the text from which the name of an object is made. It returns "" if there is no such text, or
// if the name is only a path of IDs.
func (i *item) called() (text string, most int) {
	switch {
	case i.chosen:
		return i.like, longestChosen
	case i.live.Name == i.live.ID && isPath(i.live.ID):
		return "", longest
	}
	return i.live.Name, longest
}

func isPath(id string) bool { return strings.Contains(id, "/") }

// tail returns the suffix that distinguishes objects with the same name. It is the ID. If the ID is a path, it
// is a digest, because paths have equal beginnings.
func (i *item) tail() string {
	if isPath(i.live.ID) {
		return checksum.Short(i.live.ID)
	}
	return slug(i.live.ID, "x", longest)
}

// giveNames names the objects of a kind as the cloud does, if a manifest can have such a name. If several
// objects would have the same name, and exactly one of them is to be adopted, that object keeps the name. The
// names of the others get a part of their ID as a suffix.
func giveNames(all []*item) {
	managed, count := map[string]int{}, map[string]int{}
	for _, one := range all {
		text, most := one.called()
		one.name = slug(text, one.kind.Info.Kind, most)
		if count[one.name]++; one.managed {
			managed[one.name]++
		}
	}
	taken := map[string]bool{}
	for _, one := range all {
		alone := count[one.name] == 1 || one.managed && managed[one.name] == 1
		text, _ := one.called()
		taken[one.name] = taken[one.name] || alone && text != ""
	}
	for _, one := range all {
		if text, _ := one.called(); text != "" && (count[one.name] == 1 || one.managed && managed[one.name] == 1) {
			continue
		}
		id := one.tail()
		for length := 8; ; length += 8 {
			name := one.name + "-" + strings.Trim(id[:min(length, len(id))], "-.")
			if !taken[name] || length > len(id) {
				one.name, taken[name] = name, true
				break
			}
		}
	}
}

// slug makes a valid name from a text. It returns fallback if no character of the text can be used.
func slug(text, fallback string, most int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	name := b.String()
	for _, double := range []string{"--", "-.", ".-", ".."} {
		for strings.Contains(name, double) {
			name = strings.ReplaceAll(name, double, double[:1])
		}
	}
	name = strings.Trim(name[:min(len(name), most)], "-.")
	if !manifest.IsName(name) {
		return strings.ToLower(fallback)
	}
	return name
}
