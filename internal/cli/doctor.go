package cli

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/spf13/cobra"

	"conch/app"
	"conch/consent"
	"conch/internal/whole"
	gameruntime "conch/runtime"
)

// finding is one line of the doctor's report.
type finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"` // how to get what is missing
}

func (p *Program) doctorCommand() *cobra.Command {
	var asJSON bool
	var dataDir string
	c := &cobra.Command{
		Use: "doctor", Short: "Check what this computer has for playing games", Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			found, err := p.examine(c.Context(), dataDir)
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(found)
			}
			for _, f := range found {
				mark := "ok  "
				if !f.OK {
					mark = "MISS"
				}
				fmt.Fprintf(p.stdout, "%s  %-12s %s\n", mark, f.Name, f.Text)
				if f.Fix != "" {
					fmt.Fprintf(p.stdout, "      %-12s -> %s\n", "", f.Fix)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	dataFlag(c.Flags(), &dataDir)
	return c
}

// examine looks at everything; a thing that is missing is a finding, not an error.
func (p *Program) examine(ctx context.Context, dataDir string) ([]finding, error) {
	dataDir, err := stateDir(dataDir)
	if err != nil {
		return nil, err
	}
	found := []finding{{Name: "program", OK: true, Text: fmt.Sprintf("%s %s, %s/%s", p.Name, Version(), goruntime.GOOS, goruntime.GOARCH)}}
	if portable, err := app.Portable(); portable != "" && err == nil {
		found = append(found, portableFinding(portable))
	}
	found = append(found, p.engine())
	found = append(found, systemFindings()...)
	found = append(found, keyringFinding(ctx), dataFinding(dataDir))
	return append(found, portFindings(dataDir)...), nil
}

func (p *Program) engine() finding {
	if p.EngineVersion == nil {
		return installedEngine()
	}
	text, err := p.EngineVersion()
	if err != nil {
		return finding{Name: "web engine", Text: err.Error()}
	}
	return finding{Name: "web engine", OK: true, Text: text}
}

// portableFinding says where everything is, and what that means for the approvals.
func portableFinding(dir string) finding {
	return finding{Name: "portable", OK: true, Text: "saves and state are in " + dir + "; approvals are sealed with a file there, not with the system's key store"}
}

func keyringFinding(ctx context.Context) finding {
	if err := consent.CheckKeyring(ctx); err != nil {
		return finding{Name: "keyring", Text: err.Error(), Fix: keyringFix}
	}
	return finding{Name: "keyring", OK: true, Text: "the system's key store answers"}
}

func dataFinding(dir string) finding {
	if err := whole.Writable(dir); err != nil {
		return finding{Name: "data folder", Text: err.Error(), Fix: "make the folder writable, or name another with CONCH_DATA"}
	}
	return finding{Name: "data folder", OK: true, Text: dir}
}

// portFindings names the port of every game known here, and who holds it when it is taken.
func portFindings(dir string) []finding {
	state, err := gameruntime.OpenState(dir)
	if err != nil {
		return []finding{{Name: "ports", Text: err.Error()}}
	}
	records := state.Records()
	if len(records) == 0 {
		return []finding{{Name: "ports", OK: true, Text: "no game was played yet; each gets its own port at its first start"}}
	}
	var found []finding
	for _, r := range records {
		f := finding{Name: "port", OK: true, Text: fmt.Sprintf("%d free, %s (%s)", r.Port, r.Key, filepath.Base(r.Path))}
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", r.Port))
		if err != nil {
			f.Text = fmt.Sprintf("%d in use by %s, %s", r.Port, holderText(r.Port), r.Key)
		} else {
			ln.Close()
		}
		found = append(found, f)
	}
	return found
}

func holderText(port int) string {
	program, pid := gameruntime.PortHolder(port)
	if program == "" {
		return "another program"
	}
	return strings.TrimSpace(fmt.Sprintf("%s (process %d)", program, pid))
}
