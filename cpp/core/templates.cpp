#include "core/templates.hpp"

#include <string>

namespace treewright {

namespace {

class Reader {
 public:
  explicit Reader(std::span<const Index> code) : code_(code) {}
  bool more() const { return next_ < code_.size(); }
  Index take() {
    if (!more()) throw std::invalid_argument("templates: the program is cut short");
    return code_[next_++];
  }
  Index take(Index low, Index below) {
    const Index value = take();
    if (value < low || value >= below)
      throw std::invalid_argument("templates: number " + std::to_string(next_ - 1) +
                                  " of the program is out of range");
    return value;
  }

 private:
  std::span<const Index> code_;
  std::size_t next_ = 0;
};

std::vector<Atom> take_atoms(Reader& reader, Index count, const TemplateLimits& limits) {
  std::vector<Atom> atoms;
  for (Index i = 0; i < count; ++i) {
    const Atom atom{reader.take(0, kFirstValue + limits.values), reader.take(0, limits.places),
                    reader.take(-100, 101)};
    if (!atom.is_value() && atom.attribute >= limits.columns)
      throw std::invalid_argument("templates: an attribute that words do not have");
    atoms.push_back(atom);
  }
  return atoms;
}

Template take_template(Reader& reader, TemplateGroup& group) {
  Template made{};
  made.seed = seed(static_cast<Key>(reader.take()));
  made.first = static_cast<std::uint32_t>(group.operands.size());
  const Index length = reader.take(0, 16), atoms = static_cast<Index>(group.atoms.size());
  for (Index i = 0; i < length; ++i) {
    const Index code = reader.take(-atoms, atoms), atom = code < 0 ? ~code : code;
    if (code >= 0) made.needed[atom / 64] |= Key{1} << (atom % 64);
    group.operands.push_back(static_cast<std::uint8_t>(atom));
  }
  made.end = static_cast<std::uint32_t>(group.operands.size());
  return made;
}

}  // namespace

WordTable::WordTable(std::span<const Key> values, Index columns)
    : values_(values.data()), columns_(columns) {
  const std::size_t width = columns > 0 ? at(columns) : 1;
  if (columns < 0 || (columns == 0 && !values.empty()) || values.size() % width)
    throw std::invalid_argument("attributes of words: one value for each word and column");
  words_ = columns ? static_cast<Index>(values.size() / width) : 0;
}

TemplateProgram::TemplateProgram(std::span<const Index> code, TemplateLimits limits)
    : limits_(limits) {
  if (limits.columns < 0 || limits.columns > kFirstValue)
    throw std::invalid_argument("templates: words have at most 1024 attributes");
  Reader reader(code);
  constexpr Index most = static_cast<Index>(kMaxAtoms) + 1;
  while (reader.more()) {
    TemplateGroup& group = groups_.emplace_back();
    group.mark = reader.take(0, limits.marks);
    const Index supports = reader.take(0, most), atoms = reader.take(0, most);
    const Index count = reader.take(0, 1 << 16);
    group.support = take_atoms(reader, supports, limits);
    group.atoms = take_atoms(reader, atoms, limits);
    for (Index i = 0; i < count; ++i) group.templates.push_back(take_template(reader, group));
    templates_ += group.templates.size();
  }
}

void TemplateProgram::require(Index values, Index places, Index marks) const {
  if (limits_.values != values || limits_.places != places || limits_.marks != marks)
    throw std::invalid_argument("templates of another formalism");
}

}  // namespace treewright
