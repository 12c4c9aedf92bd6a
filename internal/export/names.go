package export

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// longest is the maximal length of a name: with the ID after it, it still fits into a mark's text. A
// name that a person has chosen is kept up to the length of a label.
const (
	longest       = 40
	longestChosen = 63
)

// called is the text from which the name of an object is made. It is "" where there is none, or where
// the name is only a path of IDs.
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

// tail is the suffix that distinguishes objects of one name. It is the ID, or a digest for an ID that
// is a path, because paths begin alike.
func (i *item) tail() string {
	if isPath(i.live.ID) {
		return checksum.Short(i.live.ID)
	}
	return slug(i.live.ID, "x", longest)
}

// giveNames names the objects of a kind as the cloud does, as far as a manifest can have the name.
// Where several objects would have one name, the only one that is to be adopted keeps it. The others
// get a part of their ID as a suffix.
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

// slug makes a valid name from a text; fallback where nothing of the text is left.
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
