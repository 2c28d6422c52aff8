// Hashed features of arcs and of pairs of neighbouring siblings, composed from integer attributes.
//
// A row is a triple (head, word, sibling) of positions; position 0 is the root and a sibling of -1
// is none; the table of words has a row for the root as well. Each row has for each template the id
// of (template, values, direction), and, if the template asks for it, one more with the distance.
// An id is a 64-bit hash, cut to an index into one table of weights. A labelled template's index
// begins a block with one weight a label, so that one read serves all labels; blocks may overlap,
// as hashed features do.
#pragma once

#include "core/templates.hpp"

namespace treewright::dependency {

// Places of atoms. What is between head and word has one value for each distinct attribute (modulo
// 64): a group of templates with it has it as its support.
enum ArcPlace : Index { kHead, kWord, kSibling, kBetween, kArcPlaces };

// Marks of groups are sums of these.
enum ArcMark : Index { kLabelled = 1, kWithDistance = 2, kWithoutDistance = 4, kArcMarks = 8 };

// Throws std::invalid_argument.
void check_arc_templates(const TemplateProgram& templates);

struct Rows {
  std::span<const Index> head, word, sibling;
};

// out[row * labels + label] = sum of the weights of its features. `weight` has 2^bits + labels
// entries.
void score_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                Index labels, std::span<const float> weight, float* out);

// Weights that change; for their average over time, total += time * change, unless it is empty.
struct Learned {
  std::span<float> weight;
  std::span<double> total;
  double time;
};

// change[row * labels + label] is added to the weights of the row's features.
void update_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                 Index labels, const float* change, const Learned& model);

// AdaGrad's descent (Duchi, Hazan and Singer 2011): square += g^2; weight -= rate * g /
// sqrt(square).
void descend_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                  Index labels, const float* gradient, const Learned& model,
                  std::span<float> square, double rate);

}  // namespace treewright::dependency
