// effects.cc: see effects.h.
#include "effects.h"

#include <algorithm>

namespace escape {
namespace {

bool holds(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// "+path" and "~path" are attacks on the same path.
bool touches(const Texts& changes, const std::string& change) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const std::string& one) { return one.compare(1, std::string::npos, change, 1) == 0; });
}

}  // namespace

Effects traces(World& world, const Machine* before) {
  Effects effects;
  effects.survivors = survivors({world.canary().pid()}, Milliseconds(before != nullptr ? 60000 : 0));
  end_survivors({world.canary().pid()});
  effects.harm = world.canary().harm();
  effects.hits = world.canary().hits();
  if (before != nullptr) effects.left_behind = left_behind(*before);
  if (!effects.left_behind.empty()) remove_left_cgroups(*before);
  return effects;
}

Effects beyond(const Effects& boxed, const Effects& bare) {
  Effects rest;
  for (const std::string& change : boxed.changes) {
    if (!touches(bare.changes, change)) rest.changes.push_back(change);
  }
  for (const std::string& path : boxed.outside) {
    if (!holds(bare.outside, path)) rest.outside.push_back(path);
  }
  if (bare.survivors.empty()) rest.survivors = boxed.survivors;
  if (bare.harm.empty()) rest.harm = boxed.harm;
  if (bare.hits.empty()) rest.hits = boxed.hits;
  if (bare.left_behind.empty()) rest.left_behind = boxed.left_behind;
  rest.executed = boxed.executed && !bare.executed;
  return rest;
}

std::string in_words(const Effects& effects) {
  std::string text;
  if (!effects.survivors.empty()) text += "; survivors:" + effects.survivors;
  if (!effects.harm.empty()) text += "; " + effects.harm;
  if (!effects.hits.empty()) text += "; the canary was reached: " + effects.hits;
  if (!effects.left_behind.empty()) text += "; left behind:" + effects.left_behind;
  if (!effects.changes.empty()) text += "; changed: " + one_line(joined(effects.changes), 100);
  if (!effects.outside.empty()) text += "; made: " + joined(effects.outside);
  if (effects.executed) text += "; the host ran the planted program";
  return text;
}

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

}  // namespace escape
