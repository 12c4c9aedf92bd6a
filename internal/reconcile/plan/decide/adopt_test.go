package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// lostAs records objects as seen before. pairs alternates the name of an object and the ID that it had.
func lostAs(pairs ...string) func(*world.Input) {
	return func(in *world.Input) {
		for i := 0; i < len(pairs); i += 2 {
			in.KnownIDs[thingtest.Key(pairs[i]).String()] = pairs[i+1]
		}
	}
}

// A manifest that gives an ID adopts that object if no stack owns it, or if this stack created it for a key without a manifest.
func TestAdoptionByID(t *testing.T) {
	decisions(t, map[string]decision{
		"nobody's":                      {repo: []string{"a adopt=id-001 colour=red"}, cloud: []string{"x nobody colour=red"}, want: map[string]string{"a": "update adopts changes owner-mark"}},
		"not there":                     {repo: []string{"a adopt=id-009"}, cloud: []string{"x nobody"}, want: map[string]string{"a": "refuse error : unadoptable-id"}},
		"another project's":             {repo: []string{"a adopt=id-001"}, cloud: []string{"x alien"}, want: map[string]string{"a": "refuse error : unadoptable-id"}},
		"another stack's":               {repo: []string{"a adopt=id-001"}, cloud: []string{"x other"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by"}},
		"several stacks'":               {repo: []string{"a adopt=id-001"}, cloud: []string{"x other rival=third"}, want: map[string]string{"a": "refuse error : several-owners unmark-by"}},
		"another manifest's":            {repo: []string{"a adopt=id-001", "x"}, cloud: []string{"x ours"}, want: map[string]string{"a": "refuse error : wanted-otherwise", "x": "keep of-this"}},
		"without a manifest":            {repo: []string{"a adopt=id-001"}, cloud: []string{"x stale"}, want: map[string]string{"a": "update from=x : was changes owner-mark"}},
		"one of two of a mark":          {repo: []string{"a adopt=id-001"}, cloud: []string{"x stale", "y stale as=x"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by", "x": "refuse error : adopted-twice; refuse error : several-have-the-mark unmark-by"}},
		"one that is contested":         {repo: []string{"a adopt=id-001"}, cloud: []string{"x stale", "y stale as=x rival=other"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by", "x": "refuse error : adopted-twice; refuse error : several-owners unmark-by"}},
		"with a mark of another kind":   {repo: []string{"a adopt=id-001"}, cloud: []string{"x stale kind=Other"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by", "x": "refuse surplus : misplaced-mark unmark-by"}},
		"a copy":                        {repo: []string{"a adopt=id-001"}, cloud: []string{"x other copied=b"}, want: map[string]string{"a": "update adopts changes owner-mark"}},
		"a copy that several claim":     {repo: []string{"a adopt=id-001"}, cloud: []string{"x other copied=b rival=third"}, want: map[string]string{"a": "refuse error : several-owners unmark-by"}},
		"by two":                        {repo: []string{"a adopt=id-001", "b adopt=id-001"}, cloud: []string{"x nobody"}, want: map[string]string{"a": "update adopts changes owner-mark", "b": "refuse error adopts : adopted-by"}},
		"its own already":               {repo: []string{"a adopt=id-001"}, cloud: []string{"a ours"}, want: map[string]string{"a": "keep of-this"}},
		"its own is another":            {repo: []string{"a adopt=id-001"}, cloud: []string{"x stale", "a ours"}, want: map[string]string{"a": "keep of-this", "x": "refuse error : adopted-twice"}},
		"to be replaced at once":        {repo: []string{"a adopt=id-001 shape=new"}, cloud: []string{"x nobody shape=old"}, want: map[string]string{"a": "refuse error adopts : fixed-field adopt-first changes shape owner-mark"}},
		"to be replaced later":          {repo: []string{"a adopt=id-001 shape=new"}, cloud: []string{"a ours shape=old"}, want: map[string]string{"a": "refuse error drift of-this : fixed-field was-adopted changes shape"}},
		"suspended, not there":          {repo: []string{"a adopt=id-009 suspend=true"}, want: map[string]string{"a": "keep : suspended not-there"}},
		"a mark that cannot be written": {repo: []string{"a adopt=id-001"}, cloud: []string{"x nobody"}, alter: func(in *world.Input) { in.Kinds[0].Info.FixedMark = true }, want: map[string]string{"a": "refuse error adopts : mark-unwritable"}},
	})
}

// A manifest that searches by name, or by a filter, adopts the object that it finds, if there is only one and no stack owns it.
func TestAdoptionOfWhatIsFound(t *testing.T) {
	const red = "kind: Thing\napiVersion: test/v1\nmetadata: {name: a}\nspec: {resource: {}, import: {filter: {colour: red}}}"
	nameless := func(in *world.Input) { in.Kinds[0].Name = func(kind.Want) string { return "" } }
	decisions(t, map[string]decision{
		"one of the name":                 {repo: []string{"a take=true"}, cloud: []string{"a nobody", "b nobody"}, want: map[string]string{"a": "update adopts changes owner-mark"}},
		"none of the name":                {repo: []string{"a take=true"}, cloud: []string{"b nobody"}, want: map[string]string{"a": "refuse error : none-named"}},
		"two of the name":                 {repo: []string{"a take=true"}, cloud: []string{"a nobody", "a nobody"}, want: map[string]string{"a": "refuse error : several-to-adopt-named give-an-id"}},
		"another stack's of the name":     {repo: []string{"a take=true"}, cloud: []string{"a other"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by"}},
		"another manifest's":              {repo: []string{"a take=true", "b"}, cloud: []string{"a ours as=b"}, want: map[string]string{"a": "refuse error : wanted-otherwise", "b": "keep of-this"}},
		"on its way out":                  {repo: []string{"a take=true"}, cloud: []string{"a nobody leaving=1"}, want: map[string]string{"a": "refuse error : none-named"}},
		"of another project":              {repo: []string{"a take=true"}, cloud: []string{"a alien"}, want: map[string]string{"a": "refuse error : none-named"}},
		"which another kind shows too":    {repo: []string{"a take=true"}, cloud: []string{"a nobody"}, alter: func(in *world.Input) { item(in, "a").AlsoListedAs = "Other" }, want: map[string]string{"a": "refuse error : none-named"}},
		"of a kind without names":         {repo: []string{"a take=true"}, cloud: []string{"a nobody"}, alter: func(in *world.Input) { item(in, "a").Name = ""; nameless(in) }, want: map[string]string{"a": "refuse error : nameless"}},
		"a part":                          {repo: []string{cart("take")}, kinds: carts(), cloud: []string{"take nobody atop=id-002", "take-wheel nobody"}, want: map[string]string{"take": "update adopts changes owner-mark", "take-wheel": "update adopts changes owner-mark"}},
		"a part that is not there":        {repo: []string{cart("take")}, kinds: carts(), cloud: []string{"take nobody"}, want: map[string]string{"take": "update adopts changes owner-mark after take-wheel", "take-wheel": "refuse error : none-named-part"}},
		"a part of which there are two":   {repo: []string{cart("take")}, kinds: carts(), cloud: []string{"take nobody", "take nobody", "take-wheel nobody"}, want: map[string]string{"take": "refuse error : several-to-adopt-named rename-the-others", "take-wheel": "update adopts changes owner-mark"}},
		"a part without a name":           {repo: []string{cart("take")}, kinds: carts(), alter: nameless, want: map[string]string{"take": "refuse error : nameless-part", "take-wheel": "refuse error : nameless-part"}},
		"one that matches":                {repo: []string{red}, cloud: []string{"x nobody colour=red", "y nobody colour=blue"}, want: map[string]string{"a": "update adopts changes colour owner-mark"}},
		"none that matches":               {repo: []string{red}, cloud: []string{"y nobody colour=blue"}, want: map[string]string{"a": "refuse error : none-matches"}},
		"two that match":                  {repo: []string{red}, cloud: []string{"x nobody colour=red", "y nobody colour=red"}, want: map[string]string{"a": "refuse error : several-to-adopt-named narrow-or-give-id"}},
		"one that matches and is owned":   {repo: []string{red}, cloud: []string{"x other colour=red"}, want: map[string]string{"a": "refuse error : owned-by-another unmark-by"}},
		"one that matches without a name": {repo: []string{red}, cloud: []string{"x nobody colour=red"}, alter: func(in *world.Input) { item(in, "x").Name = "" }, want: map[string]string{"a": "update adopts changes colour owner-mark"}},
		"what its filter refers to is not ready": {repo: []string{"b", red}, cloud: []string{"x nobody colour=red"}, want: map[string]string{"a": "wait : waits-for", "b": "create"}, alter: func(in *world.Input) {
			d := desired(in, "a")
			d.Refs = append(d.Refs, kind.RefSpec{Field: "spec.import.filter.near", Key: thingtest.Key("b")})
		}},
		"what its resource refers to is not ready": {repo: []string{"b", red}, cloud: []string{"x nobody colour=red"}, want: map[string]string{"a": "update adopts changes colour owner-mark after b", "b": "create"}, alter: func(in *world.Input) {
			d := desired(in, "a")
			d.Refs = append(d.Refs, kind.RefSpec{Field: "spec.resource.near", Key: thingtest.Key("b")})
		}},
		"it was another one":               {repo: []string{"a seek=x"}, cloud: []string{"x nobody colour=red"}, alter: lostAs("a", "id-009"), want: map[string]string{"a": "refuse error : vanished"}},
		"it was another, and none is left": {repo: []string{"a seek=x"}, alter: lostAs("a", "id-009"), want: map[string]string{"a": "refuse error : none-matches"}},
		"it was this one":                  {repo: []string{"a seek=x"}, cloud: []string{"x nobody colour=red"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "update drift changes owner-mark"}},
	})
}

// If somebody removed the mark of an object that was seen before, the mark is written again, unless the object belongs to
// somebody else now.
func TestAMarkThatWasTakenOff(t *testing.T) {
	decisions(t, map[string]decision{
		"from what it was":            {repo: []string{"a"}, cloud: []string{"a nobody"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "update drift changes owner-mark"}},
		"from one that is gone":       {repo: []string{"a"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "create drift lost"}},
		"from one of another project": {repo: []string{"a"}, cloud: []string{"a alien"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "create drift lost"}},
		"and another was put on":      {repo: []string{"a"}, cloud: []string{"x other"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "create drift lost"}},
		"which is called by its name": {repo: []string{"a"}, cloud: []string{"x nobody"}, alter: func(in *world.Input) {
			item(in, "x").ID = "x"
			in.KnownIDs[thingtest.Key("a").String()] = "x"
		}, want: map[string]string{"a": "create drift lost"}},
		"which another manifest adopts":  {repo: []string{"a", "b adopt=id-001"}, cloud: []string{"x nobody"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "create drift lost", "b": "update adopts changes owner-mark"}},
		"which stands for another":       {repo: []string{"a", "b"}, cloud: []string{"x nobody"}, alter: lostAs("a", "id-001", "b", "id-001"), want: map[string]string{"a": "update drift changes owner-mark", "b": "create drift lost"}},
		"while another is to be adopted": {repo: []string{"a adopt=id-002"}, cloud: []string{"x nobody", "y nobody"}, alter: lostAs("a", "id-001"), want: map[string]string{"a": "update adopts changes owner-mark"}},
		"and it was begun to be changed": {repo: []string{"a"}, cloud: []string{"a nobody"}, alter: func(in *world.Input) {
			lostAs("a", "id-001")(in)
			in.Begun = map[manifest.Key]bool{thingtest.Key("a"): true}
		}, want: map[string]string{"a": "update changes owner-mark"}},
	})
}
