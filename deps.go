//go:build never

package stackreeve

import (
	_ "github.com/go-git/go-git/v5"
	_ "github.com/gophercloud/gophercloud/v2"
	_ "github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/robfig/cron/v3"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/crypto/ssh"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/term"
	_ "golang.org/x/time/rate"
	_ "pgregory.net/rapid"
	_ "go.yaml.in/yaml/v3"
	_ "sigs.k8s.io/yaml"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/prometheus/client_golang/prometheus/testutil"
	_ "sigs.k8s.io/yaml/goyaml.v3"
)
