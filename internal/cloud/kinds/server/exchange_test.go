package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// two is the manifests of two servers. Each has a port and a volume.
const two = plugs + "---" + plugged + "---" + `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: db}
spec:
  resource:
    imageRef: os
    flavorRef: small
    ports: [{portRef: eth1}]
    volumes: [{volumeRef: more}]
`

// Two servers exchange their volumes, or their ports: each detaches the one for which the other waits.
func TestServersExchange(t *testing.T) {
	for what, swap := range map[string]*strings.Replacer{
		"volumes": strings.NewReplacer("volumeRef: data", "volumeRef: more", "volumeRef: more", "volumeRef: data"),
		"ports":   strings.NewReplacer("portRef: eth0", "portRef: eth1", "portRef: eth1", "portRef: eth0"),
	} {
		t.Run(what, func(t *testing.T) {
			g := kindtest.NewTarget(t, pluggedKinds)
			g.MustSync(two)
			g.MustSync(swap.Replace(two))
		})
	}
}

// A new server waits for a volume that another server still has to detach, even if the cloud's message is
// withheld.
func TestAServerWaitsForWhatAnotherGivesAway(t *testing.T) {
	at := strings.LastIndex(two, "---")
	db := two[at:]
	without := strings.NewReplacer("ports: [{portRef: eth1}]", "ports: []", "    volumes: [{volumeRef: more}]\n", "").Replace(db)
	for name, more := range map[string]string{"in clear": "", "with a secret": "    userData: {value: \"#!/bin/sh\"}\n"} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, pluggedKinds)
			g.MustSync(two)
			g.MustSync(two[:at] + without + strings.Replace(db, "metadata: {name: db}", "metadata: {name: db2}", 1) + more)
		})
	}
}

// A port belongs to one server at a time. Therefore two servers that want the same port are refused.
func TestServersWithOnePort(t *testing.T) {
	g := kindtest.NewTarget(t, pluggedKinds)
	refused := map[string]string{}
	for _, s := range g.Plan(strings.Replace(two, "portRef: eth1", "portRef: eth0", 1)).Steps {
		if s.Action == plan.Refuse {
			refused[s.Key.Name] = s.FullCause()
		}
	}
	for name, other := range map[string]string{"web": "db", "db": "web"} {
		if why := refused[name]; !strings.Contains(why, " Port/eth0 ") || !strings.Contains(why, " Server/"+other) {
			t.Errorf("Server/%s is refused for %q", name, why)
		}
	}
}

// If somebody else's server has the volume that a server wants, the server does not detach its present
// volume, because the other may never be free.
func TestNothingGoesForWhatOthersHave(t *testing.T) {
	g := kindtest.NewTarget(t, pluggedKinds)
	own := g.Client(nil)
	ids := idsByKey(g.MustSync(two).Last)
	hands := func(method, path string, body, into any) {
		t.Helper()
		if err := own.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: method, Path: path, Body: body, Into: into}); err != nil {
			t.Fatal(err)
		}
	}
	hands(http.MethodPut, "servers/"+ids["Server/db"]+"/metadata", map[string]any{"metadata": map[string]string{"whose": "another's"}}, nil)
	defer hands(http.MethodDelete, "servers/"+ids["Server/db"], nil, nil)
	wanted := strings.Replace(two[:strings.LastIndex(two, "---")], "volumeRef: data", "volumeRef: more", 1)
	if pass := impatiently(t, g, wanted); pass.Outcome() != plan.Broken {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
	var web struct {
		List []struct {
			Volume string `json:"volumeId"`
		} `json:"volumeAttachments"`
	}
	hands(http.MethodGet, "servers/"+ids["Server/web"]+"/os-volume_attachments", nil, &web)
	if len(web.List) != 1 || web.List[0].Volume != ids["Volume/data"] {
		t.Errorf("attached: %v, want %s as before", web.List, ids["Volume/data"])
	}
}
