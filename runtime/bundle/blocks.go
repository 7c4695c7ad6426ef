package bundle

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
)

// Packed bundles hold large deflated files as blocks that were compressed each on its own and end on a byte, one after
// the other: any inflater reads them as one stream, and with the index in a private extra field of the central
// directory a reader starts at any block. docs/bundle.md has the format.
const (
	blockField   = 0x4843 // id of the extra field
	blockVersion = 1
	minBlock     = 12 // powers of two
	maxBlock     = 24

	// BlockSize is the usual size of a block in bytes.
	BlockSize = 1 << 18
	// maxBlocks is what fits into an extra field beside others.
	maxBlocks = 8000
)

// Block describes one block of a deflated file.
type Block struct {
	Compressed uint32 // bytes in the archive
	CRC32      uint32 // of the block's contents
}

// BlockSizeFor is the size of the blocks that a file of the given size is cut into, so that their index fits. 0 says
// that the file is too large for one.
func BlockSizeFor(size int64) int64 {
	for block := int64(BlockSize); block <= 1<<maxBlock; block *= 2 {
		if (size+block-1)/block <= maxBlocks {
			return block
		}
	}
	return 0
}

// BlockIndex is the extra field that describes blocks of the given size.
func BlockIndex(blockSize int64, blocks []Block) []byte {
	shift := byte(0)
	for int64(1)<<shift < blockSize {
		shift++
	}
	field := binary.LittleEndian.AppendUint16(nil, blockField)
	field = binary.LittleEndian.AppendUint16(field, uint16(2+8*len(blocks)))
	field = append(field, blockVersion, shift)
	for _, b := range blocks {
		field = binary.LittleEndian.AppendUint32(field, b.Compressed)
		field = binary.LittleEndian.AppendUint32(field, b.CRC32)
	}
	return field
}

// blockIndex says where the blocks of one file begin.
type blockIndex struct {
	shift   byte
	offsets []int64 // in the compressed data; one more than there are blocks
	sums    []uint32
}

// readBlockIndex reads the index of an entry. It is nil when there is none or when it does not fit the entry: then the
// entry is inflated from its start.
func readBlockIndex(h *zip.FileHeader) *blockIndex {
	field := extraField(h.Extra, blockField)
	if len(field) < 2 || field[0] != blockVersion || field[1] < minBlock || field[1] > maxBlock || len(field)%8 != 2 {
		return nil
	}
	x := &blockIndex{shift: field[1]}
	size := uint64(1) << x.shift
	field = field[2:]
	count := len(field) / 8
	if h.Method != zip.Deflate || count == 0 || h.UncompressedSize64 > uint64(count)*size || h.UncompressedSize64 <= uint64(count-1)*size {
		return nil
	}
	x.offsets, x.sums = make([]int64, 1, count+1), make([]uint32, 0, count)
	end := int64(0)
	for ; len(field) > 0; field = field[8:] {
		n := binary.LittleEndian.Uint32(field)
		if uint64(n) > 2*size { // deflate grows what it cannot shrink by far less
			return nil
		}
		end += int64(n)
		x.offsets, x.sums = append(x.offsets, end), append(x.sums, binary.LittleEndian.Uint32(field[4:]))
	}
	if uint64(end) != h.CompressedSize64 {
		return nil
	}
	return x
}

// extraField finds the first extra field with this id.
func extraField(extra []byte, id uint16) []byte {
	for len(extra) >= 4 {
		size := int(binary.LittleEndian.Uint16(extra[2:]))
		if size > len(extra)-4 {
			return nil
		}
		if binary.LittleEndian.Uint16(extra) == id {
			return extra[4 : 4+size]
		}
		extra = extra[4+size:]
	}
	return nil
}

// blockFile reads a deflated entry that has an index. It is used by one goroutine at a time and keeps one block.
type blockFile struct {
	index  *blockIndex
	src    io.ReaderAt // the entry's compressed data
	info   fs.FileInfo
	size   int64
	pos    int64
	loaded int64 // number of the block in data, -1 for none
	data   []byte
	closed bool
}

func (f *blockFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *blockFile) Close() error {
	if f.closed {
		return fs.ErrClosed
	}
	f.closed, f.data = true, nil
	return nil
}

func (f *blockFile) Seek(offset int64, whence int) (int64, error) {
	pos, err := seek(f.pos, f.size, offset, whence)
	if err == nil {
		f.pos = pos
	}
	return pos, err
}

func (f *blockFile) Read(p []byte) (int, error) {
	switch {
	case f.closed:
		return 0, fs.ErrClosed
	case len(p) == 0:
		return 0, nil
	case f.pos >= f.size:
		return 0, io.EOF
	}
	block := f.pos >> f.index.shift
	if block != f.loaded {
		if err := f.load(block); err != nil {
			return 0, fmt.Errorf("inflate: %w", err)
		}
	}
	n := copy(p, f.data[f.pos-block<<f.index.shift:])
	f.pos += int64(n)
	return n, nil
}

// load makes data the given block, checked.
func (f *blockFile) load(block int64) error {
	from, to := f.index.offsets[block], f.index.offsets[block+1]
	packed := make([]byte, to-from)
	if _, err := f.src.ReadAt(packed, from); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	size := min(int64(1)<<f.index.shift, f.size-block<<f.index.shift)
	if int64(cap(f.data)) < size {
		f.data = make([]byte, size)
	}
	f.data, f.loaded = f.data[:size], -1
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(packed)), f.data); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if crc32.ChecksumIEEE(f.data) != f.index.sums[block] {
		return zip.ErrChecksum
	}
	f.loaded = block
	return nil
}

// seek is where a file of the given size and position goes.
func seek(pos, size, offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += pos
	case io.SeekEnd:
		offset += size
	default:
		return 0, errors.New("seek: invalid whence")
	}
	if offset < 0 {
		return 0, errors.New("seek: negative position")
	}
	return offset, nil
}
