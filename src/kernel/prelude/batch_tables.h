// Kernel prelude, CUDA only: what a batch is made from on a device (prelude/make_batch.h). The host
// writes these tables, and includes this file. Pointers are those of the device.
#if !defined(VECC_BATCH_TABLES)
#define VECC_BATCH_TABLES
namespace vecc_kernel {

// Words of 64 numbers that one block lists.
constexpr unsigned kChunkWords = 256;
constexpr unsigned kUniteBlocks = 256;
constexpr unsigned kNoPlace = ~0u;
constexpr unsigned long long kNoNumber = ~0ull;

// What a batch reaches is a set of numbers (src/batch/weight_reach.h). Of a NumberJob those at
// positions 0 .. count - 1 are kept that the batch has, in this order: rows or members of launches
// that are alike, or rows of a store that are set to rest.
enum NumberKind : unsigned {
  kRowNumbers,     // the set has row `counter`, or `whole`
  kOwnerNumbers,   // it has a member of the row
  kMemberNumbers,  // it has the member, and its row as kRowNumbers; rows_first kNoNumber: any row
  kRestNumbers,    // it has the row, which nothing stores
};
struct NumberJob {
  NumberKind kind;
  unsigned count;
  unsigned first_chunk;
  unsigned first_use;  // of job_uses: arrays that are written with its numbers
  unsigned end_use;
  unsigned rest;                  // kRestNumbers: of rests
  unsigned long long first;       // the number of counter 0
  unsigned long long rows_first;  // of row 0
  unsigned long long whole;       // the number by which all rows run; kNoNumber: none
  const unsigned* order;          // kRowNumbers: by position its counter; null: the same
  const unsigned* begins;         // kOwnerNumbers: by row, where its members begin
  const unsigned* owners;         // kMemberNumbers: by member, its row
};

// Rows of a store that are 0, or infinite, where they are read and no row that runs stores them.
struct RestStore {
  // By row from `first_row` on, `limit` of them, its readers, which store it: those between two
  // begins; without begins, the one of `readers`; without these, the number itself.
  const unsigned* reader_begins;
  const unsigned* readers;
  unsigned first_row;
  // A reader is a row; or a member, whose row is in `owners`, or is a quotient, or a remainder.
  const unsigned* owners;
  unsigned divisor;    // 0: none
  unsigned remainder;  // by
  unsigned limit;
  unsigned by_members;          // a member that runs stores it, not its row
  unsigned long long members;   // the number of member 0
  unsigned long long rows;      // of row 0
  unsigned long long whole;     // as NumberJob's
  const unsigned* row_members;  // a row runs if one of its members does: where they begin
  // Zeros of row 0.
  unsigned long long address;
  unsigned long long row_bytes;
  unsigned long long count;
  double value;
};

struct LaunchRows {
  unsigned rows_job;
  unsigned rows;         // all
  unsigned drops;        // numbers its rows and members anew
  unsigned first_zeros;  // of rests
  unsigned end_zeros;
};

// Words of a NumberJob of rests that one block looks at: of chunks kChunkWords.
constexpr unsigned kRestWords = 16;
struct RestChunk {
  unsigned job;
  unsigned first;  // position
};

// An array that a launch has for a batch. Launches that have equal ones share that of the first of
// them that runs.
enum ArrayKind : unsigned {
  kEntries,  // of `list`, or the numbers themselves
  kOffsets   // by row, where its members begin among those of the batch, and the end
};
struct BatchArray {
  ArrayKind kind;
  unsigned launch;
  unsigned job;      // whose numbers there are; kOffsets: of the rows
  unsigned members;  // kOffsets: their job
  unsigned before;   // the same array of an earlier launch, or kNoPlace
  unsigned narrow;   // entries of 16 bits
  const unsigned* list;
  const unsigned* begins;  // kOffsets: by row, its first member
};

// What differs between batches in the arguments of launches.
enum PatchKind : unsigned {
  kArrayAddress,  // index: of arrays
  kRowCount,      // index: of launches
  kStored,        // index: of launches; goes nowhere if it runs and the set has no `number`
};
struct BatchPatch {
  unsigned at;  // in the image
  PatchKind kind;
  unsigned index;
  unsigned long long number;
};

// Rows that blocks of a node may have, in the order of its blocks.
enum SegmentKind : unsigned {
  kZeroRows,   // of the launch's Zeros
  kWholeRows,  // begin .. end - 1, where all rows run
  kSomeRows,   // all that run
  kTypedRows,  // those at positions begin .. end - 1
};
struct BlockSegment {
  SegmentKind kind;
  unsigned launch;
  unsigned number;  // of the launch in its node
  unsigned begin;
  unsigned end;
  unsigned type;
};
struct BatchNode {
  unsigned blocks;  // in the image
  unsigned block_count;
  unsigned first_segment;
  unsigned end_segment;
  unsigned parts;
  unsigned rows;        // of a block
  unsigned is_product;  // the most that it has (rows_of_block())
};

// Of a number that a job names: which other one it stands for.
struct NumberMap {
  const unsigned* list;  // null: itself
  unsigned divisor;      // of that; 0: not divided
  unsigned remainder;    // by
  unsigned is_zero;      // 0, whatever the number
};
// Numbers that a row of a job names.
enum SearchExpand : unsigned {
  kItself,
  kReaders,         // readers[begins[row]] .. readers[begins[row + 1] - 1]
  kMembers,         // begins[row] .. begins[row + 1] - 1
  kFixedMembers,    // row * members + k for k < members
  kStridedMembers,  // row + k * stride
};
// A step of the search for what a batch reaches (backends/cuda/batch_search.h): of rows in one set,
// what they name is put into another.
enum SearchKind : unsigned {
  kWalk,
  kFill,  // all `limit` numbers of its target, if one of the source is there
  kDraw,  // rows are segments, members of which are drawn: `draw` of draws
};
struct SearchJob {
  SearchKind kind;
  unsigned draw;
  unsigned long long source;  // the number of row 0; a fill's kNoNumber: always
  unsigned long long count;   // numbers of the source
  unsigned size;              // of a row
  unsigned limit;             // rows from here on do not count
  NumberMap before;           // of rows
  SearchExpand expand;
  unsigned members;
  unsigned stride;
  unsigned first_target;  // where what is named is put: of search_targets
  unsigned end_copies;    // words of the source as they are are put into those before it
  unsigned end_target;
  const unsigned* begins;
  const unsigned* readers;
};
struct SearchTarget {
  NumberMap after;            // of what a row names
  NumberMap owner;            // of that, too: is put there if number `only` + owner is there
  unsigned long long only;    // kNoNumber: in any case
  unsigned long long unless;  // where its first number from `unless` on is not there; kNoNumber
  unsigned long long first;   // the number of 0
  unsigned size;              // numbers that one named is
  unsigned to_row;            // the row is put there, if it names any
};
// Words of a chunk, at most: few, so that the rows of a full one are looked at by many threads, and
// enough for most threads to have one where a bit of a word is set.
constexpr unsigned kSearchWords = 128;
struct SearchChunk {
  unsigned job;
  unsigned word;  // its first
  unsigned words;
};
// Members of segments, drawn as src/train/draw_members.h says.
enum DrawnCounts : unsigned {
  kInMean,  // weight 1 / k of k drawn
  kInSum,   // weight 1; scaled n / k of n
  kThere,   // weight 1
};
struct DrawJob {
  const unsigned* begins;  // by segment, and the end; null: `members` each
  unsigned members;
  unsigned limit;
  unsigned first_owner;  // that segment 0 draws as
  unsigned first_row;    // of the table of weights: of member 0
  unsigned writes;       // weights of those drawn
  DrawnCounts counts;
  unsigned is_scaled;
  unsigned unused;
  unsigned long long drawn;  // the number of member 0
};

// Where rows of weights that are not 0 begin in what is not 0.
struct WeightSection {
  unsigned weights;
  unsigned unit;  // rows of a number
  unsigned long long first;
};

struct BatchTables {
  // What is there of a batch's search, or else WeightReach's sets.
  const SearchJob* search_jobs;
  const SearchTarget* search_targets;
  const SearchChunk* search_chunks;
  const WeightSection* weight_sections;
  const DrawJob* draws;
  const unsigned long long* sample_numbers;  // by sample: that it begins with
  const unsigned* set_begins;
  const unsigned* set_words;
  const unsigned long long* set_bits;
  const NumberJob* jobs;
  const unsigned* chunk_jobs;
  const unsigned* job_uses;
  const RestStore* rests;
  const unsigned* rest_jobs;
  const RestChunk* rest_chunks;
  const LaunchRows* launches;
  const BatchArray* arrays;
  const BatchPatch* patches;
  const BlockSegment* segments;
  const BatchNode* nodes;
  // What kernels leave for one another. Set by the last of them to 0 again: `reached`.
  unsigned long long* reached;
  unsigned long long* words;         // by chunk kChunkWords
  unsigned* before;                  // by word: numbers of its chunk before it
  unsigned* chunk_sizes;             // by chunk
  unsigned* chunk_begins;            // by chunk, and the end: numbers of all before it
  unsigned* zero_begins;             // by rest, and the end: Zeros before its
  unsigned* array_begins;            // by array: entries before it
  unsigned long long* array_places;  // by array: in the image, or kUnused, or kShared
  unsigned* segment_begins;          // by segment: blocks of its node before it
  unsigned long long* image_bytes;   // that the image takes
  unsigned weight_section_count;
  unsigned draw_weights;  // whose weights members have
  unsigned draw_key[2];
  unsigned reached_words;
  unsigned chunks;
  unsigned rest_count;
  unsigned rest_chunk_count;
  unsigned array_count;
  unsigned patch_count;
  unsigned node_count;
  unsigned multiprocessors;
  unsigned fewest_product_rows;  // of a block
  unsigned long long fixed;      // where Zeros begin in the image
  unsigned long long nowhere;    // an address
};

// Stands before what a batch brings: NumberWrites, then the sets of its weights' rows; of one that
// is searched WeightRows, then what these name.
struct BatchInput {
  unsigned writes;
  unsigned sets;            // or WeightRows
  unsigned long long draw;  // where a DrawInput is, in bytes; 0: nothing is drawn
};
struct DrawInput {
  unsigned long long run;
  unsigned long long values;  // addresses: of the weights of members
  unsigned long long drawn;   // of a bit for each: has one that is not 0
  unsigned rows;
  unsigned samples;
  unsigned first_sample;  // in bytes, as in WeightRows
  unsigned unused;
};
struct WeightRows {
  unsigned long long values;  // the address of row 0's
  unsigned before;            // rows that the batch before had, and that are 0 again
  unsigned count;             // rows of this one
  // From the input's beginning, in bytes.
  unsigned first_before;
  unsigned first_row;
  unsigned first_value;
  unsigned unused;
};

// As Zeros of prelude/batches.h, and kZeros.
struct MadeZeros {
  unsigned long long first;
  unsigned long long count;
  double value;
};
constexpr unsigned kMadeZeros = ~0u;
constexpr unsigned kZerosOfBlock = 64;
// As BlockRows of prelude/lanes.h.
struct MadeBlock {
  unsigned begin;
  unsigned end;
  unsigned type;
  unsigned launch;
};

struct MakeBatch {
  const BatchTables* tables;
  const BatchInput* input;
  const unsigned char* bounds;  // that all batches begin with
  unsigned char* image;
  unsigned long long capacity;     // a larger one is not written
  unsigned long long first_chunk;  // of a step of the search
};

}  // namespace vecc_kernel
#endif
