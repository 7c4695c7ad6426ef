package pack

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"conch/runtime/bundle"
)

// Systems are the targets that Conch knows, whether a launcher is there or not.
var Systems = []string{"darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"}

// Launcher is a program that becomes a game when a bundle is added.
type Launcher struct {
	Target string // "linux-amd64"
	System string
	Arch   string
	Path   string
}

// sums is the list of digests in a folder of launchers, in the form that sha256sum writes.
const sums = "SHA256SUMS"

// Launchers lists the launchers of a folder. Each must be in its SHA256SUMS and fit it. With an empty dir it looks into
// the folder "launchers" beside the running program, and when that is missing the running program itself is the only
// launcher.
func Launchers(dir string) ([]Launcher, error) {
	if dir != "" {
		return launchersIn(dir)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the running program: %w", err)
	}
	beside := filepath.Join(filepath.Dir(self), "launchers")
	if _, err := os.Stat(filepath.Join(beside, sums)); err == nil {
		return launchersIn(beside)
	}
	return []Launcher{{Target: runtime.GOOS + "-" + runtime.GOARCH, System: runtime.GOOS, Arch: runtime.GOARCH, Path: self}}, nil
}

func launchersIn(dir string) ([]Launcher, error) {
	want, err := readSums(filepath.Join(dir, sums))
	if err != nil {
		return nil, fmt.Errorf("launchers: %w", err)
	}
	var list []Launcher
	for _, target := range Systems {
		system, arch, _ := strings.Cut(target, "-")
		name := "conch"
		if system == "windows" {
			name = "conch.exe"
		}
		l := Launcher{Target: target, System: system, Arch: arch, Path: filepath.Join(dir, target, name)}
		got, err := fileSum(l.Path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("launchers: %w", err)
		}
		switch sum, listed := want[target+"/"+name]; {
		case !listed:
			return nil, fmt.Errorf("launchers: %s is not listed in %s; get the launchers again", l.Path, sums)
		case sum != got:
			return nil, fmt.Errorf("launchers: %s is not what %s says; get the launchers again", l.Path, sums)
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("launchers: none in %s; it needs folders like %s", dir, filepath.Join(dir, "windows-amd64"))
	}
	return list, nil
}

func readSums(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := map[string]string{}
	for lines := bufio.NewScanner(io.LimitReader(f, 1<<20)); lines.Scan(); {
		sum, file, ok := strings.Cut(lines.Text(), " ")
		if ok {
			list[strings.TrimPrefix(strings.TrimLeft(file, " *"), "./")] = strings.ToLower(sum)
		}
	}
	return list, nil
}

func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// chooseLaunchers takes the wanted ones.
func chooseLaunchers(o Options) ([]Launcher, error) {
	for _, t := range o.Targets {
		if !slices.Contains(Systems, t) {
			return nil, fmt.Errorf("--target %s: there are %s", t, strings.Join(Systems, ", "))
		}
	}
	list, err := Launchers(o.Launchers)
	if err != nil || len(o.Targets) == 0 {
		return list, err
	}
	var chosen []Launcher
	for _, t := range o.Targets {
		i := slices.IndexFunc(list, func(l Launcher) bool { return l.Target == t })
		if i < 0 {
			return nil, fmt.Errorf("--target %s: its launcher is not here; `make release` builds launchers, --launchers DIR names their folder", t)
		}
		if !slices.Contains(chosen, list[i]) {
			chosen = append(chosen, list[i])
		}
	}
	return chosen, nil
}

// image reads the launcher without anything that follows it, such as a signature or a game.
func (l Launcher) image() ([]byte, error) {
	data, err := os.ReadFile(l.Path)
	if err != nil {
		return nil, err
	}
	x, err := bundle.ReadExecutable(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("launcher %s: %w", l.Path, err)
	}
	if x.System != l.System || x.Arch != l.Arch {
		return nil, fmt.Errorf("launcher %s is a program for %s-%s", l.Path, x.System, x.Arch)
	}
	return data[:x.End], nil
}
