package report

import (
	"io"
	"log/slog"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
)

// NewHandler returns the handler of a log: one line for each record, as text or as JSON. A line is safe to print, whatever the values contain.
// Durations are seconds in JSON.
func NewHandler(w io.Writer, json bool, level slog.Leveler) slog.Handler {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: bounded}
	if json {
		options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
			if a.Value.Kind() == slog.KindDuration {
				return slog.Float64(a.Key, a.Value.Duration().Seconds())
			}
			return bounded(groups, a)
		}
		return slog.NewJSONHandler(printable.JSONWriter{W: w}, options)
	}
	return slog.NewTextHandler(printable.NewWriter(w, false), options)
}

// bounded cuts long values, except the text of an error.
func bounded(groups []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.String(a.Key, DurationText(a.Value.Duration()))
	}
	a = private.Attr(groups, a)
	if a.Value.Kind() != slog.KindString {
		return a
	}
	return slog.String(a.Key, printable.Shorten(a.Value.String(), printable.MaxLine))
}
