package insync

import "testing"

// Each row of the table is tested for the commit of the state and for another one.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		name     string
		from     State
		commit   string
		was      Answer
		changed  State
		inSync   State
		yes, no  State
		replaced string // the result of Replaced for the commit, whose parent is p
		since    string
	}{
		{"unknown", State{}, "d", Ask, State{begun, "d"}, State{inSync, "d"}, State{inSync, "d"}, State{changed, ""}, "p", ""},
		{"begun, the same", State{begun, "c"}, "c", Ask, State{begun, "c"}, State{inSync, "c"}, State{inSync, "c"}, State{changed, "c"}, "", ""},
		{"begun, another", State{begun, "c"}, "d", No, State{begun, "d"}, State{inSync, "d"}, State{inSync, "d"}, State{changed, "c"}, "p", "c"},
		{"in sync, the same", State{inSync, "c"}, "c", Yes, State{inSync, "c"}, State{inSync, "c"}, State{inSync, "c"}, State{inSync, "c"}, "", ""},
		{"in sync, another", State{inSync, "c"}, "d", No, State{changed, "d"}, State{inSync, "d"}, State{inSync, "d"}, State{inSync, "c"}, "c", "c"},
		{"changed, the same", State{changed, "c"}, "c", No, State{changed, "c"}, State{inSync, "c"}, State{inSync, "c"}, State{changed, "c"}, "", ""},
		{"changed, another", State{changed, "c"}, "d", No, State{changed, "d"}, State{inSync, "d"}, State{inSync, "d"}, State{changed, "c"}, "p", "c"},
		{"changed, by nobody known", State{changed, ""}, "d", No, State{changed, "d"}, State{inSync, "d"}, State{inSync, "d"}, State{changed, ""}, "p", ""},
		{"unknown, no commit", State{}, "", No, State{}, State{}, State{}, State{changed, ""}, "", ""},
		{"in sync, no commit", State{inSync, "c"}, "", No, State{inSync, "c"}, State{inSync, "c"}, State{inSync, "c"}, State{inSync, "c"}, "", "c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.from.Was(c.commit); got != c.was {
				t.Errorf("was in sync: %d, want %d", got, c.was)
			}
			for event, states := range map[string][2]State{
				"changed":       {c.from.Changed(c.commit), c.changed},
				"in sync":       {c.from.InSync(c.commit), c.inSync},
				"answered: yes": {c.from.Answered(c.commit, true), c.yes},
				"answered: no":  {c.from.Answered(c.commit, false), c.no},
			} {
				if states[0] != states[1] {
					t.Errorf("%s: %+v, want %+v", event, states[0], states[1])
				}
			}
			if got := c.from.Replaced(c.commit, "p"); got != c.replaced {
				t.Errorf("replaced: %q, want %q", got, c.replaced)
			}
			if got := c.from.Since(c.commit); got != c.since {
				t.Errorf("since: %q, want %q", got, c.since)
			}
		})
	}
}

func TestACommitWithTheSameFilesTakesThePlace(t *testing.T) {
	for _, is := range []knowledge{begun, inSync, changed} {
		if got := (State{is, "c"}).SameFiles("c", "d"); got != (State{is, "d"}) {
			t.Errorf("of state %d: %+v", is, got)
		}
		if got := (State{is, "c"}).SameFiles("b", "d"); got != (State{is, "c"}) {
			t.Errorf("of state %d, for another commit: %+v", is, got)
		}
	}
	if got := (State{}).SameFiles("", "d"); got != (State{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
