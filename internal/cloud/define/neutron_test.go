package define

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// What people wrote is in Spec, without the mark, wherever that stands and whatever else
// is there; the base has all of it.
func TestNeutronStateWithoutMark(t *testing.T) {
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
		var s NeutronState[labelled, struct{}]
		err := json.Unmarshal([]byte(`{"id": "n1", "name": "front", "project_id": "p1", "revision_number": 4, "created_at": "2026-03-01T12:00:00Z",
			"description": `+tt.description+`, "tags": `+tt.tags+`}`), &s)
		if err != nil || s.ID != "n1" || s.Revision != 4 || s.CreatedAt.IsZero() || (s.Mark() != nil) != tt.marked {
			t.Errorf("%s, %s: base is %+v, %v", tt.description, tt.tags, s.NeutronBase, err)
		}
		if s.Spec.Description == nil || table.Or(s.Spec.Description, "") != tt.want || !slices.Equal(s.Spec.Tags, tt.wantTags) {
			t.Errorf("%s, %s: read as %v, %q", tt.description, tt.tags, table.Or(s.Spec.Description, "nothing"), s.Spec.Tags)
		}
	}
}
