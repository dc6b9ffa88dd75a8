// The classes of all rows of a Program: rows of one value are in one class if their fingerprints
// are equal (row_fingerprint.h).
//
// One sweep in the order of the ops. Fingerprints are made of distinct rows only: a linear's rows
// are first told apart by the classes that they read, and each pair of classes is multiplied once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "optimizer/iso/class_table.h"
#include "optimizer/iso/functions.h"
#include "optimizer/iso/keyed_hash.h"
#include "vecc/program.h"

namespace vecc::opt::iso {

/// The class of each row, and the classes' fingerprints. A table may be shared by values that hold
/// the same rows (gathers, concats) and have classes of which a value has no row.
struct ValueClasses {
  std::shared_ptr<ClassTable> table;
  std::vector<std::uint32_t> of_row;
  bool repeats = false;  ///< several classes may have one fingerprint
  /// Of that many classes, 0 .. numbered-1, each has its first row behind those of the ones before
  /// it, and there is no other; 0: that is not known.
  std::uint32_t numbered = 0;
};

/// What a loop over the rows of an op reads of one operand, which stays where it is.
class OperandRows {
 public:
  /// `rows`: of the op; one row of the operand is read by all.
  OperandRows(const ValueClasses& read, Shape shape, std::uint32_t rows)
      : table_(read.table.get()),
        of_row_(read.of_row.data()),
        ahead_(read.of_row.size() == rows ? rows : 0),
        step_(read.of_row.size() == 1 ? 0 : 1),
        shape_(shape) {}
  /// Of a class in the place of a row.
  OperandRows(const ClassTable& table, Shape shape) : table_(&table), shape_(shape) {}

  [[nodiscard]] RowFingerprint operator[](std::uint32_t row) const {
    const std::uint32_t row_class = of_row_ == nullptr ? row : of_row_[row * step_];
    return {shape_, table_->parts(row_class), table_->doubtful(row_class)};
  }
  /// Asks for what a row some ahead of `row` has. Classes lie anywhere where rows were gathered.
  void prefetch_ahead(std::uint32_t row) const {
    const std::size_t ahead = std::size_t{row} + ClassTable::kAhead;
    if (ahead < ahead_) table_->prefetch(of_row_[ahead]);
  }

 private:
  const ClassTable* table_;
  const std::uint32_t* of_row_ = nullptr;
  std::uint32_t ahead_ = 0;
  std::uint32_t step_ = 0;
  Shape shape_;
};

class FingerprintClasses {
 public:
  /// `program` must outlive the classifier and stay as it is. Fingerprints are made by
  /// threads where there are many (ListThreads). `narrow_side`: of values that have a fingerprint
  /// an element (row_fingerprint.h).
  FingerprintClasses(const Program& program, std::uint64_t seed,
                     std::uint32_t narrow_side = kNarrowSide);
  FingerprintClasses(const FingerprintClasses&) = delete;
  FingerprintClasses& operator=(const FingerprintClasses&) = delete;

  /// Asked for one value after the other, from %0 on. Valid until the next call. None (no table)
  /// for an output. `tells_apart`: false where it does not matter to the caller that equal rows are
  /// in one class; they are where it matters to an op that reads them.
  [[nodiscard]] const ValueClasses& classify(ValueId id, bool tells_apart = true);
  [[nodiscard]] const Keys& keys() const { return keys_; }
  /// Of all tables so far; see ClassTable::take_meetings.
  [[nodiscard]] std::uint64_t meeting_in_first_field() const { return meeting_; }

 private:
  /// Of one type of a contract: a hash of the multiset of pairs that are multiplied.
  struct PairSum {
    Residues sum;
    bool doubtful = false;
  };

  [[nodiscard]] ValueClasses classes(const FactOp& fact, ValueId id);
  [[nodiscard]] ValueClasses classes(const WeightOp& weight, ValueId id);
  [[nodiscard]] ValueClasses classes(const ConcatOp& concat, ValueId id);
  [[nodiscard]] ValueClasses classes(const GatherOp& gather, ValueId id);
  [[nodiscard]] ValueClasses classes(const LinearOp& linear, ValueId id);
  [[nodiscard]] ValueClasses classes(const SegmentOp& segment, ValueId id);
  [[nodiscard]] ValueClasses classes(const TransformOp& transform, ValueId id);
  [[nodiscard]] ValueClasses classes(const MapOp& map, ValueId id);
  [[nodiscard]] ValueClasses classes(const ContractOp& contract, ValueId id);
  [[nodiscard]] ValueClasses classes(const VjpOp& vjp, ValueId id);
  [[nodiscard]] ValueClasses classes(const DrawOp& draw, ValueId id);
  [[nodiscard]] ValueClasses classes(const TakeOp&, ValueId id) { return of_its_own(id); }
  [[nodiscard]] ValueClasses classes(const SumEqualOp&, ValueId id) { return of_its_own(id); }
  [[nodiscard]] ValueClasses classes(const ScatterSumOp&, ValueId id) { return of_its_own(id); }
  [[nodiscard]] ValueClasses classes(const StateOp& state, ValueId id);
  [[nodiscard]] ValueClasses classes(const UpdateOp& update, ValueId id);
  [[nodiscard]] ValueClasses classes(const OutputOp& output, ValueId id);

  [[nodiscard]] const ValueClasses& operand(ValueId id, std::size_t k) const {
    return *classes_[program_.op(id).operands[k]];
  }
  /// Of all operands; of `by_class`, if there is one, classes are read in the place of rows.
  [[nodiscard]] std::vector<OperandRows> operand_rows(ValueId id,
                                                      const ValueClasses* by_class = nullptr) const;
  /// Nothing yet, for the rows of a value.
  [[nodiscard]] ValueClasses start(ValueId id);
  /// The rows of a parameter or state: a class each.
  [[nodiscard]] ValueClasses by_identity(const KeyedHash& name, ValueId id);
  /// The rows of an op of which nothing is known: equal to no other op's.
  [[nodiscard]] ValueClasses of_its_own(ValueId id);
  /// How rows are told apart before they have fingerprints.
  struct Apart {
    /// By row: the first that reads the same.
    std::optional<std::vector<std::uint32_t>> first;
    /// Or what tells them apart, whose classes are numbered: fingerprints are those of its classes.
    const ValueClasses* by = nullptr;

    [[nodiscard]] bool is_known() const { return first || by != nullptr; }
  };
  /// Rows told apart by what they read, or not. `fingerprint(i, parts)` is asked for the first
  /// rows, or for classes, and returns whether it is doubtful. Each thread has a copy of it.
  /// `are_different`: these have different fingerprints, or need no class that says so.
  template <class Fingerprint>
  [[nodiscard]] ValueClasses by_reads(ValueId id, const Apart& apart,
                                      const Fingerprint& fingerprint, bool are_different = false);
  template <class Fingerprint>
  [[nodiscard]] ValueClasses by_classes(ValueId id, const ValueClasses& read,
                                        const Fingerprint& fingerprint, bool are_different);
  template <class Fingerprint>
  void by_first_rows(const std::vector<std::uint32_t>& first, const Fingerprint& fingerprint,
                     bool are_different, ValueClasses& result);
  /// The same of a hash of all that a row reads, so that different reads make different rows, but
  /// for those that are 0.
  template <class Fingerprint>
  [[nodiscard]] ValueClasses by_hashed_reads(ValueId id, const Apart& apart,
                                             const Fingerprint& fingerprint);
  /// Rows of a value that is made row by row, by the rows and words that each reads.
  [[nodiscard]] Apart apart_by_reads(ValueId id, std::span<const std::uint32_t> words = {});
  /// The same; not where it would take as long to tell rows apart as to make fingerprints.
  [[nodiscard]] Apart apart_by_few_reads(ValueId id, std::span<const std::uint32_t> words = {});
  [[nodiscard]] std::vector<const ValueClasses*> reads_by_row(ValueId id) const;
  [[nodiscard]] bool is_one_to_one(const MapOp& map, ValueId id) const;
  /// By the classes of one operand.
  [[nodiscard]] static Apart apart_by_class(const ValueClasses& read);
  /// Whether rows of a value that is made row by row most likely read different ones.
  [[nodiscard]] bool reads_many(ValueId id) const;
  /// Whether an operand has one fingerprint in several classes.
  [[nodiscard]] bool reads_repeats(ValueId id) const;
  /// After mark_ was used for the classes of a value's rows.
  void clear_marks(const ValueClasses& value);
  void append_rows(const ValueClasses& from, ValueClasses& to);
  [[nodiscard]] ValueClasses row_wise_classes(const VjpOp& vjp, ValueId id);
  [[nodiscard]] ValueClasses segment_classes(const VjpOp& vjp, ValueId id);
  void reduce_segments(const SegmentOp& segment, ValueId id, ValueClasses& result);
  [[nodiscard]] std::vector<std::uint32_t> take_single_members(const SegmentOp& segment, ValueId id,
                                                               ValueClasses& result);
  void share_segments(const SegmentOp& segment, ValueId id, ValueClasses& result);
  static void share_entries(const Keys& keys, Combination combination, Shape shape,
                            std::span<const Residues> member, const MultisetHash& all,
                            bool doubtful, std::span<Residues> share);
  [[nodiscard]] std::vector<PairSum> pair_sums(const ContractOp& contract, ValueId id);
  void add_pairs(const ContractOp& contract, ValueId id, std::uint32_t begin, std::uint32_t end,
                 std::vector<PairSum>& sums) const;

  static constexpr std::uint32_t kNoMark = 0xFFFFFFFF;

  const Program& program_;
  Keys keys_;
  std::vector<ValueId> last_reader_;   // by value; itself if nothing reads it
  std::vector<bool> only_row_by_row_;  // by value: only ops that look at single rows read it
  bool tells_apart_ = true;            // of the value that is asked for
  // By value, from it to its last reader.
  std::vector<std::unique_ptr<ValueClasses>> classes_;
  std::vector<std::uint32_t> mark_;  // by class, kNoMark between calls
  std::uint64_t meeting_ = 0;
};

}  // namespace vecc::opt::iso
