package runtime

import (
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// fileBasicInfo is FILE_BASIC_INFO.
type fileBasicInfo struct {
	creationTime, lastAccessTime, lastWriteTime, changeTime int64
	attributes                                              uint32
	_                                                       uint32
}

// readStamp reads what the file system notes at every write; without an open file there is no way to. ok is false
// where it notes nothing.
func readStamp(f fs.File, _ fs.FileInfo) (s stamp, ok bool) {
	plain, ok := f.(*os.File)
	if !ok {
		return stamp{}, false
	}
	var info fileBasicInfo
	err := windows.GetFileInformationByHandleEx(windows.Handle(plain.Fd()), windows.FileBasicInfo,
		(*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil || info.changeTime == 0 {
		return stamp{}, false
	}
	changed := windows.Filetime{LowDateTime: uint32(info.changeTime), HighDateTime: uint32(info.changeTime >> 32)}
	return stamp{[3]int64{0, info.changeTime, info.lastWriteTime}, time.Unix(0, changed.Nanoseconds())}, true
}
