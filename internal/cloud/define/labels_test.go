package define

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// Spec contains people's own text without the mark, in every place of the mark and beside any other
// text. Standard contains the full text.
func TestSpecsAreWithoutMark(t *testing.T) {
	const owner, applied = "stackreeve:prod:Network/front", "stackreeve-applied:0123456789ab"
	type labelled struct {
		Description *string  `json:"description,omitempty" api:"description,empty"`
		Tags        []string `json:"tags,omitempty" api:"tags,set,empty"`
	}
	for _, tt := range []struct {
		description, tags string // as Neutron writes them
		want              string
		wantTags          []string
		marked            bool
	}{
		{`"by hand"`, `["blue", "amber"]`, "by hand", []string{"amber", "blue"}, false},
		{`"by hand"`, `["` + owner + `", "blue", "` + applied + `"]`, "by hand", []string{"blue"}, true},
		{`"by \"hand\" [` + owner + ` ` + applied + `]"`, `["blue"]`, `by "hand"`, []string{"blue"}, true},
		{`"[` + owner + `]"`, `[]`, "", nil, true},
		{`null`, `null`, "", nil, false},
		{`""`, `[]`, "", nil, false},
	} {
		d := Resource[labelled, struct{}, struct{}]{Collection: Collection{Path: "networks", Singular: "network", Project: "project_id"}}.driver(nil)
		var answer table.Attributes
		if err := json.Unmarshal([]byte(`{"id": "n1", "name": "front", "project_id": "p1", "revision_number": 4, "created_at": "2026-03-01T12:00:00Z",
			"description": `+tt.description+`, "tags": `+tt.tags+`}`), &answer); err != nil {
			t.Fatal(err)
		}
		s, err := d.Read(answer)
		if err != nil || s.ID != "n1" || s.Project != "p1" || s.Standard.Revision != 4 || s.Standard.CreatedAt.IsZero() || (s.Mark != nil) != tt.marked {
			t.Fatalf("%s, %s: read as %+v, %v", tt.description, tt.tags, s, err)
		}
		if s.Spec.Description == nil || table.Or(s.Spec.Description, "") != tt.want || !slices.Equal(s.Spec.Tags, tt.wantTags) {
			t.Errorf("%s, %s: read as %v, %q", tt.description, tt.tags, table.Or(s.Spec.Description, "nothing"), s.Spec.Tags)
		}
	}
}
