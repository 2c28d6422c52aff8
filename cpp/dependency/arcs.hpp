// Hashed features of arcs and of pairs of neighbouring siblings, composed from integer attributes.
//
// A row is a triple (head, word, sibling) of positions; position 0 is the root and a sibling of -1
// is none. A template lists atoms, the values of attributes at or near the row's positions. Each
// row has for each template the id of (template, direction, values), and, if the template asks for
// it, one more with the distance. An id is a 64-bit hash, cut to an index into one table of
// weights. A labelled template's index begins a block with one weight a label, so that one read
// serves all labels; blocks may overlap, as hashed features do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright::dependency {

// Where an atom's value is found. kBetween has one value for each distinct value (modulo 64) of an
// attribute strictly between head and word; a template has at most one, its last atom.
enum Role : Index { kHead = 0, kWord = 1, kSibling = 2, kBetween = 3 };

enum TemplateKind : Index { kLabelled = 1, kWithDistance = 2, kWithoutDistance = 4 };

struct ArcTemplateSet {
  std::span<const Index> first;                    // [templates + 1], atoms
  std::span<const Index> role, offset, attribute;  // [atoms]
  std::span<const Index> kind;                     // [templates], sums of TemplateKind

  // Throws std::invalid_argument.
  void check(Index attributes) const;
};

// attributes[a * positions + p]: attribute a at position p.
struct Attributes {
  std::span<const Index> values;
  Index attributes, positions;
};

struct Rows {
  std::span<const Index> head, word, sibling;
};

// out[row * labels + label] = sum of the weights of its features. `weight` has 2^bits + labels
// entries.
void score_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                Index labels, std::span<const float> weight, float* out);

// Weights that change; for their average over time, total += time * change, unless it is empty.
struct Learned {
  std::span<float> weight;
  std::span<double> total;
  double time;
};

// change[row * labels + label] is added to the weights of the row's features.
void update_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                 Index labels, const float* change, const Learned& model);

// AdaGrad's descent (Duchi, Hazan and Singer 2011): square += g^2; weight -= rate * g /
// sqrt(square).
void descend_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                  Index labels, const float* gradient, const Learned& model,
                  std::span<float> square, double rate);

}  // namespace treewright::dependency
