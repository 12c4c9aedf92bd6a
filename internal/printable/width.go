package printable

import (
	"strings"
	"unicode"
)

// Width returns the number of terminal columns that a safe text needs.
func Width(text string) int {
	width := 0
	for _, r := range text {
		width += columns(r)
	}
	return width
}

// Fit returns as much of a safe text as fits into most columns.
func Fit(text string, most int) string {
	width := 0
	for i, r := range text {
		if width += columns(r); width > most {
			return text[:i]
		}
	}
	return text
}

func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide contains the characters that need two columns. (Unicode 15, EastAsianWidth.txt: W and F, gaps between
// neighbours filled)
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1},
		{0x26a1, 0x26a1, 1}, {0x2705, 0x2705, 1}, {0x274c, 0x274c, 1}, {0x2753, 0x2757, 1}, {0x2795, 0x2797, 1}, {0x2b1b, 0x2b1c, 1},
		{0x2e80, 0x303e, 1}, {0x3041, 0x4dbf, 1}, {0x4e00, 0xa4c6, 1}, {0xa960, 0xa97c, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1},
		{0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6b, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18cff, 1}, {0x1b000, 0x1b2fb, 1}, {0x1f18e, 0x1f19a, 1}, {0x1f200, 0x1f320, 1}, {0x1f32d, 0x1f64f, 1},
		{0x1f680, 0x1f6fc, 1}, {0x1f7e0, 0x1f7eb, 1}, {0x1f90c, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1}, {0x20000, 0x3fffd, 1},
	},
}

// maxColumn is the width up to which a cell widens its column.
const maxColumn = 80

// Table returns rows of safe cells as a table. The last cell of a row may have any length.
func Table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if w := Width(cell); w <= maxColumn {
				widths[i] = max(widths[i], w)
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(widths[i]-Width(cell), 0)+2))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
