package pack

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
	"golang.org/x/image/draw"

	"conch/runtime/bundle"
)

// Bounds of an icon.
const (
	maxIcon     = 16 << 20 // bytes
	maxIconSide = 8192     // pixels
)

// icon is the game's picture, which can be drawn in any size.
type icon struct {
	picture image.Image // nil when it is an SVG
	svg     []byte
}

// findIcon takes the icon that was asked for, else the game's. It is nil when there is none.
func (g *game) findIcon() (*icon, error) {
	if g.opts.Icon != "" {
		i, err := readIcon(g.opts.Icon)
		if err != nil {
			return nil, fmt.Errorf("--icon %s: %w", g.opts.Icon, err)
		}
		return i, nil
	}
	data, name := g.bundle.Icon()
	if data == nil {
		g.opts.Warn(bundle.Problem{Level: bundle.Warning, Text: "the game has no icon; the system shows one of its own",
			Fix: `name a PNG of 512 pixels with "icon" in conch.json or with --icon`})
		return nil, nil
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("icon %s: %w", name, err)
	}
	if side := max(picture.Bounds().Dx(), picture.Bounds().Dy()); side < 256 {
		g.opts.Warn(bundle.Problem{Level: bundle.Warning, File: name, Text: fmt.Sprintf("the icon has %d pixels; systems show it with up to 512", side),
			Fix: "use one of 512 pixels"})
	}
	return &icon{picture: picture}, nil
}

func readIcon(file string) (*icon, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxIcon {
		return nil, fmt.Errorf("%d bytes; at most %d", info.Size(), maxIcon)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".svg":
		i := &icon{svg: data}
		_, err := i.draw(64)
		return i, err
	case ".png":
		c, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if c.Width > maxIconSide || c.Height > maxIconSide {
			return nil, fmt.Errorf("%d by %d pixels; at most %d a side", c.Width, c.Height, maxIconSide)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		return &icon{picture: picture}, err
	}
	return nil, errors.New("an icon is a .png or an .svg")
}

// images draws the icon in several sizes.
func (i *icon) images(sizes []int) ([]image.Image, error) {
	var list []image.Image
	for _, size := range sizes {
		one, err := i.draw(size)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// png draws the icon as a PNG.
func (i *icon) png(size int) ([]byte, error) {
	picture, err := i.draw(size)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}

// draw draws the icon into the middle of a square, keeping its proportions.
func (i *icon) draw(size int) (image.Image, error) {
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	if i.picture == nil {
		return out, i.drawSVG(out, size)
	}
	from := i.picture.Bounds()
	if from.Empty() {
		return nil, errors.New("the icon is empty")
	}
	side := max(from.Dx(), from.Dy())
	w, h := max(1, from.Dx()*size/side), max(1, from.Dy()*size/side)
	at := image.Rect((size-w)/2, (size-h)/2, (size-w)/2+w, (size-h)/2+h)
	draw.CatmullRom.Scale(out, at, i.picture, from, draw.Over, nil)
	return out, nil
}

// drawSVG draws what the library knows of SVG; anything else in the file is an error and not a hole in the picture.
func (i *icon) drawSVG(out *image.NRGBA, size int) (err error) {
	defer func() { // the library is not made for broken files
		if p := recover(); p != nil {
			err = fmt.Errorf("the SVG cannot be drawn (%v); use a PNG", p)
		}
	}()
	svg, err := oksvg.ReadIconStream(bytes.NewReader(i.svg), oksvg.StrictErrorMode)
	if err != nil {
		return fmt.Errorf("the SVG uses what cannot be drawn here (%w); use a PNG", err)
	}
	box := svg.ViewBox
	if !(box.W > 0 && box.H > 0) {
		return errors.New("the SVG has no viewBox; add one or use a PNG")
	}
	scale := float64(size) / max(box.W, box.H)
	w, h := box.W*scale, box.H*scale
	svg.SetTarget((float64(size)-w)/2, (float64(size)-h)/2, w, h)
	canvas := image.NewRGBA(out.Bounds())
	svg.Draw(rasterx.NewDasher(size, size, rasterx.NewScannerGV(size, size, canvas, canvas.Bounds())), 1)
	draw.Draw(out, out.Bounds(), canvas, image.Point{}, draw.Src)
	return nil
}
