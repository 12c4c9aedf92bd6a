package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// doomed creates a server with volumes, and tells Nova to delete the volumes with the
// server, as other tools do.
func doomed(t *testing.T) (g *kindtest.Target, manifests string, ids map[string]string) {
	t.Helper()
	g = kindtest.NewTarget(t, pluggedKinds)
	manifests = plugs + "---" + strings.Replace(plugged, "imageRef: os", "bootVolume: {volumeRef: root}", 1)
	ids = idsByKey(g.MustSync(manifests).Last)
	for _, name := range []string{"root", "data"} {
		volume := ids["Volume/"+name]
		call := cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: "servers/" + ids["Server/web"] + "/os-volume_attachments/" + volume, Microversion: "2.85",
			Body: map[string]any{"volumeAttachment": map[string]any{"volumeId": volume, "delete_on_termination": true}}}
		if err := g.Client(nil).Do(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	return g, manifests, ids
}

// idsByKey returns the IDs of all objects in a plan. The keys are names such as
// Volume/data.
func idsByKey(p plan.Plan) map[string]string {
	ids := map[string]string{}
	for _, s := range p.Steps {
		ids[s.Key.String()] = s.ID()
	}
	return ids
}

func sameVolumes(t *testing.T, p plan.Plan, ids map[string]string) {
	t.Helper()
	for _, s := range p.Steps {
		if s.Key.Kind == "Volume" && (s.Action != plan.Keep || s.ID() != ids["Volume/"+s.Key.Name]) {
			t.Errorf("%s %s (%s), want %s kept", s.Action, s.Key, s.ID(), ids["Volume/"+s.Key.Name])
		}
	}
}

// A volume outlives its server, even if Nova was told to delete it.
func TestVolumesOutliveTheirServer(t *testing.T) {
	g, manifests, ids := doomed(t)
	sameVolumes(t, g.MustSync(manifests[:strings.LastIndex(manifests, "---")]).First, ids)
	sameVolumes(t, g.Plan(plugs), ids)
}

// The setting that deletes a volume with its server is noted, and the next change of
// the server clears it.
func TestVolumesThatWouldGoAreNoted(t *testing.T) {
	g, manifests, _ := doomed(t)
	noted := func(manifests string) (all []kind.Note) {
		for _, s := range g.Plan(manifests).Steps {
			if s.Key == key {
				all = append(all, s.Notes...)
			}
		}
		return all
	}
	if all := noted(manifests); len(all) != 2 {
		t.Errorf("notes: %v, want one for each volume", all)
	}
	changed := strings.Replace(manifests, "flavorRef: small", "flavorRef: small\n    description: new", 1)
	g.MustSync(changed)
	if all := noted(changed); len(all) != 0 {
		t.Errorf("still noted: %v", all)
	}
}
