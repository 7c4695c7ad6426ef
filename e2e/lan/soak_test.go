//go:build e2e && soak

package lan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSoak lets 64 bots talk to each other through conch-host for a long time, SOAK, 10 minutes without: nobody is
// dropped and memory stays flat. `make soak` builds the program and names its folder.
func TestSoak(t *testing.T) {
	took := 10 * time.Minute
	if text := os.Getenv("SOAK"); text != "" {
		var err error
		if took, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(os.Getenv("CONCH_BIN"), "conch-host")
	const peers = "64"
	host := exec.Command(program, "host", "--open", "--port", "0", "--peers", peers, "--per-address", peers)
	out, err := host.StdoutPipe()
	if err == nil {
		err = host.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines.WriteTo(io.Discard)
	}()
	t.Cleanup(func() {
		host.Process.Signal(syscall.SIGTERM)
		<-read
		if err := host.Wait(); err != nil {
			t.Errorf("host: %v", err)
		}
	})
	if !ok {
		t.Fatalf("host printed %q", line)
	}
	var report, problems bytes.Buffer
	bots := exec.Command(program, "bots", address, "--json", "--count", peers, "--rate", "30", "--time", took.String())
	bots.Stdout, bots.Stderr = &report, &problems
	if err := bots.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- bots.Wait() }()
	memory := map[int][]float64{host.Process.Pid: nil, bots.Process.Pid: nil}
	for sample := time.NewTicker(time.Second); ; {
		select {
		case <-sample.C:
			for pid := range memory {
				if mb := resident(pid); mb > 0 {
					memory[pid] = append(memory[pid], mb)
				}
			}
			continue
		case err = <-ended:
			sample.Stop()
		}
		break
	}
	if err != nil {
		t.Fatalf("bots: %v\n%s", err, problems.String())
	}
	var r struct {
		Joined, Dropped             int
		Received, Expected          uint64
		P50, P95, P99, Max, Seconds float64
	}
	text := strings.ReplaceAll(report.String(), "Millis", "")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	t.Logf("%d of %d calls delivered (%.2f %%) in %.0f s; p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, max %.1f ms; %d dropped",
		r.Received, r.Expected, 100*float64(r.Received)/float64(r.Expected), r.Seconds, r.P50, r.P95, r.P99, r.Max, r.Dropped)
	if strconv.Itoa(r.Joined) != peers || r.Dropped > 0 {
		t.Errorf("%d joined, %d dropped: %s", r.Joined, r.Dropped, report.String())
	}
	for pid, name := range map[int]string{host.Process.Pid: "host", bots.Process.Pid: "bots"} {
		all := memory[pid]
		quarter := len(all) / 4
		if quarter == 0 {
			t.Fatalf("%s: %d samples are too few", name, len(all))
		}
		early, late := middle(all[quarter:2*quarter]), middle(all[3*quarter:])
		t.Logf("memory of the %s: %.1f MB in the second quarter, %.1f MB in the last, at most %.1f MB", name, early, late, slices.Max(all))
		if late > early*1.1+4 {
			t.Errorf("memory of the %s grows: %.1f MB, then %.1f MB", name, early, late)
		}
	}
}

// resident is a process's memory in MB, 0 when it has ended.
func resident(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages float64
	fmt.Sscan(string(text), &size, &pages)
	return pages * float64(os.Getpagesize()) / 1e6
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
