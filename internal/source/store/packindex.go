package store

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"slices"
)

// index returns the pack's index, version 2. It also sorts the objects by hash.
//
//	"\xfftOc" 2 │ 256 × number of hashes up to this first byte │ hashes │ checksums │ offsets │ large offsets │ pack's checksum │ own checksum
func (p *packScan) index() []byte {
	slices.SortFunc(p.objects, func(a, b packed) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	p.objects = slices.CompactFunc(p.objects, func(a, b packed) bool { return a.hash == b.hash })
	const perObject = sha1.Size + 4 + 4
	out := make([]byte, 0, 8+256*4+perObject*len(p.objects)+2*sha1.Size)
	out = binary.BigEndian.AppendUint32(append(out, "\xfftOc"...), 2)
	n := 0
	for first := range 256 {
		for n < len(p.objects) && int(p.objects[n].hash[0]) <= first {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, o := range p.objects {
		out = append(out, o.hash[:]...)
	}
	for _, o := range p.objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	var large []byte
	for _, o := range p.objects {
		at := uint32(o.offset)
		if o.offset >= 1<<31 {
			at = 1<<31 | uint32(len(large)/8)
			large = binary.BigEndian.AppendUint64(large, uint64(o.offset))
		}
		out = binary.BigEndian.AppendUint32(out, at)
	}
	out = append(append(out, large...), p.sum[:]...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}
