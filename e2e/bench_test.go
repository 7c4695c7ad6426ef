//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The benchmarks set Conch beside something else that does the same work in the same run: `make bench` runs them and
// docs/performance.md has the method. One iteration is one round; in every round each variant has its turn, and the
// order moves on by one. A ratio is the median of the rounds' own ratios, so that load which comes and goes weighs on
// both sides. Figures of different runs do not compare.

// series is what the variants measured, one value a round, by "variant/metric".
type series map[string][]float64

func (s series) add(variant, metric string, v float64) {
	key := variant + "/" + metric
	s[key] = append(s[key], v)
}

func (s series) median(variant, metric string) float64 { return median(s[variant+"/"+metric]) }

// ratio is the median over the rounds of variant to base.
func (s series) ratio(variant, base, metric string) float64 {
	of, to := s[variant+"/"+metric], s[base+"/"+metric]
	if len(of) != len(to) {
		return math.NaN()
	}
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i] / to[i]
	}
	return median(ratios)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// budget is a bound of a ratio: at most for times, at least for rates. The zero value bounds nothing.
type budget struct{ most, least float64 }

// cells are the bound and the verdict on got.
func (o budget) cells(got float64) []string {
	switch {
	case o.most > 0:
		return []string{fmt.Sprintf("at most %.2f", o.most), verdict(got <= o.most)}
	case o.least > 0:
		return []string{fmt.Sprintf("at least %.2f", o.least), verdict(got >= o.least)}
	}
	return []string{"", ""}
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "**not met**"
}

// ratioTable is a Markdown table as docs/performance.md holds it.
type ratioTable struct {
	title, note string
	rows        [][]string // the first is the head
}

func (t *ratioTable) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *ratioTable) print() {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n", t.title)
	if t.note != "" {
		fmt.Fprintf(&b, "> %s\n\n", t.note)
	}
	for i, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	fmt.Println(b.String())
}

// rounds runs turn for every variant in every round. The first round warms caches and profiles and is not counted.
// It answers what else the machine did just before and just after.
func rounds(b *testing.B, variants []string, turn func(variant string, measured bool)) (load string) {
	b.Helper()
	before := busy()
	count := 0
	round := func(measured bool) {
		for i := range variants {
			turn(variants[(i+count)%len(variants)], measured)
		}
		count++
	}
	round(false)
	for b.Loop() {
		round(true)
	}
	return fmt.Sprintf("%d rounds, medians. Other work on the machine: %.0f %% of its CPU time before, %.0f %% after.",
		count-1, 100*before, 100*busy())
}

// busy is the share of the machine's CPU time that is in use during one second.
func busy() float64 {
	idle, total := cpuTimes()
	time.Sleep(time.Second) // a measurement, not a wait for something
	idle2, total2 := cpuTimes()
	return 1 - (idle2-idle)/(total2-total)
}

func cpuTimes() (idle, total float64) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line)[1:] {
		v, _ := strconv.ParseFloat(field, 64)
		total += v
		if i == 3 || i == 4 { // idle and iowait
			idle += v
		}
	}
	return idle, total
}

// end stops a program and waits until every process it left behind is gone, so that the next turn has the machine.
func end(b *testing.B, p *process) {
	b.Helper()
	p.stop()
	eventually(b, "the program's processes end", func() bool { return !groupRuns(p.cmd.Process.Pid) })
}

// groupRuns reports whether a process group has a process that is more than a zombie.
func groupRuns(group int) bool {
	if syscall.Kill(-group, 0) != nil {
		return false
	}
	return slices.ContainsFunc(groupStats(group), func(fields []string) bool { return fields[0] != "Z" })
}

// groupCPU is the CPU time in seconds that the processes of a group have used. Unlike the clock it means nearly the
// same on a busy machine.
func groupCPU(group int) float64 {
	var ticks float64
	for _, fields := range groupStats(group) {
		for _, field := range fields[11:13] { // user and system
			v, _ := strconv.ParseFloat(field, 64)
			ticks += v
		}
	}
	return ticks / 100 // USER_HZ
}

// groupStats are the fields of /proc/PID/stat after the name, of each process in a group.
func groupStats(group int) (all [][]string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[2] == strconv.Itoa(group) {
			all = append(all, fields)
		}
	}
	return all
}

// replaceAll puts values in place of their names.
func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// BenchmarkMachine measures nothing: it says where the other tables come from.
func BenchmarkMachine(b *testing.B) {
	for b.Loop() {
	}
	cpu := "?"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			cpu = strings.TrimSpace(strings.TrimLeft(name, "\t :"))
			break
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	t := ratioTable{title: "Machine"}
	t.row("what", "which")
	t.row("date", time.Now().UTC().Format("2006-01-02"))
	t.row("processor", fmt.Sprintf("%d × %s", runtime.NumCPU(), cpu))
	t.row("kernel", strings.TrimSpace(string(kernel)))
	t.row("Go", runtime.Version())
	if info, err := os.Stat(conchBin); err == nil {
		t.row("conch, stripped", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6))
	}
	for _, p := range []string{"libwebkit2gtk-4.1-0", "chromium", "nginx", "wrk"} {
		version, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", p).Output()
		if err != nil {
			version = []byte("not from a package")
		}
		t.row(p, string(version))
	}
	t.print()
}
