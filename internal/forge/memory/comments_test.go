package memory_test

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

func TestOneCommentIsEditedInPlace(t *testing.T) {
	m := forgetest.NewMemory()
	m.Put(forge.Pull{Number: 7, Open: true})
	mark := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: 100}
	m.AddComment(7, "mallory", mark.String()+"\nnot ours")
	for range 150 {
		m.AddComment(7, "ann", "talk")
	}
	put := func(run int64, parts ...string) forge.Comment {
		t.Helper()
		mark.Run = run
		c, _, err := memory.Upsert(t.Context(), m, 7, mark, parts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	texts := func() []string {
		comments, err := m.Comments(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		return memory.Texts(comments, memory.PlanComment, "prod")
	}
	first := put(100, "one")
	if again := put(200, "one"); again.ID != first.ID || len(m.Writes()) != 1 {
		t.Error("the same words were written again")
	}
	put(300, "two", "more", "most")
	if got := texts(); !slices.Equal(got, []string{"two", "more", "most"}) {
		t.Errorf("got %q", got)
	}
	put(250, "an older run")
	if got := texts(); !slices.Equal(got, []string{"two", "more", "most"}) {
		t.Errorf("an older run overwrote a newer one: %q", got)
	}
	if last := put(400, "three"); last.ID != first.ID {
		t.Error("the comment moved")
	}
	if got := texts(); !slices.Equal(got, []string{"three"}) {
		t.Errorf("got %q", got)
	}
	if _, _, err := memory.Upsert(t.Context(), m, 7, memory.Marker{Kind: memory.PlanComment, Stack: "dev", Run: 1}, []string{"dev"}); err != nil {
		t.Fatal(err)
	}
	if got := texts(); !slices.Equal(got, []string{"three"}) {
		t.Errorf("another stack's comment changed this one: %q", got)
	}
}
