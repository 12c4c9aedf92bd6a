package report

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

const (
	widestColumn = 80 // the width up to which a cell widens its column; a longer cell exceeds its column
	leastMessage = 24 // the least width at which a message is shown
	between      = 2
)

// leastImportant are the columns that are dropped on a narrow terminal, in this order.
var leastImportant = []string{"ID", "ADDRESSES", "MESSAGE", "READY"}

// table returns the rows, cut to the width of the terminal. The text of the cells must be safe to print. If the width is 0, nothing is cut.
func (t StatusText) table(rows [][]string) string {
	widths := columnWidths(rows)
	for _, name := range leastImportant {
		if t.Width <= 0 || needed(rows[0], widths) < t.Width {
			break
		}
		if i := slices.Index(rows[0], name); i >= 0 {
			rows = withoutColumn(rows, i)
			widths = columnWidths(rows)
		}
	}
	if last := needed(rows[0], widths); t.Width > 0 && last >= t.Width { // only names and states are left
		widths[0] = max(widths[0]-(last-t.Width+1), 8)
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString(t.row(row, widths, rows[0], i == 0) + "\n")
	}
	return b.String()
}

func (t StatusText) row(row []string, widths []int, names []string, head bool) string {
	cells, at := slices.Clone(row), 0
	for i, cell := range cells {
		if t.Width > 0 {
			room := t.Width - 1 - at
			if i < len(cells)-1 {
				room = min(room, widths[i])
			}
			cells[i] = shorten(cell, room)
		}
		at += max(widths[i], printable.Width(cells[i])) + between
	}
	return padded(cells, widths, func(i int, cell string) string {
		switch {
		case head:
			return t.bold(cell)
		case names[i] == "STATE":
			return t.paint(colorOfState(status.State(row[i])), cell)
		}
		return cell
	})
}

// padded joins the cells of a row. painted returns a cell with its color. Each cell gets the width of its column.
func padded(cells []string, widths []int, painted func(column int, cell string) string) string {
	var line strings.Builder
	for i, cell := range cells {
		line.WriteString(painted(i, cell) + strings.Repeat(" ", max(widths[i]-printable.Width(cell), 0)+between))
	}
	return strings.TrimRight(line.String(), " ")
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if w := printable.Width(cell); w <= widestColumn {
				widths[i] = max(widths[i], w)
			}
		}
	}
	return widths
}

// needed returns the width of a table if its message column has the least width.
func needed(names []string, widths []int) int {
	sum := 0
	for i, w := range widths {
		if names[i] == "MESSAGE" {
			w = min(w, leastMessage)
		}
		sum += w + between
	}
	return sum - between
}

func withoutColumn(rows [][]string, column int) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = slices.Concat(row[:column], row[column+1:])
	}
	return out
}

// shorten cuts a text that is safe to print to a number of columns, and marks the cut.
func shorten(text string, most int) string {
	if printable.Width(text) <= most {
		return text
	}
	if most < 1 {
		return ""
	}
	return printable.Fit(text, most-1) + "…"
}

// fitted cuts a text that is safe to print and begins in a column, so that it does not wrap.
func (t StatusText) fitted(text string, column int) string {
	if t.Width <= 0 {
		return text
	}
	return shorten(text, t.Width-1-column)
}

func colorOfState(s status.State) color {
	switch s {
	case status.StateInSync, status.StateSuspended, status.StateKept:
		return green
	case status.StateDrifted, status.StateDiffers, status.StateDegraded, status.StateChange, status.StateCreate:
		return yellow
	default: // refused, held, failed, unknown, stopped, to delete, to replace; or waiting for something
		if strings.HasPrefix(string(s), string(status.StateWaiting)) {
			return cyan
		}
		return red
	}
}
