package runtime

import (
	"io/fs"
	"syscall"
	"time"
)

// readStamp reads what the file system notes at every write; f may be nil. ok is false where it notes nothing.
func readStamp(_ fs.File, info fs.FileInfo) (s stamp, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{[3]int64{int64(st.Ino), st.Ctim.Nano(), st.Mtim.Nano()}, time.Unix(st.Ctim.Unix())}, true
}
