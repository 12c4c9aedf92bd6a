package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/listen"
	"github.com/stackreeve/stackreeve/internal/page"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// door says where the agent listens, and as whom.
type door struct {
	address   string // "" for nowhere
	cert, key string // files in PEM; "" for no TLS
	health    string // another address, for health and metrics only; "" for none
}

func (d *door) flags(flags *pflag.FlagSet) {
	flags.StringVar(&d.address, "listen", os.Getenv("STACKREEVE_LISTEN"), "address for health, metrics and webhooks, such as 127.0.0.1:9464 ($STACKREEVE_LISTEN; default none)")
	flags.StringVar(&d.health, "listen-health", os.Getenv("STACKREEVE_LISTEN_HEALTH"), "another address, for health and metrics only, with connections of its own: no flood of webhooks keeps probes waiting ($STACKREEVE_LISTEN_HEALTH; default none)")
	flags.StringVar(&d.cert, "listen-cert-file", os.Getenv("STACKREEVE_LISTEN_CERT_FILE"), "certificate of the listener, with those that signed it; then it speaks TLS only ($STACKREEVE_LISTEN_CERT_FILE; default: HTTP)")
	flags.StringVar(&d.key, "listen-key-file", os.Getenv("STACKREEVE_LISTEN_KEY_FILE"), "key of that certificate ($STACKREEVE_LISTEN_KEY_FILE)")
}

// open listens. The certificate is read for each connection, so that a renewed one is used at once.
func (d *door) open(ctx context.Context) (net.Listener, error) {
	if (d.cert == "") != (d.key == "") {
		return nil, errors.New("--listen-cert-file and --listen-key-file belong together; give both, or neither for HTTP")
	}
	var config *tls.Config
	if d.cert != "" {
		config = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return d.certificate()
		}}
		if _, err := d.certificate(); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, nil
}

func (d *door) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(d.cert, d.key)
	if err != nil {
		return nil, fmt.Errorf("--listen-cert-file: %w", err)
	}
	return &pair, nil
}

// scrapes is how many requests for metrics are answered at a time: each answer
// is made in memory.
const scrapes = 4

// handler is all that can be asked of the agent.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.watched())
	if s.control != nil {
		mux.Handle(control.Prefix, s.control)
	}
	if s.api != nil {
		for _, prefix := range readapi.Prefixes {
			mux.Handle(prefix, s.api)
		}
		mux.Handle(page.Prefix, s.ui)
		mux.Handle("GET /{$}", http.RedirectHandler(page.Prefix, http.StatusFound))
	}
	if s.hooks != nil {
		mux.Handle("/webhook/", s.hooks)
	}
	return mux
}

// watched is what probes and monitoring ask.
func (s *service) watched() http.Handler {
	return s.health.Handler(promhttp.HandlerFor(s.metrics.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes}))
}

// listen serves health, metrics and webhooks until stop is called.
func (s *service) listen(ctx context.Context, d door) (stop func(), err error) {
	var servers []*listen.Server
	stop = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		for _, server := range servers {
			_ = server.Shutdown(ctx) // the process ends anyway
		}
	}
	begin := func(l net.Listener, handler http.Handler, tls bool) *listen.Server {
		server := listen.New(handler, s.log)
		servers = append(servers, server)
		s.log.Info("listening", "address", l.Addr().String(), "tls", tls)
		go func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				s.log.Error("a listener ended", "address", l.Addr().String(), "error", err)
			}
		}()
		return server
	}
	if d.health != "" {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.health)
		if err != nil {
			return nil, fmt.Errorf("--listen-health: %w", err)
		}
		begin(l, s.watched(), false)
	}
	if d.address == "" {
		return stop, nil
	}
	l, err := d.open(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	if server := begin(l, s.handler(), d.cert != ""); s.shown != nil {
		server.OnShutdown(s.shown.Close)
	}
	return stop, nil
}
