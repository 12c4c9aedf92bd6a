package image_test

import (
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

func callFor(id string) cloud.Call {
	return cloud.Call{Service: cloud.Image, Method: http.MethodGet, Path: "images/" + id + "/file"}
}

func deactivate(t *testing.T, g *kindtest.Target, id string) {
	t.Helper()
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Image, Method: http.MethodPost, Path: "images/" + id + "/actions/deactivate"}); err != nil {
		t.Fatal(err)
	}
}
