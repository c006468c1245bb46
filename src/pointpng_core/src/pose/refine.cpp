#include "pose/refine.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "pose/icp.h"
#include "pose/slippage.h"

namespace pointpng {
namespace {

/// Does `work` for every candidate, on all threads.
template <typename Work>
void for_each_candidate(std::span<Candidate> candidates, Work work) {
  parallel_for(0, static_cast<std::int64_t>(candidates.size()),
               [&](std::int64_t i) { work(candidates[static_cast<std::size_t>(i)]); });
}

/// ICP of all candidates by some points of each cloud; scored by `judged` points.
void icp_all(const RegistrationProblem& problem, const RegistrationProblem& judge,
             Candidates& candidates, const IcpSchedule& schedule, std::int64_t judged) {
  for_each_candidate(candidates, [&](Candidate& candidate) {
    candidate.pose = icp(problem, candidate.pose, schedule);
    candidate.fit = judge.measure(candidate.pose, judged);
  });
  sort_distinct(problem, candidates);
}

/// Of candidates, best first, those that may still win; the others tell how clear the case is.
std::span<Candidate> contenders(Candidates& candidates) {
  const float least = kRefinement.refined * candidates.front().fit.score;
  const auto end =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& candidate) { return candidate.fit.score < least; });
  return {candidates.begin(), end};
}

}  // namespace

void sort_distinct(const RegistrationProblem& problem, Candidates& candidates) {
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.fit.score > b.fit.score; });
  Candidates distinct;
  for (const Candidate& candidate : candidates)
    if (std::none_of(distinct.begin(), distinct.end(), [&](const Candidate& other) {
          return problem.is_same(candidate.pose, other.pose);
        }))
      distinct.push_back(candidate);
  candidates = std::move(distinct);
}

void score_all(const RegistrationProblem& problem, Candidates& candidates) {
  for_each_candidate(candidates, [&](Candidate& candidate) {
    candidate.fit = problem.measure(candidate.pose, problem.num_points);
  });
  sort_distinct(problem, candidates);
}

void CoarseRefiner::refine(const RegistrationProblem& problem, const RegistrationProblem& judge,
                           Candidates& candidates) const {
  IcpSchedule schedule;
  schedule.points = kRefinement.coarse_points;
  schedule.iterations = kRefinement.coarse_iterations;
  schedule.first_kernel_scale = std::max(kRefinement.least_first_kernel * problem.spacing,
                                         kRefinement.first_kernel * problem.radius);
  schedule.last_kernel_scale = problem.spacing;
  if (candidates.size() > kRefinement.promising) {
    IcpSchedule quick = schedule;
    quick.points = kRefinement.quick_points;
    quick.iterations = kRefinement.quick_iterations;
    icp_all(problem, judge, candidates, quick, kRefinement.quick_judged);
    candidates.resize(std::min(candidates.size(), kRefinement.promising));
    schedule.first_kernel_scale = kRefinement.second_kernel * problem.spacing;
    schedule.iterations = kRefinement.second_iterations;
  }
  icp_all(problem, judge, candidates, schedule, kRefinement.judged);
}

void FineRefiner::refine(const RegistrationProblem& problem, Candidates& candidates) const {
  IcpSchedule schedule;
  schedule.points = problem.num_points;
  schedule.iterations = kRefinement.fine_iterations;
  schedule.first_kernel_scale = kRefinement.fine_kernel * problem.spacing;
  schedule.last_kernel_scale = problem.spacing;
  candidates.resize(std::min(candidates.size(), kRefinement.fine_hypotheses));
  for_each_candidate(contenders(candidates), [&](Candidate& candidate) {
    candidate.pose = icp(problem, candidate.pose, schedule);
    candidate.fit = problem.measure(candidate.pose, problem.num_points);
  });
  sort_distinct(problem, candidates);
  for_each_candidate(contenders(candidates),
                     [&](Candidate& candidate) { refine_trimmed(problem, candidate); });
  sort_distinct(problem, candidates);
}

void FineRefiner::refine_trimmed(const RegistrationProblem& problem, Candidate& candidate) const {
  // Where the surfaces slide, there is nothing to gain, and much to lose along the slide.
  if (slippage_of(problem, candidate.pose, information_at(problem, candidate.pose))
          .unconstrained_dof > 0)
    return;
  const RigidTransform refined =
      trimmed_icp(problem, candidate.pose, refinement_, candidate.fit.source_overlap);
  const Fit fit = problem.measure(refined, problem.num_points);
  if (fit.score <= candidate.fit.score) return;
  candidate.pose = refined;
  candidate.fit = fit;
}

}  // namespace pointpng
