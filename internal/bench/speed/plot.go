package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours can be told apart by most people, also those who see fewer (Okabe and Ito). The background is white, so that
// a plot looks the same on a dark page.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {80, 80, 80, 255},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}}

// A drawing is a plot with its legend beside it.
type drawing struct {
	*plot.Plot
	beside plot.Legend
}

// plot writes <folder>/<name>.svg: lines if there are several sizes, else bars.
func (p *page) plot(c *chart, folder string) error {
	sizes := c.chosen(p.effort.short)
	if len(sizes) == 0 {
		return nil
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	d := &drawing{plot.New(), plot.NewLegend()}
	d.Title.Text = c.title
	d.Title.Padding = vg.Points(6)
	height := 4 * vg.Inch
	var err error
	if c.parallel || len(sizes) == 1 {
		height = vg.Length(len(c.subjects)+4) * 0.28 * vg.Inch
		err = p.bars(d, c, sizes)
	} else {
		err = p.lines(d, c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return os.WriteFile(filepath.Join(folder, c.name+".svg"), d.svg(9*vg.Inch, height), 0o644)
}

// svg draws the plot on white, with a margin.
func (d *drawing) svg(width, height vg.Length) []byte {
	const margin, legend = 10, 190 // points
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	d.Draw(draw.Crop(all, margin, -legend-margin, margin, -margin))
	d.beside.Top, d.beside.Left, d.beside.YOffs = true, true, -vg.Points(20)
	d.beside.Draw(draw.Crop(all, width-legend, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	// Fonts with the same widths, where Liberation is not installed.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif"))
}

// bars draws the median of each subject, for each of the sizes.
func (p *page) bars(d *drawing, c *chart, sizes []int) error {
	var names []string
	subjects := slices.Clone(c.subjects)
	slices.Reverse(subjects) // the first one is at the top
	for _, s := range subjects {
		names = append(names, s.name)
	}
	width := vg.Points(14 / float64(len(sizes)))
	for i, n := range sizes {
		values := make(plotter.Values, len(subjects))
		for j, s := range subjects {
			if f := p.figures.of(c.name, s.name, n); f != nil {
				values[j] = f.median()
			}
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, colours[i], 0
		bars.Offset = width * vg.Length(float64(len(sizes)-1)/2-float64(i))
		d.Add(bars)
		d.beside.Add(strings.TrimSpace(thousands(n)+" "+c.unit(n)), bars)
	}
	d.NominalY(names...)
	d.Y.Padding = vg.Points(12) // for fonts that are wider
	d.X.Label.Text, d.X.Min, d.X.Tick.Marker = "time of one", 0, evenly{}
	return nil
}

// lines draws the median of each subject over the sizes, on logarithmic axes.
func (p *page) lines(d *drawing, c *chart) error {
	d.Add(plotter.NewGrid())
	for i, s := range c.subjects {
		var points plotter.XYs
		for _, f := range p.figures.line(c.name, s.name) {
			points = append(points, plotter.XY{X: float64(f.size), Y: f.median()})
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = colours[i%len(colours)], vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = colours[i%len(colours)], shapes[i%len(shapes)], vg.Points(3)
		if s.kind != ours {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		d.Add(line, marks)
		d.beside.Add(s.name, line, marks)
	}
	d.X.Label.Text, d.Y.Label.Text = c.axis, "time of one"
	d.X.Tick.Marker = decades{func(v float64) string { return thousands(int(math.Round(v))) }}
	d.Y.Tick.Marker = decades{brieflyTime}
	for _, axis := range []*plot.Axis{&d.X, &d.Y} {
		axis.Scale = plot.LogScale{}
		axis.Min = math.Pow(10, math.Floor(math.Log10(axis.Min)+1e-9))
		axis.Max = math.Pow(10, math.Ceil(math.Log10(axis.Max)-1e-9))
	}
	return nil
}

// brieflyTime writes a duration of round nanoseconds.
func brieflyTime(ns float64) string { return strings.Replace(duration(ns), ".0 ", " ", 1) }

// decades marks the powers of ten.
type decades struct{ text func(float64) string }

func (t decades) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(least)); e <= math.Ceil(math.Log10(most)); e++ {
		v := math.Pow(10, e)
		ticks = append(ticks, plot.Tick{Value: v, Label: t.text(v)})
	}
	return ticks
}

// evenly marks what the library does, as durations.
type evenly struct{}

func (evenly) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = brieflyTime(ticks[i].Value)
		}
	}
	return ticks
}
