package forgetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
)

// talkative opens a pull request for comments.
func talkative(t *testing.T, lab Lab, branch string) (number int) {
	t.Helper()
	lab.Push(t, branch, file(branch+".yaml", "a: 1\n"))
	return lab.OpenPull(t, branch, lab.Branch(), "Talk about "+branch)
}

func comments(t *testing.T, lab Lab, number int) []forge.Comment {
	t.Helper()
	list, err := lab.Forge().Comments(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func testComments(t *testing.T, lab Lab) {
	ctx, f := t.Context(), lab.Forge()
	number := talkative(t, lab, "talk")
	theirs := lab.AddComment(t, number, "writer", "/stackreeve plan")
	mine, err := f.Post(ctx, number, "The *plan*: <b>ä</b> 🙂")
	if err != nil || !mine.Mine || mine.ID == 0 || mine.URL == "" || mine.Author == "" {
		t.Fatalf("posted: %+v, %v", mine, err)
	}
	list := comments(t, lab, number)
	if len(list) != 2 || list[0].ID != theirs || list[1].ID != mine.ID {
		t.Fatalf("comments: %+v", list)
	}
	if c := list[0]; c.Mine || c.Author != "writer" || c.Body != "/stackreeve plan" || c.Created.IsZero() {
		t.Errorf("another's: %+v", c)
	}
	if c := list[1]; !c.Mine || c.Author != mine.Author || c.Body != "The *plan*: <b>ä</b> 🙂" {
		t.Errorf("ours: %+v", c)
	}
	long := strings.Repeat("ü", forge.MaxComment)
	if err := f.Edit(ctx, number, mine.ID, long); err != nil {
		t.Errorf("the longest one: %v", err)
	}
	if c := comments(t, lab, number)[1]; c.Body != long || c.ID != mine.ID {
		t.Errorf("the longest one came back with %d bytes", len(c.Body))
	}
	if c := comments(t, lab, number)[1]; c.Created.Equal(mine.Created) != f.Can.Has(forge.EditableComments) {
		t.Errorf("declared that %s: %v; after the edit it is of %s, before of %s", forge.EditableComments, f.Can.Has(forge.EditableComments), c.Created, mine.Created)
	}
	if err := f.Edit(ctx, number, mine.ID, long+"ü"); lab.Strict() && !errors.Is(err, forge.ErrRefused) {
		t.Errorf("a longer one: %v", err)
	}
	if err := f.Delete(ctx, number, mine.ID); err != nil {
		t.Error(err)
	}
	if list := comments(t, lab, number); len(list) != 1 || list[0].ID != theirs {
		t.Errorf("after the deletion: %+v", list)
	}
}

// testManyComments writes more comments than fit on a page of any forge. The comments of another
// pull request must not be among them.
func testManyComments(t *testing.T, lab Lab) {
	number, other := talkative(t, lab, "many"), talkative(t, lab, "others")
	lab.AddComment(t, other, "writer", "not here")
	const many = 105
	for i := range many {
		lab.AddComment(t, number, "writer", fmt.Sprint(i))
	}
	list := comments(t, lab, number)
	if len(list) != many {
		t.Fatalf("%d comments; want %d", len(list), many)
	}
	for i, c := range list {
		if c.Body != fmt.Sprint(i) {
			t.Fatalf("comment %d says %q", i, c.Body)
		}
	}
}

func testUpsert(t *testing.T, lab Lab) {
	ctx, f := t.Context(), lab.Forge()
	number := talkative(t, lab, "upsert")
	m := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: 1, Head: "h--", Hash: strings.Repeat("0f", 32), Proof: memory.Sums{{1}, {2}}, Tree: "t"}
	lab.AddComment(t, number, "writer", m.String()+"\nnot ours")
	first, _, err := memory.Upsert(ctx, f, number, m, []string{"one", "two"})
	if err != nil {
		t.Fatal(err)
	}
	m.Run = 2
	again, _, err := memory.Upsert(ctx, f, number, m, []string{"three"})
	if err != nil || again.ID != first.ID {
		t.Errorf("the second time: %+v, %v; want %d edited", again, err, first.ID)
	}
	list := comments(t, lab, number)
	if len(list) != 2 || !strings.HasSuffix(list[0].Body, "not ours") {
		t.Fatalf("comments: %+v", list)
	}
	c, found, text, ok := memory.Find(list, memory.PlanComment, "prod")
	if !ok || c.ID != first.ID || found.Run != 2 || found.Head != "h--" || !slices.Equal(found.Proof, m.Proof) || text != "three" {
		t.Errorf("found again: %+v %+v %q %v", c, found, text, ok)
	}
}

func testReactions(t *testing.T, lab Lab) {
	ctx, f := t.Context(), lab.Forge()
	if f.Reactions == nil {
		return
	}
	number := talkative(t, lab, "react")
	id := lab.AddComment(t, number, "writer", "/stackreeve help")
	for _, r := range []forge.Reaction{forge.Eyes, forge.ThumbsUp, forge.Confused, forge.Eyes} {
		if err := f.React(ctx, number, id, r); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
	got := lab.Reactions(t, number, id)
	slices.Sort(got)
	if want := []forge.Reaction{forge.ThumbsUp, forge.Confused, forge.Eyes}; !slices.Equal(got, want) {
		t.Errorf("reactions: %v; want %v", got, want)
	}
}

func testEdited(t *testing.T, lab Lab) {
	f := lab.Forge()
	number := talkative(t, lab, "edited")
	id := lab.AddComment(t, number, "writer", "/stackreeve plan")
	if f.Reactions != nil { // a reaction must not count as an edit
		if err := f.React(t.Context(), number, id, forge.Eyes); err != nil {
			t.Fatal(err)
		}
	}
	mine, err := f.Post(t.Context(), number, "ours")
	if err != nil {
		t.Fatal(err)
	}
	before := comments(t, lab, number)
	if c := before[0]; c.Edited || c.Bot || c.Mine || c.AuthorID == 0 {
		t.Errorf("as it was said: %+v", c)
	}
	if c := before[1]; !c.Mine || c.ID != mine.ID || c.AuthorID == before[0].AuthorID {
		t.Errorf("ours: %+v", c)
	}
	if !f.Can.Has(forge.EditableComments) { // nobody can edit a comment on this forge
		return
	}
	lab.Later(t)
	lab.EditComment(t, "writer", id, "/stackreeve approve 0123")
	if c := comments(t, lab, number)[0]; !c.Edited || c.AuthorID != before[0].AuthorID {
		t.Errorf("after an edit: %+v", c)
	}
}
