package virtualmachinegroup_test

import (
	"fmt"
	"strings"
	"time"
)

// timeline draws the record as a picture. Each member is a row, each version
// has a color, and the time is at the bottom.
func timeline(record []sighting) []byte {
	const left, width, row = 70.0, 860.0, 26
	end := record[len(record)-1].at
	x := func(at time.Duration) float64 { return left + width*at.Seconds()/end.Seconds() }
	colour := map[string]string{"one": "#2e9e4f", "two": "#2f6fd0"}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 150" font-family="sans-serif" font-size="13">`+"\n"+`<rect width="960" height="150" fill="#fff"/>`+"\n")
	for member := range 3 {
		y := 10 + member*(row+6)
		fmt.Fprintf(&b, `<text x="8" y="%d">guest-%d</text>`+"\n", y+row-8, member)
		var from sighting
		bar := func(to time.Duration) {
			if from.what != "" {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x(from.at), y, x(to)-x(from.at), row, colour[from.what])
			}
		}
		for _, s := range record {
			if s.of == answered && s.member == member && s.what != from.what {
				bar(s.at)
				from = s
			}
		}
		bar(end)
	}
	for at := time.Duration(0); at <= end; at += 30 * time.Second {
		fmt.Fprintf(&b, `<text x="%.1f" y="118" text-anchor="middle">%d s</text>`+"\n", x(at), int(at.Seconds()))
	}
	fmt.Fprintf(&b, `<text x="70" y="142">green: serves version one; blue: version two; blank: neither</text>`+"\n</svg>\n")
	return []byte(b.String())
}
