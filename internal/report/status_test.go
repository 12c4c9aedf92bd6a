package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/source"
)

func objectIn(state status.State, name string) status.Object {
	available := "True"
	if state == "stopped" {
		available = "False"
	}
	return status.Object{APIVersion: "v1", Kind: "Server", Metadata: status.Metadata{Name: name, Namespace: "default", Labels: map[string]string{"tier": name}},
		Status: status.Status{State: state, Action: plan.Keep, ID: "3f413694-a615-455d-8a8e-791dd28726ba", Addresses: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"},
			Message:    "a message that is long enough to be cut on a narrow terminal, whatever it may say",
			Conditions: []status.Condition{{Type: "Available", Status: available}, {Type: "Progressing", Status: "False"}}}}
}

func statusView() StatusView {
	view := StatusView{Plan: plan.Plan{Stack: "prod"}, Cloud: "demo", Region: "RegionOne", Rev: source.Revision{Commit: strings.Repeat("a", 40), Branch: "main",
		Subject: strings.Repeat("a long subject ", 20), Author: "Ada", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	for i, state := range []status.State{status.StateInSync, status.StateDrifted, status.StateRefused, status.StateWaiting, "stopped", status.StateSuspended} {
		view.Objects = append(view.Objects, objectIn(state, fmt.Sprintf("web-%d", i)))
	}
	return view
}

// No line of a table or of its header wraps, at any width of the terminal. The least important columns are
// dropped first. The names and states are never dropped.
func TestStatusFitsTheTerminal(t *testing.T) {
	for _, width := range []int{20, 30, 40, 60, 80, 100, 120, 160, 400} {
		var b bytes.Buffer
		StatusText{Text: Text{W: &b, Color: true}, Width: width, Wide: true}.Stack(statusView(), StatusFilter{})
		text := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(b.String(), "")
		for line := range strings.Lines(text) {
			if w := printable.Width(strings.TrimSuffix(line, "\n")); w >= width {
				t.Errorf("at %d columns a line takes %d: %s", width, w, line)
			}
		}
		if width >= 30 && (!strings.Contains(text, "Server/web-4") || !strings.Contains(text, "stopped")) {
			t.Errorf("at %d columns names or states are lost:\n%s", width, text)
		}
		for column, least := range map[string]int{"ID": 160, "ADDRESSES": 100, "MESSAGE": 60} {
			if width >= least && !strings.Contains(text, column) {
				t.Errorf("at %d columns there is no %s:\n%s", width, column, text)
			}
		}
	}
}

func TestStatusIsNotCutInAPipe(t *testing.T) {
	var b bytes.Buffer
	StatusText{Text: Text{W: &b}, Wide: true}.Stack(statusView(), StatusFilter{})
	for _, want := range []string{"whatever it may say", "3f413694-a615-455d-8a8e-791dd28726ba", "10.0.0.1, 10.0.0.2, 10.0.0.3 +2", strings.Repeat("a long subject ", 19)} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "…") {
		t.Errorf("colours or cuts in\n%q", b.String())
	}
}

func TestStatusColours(t *testing.T) {
	var b bytes.Buffer
	StatusText{Text: Text{W: &b, Color: true}}.Stack(statusView(), StatusFilter{})
	for _, want := range []string{"\x1b[32min sync\x1b[0m", "\x1b[33mdrifted\x1b[0m", "\x1b[31mrefused\x1b[0m", "\x1b[36mwaiting\x1b[0m", "\x1b[31mstopped\x1b[0m"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%q", want, b.String())
		}
	}
}

func TestStatusFilter(t *testing.T) {
	list := statusView().Objects
	list[0].Kind = "Port"
	for _, c := range []struct {
		kinds    []string
		notReady bool
		labels   string
		want     string
	}{
		{nil, false, "", "0 1 2 3 4 5"},
		{[]string{"port"}, false, "", "0"},
		{[]string{"PORT", "server"}, false, "", "0 1 2 3 4 5"},
		{nil, true, "", "1 2 3 4"},
		{nil, false, "tier=web-1", "1"},
		{nil, false, "tier == web-1", "1"},
		{nil, false, "tier!=web-1,tier!=web-2", "0 3 4 5"},
		{nil, false, "other!=x", "0 1 2 3 4 5"},
		{nil, false, "other=x", ""},
		{nil, false, "other=", ""},
		{nil, false, "tier in (web-1, web-2)", "1 2"},
		{nil, false, "tier notin (web-1,web-2),tier", "0 3 4 5"},
		{nil, false, "!tier", ""},
		{nil, false, "!other", "0 1 2 3 4 5"},
		{[]string{"server"}, true, "tier=web-0", ""},
	} {
		labels, err := ParseSelector(c.labels)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range (StatusFilter{Kinds: c.kinds, NotReady: c.notReady, Labels: labels}).Select(list) {
			got = append(got, strings.TrimPrefix(o.Metadata.Name, "web-"))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v: got %q", c, text)
		}
	}
	for _, wrong := range []string{"=x", "a=b,", ",", "a=b,!=c", "!", "a in b", "a in (b", "in (b)", "a b", "a within (b)"} {
		if _, err := ParseSelector(wrong); err == nil {
			t.Errorf("%q is taken for a selector", wrong)
		}
	}
	for text, want := range map[string]ObjectName{"server/web": {"server", "default", "web"}, "Server/apps/web": {"Server", "apps", "web"}} {
		if got, err := ParseObject(text); err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "web", "/web", "server/", "a/b/c/d"} {
		if _, err := ParseObject(wrong); err == nil {
			t.Errorf("%q is taken for an object", wrong)
		}
	}
}

// A part is also shown if the filter excludes its owner. An object that owns itself, or owns copies of itself,
// causes no endless loop.
func TestStatusShowsPartsWithoutTheirOwner(t *testing.T) {
	owner, part := objectIn(status.StateInSync, "m"), objectIn(status.StateInSync, "p")
	part.Metadata.OwnerReferences = []status.Owner{{APIVersion: "v1", Kind: "Server", Name: "m"}}
	for _, c := range []struct {
		list []status.Object
		want string
	}{{[]status.Object{part, owner}, "m  p"}, {[]status.Object{part}, "p"}, {[]status.Object{owner, owner, part}, "m  pm"}} {
		var got string
		for _, row := range (StatusText{}).rows(c.list)[1:] {
			got += strings.Replace(row[0], "Server/", "", 1)
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A picture replaces the one before, even if lines wrap, and does not change the rest of the screen.
func TestPictures(t *testing.T) {
	var p Picture
	if got := p.Next("one\n\x1b[31mtwo\x1b[0m\n"+strings.Repeat("x", 25)+"\n", 10, 24); strings.Contains(got, "\x1b[J") || p.lines != 5 {
		t.Errorf("%q takes %d rows", got, p.lines)
	}
	if got := p.Next("one\n", 10, 24); got != "\x1b[5A\x1b[Jone\n" || p.lines != 1 {
		t.Errorf("%q takes %d rows", got, p.lines)
	}
	got := p.Next(strings.Repeat("line\n", 100), 80, 10)
	if p.lines > 9 || !strings.HasSuffix(got, "… and 92 more lines\n") {
		t.Errorf("%d rows on a screen of 10: %q", p.lines, got)
	}
}

func TestYAMLQuotesWordsForBooleans(t *testing.T) {
	var b strings.Builder
	if err := YAML(&b, map[string]string{"on": "no", "a": "text"}); err != nil || b.String() != "a: text\n\"on\": \"no\"\n" {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Of many objects that need no attention, only a few are shown. All objects that need attention are shown. A
// message appears only once: at the whole object, or at the part that caused its state.
func TestStatusOfManyIsFolded(t *testing.T) {
	group := objectIn("stopped", "g")
	group.Kind, group.Status.Message = "VirtualMachineGroup", "Server/m-15: is SHUTOFF"
	list := []status.Object{group}
	for i := range 20 {
		machine := objectIn(status.StateInSync, fmt.Sprintf("m-%d", i))
		machine.Kind, machine.Status.Message = "VirtualMachine", ""
		machine.Metadata.OwnerReferences = []status.Owner{{APIVersion: "v1", Kind: group.Kind, Name: "g"}}
		server := objectIn(status.StateInSync, machine.Metadata.Name)
		server.Status.Message = ""
		if i == 15 {
			machine.Status.State, machine.Status.Message = "stopped", group.Status.Message
			server.Status.State, server.Status.Message = "stopped", "is SHUTOFF"
		}
		server.Metadata.OwnerReferences = []status.Owner{{APIVersion: "v1", Kind: machine.Kind, Name: machine.Metadata.Name}}
		list = append(list, machine, server)
	}
	show := func(t2 StatusText) (lines []string) {
		for _, row := range t2.rows(list)[1:] {
			lines = append(lines, strings.TrimRight(row[0]+" "+row[len(row)-1], " "))
		}
		return lines
	}
	want := []string{"VirtualMachineGroup/g Server/m-15", "  VirtualMachine/m-0", "    Server/m-0", "  VirtualMachine/m-1", "    Server/m-1",
		"  VirtualMachine/m-2", "    Server/m-2", "  … 16 more like VirtualMachine/m-2 all with --verbose", "  VirtualMachine/m-15 Server/m-15", "    Server/m-15 is SHUTOFF"}
	if got := show(StatusText{}); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if got := show(StatusText{Depth: 1}); !slices.Equal(got, []string{"VirtualMachineGroup/g Server/m-15: is SHUTOFF"}) {
		t.Errorf("of the first level only: %q", got)
	}
	if got := show(StatusText{Text: Text{Verbose: true}}); len(got) != 41 {
		t.Errorf("%d lines of all", len(got))
	}
	for i := range list {
		if list[i].Kind == "Server" {
			list[i].Status.State, list[i].Status.Message = "stopped", list[i].Metadata.Name+" is SHUTOFF"
		} else {
			name := list[i].Metadata.Name
			if name == "g" {
				name = "m-0"
			}
			list[i].Status.State, list[i].Status.Message = "stopped", "Server/"+name+": "+name+" is SHUTOFF"
		}
	}
	if got := show(StatusText{}); len(got) != 8 || !strings.HasPrefix(got[7], "  … 17 more like VirtualMachine/m-2") || strings.Count(strings.Join(got, ""), "m-0 is SHUTOFF") != 1 {
		t.Errorf("of many that have stopped:\n%s", strings.Join(got, "\n"))
	}
}

// A watcher sees each change once, with its time.
func TestChangesOfAStatus(t *testing.T) {
	before := statusView()
	after := statusView()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	show := func(before, after StatusView, f StatusFilter) []string {
		var b bytes.Buffer
		StatusText{Text: Text{W: &b}}.Changes(before, after, f, now)
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	if got := show(before, after, StatusFilter{}); len(got) != 1 || got[0] != "" {
		t.Errorf("of what is as it was: %q", got)
	}
	after.Rev.Commit, after.Rev.Subject = "bbbbbbbbbbbb", "another"
	after.Objects = slices.Clone(after.Objects[1:])
	after.Objects[0].Status.State = status.StateInSync
	after.Objects = append(after.Objects, objectIn(status.StateCreate, "new"))
	got := show(before, after, StatusFilter{})
	want := []string{"stack prod at bbbbbbbbbb", "Server/web-1  ", "Server/new  ", "Server/web-0  "}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i, line := range got {
		if !strings.HasPrefix(line, "2026-01-02 03:04:05  "+want[i]) {
			t.Errorf("line %d is %q, want %s", i, line, want[i])
		}
	}
	if got := show(before, after, StatusFilter{Kinds: []string{"Network"}}); len(got) != 1 {
		t.Errorf("of what is not asked for: %q", got)
	}
}
