package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lists are the commands that list the content of a project.
var lists = []struct{ what, command string }{
	{"servers", "server list"},
	{"server groups", "server group list"},
	{"ports", "port list --long"},
	{"security groups", "security group list"},
	{"volumes", "volume list"},
	{"load balancers", "loadbalancer list"},
	{"listeners", "loadbalancer listener list"},
	{"pools", "loadbalancer pool list"},
	{"health monitors", "loadbalancer healthmonitor list"},
}

// things returns the objects whose names contain a word. "" means all objects in the project.
func (g *ground) things(what, word string) []thing {
	g.t.Helper()
	var command string
	for _, l := range lists {
		if l.what == what {
			command = l.command
		}
	}
	all, err := g.client.list(strings.Fields(command)...)
	if err != nil {
		g.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(o thing) bool {
		return !strings.Contains(o.text("name"), word) || o.text("device_owner") == "Octavia" || o.text("name") == "default"
	})
}

// thing returns the only object of its sort whose name contains a word.
func (g *ground) thing(what, word string) thing {
	g.t.Helper()
	found := g.things(what, word)
	if len(found) != 1 {
		g.t.Fatalf("%d %s named %s, want one: %v", len(found), what, word, found)
	}
	return found[0]
}

func (g *ground) members(pool string) []thing {
	g.t.Helper()
	list, err := g.client.list("loadbalancer", "member", "list", pool)
	if err != nil {
		g.t.Fatal(err)
	}
	return list
}

// counts contains the number of objects of each sort in the cloud, according to OpenStack's own client.
type counts map[string]int

func (c counts) String() string {
	var words []string
	for _, what := range slices.Sorted(maps.Keys(c)) {
		if c[what] > 0 {
			words = append(words, fmt.Sprint(c[what], " ", what))
		}
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// count counts the objects whose names contain the word.
func (g *ground) count(word string) counts {
	g.t.Helper()
	c := counts{}
	for _, l := range lists {
		found := g.things(l.what, word)
		c[l.what] = len(found)
		if l.what == "pools" {
			for _, pool := range found {
				c["members"] += len(g.members(pool.text("id")))
			}
		}
	}
	return c
}

// holds fails unless the cloud has these numbers of objects whose names contain the word.
func (g *ground) holds(when, word, want string) {
	g.t.Helper()
	if got := g.count(word).String(); got != want {
		g.t.Errorf("%s: the cloud has %s, want %s", when, got, want)
	}
}
