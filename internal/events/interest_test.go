package events

import "testing"

func TestInterest(t *testing.T) {
	ids := map[string]bool{"known": true, "changed": true}
	idle, writing := Interest{ours, "agent", ids, false, nil}, Interest{ours, "agent", ids, true, map[string]bool{"changed": true}}
	person, agent, stranger := User{"p", "anna", ours}, User{"agent", "agent", ours}, User{"a", "admin", theirs}
	for _, tt := range []struct {
		name string
		of   Interest
		look Look
		want Urgency
	}{
		{"a server of the project", idle, Look{"compute", "server", ours, "x", person}, Now},
		{"the same, changed by an administrator", idle, Look{"compute", "server", ours, "x", stranger}, Now},
		{"of another project", idle, Look{"compute", "server", theirs, "x", stranger}, Never},
		{"of another project, but known", idle, Look{"network", "network", theirs, "known", stranger}, Now},
		{"before the login", Interest{}, Look{"compute", "server", ours, "x", person}, Never},
		{"deleted by an administrator", idle, Look{"network", "network", "", "known", stranger}, Now},
		{"deleted elsewhere by an administrator", idle, Look{"network", "network", "", "x", stranger}, Never},
		{"a tag of an object that is not known yet", idle, Look{"network", "network", "", "x", person}, Now},
		{"nobody and nothing named", idle, Look{"image", "image", "", "", User{}}, Later},
		{"an object, but nobody", idle, Look{"identity", "project", "", "x", User{}}, Later},
		{"not understood", idle, Look{"", "", ours, "x", person}, Later},
		{"our own change", writing, Look{"compute", "server", ours, "changed", agent}, Never},
		{"our own creation", writing, Look{"compute", "server", ours, "x", agent}, Never},
		{"somebody with our user while we write", writing, Look{"compute", "server", ours, "known", agent}, Settled},
		{"our own user at another time", idle, Look{"compute", "server", ours, "known", agent}, Now},
		{"a person while we write", writing, Look{"compute", "server", ours, "known", person}, Now},
		{"deleted by an administrator while we write", writing, Look{"network", "network", "", "x", stranger}, Later},
		{"nobody while we write, and our user is not known", Interest{ours, "", ids, true, nil}, Look{"image", "image", ours, "known", User{}}, Now},
	} {
		if got := tt.of.In(tt.look); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
