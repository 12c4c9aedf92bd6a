package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// FuzzMarkers checks that every marker that is read from a comment can be written and read again. A
// written marker is one line, and contains its closing text only at the end.
func FuzzMarkers(f *testing.F) {
	f.Add(Marker{Kind: "plan", Stack: "a--b->", Run: 7, Hash: planHash, Proof: Sums{{1}, {2}}}.String()+"\nhello", "prod", "-->\n<!-- stackreeve {} -->")
	f.Add("<!-- stackreeve {\"kind\": 1} -->", "", "")
	f.Add("<!-- stackreeve [[[[ -->", "\u2028", "\xff")
	f.Fuzz(func(t *testing.T, body, stack, step string) {
		m, ok := ParseMarker(body)
		if ok && !Marked(body) {
			t.Errorf("%q has a marker and is not marked", body)
		}
		if !ok {
			if !utf8.ValidString(stack) || !utf8.ValidString(step) {
				return // such a text cannot be written as JSON
			}
			m = Marker{Kind: PlanComment, Stack: stack, Hash: planHash, Proof: Sums{sha256.Sum256([]byte(step))}}.bounded()
		}
		line := m.String()
		if strings.Count(line, "--") != 2 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("%q can be left before its end", line)
		}
		again, ok := ParseMarker(line + "\n" + step)
		if !ok || again.String() != line || !reflect.DeepEqual(again, again.bounded()) {
			t.Errorf("%q comes back as %+v", line, again)
		}
		if len(again.Proof) > 1+MaxSteps || len(again.Shown) > maxShown || again.Run < 0 || again.Run > lastRun || again.Hash == "" && len(again.Proof) > 0 {
			t.Errorf("%.200q is believed: %+v", line, again)
		}
	})
}

// FuzzStatuses checks that a status that we write has the same meaning when it is read. A free text
// has no meaning.
func FuzzStatuses(f *testing.F) {
	for _, s := range written {
		f.Add(s.text, s.means.Objects, s.means.Hash, s.means.Since.Unix())
	}
	f.Add("in sync: 1 object\nheld: approve", 1<<40, "-->", int64(1<<60))
	f.Fuzz(func(t *testing.T, text string, objects int, hash string, since int64) {
		for _, state := range []forge.State{forge.Pending, forge.Success, forge.Failure, forge.Error} {
			read := ParseStatus(forge.Status{State: state, Description: text})
			if (read.Is == InSync || read.Is == WasInSync || read.Is == NoDrift) != (state == forge.Success && read.Is != Unknown) {
				t.Errorf("%s %q means %+v", state, text, read)
			}
			if wrote := read.Forge(); ParseStatus(wrote).Is != read.Is {
				t.Errorf("%+v is written as %+v", read, wrote)
			}
		}
		for _, is := range []Condition{Unknown, Running, Failed} {
			if got := ParseStatus(Status{Is: is, Why: text}.Forge()); got.Is != is {
				t.Errorf("%q as words of %d means %+v", text, is, got)
			}
		}
		objects &= 1<<20 - 1
		hash = hex.EncodeToString([]byte(hash + "x"))
		hash = hash[:min(len(hash), 64)]
		at := time.Unix(since&(1<<37-1), 0).UTC().Truncate(time.Minute)
		for _, s := range []Status{
			{Is: InSync, Objects: objects, Paused: objects%2 == 0}, {Is: WasInSync, Commit: hash[:min(len(hash), 10)]}, {Is: NoDrift},
			{Is: Drifted, Objects: objects, Since: at}, {Is: Held, Hash: hash}, {Is: Suspended, Objects: objects},
		} {
			if got := ParseStatus(s.Forge()); got != s {
				t.Errorf("%+v comes back as %+v", s, got)
			}
			if s.Is != Held && s.Is != Suspended {
				continue
			}
			s.Why = text
			if got := ParseStatus(s.Forge()); got.Is != s.Is || got.Hash != s.Hash || got.Objects != s.Objects {
				t.Errorf("%+v comes back as %+v", s, got)
			}
		}
	})
}
