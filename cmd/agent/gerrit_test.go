package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gerrit"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// onGerrit is a stand-in for Gerrit as the agent sees it.
type onGerrit struct {
	*forgetest.Gerrit
	forge forge.Forge
}

// Forge implements forgetest.Site.
func (l onGerrit) Forge() forge.Forge { return l.forge }

// newGerrit returns a stage whose agent reports to a stand-in for Gerrit. The argument by returns the address for the agent from the address of the
// stand-in.
func newGerrit(t *testing.T, poll string, by func(url string) string) (*forgetest.Gerrit, *reviewStage) {
	t.Helper()
	g := forgetest.StartGerrit(t)
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte(g.Password(forgetest.Bot)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := gerrit.New(gerrit.Config{URL: g.URL, Project: g.Project, User: forgetest.Bot, Password: forge.FileToken(password), RequestsPerHour: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	report := "gerrit: {url: " + by(g.URL) + ", project: " + g.Project + ", user: " + forgetest.Bot + ", passwordFile: " + password + ", label: " + g.Label + "}"
	return g, newReview(t, onGerrit{g, f.Forge()}, poll, "{tokenFile: "+password+", username: "+forgetest.Bot+"}", report)
}

func itself(url string) string { return url }

// A change gets further patch sets, and the label shows the result of each plan.
func TestPullRequestsOnGerrit(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGerrit(t, "@every 1s", itself)
	r.story()
	if votes := g.Votes(); votes[2] != -1 || votes[3] != 1 {
		t.Errorf("the votes on the changes are %v; want -1 on the broken one and +1 on the one that touches nothing", votes)
	}
}

// The next poll is an hour away, so only Gerrit's events make the agent look at the changes.
func TestPullRequestsOnGerritByWebhooks(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGerrit(t, "@every 1h", itself)
	r.start() // the agent now has an address
	r.kill()
	g.Hook(t, "http://"+r.addr+"/webhook/gerrit", webhookSecret)
	r.story()
}

// A change is planned with the changes on which it depends and with those that are submitted together with it. If these are abandoned, it is
// planned alone.
func TestDependenciesOnGerrit(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGerrit(t, "@every 1s", itself)
	lab := r.lab
	g.SubmitTopics(true)
	lab.Push(t, lab.Branch(), networks("one"))
	r.start()
	heads := map[int]string{}
	for _, name := range []string{"two", "three", "four"} {
		head := lab.Push(t, name, networks(name))
		heads[lab.OpenPull(t, name, lab.Branch(), name)] = head
	}
	upon := g.OpenUpon(heads[3], forgetest.Maintainer, networks("five"))
	r.status(heads[2], "plan", forge.Success, "1 to create")
	r.status(g.Head(upon), "plan", forge.Success, "2 to create")
	g.DependsOn(t, 2, 1)
	r.status(heads[2], "plan", forge.Success, "2 to create")
	g.SetTopic("rollout", 2, 3)
	r.status(heads[2], "plan", forge.Success, "3 to create")
	r.status(heads[3], "plan", forge.Success, "3 to create")
	r.status(g.Head(upon), "plan", forge.Success, "4 to create")
	r.comment(2, "plan", "<code>two</code>", "<code>three</code>", "<code>four</code>")
	lab.Close(t, 1)
	r.status(heads[2], "plan", forge.Success, "2 to create")
	r.stop()
}

// The story has the same end if the forge has faults.
func TestPullRequestsOnGerritInBadWeather(t *testing.T) {
	testcost.Long(t) // an agent polls a simulated cloud and forge in real time
	g, r := newGerrit(t, "@every 1s", func(url string) string { return inBadWeather(t, url) })
	r.stormy = true
	r.story()
	if votes := g.Votes(); votes[2] != -1 || votes[3] != 1 {
		t.Errorf("the votes on the changes are %v; want -1 on the broken one and +1 on the one that touches nothing", votes)
	}
}
