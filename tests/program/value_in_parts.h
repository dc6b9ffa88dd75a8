// One value read in parts of every kind, twice, and as a whole.
#pragma once

namespace vecc::test {

/// A Program's text, behind its first line.
inline constexpr const char* kValueInParts = R"(samples 11
parameter "w" [6, 2x1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
%0 = weight "w" : f64[6, 2x1]
%1 = transform %0 tanh : f64[6, 2x1]
%2 = gather %1 [1:4] : f64[3, 2x1]
%3 = gather %1 [0:5:2] : f64[3, 2x1]
%4 = gather %1 [5, 1, 5] : f64[3, 2x1]
%5 = gather %1 [2, 2, 3, 5] : f64[4, 2x1]
%6 = segment %5 [0, 0, 3, 4] avg : f64[3, 2x1]
%7 = gather %1 [repeat 3 x 1] : f64[3, 2x1]
%8 = gather %1 [0, 5, 0] : f64[3, 2x1]
%9 = map sum($0, $1, $2, $3, $4, $5) %2, %3, %4, %6, %7, %8 : f64[3, 2x1]
%10 = transform %1 square : f64[6, 2x1]
%11 = output %9 [0:3] : f64[3, 2x1]
%12 = output %10 [3:9] : f64[6, 2x1]
%13 = gather %0 [4, 4] : f64[2, 2x1]
%14 = output %13 [9:11] : f64[2, 2x1])";

}  // namespace vecc::test
