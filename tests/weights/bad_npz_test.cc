// .npy and .npz that lie: each is refused with these words.
#include <gmock/gmock.h>

#include <functional>

#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

std::string npz_error(const std::string& bytes, const WeightLimits& limits = {}) {
  const auto file = read_weights_bytes(bytes, "w", limits);
  return file ? "no error" : file.error().text();
}

std::string npy_header_error(const std::string& header) {
  return npz_error(npy_file(header, "12345678"));
}

std::string array_error(const std::string& descr, const std::string& shape = "(2,)",
                        const std::string& data = "12345678") {
  return npz_error(npy_array(descr, shape, data));
}

const std::string kArray = npy_array("<f4", "(2,)", "12345678");

/// The error of an archive of one entry that `edit` has changed.
std::string entry_error(const std::function<void(ZipPart&)>& edit, bool deflate = false) {
  ZipPart part = zip_part("a.npy", kArray, deflate);
  edit(part);
  return npz_error(zip_file({part}));
}

TEST(BadNpy, control_is_good) {
  EXPECT_EQ(npz_error(kArray), "no error");
  EXPECT_EQ(entry_error([](ZipPart&) {}), "no error");
  EXPECT_EQ(entry_error([](ZipPart&) {}, true), "no error");
}

TEST(BadNpy, objects_are_never_unpickled) {
  EXPECT_EQ(array_error("|O"),
            "w: error: is an array of Python objects, which are pickled: pickles are never read "
            "[E026]");
  EXPECT_EQ(array_error("O8"),
            "w: error: has type \"O8\", expected f2, f4, f8, b1 or an integer type [E026]");
}

TEST(BadNpy, types_that_are_no_numbers_of_ours) {
  for (const char* descr : {"<c16", "<f16", "<U5", "|S3", "|V2", "<M8[ns]", "x", "", "f", "!f4"}) {
    EXPECT_EQ(array_error(descr), "w: error: has type \"" + std::string(descr) +
                                      "\", expected f2, f4, f8, b1 or an integer type [E026]");
  }
  EXPECT_EQ(npy_header_error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
            "w: error: is an array of records, expected one number an element [E026]");
}

TEST(BadNpy, ends_early) {
  EXPECT_EQ(npz_error("\x93NUMPY\x01"),
            "w: error: ends within the array's header, which has 8 more bytes [E003]");
  EXPECT_EQ(npz_error(std::string("\x93NUMPY\x01\0\xff\xff", 10)),
            "w: error: ends within the array's header, which has 65535 more bytes [E003]");
  EXPECT_EQ(array_error("<f4", "(3,)"),
            "w: error: has 8 bytes of data, but F32 [3] takes 12 bytes [E003]");
  EXPECT_EQ(array_error("<f4", "(4294967296, 4294967296)"),
            "w: error: has 8 bytes of data, but F32 [4294967296, 4294967296] takes more than 2^64 "
            "bytes [E003]");
  EXPECT_EQ(array_error("<f4", "(1,)"),
            "w: error: has 8 bytes of data, but F32 [1] takes 4 bytes [E025]");
}

TEST(BadNpy, versions_and_lengths) {
  EXPECT_EQ(npz_error(npy_array("<f4", "(2,)", "12345678", false, 4)),
            "w: error: is .npy version 4.0, expected 1.0, 2.0 or 3.0 [E026]");
  EXPECT_EQ(npz_error(npy_file(std::string(65537, ' '), "", 2)),
            "w: error: the array's header has 65537 bytes, expected at most 65536 [E025]");
}

TEST(BadNpy, headers_that_are_no_dictionary) {
  EXPECT_EQ(npy_header_error(""),
            "w: error: the array's header has the end at its byte 0, expected '{' [E025]");
  EXPECT_EQ(npy_header_error("{}"),
            "w: error: the array's header lacks one of 'descr', 'fortran_order', 'shape' [E025]");
  EXPECT_EQ(npy_header_error("{'shape': (2,), 'shape': (2,)}"),
            "w: error: the array's header has 'shape' twice [E015]");
  EXPECT_EQ(npy_header_error("{'\x1b': 1}"),
            "w: error: the array's header has the key \"\\x1b\", expected 'descr', "
            "'fortran_order' and 'shape' only [E025]");
  EXPECT_EQ(npy_header_error("{'shape': (2,)} + exit()"),
            "w: error: the array's header has \"+ exit()\" at its byte 16, expected the end "
            "[E025]");
  EXPECT_EQ(npy_header_error("{'fortran_order': None}"),
            "w: error: the array's header has \"None}\" at its byte 18, expected True or False "
            "[E025]");
  EXPECT_EQ(npy_header_error("{'descr': '<f4"),
            "w: error: the array's header has \"'<f4\" at its byte 10, expected a string [E025]");
  EXPECT_EQ(npy_header_error("{'descr': '<\\x66'}"),
            "w: error: the array's header has \"'<\\\\x66'}\" at its byte 10, expected a string "
            "without escapes [E025]");
  EXPECT_EQ(npy_header_error("{'shape': (-2,)}"),
            "w: error: the array's header has \"-2,)}\" at its byte 11, expected a number from 0 "
            "to 2^64-1 [E025]");
  EXPECT_EQ(npy_header_error("{'shape': (18446744073709551616,)}"),
            "w: error: the array's header has \"18446744073709551616\" at its byte 11, expected a "
            "number from 0 to 2^64-1 [E025]");
  EXPECT_EQ(npy_header_error("{'shape': (2 3)}"),
            "w: error: the array's header has \"3)}\" at its byte 13, expected ')' [E025]");
  EXPECT_THAT(npy_header_error("{'shape': ((((((2"),
              HasSubstr("expected a number from 0 to 2^64-1"));
  std::string many = "{'shape': (";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_THAT(npy_header_error(many + ")}"), HasSubstr("expected at most 64 dimensions [E025]"));
}

TEST(BadNpz, entries_that_are_no_arrays) {
  EXPECT_EQ(entry_error([](ZipPart& part) { part.name = "archive/data.pkl"; }),
            "w: entry \"archive/data.pkl\": error: is a pickle, as PyTorch's own files hold, and "
            "pickles are never read: save with safetensors.torch.save_file [E026]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.name = "a\n"; }),
            "w: entry \"a\\n\": error: is no array, expected names that end in .npy [E026]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.name = "\xff.npy"; }),
            "w: entry \"\\xff.npy\": error: has a name that is not UTF-8 [E025]");
  EXPECT_EQ(npz_error(zip_file({zip_part("a.npy", "0123456789")})),
            "w: entry \"a.npy\": error: is no .npy array: it begins with another mark [E025]");
}

TEST(BadNpz, entries_that_are_not_read) {
  EXPECT_EQ(entry_error([](ZipPart& part) { part.flags = 1; }),
            "w: entry \"a.npy\": error: is encrypted, expected plain data [E026]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.method = 14; }),
            "w: entry \"a.npy\": error: is packed by method 14, expected 0 (stored) or 8 "
            "(deflated) [E026]");
}

TEST(BadNpz, sizes_that_lie) {
  EXPECT_EQ(entry_error([](ZipPart& part) { ++part.bytes; }),
            "w: entry \"a.npy\": error: is stored as it is, but has 76 bytes packed and 77 "
            "unpacked [E025]");
  // How many deflated bytes there are is zlib's choice.
  EXPECT_THAT(entry_error([](ZipPart& part) { part.bytes = 200'000'000; }, true),
              HasSubstr("has 200000000 bytes, more than "));
  EXPECT_EQ(entry_error([](ZipPart& part) { --part.bytes; }, true),
            "w: entry \"a.npy\": error: has 7 bytes of data, but F32 [2] takes 8 bytes [E003]");
}

/// An archive of arrays of 256 MiB each, in so many packed bytes each.
std::string bomb_error(std::size_t arrays, std::size_t packed) {
  std::vector<ZipPart> parts;
  for (std::size_t i = 0; i < arrays; ++i) {
    ZipPart part = zip_part(std::to_string(i) + ".npy", kArray, true);
    part.bytes = std::uint64_t{256} << 20;
    part.packed.resize(packed);
    parts.push_back(std::move(part));
  }
  return npz_error(zip_file(parts));
}

TEST(BadNpz, small_archives_of_large_arrays) {
  constexpr std::size_t kPacked = std::size_t{1} << 19;  // a ratio of 512
  EXPECT_EQ(bomb_error(2, kPacked),
            "w: error: has 1048770 bytes and unpacks to 536870912, expected at most 200 times its "
            "bytes where that is more than 256 MiB; save it unpacked (numpy.savez) [E040]");
  // What these say is within the limit; what they hold is not what they say.
  EXPECT_THAT(bomb_error(1, kPacked), HasSubstr("bytes of data, but F32 [2] takes 8 bytes"));
  EXPECT_THAT(bomb_error(2, 3 * kPacked), HasSubstr("bytes of data, but F32 [2] takes 8 bytes"));
}

/// An archive whose array says that it is longer, or shorter, than its deflated bytes are.
std::string deflated_error(std::size_t said, const std::string& data) {
  const std::string header = npy_array("|u1", "(" + std::to_string(said) + ",)", "");
  ZipPart part = zip_part("a.npy", header + data, true);
  part.bytes = header.size() + said;
  return npz_error(zip_file({part}));
}

TEST(BadNpz, deflated_data_that_is_damaged) {
  EXPECT_EQ(deflated_error(9, "12345678"),
            "w: entry \"a.npy\": error: deflated data is damaged: ends 1 bytes before the size it "
            "has [E009]");
  EXPECT_EQ(deflated_error(7, "12345678"),
            "w: entry \"a.npy\": error: deflated data is damaged: goes on behind the size it has "
            "[E009]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.packed += '\0'; }, true),
            "w: entry \"a.npy\": error: deflated data is damaged: ends before its packed bytes do "
            "[E009]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.packed.resize(part.packed.size() - 1); }, true),
            "w: entry \"a.npy\": error: deflated data is damaged: ends without an end mark [E009]");
  EXPECT_EQ(entry_error([](ZipPart& part) { part.packed[0] = '\xff'; }, true),
            "w: entry \"a.npy\": error: deflated data is damaged: invalid block type [E009]");
}

TEST(BadNpz, wrong_checksum) {
  for (const bool deflate : {false, true}) {
    EXPECT_THAT(entry_error([](ZipPart& part) { part.crc = 7; }, deflate),
                HasSubstr("w: entry \"a.npy\": error: its bytes have the CRC-32 "));
    EXPECT_THAT(entry_error([](ZipPart& part) { part.crc = 7; }, deflate),
                HasSubstr(", expected 7 [E007]"));
  }
}

TEST(BadNpz, names_that_come_twice) {
  EXPECT_EQ(npz_error(zip_file({zip_part("a.npy", kArray), zip_part("a.npy", kArray)})),
            "w: entry \"a.npy\": error: comes twice, expected unique names [E015]");
}

const std::string kArchive = zip_file({zip_part("a.npy", kArray), zip_part("b.npy", kArray)});
constexpr std::size_t kEndRecord = 22;
const std::size_t kEnd = kArchive.size() - kEndRecord;
const std::size_t kDirectory = kArchive.find("PK\x01\x02");
const std::size_t kSecond = kArchive.find("PK\x01\x02", kDirectory + 1);

std::string archive_with(std::size_t at, const std::string& bytes) {
  std::string archive = kArchive;
  return archive.replace(at, bytes.size(), bytes);
}

TEST(BadNpz, overlapping_entries) {
  // The second entry lies in the first one's data.
  const std::string inner = zip_file({zip_part("b.npy", "")});
  const ZipPart outer = zip_part("a.npy", inner.substr(0, inner.find("PK\x01\x02")));
  const ZipPart second = zip_part("b.npy", "");
  const std::string entries = zip_header(outer, false, 0) + outer.packed;
  const std::string directory =
      zip_header(outer, true, 0) + zip_header(second, true, entries.size() - outer.packed.size());
  const std::string count = little_endian(2, 2);
  EXPECT_EQ(npz_error(entries + directory + "PK\x05\x06" + little_endian(0, 4) + count + count +
                      little_endian(directory.size(), 4) + little_endian(entries.size(), 4) +
                      little_endian(0, 2)),
            "w: entry \"b.npy\": error: overlaps entry \"a.npy\" [E025]");
}

TEST(BadNpz, end_record) {
  const char* const no_end =
      "w: error: is a zip archive without its end record: it ends early, or goes on behind [E003]";
  EXPECT_EQ(npz_error(kArchive.substr(0, kArchive.size() - 1)), no_end);
  EXPECT_EQ(npz_error(kArchive + "x"), no_end);
  EXPECT_EQ(npz_error("PK\x03\x04"), no_end);
  EXPECT_EQ(npz_error(archive_with(kEnd + 4, little_endian(1, 2))),
            "w: error: is one of several disks of a zip archive [E026]");
  EXPECT_EQ(npz_error(archive_with(kEnd + 16, little_endian(0xFFFFFFFF, 4))),
            "w: error: the archive's directory has 102 bytes from byte 4294967295 on, expected it "
            "to end at byte 324 [E025]");
}

TEST(BadNpz, directory) {
  EXPECT_EQ(npz_error(archive_with(kDirectory, "XX")),
            "w: entry 0 of the directory: error: has no mark, expected one more entry [E025]");
  EXPECT_EQ(npz_error(archive_with(kSecond + 28, little_endian(0xFFFF, 2))),
            "w: entry 1 of the directory: error: reaches beyond the directory's end [E025]");
  const std::string three = little_endian(3, 2);
  EXPECT_EQ(npz_error(archive_with(kEnd + 8, three + three)),
            "w: entry 2 of the directory: error: has no mark, expected one more entry [E025]");
  const std::string one = little_endian(1, 2);
  EXPECT_EQ(npz_error(archive_with(kEnd + 8, one + one)),
            "w: error: the archive's directory has 51 bytes behind its 1 entries [E025]");
}

TEST(BadNpz, places_of_entries) {
  EXPECT_EQ(npz_error(archive_with(kSecond + 42, little_endian(kDirectory - 29, 4))),
            "w: entry \"b.npy\": error: reaches beyond the archive's entries [E025]");
  EXPECT_EQ(npz_error(archive_with(kSecond + 42, little_endian(0, 4))),
            "w: entry \"b.npy\": error: has another header at byte 0 than the directory says "
            "[E025]");
  const std::string long_data = little_endian(77, 4);
  EXPECT_EQ(npz_error(archive_with(kSecond + 20, long_data + long_data)),
            "w: entry \"b.npy\": error: reaches beyond the archive's entries [E025]");
}

TEST(BadNpz, zip64_records) {
  const std::string archive = zip_file({zip_part("a.npy", kArray, false, true)}, true);
  ASSERT_EQ(npz_error(archive), "no error");
  const std::size_t record = archive.find("PK\x06\x06");
  const std::size_t locator = archive.find("PK\x06\x07");
  std::string wrong = archive;
  wrong.replace(locator + 8, 8, little_endian(~0ull, 8));
  EXPECT_EQ(npz_error(wrong),
            "w: error: the archive's zip64 end record is not where its locator says, at byte "
            "18446744073709551615 [E025]");
  wrong = archive;
  wrong.replace(record + 24, 16, little_endian(~0ull, 8) + little_endian(~0ull, 8));
  EXPECT_EQ(npz_error(wrong),
            "w: entry 1 of the directory: error: has no mark, expected one more entry [E025]");
  wrong = archive;
  wrong.replace(record + 24, 8, little_endian(2, 8));
  EXPECT_EQ(npz_error(wrong), "w: error: is one of several disks of a zip archive [E026]");
  wrong = archive;
  const std::size_t directory = archive.find("PK\x01\x02");
  wrong.replace(directory + 46 + 5, 2, little_endian(2, 2));  // the field's id
  EXPECT_EQ(npz_error(wrong),
            "w: entry \"a.npy\": error: has no zip64 field, which its sizes refer to [E025]");
}

TEST(BadNpz, more_than_the_limit) {
  const std::string array = npy_array("|u1", "(100000,)", std::string(100000, '\0'));
  EXPECT_EQ(npz_error(zip_file({zip_part("a.npy", array, true), zip_part("b.npy", array, true)}),
                      {150'000}),
            "w: entry \"b.npy\": error: has 100073 bytes unpacked, the limit leaves 49927 [E040]");
}

}  // namespace
}  // namespace vecc::test
