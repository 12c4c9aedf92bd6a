package dnsrecordset_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The agent changes neither the record sets that Designate creates in a zone, nor those of people. A zone is deleted
// after the stack's record sets, and the plan shows what is lost with it.
func TestOthersInTheZone(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := zone + "---" + object
	g.MustSync(doc)
	id := ""
	for _, s := range g.Plan(doc).Steps {
		if s.Key.Kind == "DNSZone" {
			id = s.ID()
		}
	}
	c := g.Client(nil)
	byHand := cloud.Call{Service: cloud.DNS, Method: http.MethodPost, Path: "zones/" + id + "/recordsets", Body: map[string]any{"name": "mail.shop.example.org.", "type": "A", "records": []string{"192.0.2.99"}}}
	if err := c.Do(t.Context(), byHand); err != nil {
		t.Fatal(err)
	}
	g.MustSync(zone)
	if got := records(t, g, "mail", "A"); len(got) != 1 {
		t.Errorf("what people made is %v", got)
	}
	taken := zone + follower("mail", "type: A, records: [192.0.2.1]")
	for _, s := range g.Plan(taken).Steps {
		if s.Key.Kind == "DNSRecordSet" && (s.Action != plan.Refuse || !strings.Contains(s.FullCause(), `"mail.shop.example.org. A" is taken by `+id+"/")) {
			t.Errorf("a name that people use: %s, %s", s.Action, s.FullCause())
		}
	}
	// A record set of another type can have the same name.
	g.MustSync(zone + follower("mail", "type: TXT, records: [hello]"))
	for _, s := range g.MustSync("").First.Steps {
		if s.Key.Kind == "DNSZone" && strings.Join(s.Loss, "; ") != "all record sets in it" {
			t.Errorf("with the zone goes %v", s.Loss)
		}
	}
}

// The plan refuses a name if its author obviously meant another one.
func TestNamesAndTheirZone(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(zone + "---" + object)
	g.MustSync(zone)
	for rest, reason := range map[string]string{
		"name: www.shop.example.org, type: A, records: [192.0.2.1]":   "spec.resource.name: www.shop.example.org would be www.shop.example.org.shop.example.org.; did you mean www.shop.example.org.?",
		"name: shop.example.org, type: A, records: [192.0.2.1]":       "did you mean shop.example.org.?",
		"name: www.example.org., type: A, records: [192.0.2.1]":       "spec.resource.name: www.example.org. is not within zone shop.example.org.",
		"name: eshop.example.org., type: A, records: [192.0.2.1]":     "is not within zone shop.example.org.",
		"name: shop.example.org., type: NS, records: [a.example.]":    `the name "shop.example.org. NS" is taken`,
		"name: SHOP.example.org., type: CNAME, records: [a.example.]": "is the name of the zone, which cannot be an alias",
	} {
		for _, s := range g.Plan(zone + follower("one", rest)).Steps {
			if s.Key.Kind == "DNSRecordSet" && (s.Action != plan.Refuse || !strings.Contains(s.FullCause(), reason)) {
				t.Errorf("%s: %s, %s; want %s", rest, s.Action, s.FullCause(), reason)
			}
		}
	}
	g.MustSync("")
}

// troubled makes lists show the stack's record sets in another status.
type troubled struct {
	next http.RoundTripper
	show string
}

func (e troubled) RoundTrip(req *http.Request) (*http.Response, error) {
	return rewritten(e.next, req, `"status":"ACTIVE"`, `"status":"`+e.show+`"`)
}

// rewritten sends a request, and replaces a text in the answer if it is a list of record sets.
func rewritten(next http.RoundTripper, req *http.Request, old, now string) (*http.Response, error) {
	resp, err := next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/recordsets") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	for _, space := range []string{"", " "} { // with and without a space after the colon, as services write it
		body = bytes.ReplaceAll(body, []byte(strings.ReplaceAll(old, `":`, `":`+space)), []byte(now))
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Del("Content-Length")
	return resp, err
}

// A record set in status ERROR is recognised by its mark. It is not created a second time, changes of its manifest are
// carried out, and it can be deleted.
func TestErrorIsNoEnd(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := zone + "---" + object
	g.Only(doc)
	g.MustSync(doc)
	wrap := func(next http.RoundTripper) http.RoundTripper { return troubled{next, "ERROR"} }
	pass := g.SyncThrough(doc, wrap)
	for _, s := range pass.First.Steps {
		if s.Key == key && (s.Action != plan.Keep || !strings.Contains(s.FullCause(), "the cloud reports status ERROR")) {
			t.Errorf("unchanged: %s, %s", s.Action, s.FullCause())
		}
	}
	pass = g.SyncThrough(strings.Replace(doc, "192.0.2.20, ", "", 1), wrap)
	if len(pass.Failures) > 0 || strings.Join(records(t, g, "www", "A"), " ") != "192.0.2.10" {
		t.Errorf("changed: %v, %v", pass.Failures, records(t, g, "www", "A"))
	}
	g.MustSync(strings.Replace(doc, "192.0.2.20, ", "", 1))
	g.SyncThrough("", wrap)
	if got := records(t, g, "www", "A"); got != nil {
		t.Errorf("deleted: %v", got)
	}
}

// One list shows the record sets of all zones, in pages of maximal length. Unchanged record sets need no further
// requests.
func TestOneListForAllZones(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := needs
	for i := range 30 {
		doc += follower(fmt.Sprint("a", i), "type: A, records: [192.0.2.1]") + strings.Replace(follower(fmt.Sprint("b", i), "type: A, records: [192.0.2.1]"), "zoneRef: shop", "zoneRef: store", 1)
	}
	g.Only(doc)
	g.MustSync(doc)
	var asked lists
	if pass := g.SyncThrough(doc, asked.wrap); pass.Outcome() != plan.InSync {
		t.Errorf("%s", pass.Outcome())
	}
	if got := strings.Join(asked.of, " "); got != "limit=max" {
		t.Errorf("asked with %s, want limit=max once", got)
	}
	g.MustSync("")
}

// lists records the requests that list record sets.
type lists struct {
	next http.RoundTripper
	of   []string
}

func (l *lists) wrap(next http.RoundTripper) http.RoundTripper {
	l.next = next
	return l
}

func (l *lists) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/recordsets") && req.Method == http.MethodGet {
		l.of = append(l.of, req.URL.RawQuery)
	}
	return l.next.RoundTrip(req)
}

// No stack owns the record sets that Designate creates in a zone, even if they have a mark, because they could not be
// deleted.
func TestAttackMarkOnTheNameServers(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(zone + "---" + object)
	g.MustSync(zone + "---" + object)
	pass := g.SyncThrough(zone, func(next http.RoundTripper) http.RoundTripper {
		return forged{next, "[stackreeve:" + g.Stack + ":DNSRecordSet/ghost stackreeve-applied:0123456789ab]"}
	})
	if len(pass.Failures) > 0 || pass.Last.Owned != 1 {
		t.Errorf("%d objects are owned, failures: %v", pass.Last.Owned, pass.Failures)
	}
}

// forged makes lists show a description on the NS record sets of zones.
type forged struct {
	next        http.RoundTripper
	description string
}

func (f forged) RoundTrip(req *http.Request) (*http.Response, error) {
	return rewritten(f.next, req, `"type":"NS","ttl":null,"description":null`, `"type":"NS","ttl":null,"description":"`+f.description+`"`)
}
