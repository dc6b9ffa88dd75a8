#include "src/batch/reach_numbers.h"

#include <map>
#include <tuple>

#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// By buffer: rows that are at rest may be read of it.
std::vector<bool> read_at_rest(const BatchPlan& plan, const std::vector<LaunchTraits>& traits) {
  std::vector<bool> read(plan.zero_buffers.size(), false);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    for (const BatchAccess& access : plan.launches[l].accesses) {
      if (access.is_zero && access.is_made && traits[l].reads_zeros) read[access.buffer] = true;
    }
  }
  return read;
}

}  // namespace

ReachNumbers::ReachNumbers(const BatchPlan& plan) : plan_(plan), traits_(launch_traits(plan)) {
  const auto take = [&](std::uint64_t count) {
    const std::uint64_t first = count_;
    count_ += (count + 63) / 64 * 64;
    return first;
  };
  const std::vector<bool> may_rest = read_at_rest(plan, traits_);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const BatchLaunch& launch = plan.launches[l];
    Places& places = places_.emplace_back();
    places.rows = take(traits_[l].has_rows_by_members ? 0 : launch.rows);
    if (launch.drops) places.members = take(member_count(launch));
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      const BatchAccess& access = launch.accesses[a];
      if (access.store && may_rest[access.buffer]) places.rests.push_back({a, take(access.rows)});
    }
  }
  whole_ = take(plan.launches.size());
  groups_ = take(plan.groups.size());
  find_alike();
}

ReachNumbers::Sections ReachNumbers::sections(const std::vector<bool>& is_whole) const {
  Sections all;
  const auto add = [&](std::uint64_t first, std::uint64_t count, bool is_own) {
    all.sections.push_back({first, count});
    all.is_own.push_back(is_own);
  };
  for (std::uint32_t l = 0; l < places_.size(); ++l) {
    const BatchLaunch& launch = plan_.launches[l];
    add(places_[l].rows, traits_[l].has_rows_by_members ? 0 : launch.rows, is_whole[l]);
    if (launch.drops) add(places_[l].members, member_count(launch), false);
    for (const Rests& rests : places_[l].rests) {
      add(rests.first, launch.accesses[rests.access].rows, true);
    }
  }
  add(whole_, plan_.launches.size(), true);
  add(groups_, plan_.groups.size(), true);
  return all;
}

void ReachNumbers::move_to(std::span<const std::uint64_t> begins) {
  std::size_t s = 0;
  for (std::uint32_t l = 0; l < places_.size(); ++l) {
    places_[l].rows = begins[s++];
    if (plan_.launches[l].drops) places_[l].members = begins[s++];
    for (Rests& rests : places_[l].rests) rests.first = begins[s++];
  }
  whole_ = begins[s++];
  groups_ = begins[s++];
  count_ = begins[s];
  find_alike();
}

void ReachNumbers::find_alike() {
  using Key = std::tuple<std::uint64_t, std::uint64_t, const void*, const void*, std::uint32_t>;
  std::map<Key, std::uint32_t> firsts;
  alike_.clear();
  for (std::uint32_t l = 0; l < places_.size(); ++l) {
    const BatchLaunch& launch = plan_.launches[l];
    const std::uint64_t rows = traits_[l].has_rows_by_members ? count_ : places_[l].rows;
    const std::uint64_t members = launch.drops ? places_[l].members : count_;
    const void* const owners = launch.drops ? launch.owners.get() : nullptr;
    const Key key{rows, members, owners, launch.types.get(), launch.rows};
    alike_.push_back(firsts.try_emplace(key, l).first->second);
  }
}

std::uint64_t ReachNumbers::counters(std::uint32_t number, KernelSpace space) const {
  const bool by_members = traits_[number].has_rows_by_members;
  const bool is_member = space == KernelSpace::Member;
  // In the order of the numbers, unless they are sorted by type; members of rows that run are not
  // all that there are.
  if (plan_.launches[number].types == nullptr && by_members == is_member) {
    return is_member ? places_[number].members : places_[number].rows;
  }
  return count_ + alike_[number] * std::uint64_t{2} + (is_member ? 1 : 0);
}

}  // namespace vecc
