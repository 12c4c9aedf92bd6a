package define

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An object has its mark in the tags, and a short mark behind its description. The short mark costs no further request, and never names another owner
// than the tags. At each moment, a mark is in one of the two places.
func TestRequestsBesideAShortMark(t *testing.T) {
	front := kind.Mark{Owner: "stackreeve:prod:Network/front", Applied: "aaaaaaaaaaaa"}
	changed, back := front, kind.Mark{Owner: "stackreeve:prod:Network/back", Applied: "aaaaaaaaaaaa"}
	changed.Applied = "bbbbbbbbbbbb"
	text, _ := mark.ShortText(front, "words")
	tagged := mark.Tags(front, nil)
	for name, c := range map[string]struct {
		tags   []string
		fields map[string]any
		mark   kind.Mark
		want   []string
	}{
		"nothing has changed":       {tagged, map[string]any{}, front, nil},
		"only the mark has changed": {tagged, map[string]any{}, changed, []string{"tags"}},
		"an attribute has changed":  {tagged, map[string]any{"mtu": 1400}, changed, []string{"words", "tags"}},
		"another owner":             {tagged, map[string]any{}, back, []string{"words", "tags"}},
		"half-made":                 {nil, map[string]any{}, front, []string{"tags"}},
		"half-made, and changed":    {nil, map[string]any{"mtu": 1400}, front, []string{"tags", "words"}},
		"no owner any more":         {tagged, nil, kind.Mark{}, []string{"words", "tags"}},
	} {
		var got []string
		c2 := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.Method == http.MethodGet:
				fmt.Fprint(w, `{"extensions": [{"alias": "standard-attr-tag"}]}`)
			case strings.HasSuffix(r.URL.Path, "/tags"):
				got = append(got, "tags")
				fmt.Fprint(w, `{"tags": []}`)
			default:
				if strings.Contains(string(body), `"description":"words"`) {
					got = append(got, "words")
				}
				fmt.Fprintf(w, `{"network": {"id": "n1", "description": "words", "tags": [%q, %q]}}`, tagged[0], tagged[1])
			}
		})
		n := labeller{c2, Collection{Path: "networks", Singular: "network"}, nil}
		have := &Standard{ID: "n1", Described: text, Tags: c.tags}
		err := error(nil)
		if c.mark.Owner == "" {
			err = n.unmark(t.Context(), have)
		} else {
			_, err = n.update(t.Context(), have, nil, c.fields, c.mark, labels{description: "words"})
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
