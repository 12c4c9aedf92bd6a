package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rewrite returns a page with new figures between its comments `<!-- bench: NAME -->` and `<!-- bench end -->`. A figure that was not measured
// keeps its old text. The second result are the tables, as text.
func rewrite(page string, measured results) (string, []string, error) {
	var shown []string
	known := tables()
	var out strings.Builder
	for rest := page; ; {
		before, after, ok := strings.Cut(rest, "<!-- bench: ")
		out.WriteString(before)
		if !ok {
			break
		}
		name, after, ok := strings.Cut(after, " -->\n")
		old, end, ended := strings.Cut(after, "<!-- bench end -->")
		if !ok || !ended || known[name] == nil {
			return "", nil, fmt.Errorf("the comment for table %q is not closed, or there is no such table", name)
		}
		text := table(name, known[name], cells(old), measured)
		shown = append(shown, name+"\n"+text)
		out.WriteString("<!-- bench: " + name + " -->\n" + text + "<!-- bench end -->")
		rest = end
	}
	return out.String(), shown, nil
}

// cells returns the cells of a Markdown table, by the first cell of their row.
func cells(text string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		if parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(parts) > 1 {
			for i := range parts {
				parts[i] = strings.TrimSpace(parts[i])
			}
			rows[parts[0]] = parts[1:]
		}
	}
	return rows
}

func table(name string, rows []row, old map[string][]string, measured results) string {
	heads := columns()[name]
	head := append([]string{"measurement"}, heads...)
	if heads == nil {
		head = []string{"measurement", "wanted", "measured", "benchmark"}
	}
	var out strings.Builder
	plots := ""
	line(&out, head)
	line(&out, slices.Repeat([]string{"---"}, len(head)))
	for _, r := range rows {
		before := func(i int) string {
			if kept := old[r.measures]; i < len(kept) {
				return kept[i]
			}
			return ""
		}
		list := []string{r.measures}
		if heads == nil {
			list = append(list, r.wanted, r.figure(measured, r.benchmark, before(1)), "`Benchmark"+r.benchmark+"`")
		}
		for i, column := range heads {
			list = append(list, r.figure(measured, strings.Replace(r.benchmark, "*", column, 1), before(i)))
		}
		line(&out, list)
		if r.plotted {
			plots += plot(r.measures, heads, list[1:])
		}
	}
	return out.String() + plots
}

// plot returns a chart in Mermaid's language. It returns "" if a figure is missing.
func plot(title string, columns, figures []string) string {
	if slices.Contains(figures, "") {
		return ""
	}
	return fmt.Sprintf("\n```mermaid\nxychart-beta\n  title %q\n  x-axis [%s]\n  line [%s]\n```\n", title, strings.Join(columns, ", "), strings.Join(figures, ", "))
}

func line(out *strings.Builder, list []string) {
	out.WriteString("| " + strings.Join(list, " | ") + " |\n")
}

// figure returns a measured value with three digits, or the old text if it was not measured.
func (r row) figure(measured results, benchmark, old string) string {
	value, ok := measured[key{r.folder, benchmark, r.unit}]
	if !ok {
		return old
	}
	return digits(value*r.factor) + r.suffix
}

// digits writes a figure with three significant digits, and whole numbers from 100 on with all of theirs.
func digits(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
