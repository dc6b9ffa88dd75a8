// Files that are damaged or no graphs at all: the exact message and exit code.
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <fstream>

#include "tests/graph_io/temporary_folder.h"
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

void expect_file_errors(const std::string& path, const std::string& text) {
  const Result<NeuronGraph> graph = read_graph(path);
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().text(), path + ": error: " + text);
  EXPECT_EQ(graph.error().exit_code(), ExitCode::BadInput);
}

std::uint32_t checksum(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string zstd(const std::string& bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(BadFile, bad_empty_file) {
  expect_errors("", "bad.pb: error: is empty, expected a graph [E002]");
}

TEST(BadFile, bad_empty_gzip) {
  expect_errors(gzip(""), "bad.pb: error: is empty, expected a graph [E002]");
}

TEST(BadFile, bad_missing_file) {
  const TemporaryFolder folder;
  expect_file_errors(folder.path("none.pb"), "cannot be opened: No such file or directory [E001]");
}

TEST(BadFile, bad_directory) {
  const TemporaryFolder folder;
  expect_file_errors(folder.path(), "is a directory, expected a file [E001]");
}

TEST(BadFile, bad_permission) {
  const TemporaryFolder folder;
  const std::string path = folder.path("secret.pb");
  std::ofstream(path) << WireFile().bytes();
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  // Root may read everything, so it steps down for a moment.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  expect_file_errors(path, "cannot be opened: Permission denied [E001]");
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

TEST(BadFile, bad_magic) {
  expect_errors("{\"neurons\": []}",
                "bad.pb: error: starts with 7b 22 6e 65 75 and not with 0d 56 45 43 43, as a graph "
                "does [E004]");
}

TEST(BadFile, bad_schema_version) {
  WireFile file;
  file.header.set_schema_version(3);
  expect_errors(file.bytes(), "bad.pb: header: error: schema version 3, expected 1 or 2 [E005]");
}

TEST(BadFile, bad_missing_header) {
  expect_errors(kMagicField + field(4, ""),
                "bad.pb: field 4 (group) at byte 5: error: expected field 2 (header) here [E006]");
}

TEST(BadFile, bad_ends_before_header) {
  expect_errors(kMagicField, "bad.pb: byte 5: error: the file ends without a header [E003]");
}

TEST(BadFile, bad_truncated_field) {
  const std::string bytes = WireFile().bytes();
  expect_errors(bytes.substr(0, 60),
                "bad.pb: byte 60: error: the file ends after 43 bytes of a field, expected 45 "
                "[E003]");
}

TEST(BadFile, bad_missing_end) {
  const std::string body = WireFile().body();
  expect_errors(body, "bad.pb: byte " + std::to_string(body.size()) +
                          ": error: the file ends without an End record [E003]");
}

TEST(BadFile, bad_data_after_end) {
  const std::string bytes = WireFile().bytes();
  expect_errors(bytes + "x", "bad.pb: byte " + std::to_string(bytes.size()) +
                                 ": error: data after the End record [E006]");
}

TEST(BadFile, bad_checksum) {
  std::string bytes = WireFile().bytes();
  const std::uint32_t claimed = checksum(WireFile().body());
  bytes[bytes.find("layer_1")] = 'L';
  const std::uint32_t found = checksum(bytes.substr(0, WireFile().body().size()));
  char text[128];
  std::snprintf(text, sizeof text,
                "bad.pb: error: the file's CRC-32 is %08x, but its End record says %08x [E007]",
                static_cast<unsigned>(found), static_cast<unsigned>(claimed));
  expect_errors(bytes, text);
}

// What else is wrong with a damaged file follows from the damage, or stands below it.
TEST(BadFile, bad_checksum_comes_first) {
  WireFile file;
  file.layer().set_count(0);
  std::string bytes = file.bytes();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // the CRC's last byte
  const Result<NeuronGraph> graph = read_graph_bytes(bytes, "bad.pb");
  ASSERT_FALSE(graph.has_value());
  ASSERT_EQ(graph.error().list().size(), 2u);
  EXPECT_EQ(graph.error().list()[0].code, ErrorCode::WrongChecksum);
  EXPECT_EQ(graph.error().list()[1].code, ErrorCode::ColumnLength);
}

TEST(BadFile, bad_end_counts) {
  WireFile file;
  file.right_counts = false;
  file.end.set_neurons(4);
  file.end.set_edges(5);
  file.end.set_weights(2);
  expect_errors(file.bytes(),
                "bad.pb: end: error: says 5 edges, but the file has 4 [E008]\n"
                "bad.pb: end: error: says 0 samples, but the file has 1 [E008]");
}

TEST(BadFile, bad_unknown_field) {
  const WireFile file;
  const std::string body = file.body();
  expect_errors(file.finish(body + field(9, "abc")),
                "bad.pb: field 9 (unknown) at byte " + std::to_string(body.size()) +
                    ": error: expected a field of graph.proto [E006]");
}

TEST(BadFile, bad_unknown_field_inside) {
  WireFile file;
  const std::string group = file.layer().SerializeAsString() + field(99, "new");
  file.groups.pop_back();
  const std::string body = file.body();
  expect_errors(file.finish(body + field(4, group)),
                "bad.pb: field 4 (group) at byte " + std::to_string(body.size()) +
                    ": error: has a field that graph.proto does not know [E006]");
}

TEST(BadFile, bad_second_header) {
  const WireFile file;
  const std::string body = file.body();
  expect_errors(file.finish(body + field(2, file.header.SerializeAsString())),
                "bad.pb: field 2 (header) at byte " + std::to_string(body.size()) +
                    ": error: occurs twice, expected once [E006]");
}

TEST(BadFile, bad_wire_type) {
  const WireFile file;
  const std::string body = file.body();
  const std::string at = std::to_string(body.size());
  expect_errors(file.finish(body + varint(4 << 3) + varint(7)),
                "bad.pb: field 4 (group) at byte " + at +
                    ": error: has wire type 0, expected 2 (length-delimited) [E006]");
  expect_errors(file.finish(body + varint(4 << 3 | 3)),
                "bad.pb: byte " + at +
                    ": error: a field has wire type 3, expected 2 (length-delimited) [E006]");
}

TEST(BadFile, bad_message) {
  const WireFile file;
  const std::string body = file.body();
  expect_errors(file.finish(body + field(4, "\x08")),
                "bad.pb: field 4 (group) at byte " + std::to_string(body.size()) +
                    ": error: is no valid vecc.wire.Group message [E006]");
}

TEST(BadFile, bad_name_not_utf8) {
  WireFile file;
  std::string bytes = file.body();
  bytes[bytes.find("layer_1")] = '\xff';
  const std::size_t at = file.body().size() - field(5, file.sample().SerializeAsString()).size() -
                         field(4, file.layer().SerializeAsString()).size();
  expect_errors(file.finish(bytes), "bad.pb: field 4 (group) at byte " + std::to_string(at) +
                                        ": error: is no valid vecc.wire.Group message [E006]");
}

TEST(BadFile, bad_claimed_length) {
  // 2 GiB - 1 claimed by a few bytes: no allocation of that size, the file just ends.
  const std::string body = WireFile().body() + varint(4 << 3 | 2) + varint((1u << 31) - 1);
  expect_errors(body + "abc", "bad.pb: byte " + std::to_string(body.size() + 3) +
                                  ": error: the file ends after 3 bytes of a field, expected "
                                  "2147483647 [E003]");
  expect_errors(WireFile().body() + varint(4 << 3 | 2) + varint(std::uint64_t{1} << 40),
                "bad.pb: byte " + std::to_string(WireFile().body().size()) +
                    ": error: field 4 claims 1099511627776 bytes, expected at most 2147483647 "
                    "[E006]");
}

TEST(BadFile, bad_gzip_truncated) {
  const std::string bytes = gzip(WireFile().bytes());
  expect_errors(bytes.substr(0, bytes.size() - 4),
                "bad.pb: error: gzip data ends early, expected its end mark [E003]");
}

TEST(BadFile, bad_gzip_damaged) {
  std::string bytes = gzip(WireFile().bytes());
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  expect_errors(bytes, "bad.pb: error: gzip data is damaged: incorrect data check [E009]");
}

TEST(BadFile, bad_gzip_trailing_garbage) {
  expect_errors(gzip(WireFile().bytes()) + "garbage",
                "bad.pb: error: gzip data is damaged: incorrect header check [E009]");
}

TEST(BadFile, bad_zstd_damaged) {
  std::string bytes = zstd(WireFile().bytes());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  expect_errors(bytes,
                "bad.pb: error: zstd data is damaged: Restored data doesn't match checksum "
                "[E009]");
}

TEST(BadFile, bad_zstd_truncated) {
  const std::string bytes = zstd(WireFile().bytes());
  expect_errors(bytes.substr(0, bytes.size() - 6),
                "bad.pb: error: zstd data ends early, expected its end mark [E003]");
}

TEST(BadFile, bad_decompression_bomb) {
  // 64 MiB of zeros in 64 KiB; the reader stops at its limit of 1 MiB.
  const std::string bomb = gzip(WireFile().body() + varint(4 << 3 | 2) + varint(64u << 20) +
                                std::string(std::size_t{64} << 20, '\0'));
  ASSERT_LT(bomb.size(), std::size_t{100} << 10);
  ImportOptions options;
  options.limits.max_input_bytes = 1 << 20;
  expect_errors(bomb, "bad.pb: error: has more than 1048576 uncompressed bytes, the limit [E040]",
                ExitCode::Limit, options);
}

}  // namespace
}  // namespace vecc::test
