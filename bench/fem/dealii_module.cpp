// A module around deal.II: MatrixFree and FEEvaluation as its users write them, with coefficients
// stored at the points: w detJ, or the upper triangle of w detJ J^-1 J^-T.
#include "fem/dealii_module.hpp"

#include <deal.II/base/multithread_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/fe/mapping_q_cache.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/matrix_free.h>
#include <deal.II/numerics/vector_tools_boundary.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace {

using namespace dealii;
using vector = LinearAlgebra::distributed::Vector<double>;
using lanes = VectorizedArray<double>;

/// What is behind the handle.
struct any_operator {
  virtual ~any_operator() = default;
  virtual void multiply() = 0;

  vector u, v;
  std::vector<std::size_t> place;  ///< our number of each entry
};

template <int p, bool Mass, int Q>
class matrix_free_operator : public any_operator {
  using evaluation = FEEvaluation<3, p, Q, 1, double>;
  static constexpr unsigned int points = Q * Q * Q, entries = Mass ? 1 : 6;

 public:
  explicit matrix_free_operator(int n) : fe_(p), dofs_(grid_) {
    GridGenerator::subdivided_hyper_cube(grid_, static_cast<unsigned int>(n));
    dofs_.distribute_dofs(fe_);
    if (!Mass) {
      VectorTools::interpolate_boundary_values(MappingQ1<3>(), dofs_, 0,
                                               Functions::ZeroFunction<3>(), constraints_);
    }
    constraints_.close();
    typename MatrixFree<3, double>::AdditionalData settings;
    settings.tasks_parallel_scheme = MatrixFree<3, double>::AdditionalData::none;
    DoFRenumbering::matrix_free_data_locality(dofs_, constraints_, settings);
    constraints_.clear();
    if (!Mass) {
      VectorTools::interpolate_boundary_values(MappingQ1<3>(), dofs_, 0,
                                               Functions::ZeroFunction<3>(), constraints_);
    }
    constraints_.close();

    MappingQCache<3> mapping(p);
    mapping.initialize(
        MappingQ1<3>(), grid_,
        [](const typename Triangulation<3>::cell_iterator&, const Point<3>& x) {
          double bump = 0.1;
          for (unsigned int d = 0; d < 3; ++d) bump *= std::sin(std::numbers::pi * x[d]);
          return Point<3>(x[0] + bump, x[1] + bump, x[2] + bump);
        },
        false);
    const Quadrature<1> rule =
        p + 1 == Q ? Quadrature<1>(QGaussLobatto<1>(Q)) : Quadrature<1>(QGauss<1>(Q));
    settings.mapping_update_flags = update_gradients | update_JxW_values;
    {
      MatrixFree<3, double> with_geometry;
      with_geometry.reinit(mapping, dofs_, constraints_, rule, settings);
      store(with_geometry);
    }
    settings.mapping_update_flags = update_default;
    data_.reinit(MappingQ1<3>(), dofs_, constraints_, rule, settings);
    data_.initialize_dof_vector(u);
    data_.initialize_dof_vector(v);
    find_places(n);
  }

  void multiply() override { data_.cell_loop(&matrix_free_operator::apply, this, v, u, true); }

 private:
  void store(const MatrixFree<3, double>& with_geometry) {
    evaluation cell(with_geometry);
    coefficients_.resize(with_geometry.n_cell_batches() * points * entries);
    for (unsigned int batch = 0; batch < with_geometry.n_cell_batches(); ++batch) {
      cell.reinit(batch);
      for (unsigned int q = 0; q < points; ++q) {
        lanes* const to = &coefficients_[(batch * points + q) * entries];
        if constexpr (Mass) {
          to[0] = cell.JxW(q);
        } else {
          // inverse_jacobian is J^-T: rows are of J^-T, so D(b, c) is a product of its columns.
          const Tensor<2, 3, lanes> inverse = cell.inverse_jacobian(q);
          unsigned int entry = 0;
          for (unsigned int b = 0; b < 3; ++b) {
            for (unsigned int c = b; c < 3; ++c, ++entry) {
              lanes sum = 0.;
              for (unsigned int x = 0; x < 3; ++x) sum += inverse[x][b] * inverse[x][c];
              to[entry] = cell.JxW(q) * sum;
            }
          }
        }
      }
    }
  }

  void apply(const MatrixFree<3, double>& data, vector& to, const vector& from,
             const std::pair<unsigned int, unsigned int>& range) const {
    evaluation cell(data);
    for (unsigned int batch = range.first; batch < range.second; ++batch) {
      cell.reinit(batch);
      const lanes* d = &coefficients_[batch * points * entries];
      if constexpr (Mass) {
        cell.gather_evaluate(from, EvaluationFlags::values);
        lanes* const x = cell.begin_values();
        for (unsigned int q = 0; q < points; ++q) x[q] *= d[q];
        cell.integrate_scatter(EvaluationFlags::values, to);
      } else {
        cell.gather_evaluate(from, EvaluationFlags::gradients);
        lanes *const x = cell.begin_gradients(), *const y = x + points, *const z = y + points;
        for (unsigned int q = 0; q < points; ++q, d += 6) {
          const lanes a = x[q], b = y[q], c = z[q];
          x[q] = d[0] * a + d[1] * b + d[2] * c;
          y[q] = d[1] * a + d[3] * b + d[4] * c;
          z[q] = d[2] * a + d[4] * b + d[5] * c;
        }
        cell.integrate_scatter(EvaluationFlags::gradients, to);
      }
    }
  }

  /// Our numbers from where the entries lie on the grid before it is deformed; our first axis is
  /// the slowest.
  void find_places(int n) {
    const std::vector<Point<1>> nodes = QGaussLobatto<1>(p + 1).get_points();
    std::vector<Point<3>> at(dofs_.n_dofs());
    DoFTools::map_dofs_to_support_points(MappingQ1<3>(), dofs_, at);
    const std::size_t along = static_cast<std::size_t>(n) * p + 1;
    place.resize(at.size());
    for (std::size_t dof = 0; dof < at.size(); ++dof) {
      for (unsigned int d = 0; d < 3; ++d) {
        const double x = at[dof][d] * n;
        const double cell = std::min(std::floor(x + 1e-9), n - 1.);
        const auto nearest =
            std::min_element(nodes.begin(), nodes.end(), [&](const Point<1>& a, const Point<1>& b) {
              return std::fabs(a[0] - (x - cell)) < std::fabs(b[0] - (x - cell));
            });
        place[dof] = place[dof] * along + static_cast<std::size_t>(cell) * p +
                     static_cast<std::size_t>(nearest - nodes.begin());
      }
    }
  }

  Triangulation<3> grid_;
  FE_Q<3> fe_;
  DoFHandler<3> dofs_;
  AffineConstraints<double> constraints_;
  MatrixFree<3, double> data_;
  AlignedVector<lanes> coefficients_;
};

template <int p>
any_operator* make_of_degree(int kind, int n) {
  if (kind == 0) return new matrix_free_operator<p, true, p + 2>(n);
  if (kind == 1) return new matrix_free_operator<p, false, p + 2>(n);
  return new matrix_free_operator<p, false, p + 1>(n);
}

any_operator& of(void* handle) { return *static_cast<any_operator*>(handle); }

void* make(int kind, int p, int n) {
  MultithreadInfo::set_thread_limit(1);
  switch (p) {
    case 2:
      return make_of_degree<2>(kind, n);
    case 3:
      return make_of_degree<3>(kind, n);
    case 4:
      return make_of_degree<4>(kind, n);
    case 5:
      return make_of_degree<5>(kind, n);
    case 6:
      return make_of_degree<6>(kind, n);
    case 7:
      return make_of_degree<7>(kind, n);
    case 8:
      return make_of_degree<8>(kind, n);
    default:
      return nullptr;
  }
}

void destroy(void* handle) { delete &of(handle); }

void set_source(void* handle, const double* values) {
  any_operator& a = of(handle);
  for (std::size_t i = 0; i < a.place.size(); ++i) {
    a.u.local_element(static_cast<unsigned int>(i)) = values[a.place[i]];
  }
}

void multiply(void* handle) { of(handle).multiply(); }

void get_result(void* handle, double* values) {
  any_operator& a = of(handle);
  for (std::size_t i = 0; i < a.place.size(); ++i) {
    values[a.place[i]] = a.v.local_element(static_cast<unsigned int>(i));
  }
}

constexpr dealii_module this_module{
    DEAL_II_PACKAGE_VERSION, lanes::size(), make, destroy, set_source, multiply, get_result};

}  // namespace

const dealii_module* open_dealii() { return &this_module; }
