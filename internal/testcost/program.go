package testcost

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Program returns the real program that an environment variable names. Without the variable, the test is skipped.
func Program(t testing.TB, variable string) string {
	t.Helper()
	program := os.Getenv(variable)
	if program == "" {
		t.Skip(variable + " names no program")
	}
	return program
}

// Serve starts a program that prints its address on its first line. The program ends with the test.
func Serve(t testing.TB, program string, args ...string) (address string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has killed it
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return strings.TrimSpace(line)
}
