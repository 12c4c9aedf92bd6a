package kindtest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

func startSimulator(t *testing.T) cloud.Config {
	t.Helper()
	t.Skip("no simulator")
	return cloud.Config{}
}
