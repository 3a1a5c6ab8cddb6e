#include "common/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace tenfold::bench {
namespace {

constexpr double width = 1060, height = 560;
constexpr double left = 70, right = 290, top = 50, bottom = 60;  // of the frame, to the edges

/// Told apart also by most people who see fewer colours (Okabe and Ito, then Tol).
constexpr const char* colours[] = {"#0072b2", "#009e73", "#e69f00", "#cc79a7", "#56b4e9",
                                   "#8c564b", "#6a3d9a", "#8a8a8a", "#b8a600", "#004d40"};

/// Text as SVG has it.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// 1, 2 or 5 times a power of ten, so that `range` has at most `most` steps.
double tick_step(double range, int most) {
  double step = std::pow(10, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (range / (step * factor) <= most) return step * factor;
  }
  return 10 * step;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string place(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* more = "") {
  return "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" text-anchor=\"" + anchor + "\"" +
         more + ">" + escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* stroke) {
  return "<line x1=\"" + place(x1) + "\" y1=\"" + place(y1) + "\" x2=\"" + place(x2) + "\" y2=\"" +
         place(y2) + "\" " + stroke + "/>\n";
}

}  // namespace

bool write_plot(const std::string& file, const std::string& title, const std::string& x_label,
                const std::string& y_label, const std::vector<curve>& curves) {
  double x_most = 1, y_most = 1;
  for (const curve& c : curves) {
    for (const auto& [x, y] : c.points) {
      x_most = std::max(x_most, x);
      if (std::isfinite(y)) y_most = std::max(y_most, y);
    }
  }
  const double x_step = std::max(1.0, tick_step(x_most, 20));
  const double y_step = tick_step(y_most, 10);
  y_most = std::ceil(y_most / y_step) * y_step;
  const double frame_right = width - right, frame_bottom = height - bottom;
  const auto x_place = [&](double x) { return left + x / x_most * (frame_right - left); };
  const auto y_place = [&](double y) { return frame_bottom - y / y_most * (frame_bottom - top); };

  std::ofstream out(file);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"13\" "
         "fill=\"#222\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << text_at(left, 28, "start", title, " font-size=\"16\" font-weight=\"bold\"");

  for (double x = 0; x <= x_most * 1.0001; x += x_step) {
    out << line(x_place(x), top, x_place(x), frame_bottom, "stroke=\"#eee\"")
        << text_at(x_place(x), frame_bottom + 18, "middle", number(x));
  }
  for (double y = 0; y <= y_most * 1.0001; y += y_step) {
    out << line(left, y_place(y), frame_right, y_place(y), "stroke=\"#eee\"")
        << text_at(left - 8, y_place(y) + 4, "end", number(y));
  }
  out << line(left, frame_bottom, frame_right, frame_bottom, "stroke=\"#444\"")
      << line(left, top, left, frame_bottom, "stroke=\"#444\"")
      << text_at((left + frame_right) / 2, height - 18, "middle", x_label)
      << text_at(
             0, 0, "middle", y_label,
             (" transform=\"translate(22 " + place((top + frame_bottom) / 2) + ") rotate(-90)\"")
                 .c_str());

  std::size_t other = 0;
  double legend = top + 10;
  std::string shown, ours;  // ours on top of all others
  for (const curve& c : curves) {
    std::string stroke;
    switch (c.how) {
      case curve::look::ours:
        stroke = "stroke=\"#d62728\" stroke-width=\"3\"";
        break;
      case curve::look::bound:
        stroke = "stroke=\"#444\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"";
        break;
      case curve::look::other:
        stroke = std::string("stroke=\"") + colours[other % std::size(colours)] +
                 "\" stroke-width=\"1.6\"";
        // The colours have been used once.
        if (other++ >= std::size(colours)) stroke += " stroke-dasharray=\"2 3\"";
    }
    std::string path = "<polyline fill=\"none\" stroke-linejoin=\"round\" " + stroke + " points=\"";
    for (const auto& [x, y] : c.points) {
      if (std::isfinite(y)) path += place(x_place(x)) + ',' + place(y_place(y)) + ' ';
    }
    path += "\"/>\n";
    (c.how == curve::look::ours ? ours : shown) += path;
    out << line(frame_right + 16, legend - 4, frame_right + 44, legend - 4, stroke.c_str())
        << text_at(frame_right + 52, legend, "start", c.name);
    legend += 21;
  }
  out << shown << ours;
  out << "</svg>\n";
  out.close();
  return static_cast<bool>(out);
}

}  // namespace tenfold::bench
