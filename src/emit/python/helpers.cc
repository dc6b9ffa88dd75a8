#include "src/emit/python/helpers.h"

#include <iterator>

namespace vecc::python {
namespace {

struct HelperText {
  Helper helper;
  const char* text;
};

constexpr HelperText kTexts[] = {
    {Helper::PassedOn, R"py(
def passed_on(g, slope):
    """g * slope, but an entry of g that is 0 passes 0 on, even where the slope is infinite."""
    return torch.where(g == 0, g, g * slope)
)py"},
    {Helper::Exp, R"py(
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return passed_on(g, x.exp())
)py"},
    {Helper::Log, R"py(
class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.log()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return passed_on(g, 1 / x)
)py"},
    {Helper::Sqrt, R"py(
class Sqrt(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return passed_on(g, 0.5 / x.sqrt())
)py"},
    {Helper::Inverse, R"py(
class Inverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return passed_on(g, -(1 / x) ** 2)
)py"},
    {Helper::Sigmoid, R"py(
def sigmoid(x):
    """The sigmoid, exactly 0 below -100."""
    return torch.where(x < -100, 0.0, torch.sigmoid(x))
)py"},
    {Helper::Norm, R"py(
def norm(x):
    """Every row's entries less their mean, by their standard deviation; computed in double."""
    wide = x.double().flatten(1)
    centred = wide - wide.mean(1, keepdim=True)
    deviation = (centred.square().mean(1, keepdim=True) + 1e-10).sqrt()
    return (centred / deviation).to(x.dtype).view_as(x)
)py"},
    {Helper::Sparsemax, R"py(
def sparsemax(x):
    """Projects every row on the probability simplex."""
    x = x - x.detach().amax(1, keepdim=True)
    ranked = x.detach().sort(1, descending=True).values
    sums = ranked.cumsum(1)
    rank = torch.arange(1, x.shape[1] + 1, dtype=x.dtype, device=x.device)
    support = (1 + rank * ranked > sums).sum(1, keepdim=True).clamp(min=1)
    outside = x <= (sums.gather(1, support - 1) - 1) / support
    inside = (~outside).sum(1, keepdim=True)
    threshold = (torch.where(outside, 0.0, x).sum(1, keepdim=True) - 1) / inside
    return torch.where(outside, 0.0, x - threshold)
)py"},
    {Helper::EntrySums, R"py(
def entry_sums(x):
    """The sum of every row's entries, one after another: equal rows have equal sums."""
    return sum(x.flatten(1).unbind(1)) if x.dim() > 1 else x
)py"},
    {Helper::Select, R"py(
def select(a, b, largest):
    """Row by row b if its sum of entries is larger (smaller) than that of a, else a."""
    sums = entry_sums(a.detach()), entry_sums(b.detach())
    better = sums[1] > sums[0] if largest else sums[1] < sums[0]
    return torch.where(better.view(-1, *[1] * (a.dim() - 1)), b, a)
)py"},
    {Helper::SegmentSum, R"py(
def segment_sum(x, segment, count):
    """The sum of the rows of each segment; segment: the number of every row's segment."""
    return x.new_zeros(count, *x.shape[1:]).index_add(0, segment, x)
)py"},
    {Helper::SegmentMean, R"py(
def segment_mean(x, segment, members):
    """The mean of the rows of each segment; members: how many it has, at least 1."""
    return segment_sum(x, segment, len(members)) / members.view(-1, *[1] * (x.dim() - 1))
)py"},
    {Helper::SegmentProduct, R"py(
def segment_product(x, *pairs):
    """The product of the rows of each segment: of two rows at a time, of two products, ..."""
    for left, right in pairs:  # the row behind the last one is 1
        x = torch.cat([x, torch.ones_like(x[:1])])
        x = x.index_select(0, left) * x.index_select(0, right)
    return x
)py"},
    {Helper::SegmentWinners, R"py(
def segment_winners(key, segment, count):
    """The row of each segment whose key is the largest, the first of equal ones: entry by entry."""
    across = [1] * (key.dim() - 1)
    index = segment.view(-1, *across).expand_as(key)
    row = torch.arange(len(key), device=key.device).view(-1, *across).expand_as(key)

    def joined(rows, start, how):
        return rows.new_full((count, *key.shape[1:]), start).scatter_reduce(0, index, rows, how)

    # Nothing is larger than a NaN that stands first; others never are larger.
    first = joined(row, len(key), "amin").gather(0, index)
    key = torch.where(key.isnan(), torch.where(row == first, torch.inf, -torch.inf).to(key), key)
    best = joined(key, -torch.inf, "amax").gather(0, index)
    return joined(torch.where(key == best, row, len(key)), len(key), "amin")
)py"},
    {Helper::SegmentSelect, R"py(
def segment_select(x, segment, count, largest):
    """The row of each segment with the largest (smallest) sum of entries, the first of equal ones."""
    key = entry_sums(x.detach())
    return x.index_select(0, segment_winners(key if largest else -key, segment, count))
)py"},
    {Helper::SegmentSelectEntries, R"py(
def segment_select_entries(x, segment, count, largest):
    """The largest (smallest) of each entry in the rows of each segment, the first of equal ones."""
    key = x.detach()
    return x.gather(0, segment_winners(key if largest else -key, segment, count))
)py"},
    {Helper::SegmentSoftmax, R"py(
def segment_softmax(x, segment, count):
    """The softmax of the members of each segment, entry by entry."""
    index = segment.view(-1, *[1] * (x.dim() - 1)).expand_as(x)
    lowest = x.new_full((count, *x.shape[1:]), -torch.inf)
    largest = lowest.scatter_reduce(0, index, x.detach(), "amax")
    powers = (x - largest.index_select(0, segment)).exp()
    return powers / segment_sum(powers, segment, count).index_select(0, segment)
)py"},
    {Helper::SegmentSparsemax, R"py(
def segment_sparsemax(x, place, *lengths):
    """The sparsemax of the members of each segment; lengths: rows of segments about as long."""
    x = torch.cat([x, torch.full_like(x[:1], -torch.inf)])  # what short segments are filled with
    parts = [sparsemax(x.index_select(0, rows.flatten()).view_as(rows)) for rows in lengths]
    return torch.cat([part.flatten() for part in parts]).index_select(0, place)
)py"},
    {Helper::Product, R"py(
def product(x):
    """The product over dimension 1, by halves: right derivatives where factors are 0, too."""
    while x.shape[1] > 1:
        half = x.shape[1] // 2
        x = torch.cat([x[:, :half] * x[:, half:2 * half], x[:, 2 * half:]], 1)
    return x[:, 0]
)py"},
    {Helper::Cosine, R"py(
def cosine(a, b):
    """The cosine of the angle between a row of a and one of b."""
    return (a * b).sum(1) / ((a * a).sum(1).sqrt() * (b * b).sum(1).sqrt())
)py"},
    {Helper::Draw, R"py(
def draw(*words):
    """Random numbers from 0 to 1 by Philox 4x32-10: two words of a key, four of a counter."""
    low = 0xFFFFFFFF
    k0, k1, a, b, c, d = (torch.where((w >= 0) & (w < 2**32), w, 0).detach().long() for w in words)
    for _ in range(10):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = q >> 32 & low ^ b ^ k0, q & low, p >> 32 & low ^ d ^ k1, p & low
        k0, k1 = k0 + 0x9E3779B9 & low, k1 + 0xBB67AE85 & low
    return ((a >> 9).to(words[0].dtype) + 0.5) / 2**23
)py"},
};
static_assert(std::size(kTexts) == kHelpers);

}  // namespace

void Helpers::use(Helper helper) {
  used_[static_cast<std::size_t>(helper)] = true;
  switch (helper) {
    case Helper::Exp:
    case Helper::Log:
    case Helper::Sqrt:
    case Helper::Inverse: return use(Helper::PassedOn);
    case Helper::Select: return use(Helper::EntrySums);
    case Helper::SegmentMean:
    case Helper::SegmentSoftmax: return use(Helper::SegmentSum);
    case Helper::SegmentSelect: use(Helper::EntrySums); return use(Helper::SegmentWinners);
    case Helper::SegmentSelectEntries: return use(Helper::SegmentWinners);
    case Helper::SegmentSparsemax: return use(Helper::Sparsemax);
    case Helper::PassedOn:
    case Helper::Sigmoid:
    case Helper::Norm:
    case Helper::Sparsemax:
    case Helper::EntrySums:
    case Helper::SegmentSum:
    case Helper::SegmentWinners:
    case Helper::SegmentProduct:
    case Helper::Product:
    case Helper::Cosine:
    case Helper::Draw: return;
  }
}

std::string Helpers::text() const {
  std::string text;
  for (const auto& [helper, definition] : kTexts) {
    if (uses(helper)) text += std::string("\n") + definition;
  }
  return text;
}

}  // namespace vecc::python
