package webhook

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// These limits apply to the bytes of bodies that are in memory before their signatures are checked.
const (
	// MaxBody is the maximal length of a message. The message of a push of 700 commits is about 1
	// MiB.
	MaxBody = 4 << 20

	ownBody    = 64 << 10 // each message may have this much in memory, whatever the other messages have
	sharedBody = 16 << 20 // all messages together may have this much in addition
	firstBody  = 4 << 10
)

// pool counts the bytes in memory that exceed each message's own share.
type pool struct{ used atomic.Int64 }

func (p *pool) take(n int) bool {
	if p.used.Add(int64(n)) <= sharedBody {
		return true
	}
	p.used.Add(-int64(n))
	return false
}

func (p *pool) give(n int) { p.used.Add(-int64(n)) }

// intake reads one body. It passes the whole body to the proof, and stores it as long as there is
// room.
type intake struct {
	pool   *pool
	kept   []byte
	shared int  // number of bytes that the pool counts for this body
	lost   bool // whether there was no room for the whole body
}

// read reads a body. outcome is "" if the whole body has arrived. The caller has to call done.
func (in *intake) read(w http.ResponseWriter, r *http.Request, to io.Writer) (outcome Outcome) {
	body := http.MaxBytesReader(w, r.Body, MaxBody)
	in.kept = make([]byte, 0, firstBody)
	for {
		if len(in.kept) == cap(in.kept) {
			in.grow()
		}
		n, err := body.Read(in.kept[len(in.kept):cap(in.kept)])
		_, _ = to.Write(in.kept[len(in.kept) : len(in.kept)+n]) // hashes accept everything
		if !in.lost {
			in.kept = in.kept[:len(in.kept)+n]
		}
		var long *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return ""
		case errors.As(err, &long):
			return TooLong
		case err != nil:
			return Cut
		}
	}
}

// grow doubles the room for the body. If there is no more room, it drops the bytes that are stored.
func (in *intake) grow() {
	size := 2 * cap(in.kept)
	if size > ownBody && !in.pool.take(size) {
		in.done()
		in.lost, in.kept = true, make([]byte, 0, firstBody)
		return
	}
	grown := make([]byte, len(in.kept), size)
	copy(grown, in.kept)
	in.pool.give(in.shared)
	in.kept, in.shared = grown, 0
	if size > ownBody {
		in.shared = size
	}
}

func (in *intake) done() {
	in.pool.give(in.shared)
	in.kept, in.shared = nil, 0
}
