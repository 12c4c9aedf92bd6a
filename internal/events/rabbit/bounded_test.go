package rabbit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stackreeve/stackreeve/internal/events"
)

func frame(kind byte, payload []byte) []byte {
	b := []byte{kind, 0, 1}
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	return append(append(b, payload...), 0xCE)
}

// announced is the frame that announces a message of some bytes.
func announced(size uint64) []byte {
	payload := binary.BigEndian.AppendUint64([]byte{0, 60, 0, 0}, size)
	return frame(contentHeader, append(payload, 0, 0))
}

// scanned returns the error for a stream that arrives in parts of some bytes.
func scanned(stream []byte, part int) error {
	var s frameScan
	for len(stream) > 0 {
		n := min(part, len(stream))
		if err := s.next(stream[:n]); err != nil {
			return err
		}
		stream = stream[n:]
	}
	return nil
}

func TestAttackFrames(t *testing.T) {
	begin := bytes.Join([][]byte{frame(1, []byte("method")), announced(3), frame(3, []byte("abc")), frame(8, nil)}, nil)
	for name, tt := range map[string]struct {
		stream []byte
		want   error
	}{
		"messages":                   {begin, nil},
		"the largest message":        {append(bytes.Clone(begin), announced(events.MaxMessage)...), nil},
		"a larger message":           {append(bytes.Clone(begin), announced(events.MaxMessage+1)...), errTooLarge},
		"a message of 2^64-1 bytes":  {announced(1<<64 - 1), errTooLarge},
		"a frame of 4 GiB":           {[]byte{3, 0, 0, 255, 255, 255, 255}, errFrame},
		"a header that is cut short": {frame(contentHeader, []byte{1, 2}), errFrame},
	} {
		for _, part := range []int{1, 2, 5, 8, 1000} {
			if err := scanned(tt.stream, part); !errors.Is(err, tt.want) {
				t.Errorf("%s, %d bytes at a time: %v, want %v", name, part, err, tt.want)
			}
		}
	}
}

// FuzzFrames checks that the parts in which a stream arrives do not matter.
func FuzzFrames(f *testing.F) {
	f.Add(append(frame(1, []byte("method")), announced(1<<40)...), 3)
	f.Add(append(announced(4), frame(3, []byte("body"))...), 1)
	f.Fuzz(func(t *testing.T, stream []byte, part int) {
		if part < 1 || part > 1<<20 {
			return
		}
		if got, want := scanned(stream, part), scanned(stream, len(stream)+1); !errors.Is(got, want) {
			t.Errorf("%v in parts of %d bytes, %v at once", got, part, want)
		}
	})
}
