package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// sumOf returns the checksums of a made-up manifest.
func sumOf(text string) *Bound {
	all := checksum.New("test")
	all.Add(text)
	return &Bound{Sum: all.Sum(), SumWithoutImports: all.Sum()}
}

// deed returns a step about one object. text has the form DEED, DEED/MANIFEST or DEED/MANIFEST/ID.
func deed(text string) Step {
	words := append(strings.Split(text, "/"), "m", "1")
	s := Step{Key: manifest.Key{Kind: "Server", Name: "a"}, Action: Update, Object: Object{Want: &kind.Desired{}, Have: &kind.Live{ID: words[2]}}, Consent: Consent{Bound: sumOf(words[1])}}
	change := func(c kind.Change) { s.Changes = []kind.Change{c} }
	switch words[0] {
	case "create":
		s.Action, s.Have = Create, nil
	case "change":
		change(kind.Change{Field: "colour"})
	case "reboot":
		change(kind.Change{Field: "size", Disruption: kind.Reboot})
	case "wipe":
		change(kind.Change{Field: "image", Disruption: kind.Rebuild})
	case "lose":
		change(kind.Change{Field: "disk", Destroys: true})
	case "cut":
		change(kind.Change{Field: "rules", Cuts: "no traffic"})
	case "uncut": // the removed rules were added by hand
		change(kind.Change{Field: "rules", Cuts: "no traffic"})
		s.Drift = true
	case "replace":
		s.Action = Recreate
	case "surplus":
		s.Action, s.Surplus = Delete, true
	case "spare":
		s.Action, s.Spare = Delete, true
	case "follow":
		s.Action, s.FollowsReference = Keep, true
	default:
		s.Action = Action(words[0])
	}
	return s
}

func planOf(deeds ...string) Plan {
	p := Plan{Stack: "s", Commit: "c"}
	for _, d := range deeds {
		p.Steps = append(p.Steps, deed(d))
	}
	return p
}

func approvalOf(deeds ...string) Approval {
	p := planOf(deeds...)
	return Approval{Hash: p.Hash(), Commit: "c", Proof: p.Proof()}
}

// After an interrupted pass, the next one may carry out the rest of the plan. An approval of one step also covers steps that do not
// do more to the same object for the same manifest.
func TestApprovalsOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	deeds := []string{"create", "change", "reboot", "wipe", "lose", "cut", "uncut", "replace", "delete", "detach"}
	for approved, want := range map[string]string{
		"create":  "create change uncut",
		"change":  "create change uncut",
		"uncut":   "create change uncut",
		"follow":  "create change uncut",
		"reboot":  "create change reboot",
		"wipe":    "create change reboot wipe lose cut",
		"lose":    "create change reboot wipe lose cut",
		"cut":     "create change reboot wipe lose cut",
		"replace": "create change reboot replace",
		"delete":  "delete",
		"detach":  "detach",
		"surplus": "",
		"spare":   "",
	} {
		var covered []string
		for _, now := range deeds {
			if approvalOf(approved).Covers(planOf(now)) {
				covered = append(covered, now)
			}
			if approvalOf(approved).Covers(planOf(now+"/other")) && now != "delete" && now != "detach" {
				t.Errorf("an approval to %s covers to %s for another manifest", approved, now)
			}
		}
		if got := strings.Join(covered, " "); got != want {
			t.Errorf("an approval to %s covers to %s, want %s", approved, got, want)
		}
	}
}

func TestWhatApprovalsCover(t *testing.T) {
	t.Parallel()
	drift := func(p *Plan) { p.Manual, p.Steps[0].Drift = "the file", true }
	for name, c := range map[string]struct {
		approved, now []string
		approval      func(*Approval)
		plan          func(*Plan)
		want          bool
	}{
		"another object of the name":        {[]string{"delete"}, []string{"delete/m/2"}, nil, nil, false},
		"a part":                            {[]string{"delete", "delete/m/2"}, []string{"delete/m/2"}, nil, nil, true},
		"more":                              {[]string{"delete"}, []string{"delete", "delete/m/2"}, nil, nil, false},
		"a surplus copy besides":            {[]string{"delete"}, []string{"delete", "surplus/m/3"}, nil, nil, true},
		"nothing that needs an approval":    {[]string{"surplus"}, []string{"surplus/m/3"}, nil, nil, false},
		"the order of steps":                {[]string{"delete", "wipe"}, []string{"wipe", "delete"}, func(a *Approval) { a.Commit = "" }, nil, true},
		"a part, of no commit":              {[]string{"delete", "delete/m/2"}, []string{"delete"}, func(a *Approval) { a.Commit = "" }, func(p *Plan) { p.Commit = "" }, false},
		"a part, of another commit":         {[]string{"delete", "delete/m/2"}, []string{"delete"}, nil, func(p *Plan) { p.Commit = "d" }, false},
		"a part, of another stack":          {[]string{"delete", "delete/m/2"}, []string{"delete"}, nil, func(p *Plan) { p.Stack = "t" }, false},
		"a part, and no proof":              {[]string{"delete", "delete/m/2"}, []string{"delete"}, func(a *Approval) { a.Proof = Proof{} }, nil, false},
		"a part, and a proof with more":     {[]string{"delete"}, []string{"delete/m/2"}, func(a *Approval) { a.Proof = planOf("delete", "delete/m/2").Proof() }, nil, false},
		"no hash":                           {[]string{"delete"}, []string{"delete"}, func(a *Approval) { *a = Approval{Commit: "c"} }, nil, false},
		"drift, of a stack by hand":         {[]string{"change"}, []string{"change"}, func(a *Approval) { a.Standing = true }, drift, false},
		"drift, of a stack by hand, once":   {[]string{"change"}, []string{"change"}, nil, drift, true},
		"drift":                             {[]string{"change"}, []string{"change"}, func(a *Approval) { a.Standing = true }, func(p *Plan) { p.Steps[0].Drift = true }, true},
		"a commit, of a stack by hand":      {[]string{"change"}, []string{"change"}, func(a *Approval) { a.Standing = true }, func(p *Plan) { p.Manual = "the file" }, true},
		"drift that is kept, by hand":       {[]string{"keep", "change"}, []string{"keep", "change"}, func(a *Approval) { a.Standing = true }, drift, true},
		"an import that is found meanwhile": {[]string{"change/found"}, []string{"change"}, nil, func(p *Plan) { p.Steps[0].Bound.SumWithoutImports = sumOf("found").Sum }, true},
		"something else that is found":      {[]string{"change/found"}, []string{"change"}, nil, func(p *Plan) { p.Steps[0].Bound.SumWithoutImports = sumOf("other").Sum }, false},
	} {
		a, p := approvalOf(c.approved...), planOf(c.now...)
		if c.approval != nil {
			c.approval(&a)
		}
		if c.plan != nil {
			c.plan(&p)
		}
		if got := a.Covers(p); got != c.want {
			t.Errorf("%s: covered %t", name, got)
		}
	}
}

// The hash of a plan covers everything that is shown about its writing steps, and nothing else.
func TestHashesOfPlans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Plan)
		same   bool
	}{
		"the stack":              {func(p *Plan) { p.Stack = "t" }, false},
		"the commit":             {func(p *Plan) { p.Commit = "d" }, true},
		"the order":              {func(p *Plan) { slices.Reverse(p.Steps) }, true},
		"the order of changes":   {func(p *Plan) { slices.Reverse(p.Steps[1].Changes) }, true},
		"what is kept":           {func(p *Plan) { p.Steps = append(p.Steps, deed("keep")) }, true},
		"a copy that goes":       {func(p *Plan) { p.Steps = append(p.Steps, deed("surplus/m/9")) }, false},
		"the API group":          {func(p *Plan) { p.Steps[0].Key.Group = "other" }, false},
		"the name":               {func(p *Plan) { p.Steps[0].Key.Name = "other" }, false},
		"the object":             {func(p *Plan) { p.Steps[0].Have = &kind.Live{ID: "9"} }, false},
		"the manifest":           {func(p *Plan) { p.Steps[1].Bound = sumOf("other") }, false},
		"what the value is now":  {func(p *Plan) { p.Steps[1].Changes[0].Have = "blue" }, false},
		"what it shall be":       {func(p *Plan) { p.Steps[1].Changes[0].Want = "blue" }, false},
		"how it is carried out":  {func(p *Plan) { p.Steps[1].Changes[0].Way = "trim" }, false},
		"the reason":             {func(p *Plan) { p.Steps[0].Causes = cause.List{cause.Of(cause.Gone)} }, true},
		"what only gets a field": {func(p *Plan) { p.Steps[1].Changes = p.Steps[1].Changes[:1] }, false},
	} {
		made := func() Plan {
			p := planOf("delete", "change")
			p.Steps[1].Changes = append(p.Steps[1].Changes, kind.Change{Field: "age", Disruption: kind.InPlace})
			return p
		}
		p := made()
		if c.change(&p); p.Hash() == made().Hash() != c.same {
			t.Errorf("%s: the same hash: %t", name, !c.same)
		}
	}
}

// The message is about the approval in which the fewest steps are missing. It names the first of these steps, and counts the
// others.
func TestWhyApprovalsDoNotCover(t *testing.T) {
	t.Parallel()
	near, far, other := approvalOf("delete"), approvalOf("delete/m/7"), approvalOf("wipe")
	other.Commit = "d"
	by := near
	by.By = "ada"
	twin := approvalOf("delete", "delete/m/8")
	standing := approvalOf("delete", "delete/m/2", "delete/m/3")
	standing.Standing = true
	said := func(c cause.Cause) string {
		text := string(c.Code)
		for _, arg := range c.Args {
			if inner, ok := arg.(cause.Cause); ok {
				text += fmt.Sprint(" ", inner.Code, " ", len(inner.Args))
			}
		}
		return text
	}
	for name, c := range map[string]struct {
		approved []Approval
		now      []string
		want     string
		of       string // the hash in the message
	}{
		"of another commit":       {[]Approval{other}, []string{"delete"}, "wrong-approval", other.Hash},
		"one step more":           {[]Approval{near}, []string{"delete", "delete/m/2"}, "grown approved 1", near.Hash},
		"one step more, by whom":  {[]Approval{by}, []string{"delete", "delete/m/2"}, "grown approved-by 2", near.Hash},
		"two steps more":          {[]Approval{near}, []string{"delete", "delete/m/2", "delete/m/3"}, "grown-more grown 3", near.Hash},
		"the nearest is first":    {[]Approval{near, far}, []string{"delete", "delete/m/2"}, "grown approved 1", near.Hash},
		"the nearest is second":   {[]Approval{far, near}, []string{"delete", "delete/m/2"}, "grown approved 1", near.Hash},
		"the first of two":        {[]Approval{near, twin}, []string{"delete", "delete/m/2"}, "grown approved 1", near.Hash},
		"the last one is no help": {[]Approval{near, other}, []string{"delete", "delete/m/2"}, "grown approved 1", near.Hash},
		"drift since then":        {[]Approval{standing}, []string{"delete", "delete/m/2", "delete/m/3"}, "approved-before-drift", standing.Hash},
		"another standing one":    {[]Approval{near, standing}, []string{"delete", "delete/m/5"}, "grown approved 1", near.Hash},
	} {
		why := planOf(c.now...).Unapproved(c.approved)
		if got := said(why); got != c.want || !why.Names(c.of) {
			t.Errorf("%s: %s %v, want %s of %.6s", name, got, why.Args, c.want, c.of)
		}
	}
}
