package memory

import (
	"bytes"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// The memory is printed with one fact per line. A line of begun shows whether the object may be deleted, and the time until which lists may
// not show it.
func TestPrint(t *testing.T) {
	m, _ := filled(t)
	gone := web
	gone.Name = "old"
	m.NoteBegun([]manifest.Key{gone, {Kind: "Server", Name: "plain"}})
	m.begun[gone] = begun{until: noon, deletes: true}
	want := `of project one/p1
seen, by ID (1)
  Server/web id-1
created, but not usable yet, by ID (1)
  Server/web# id-1
created, but not listed by the cloud yet (1)
  Server/web# at 2024-02-01T12:00:00Z
begun (3)
  Server/old, which may be deleted until 2024-02-01T12:00:00Z
  Server/plain
  Server/web until 2024-02-01T12:03:00Z
creation requested, but no answer came (1)
  Server/web# until 2024-02-01T12:03:00Z
adopted (1)
  Server/web
do not serve, or were healed (1)
  Server/web, healed at 2024-02-01T12:00:00Z
probed (1)
  Server/web, probe 1
served (1)
  Server/web
sent nothing new (1)
  Server/web by Server/web since 2024-02-01T12:00:00Z
went back (1)
  Server/web to commit c
listed (4)
  Secret at 2024-02-01T12:00:00Z, refused
  Server at 2024-02-01T12:00:00Z, with objects of the stack
  Volume at 2024-02-01T12:00:00Z
  Volume other at 2024-02-01T12:00:00Z
traced (1)
  Server/web#
`
	var got bytes.Buffer
	if err := m.Print(&got); err != nil || got.String() != want {
		t.Errorf("%v, printed:\n%s", err, got.String())
	}
}
