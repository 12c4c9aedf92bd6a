package service

import (
	"io"
	"log/slog"

	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
)

const (
	webhookSecret = "only-in-tests-0123456789"
	readToken     = "only-in-tests-of-the-service-0123456789"
)

func logTo(w io.Writer) *slog.Logger { return slog.New(report.NewHandler(w, false, slog.LevelInfo)) }

func openerFor(log *slog.Logger) session.Opener {
	return session.Opener{Log: log, Parallelism: 4, Version: "test", Shared: &session.Shared{}}
}
