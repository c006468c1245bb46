#include "eval/pca.h"

#include <algorithm>

#include <Eigen/Eigenvalues>

#include "pointpng/error.h"

namespace pointpng {
namespace {

/// The sign of an axis is arbitrary; it is fixed so that pictures agree.
void fix_sign(Eigen::Ref<Eigen::RowVectorXd> axis) {
  Eigen::Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis[largest] < 0.0) axis = -axis;
}

/// The product of a matrix with its transpose. Not Eigen's general product: that one is
/// multithreaded, and its last digits would depend on the number of threads.
Rows times_transpose(const Rows& matrix) {
  Rows product = Rows::Zero(matrix.rows(), matrix.rows());
  product.selfadjointView<Eigen::Lower>().rankUpdate(matrix);
  return product;
}

}  // namespace

Rows PrincipalComponents::project(const Rows& items) const {
  return (items.rowwise() - mean).lazyProduct(axes.transpose());
}

PrincipalComponents principal_components(const Rows& items, Eigen::Index count) {
  if (items.rows() < 2) throw InputError("two items or more are needed to see how they differ");
  PrincipalComponents found;
  found.mean = items.colwise().mean();
  const Rows centred = items.rowwise() - found.mean;
  const double total = centred.squaredNorm();
  const Eigen::Index n = items.rows(), d = items.cols();
  // The covariance, or the items' inner products where they are fewer: the same axes from either.
  const bool few_items = n < d;
  const Rows square = few_items ? times_transpose(centred) : times_transpose(centred.transpose());
  const Eigen::SelfAdjointEigenSolver<Rows> solver(square);
  found.axes = Rows::Zero(count, d);
  found.explained = Eigen::VectorXd::Zero(count);
  for (Eigen::Index k = 0; k < std::min(count, square.rows()); ++k) {
    const Eigen::Index place = square.rows() - 1 - k;  // the largest eigenvalue is the last
    const double variance = solver.eigenvalues()[place];
    if (variance <= 1e-12 * total || total == 0.0) break;
    const Eigen::VectorXd vector = solver.eigenvectors().col(place);
    Eigen::RowVectorXd axis = vector.transpose();
    if (few_items) axis = vector.transpose().lazyProduct(centred);
    axis.normalize();
    fix_sign(axis);
    found.axes.row(k) = axis;
    found.explained[k] = variance / total;
  }
  found.coordinates = found.project(items);
  return found;
}

}  // namespace pointpng
