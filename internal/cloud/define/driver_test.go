package define

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// zone is an object of a service whose bodies are not wrapped and whose updates use PATCH. It has
// only one place for a mark, the description.
type zone struct {
	Name        *string `json:"name,omitempty" api:"name,named" rule:"immutable"`
	Email       *string `json:"email,omitempty" api:"email"`
	Description *string `json:"description,omitempty" api:"description,empty"`
}

type zoneMore struct {
	Status    string     `json:"status" api:"status"`
	CreatedAt table.Time `json:"createdAt" api:"created_at"`
}

func zoneDriver(c *cloud.Client) *Driver[zone, struct{}, zoneMore] {
	return Resource[zone, struct{}, zoneMore]{Info: kind.Info{Service: cloud.Image}, Mark: mark.DescriptionPlace,
		Collection: Collection{Path: "zones", UpdateBy: http.MethodPatch, Project: "project_id"}}.driver(c)
}

func TestDriver(t *testing.T) {
	stored, updates := map[string]any{}, []string{}
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Method != http.MethodGet && r.Method != http.MethodDelete {
			updates = append(updates, r.Method+" "+r.URL.Path)
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			maps.Copy(stored, body)
			stored["id"], stored["project_id"], stored["created_at"] = "z/1", "p1", "2026-01-02T03:04:05.000006"
		}
		var answer any = stored
		if r.Method == http.MethodGet {
			answer = map[string]any{"zones": []any{stored}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	d, text := zoneDriver(c), func(s string) *string { return &s }
	want := func(digest, email string) typed.Want[zone] {
		return typed.Want[zone]{Want: kind.Want{Key: manifest.Key{Kind: "DNSZone", Name: "example.org."}, Mark: kind.Mark{Owner: "stackreeve:prod:DNSZone/example", Applied: digest}}, Spec: &zone{Email: text(email), Description: text("ours")}}
	}
	made, err := d.Create(t.Context(), want("aaa", "a@example.org"))
	if err != nil || made.ID != "z/1" || made.Name != "example.org." || !made.InOwnProject || made.Mark == nil || made.Mark.Applied != "aaa" || *made.State.Spec.Description != "ours" {
		t.Fatalf("made is %+v, %v", made, err)
	}
	err = d.Update(t.Context(), want("bbb", "b@example.org"), made, []kind.Change{{Field: "spec.resource.email"}})
	if err != nil || stored["email"] != "b@example.org" || len(updates) != 2 || updates[1] != "PATCH /zones/z/1" {
		t.Errorf("stored is %v after %v, %v", stored, updates, err)
	}
	list, err := d.List(t.Context(), kind.Listing{})
	if err != nil || len(list) != 1 || list[0].Mark == nil || list[0].Mark.Applied != "bbb" || *list[0].State.Spec.Description != "ours" {
		t.Errorf("list is %+v, %v", list, err)
	}
	if at := list[0].State.More.CreatedAt; table.Timestamp(at.Time) != "2026-01-02T03:04:05Z" {
		t.Errorf("it was created at %v", at)
	}
}

// If an answer has values of wrong types, nothing panics, and a list that fails has no objects.
func TestAttackAnswersOfOtherTypes(t *testing.T) {
	var object string
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"zones": [` + object + `]}`)) })
	for _, value := range []string{`null`, `1`, `"x"`, `true`, `[]`, `{}`, `[null]`} {
		for _, object = range []string{value, `{"id": ` + value + `}`, `{"id": "1", "name": ` + value + `}`, `{"id": "1", "description": ` + value + `}`,
			`{"id": "1", "project_id": ` + value + `}`, `{"id": "1", "email": ` + value + `, "created_at": ` + value + `}`} {
			list, err := zoneDriver(c).List(t.Context(), kind.Listing{})
			if err != nil && list != nil {
				t.Errorf("%s: a list and an error: %v", object, err)
			}
			for _, item := range list {
				_ = item.State.Shown()
			}
		}
	}
}
