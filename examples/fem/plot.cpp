#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ostream>

namespace fem {
namespace {

constexpr double width = 480, height = 360, left = 60, right = 40, top = 40, bottom = 45;

/// Whole powers of ten around values, and where a value lies between them.
struct decades {
  int low = 0, high = 1;

  decades(const panel& of, std::size_t axis) {
    bool is_first = true;
    for (const curve& c : of.curves) {
      for (const auto& point : c.points) {
        if (!is_drawn(point)) continue;
        const double power = std::log10(point[axis]);
        const int below = static_cast<int>(std::floor(power));
        const int above = std::max(below + 1, static_cast<int>(std::ceil(power)));
        low = is_first ? below : std::min(low, below);
        high = is_first ? above : std::max(high, above);
        is_first = false;
      }
    }
  }
  double operator()(double value) const { return (std::log10(value) - low) / (high - low); }

  static bool is_drawn(const std::array<double, 2>& point) {
    return point[0] > 0 && point[1] > 0 && std::isfinite(point[0]) && std::isfinite(point[1]);
  }
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

class svg_writer {
 public:
  svg_writer(std::ostream& out, std::size_t panels) : out_(out) {
    print(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        width * static_cast<double>(panels), height);
    print("<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", "white");
  }
  ~svg_writer() { out_ << "</svg>\n"; }
  svg_writer(const svg_writer&) = delete;
  svg_writer& operator=(const svg_writer&) = delete;

  void draw(const panel& what, double shift) {
    const decades along_x(what, 0), along_y(what, 1);
    const double from = shift + left, to = shift + width - right;
    const double down = height - bottom;
    const auto x_of = [&](double value) { return from + along_x(value) * (to - from); };
    const auto y_of = [&](double value) { return down - along_y(value) * (down - top); };

    text((from + to) / 2, top - 15, "middle", what.title);
    text((from + to) / 2, height - 10, "middle", what.along_x);
    text(from, top - 4, "end", what.along_y);
    for (int power = along_x.low; power <= along_x.high; ++power) {
      const double x = x_of(std::pow(10, power));
      line(x, top, x, down);
      text(x, down + 15, "middle", "1e" + std::to_string(power));
    }
    for (int power = along_y.low; power <= along_y.high; ++power) {
      const double y = y_of(std::pow(10, power));
      line(from, y, to, y);
      text(from - 4, y + 4, "end", "1e" + std::to_string(power));
    }
    constexpr const char* colours[] = {"#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93",
                                       "#00798c", "#8d6e63", "#444444", "#c2185b", "#558b2f"};
    for (std::size_t c = 0; c < what.curves.size(); ++c) {
      const char* const colour = colours[c % std::size(colours)];
      print("<g stroke=\"%s\" fill=\"none\" stroke-width=\"1.5\"><polyline points=\"", colour);
      double x = 0, y = 0;
      bool is_empty = true;
      for (const auto& point : what.curves[c].points) {
        if (!decades::is_drawn(point)) continue;
        x = x_of(point[0]);
        y = y_of(point[1]);
        is_empty = false;
        print("%.1f,%.1f ", x, y);
      }
      out_ << "\"/>";
      for (const auto& point : what.curves[c].points) {
        if (!decades::is_drawn(point)) continue;
        print("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>", x_of(point[0]), y_of(point[1]));
      }
      out_ << "</g>\n";
      if (!is_empty) text(x + 5, y + 4, "start", what.curves[c].name);
    }
  }

 private:
  template <class... Values>
  void print(const char* format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    out_ << text;
  }
  void line(double x0, double y0, double x1, double y1) {
    print("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x0, y0, x1,
          y1);
  }
  void text(double x, double y, const char* anchor, const std::string& words) {
    print("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    out_ << escaped(words) << "</text>\n";
  }

  std::ostream& out_;
};

}  // namespace

void write_svg(std::ostream& out, const std::vector<panel>& panels) {
  svg_writer writer(out, panels.size());
  double shift = 0;
  for (const panel& each : panels) {
    writer.draw(each, shift);
    shift += width;
  }
}

}  // namespace fem
