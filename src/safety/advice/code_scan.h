// code_scan.h: finds what a one-liner in another language runs, fetches, connects to and deletes, by its calls.
// Invariant: linear in the code; a token scan, not a parser: values built at run time are reported as unknown.
// Not here: judging the results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "safety/advice/programs.h"

namespace pinfold::advice {

struct CodeFacts {
  std::vector<std::string> commands;  // command lines that it runs
  std::vector<std::string> deletes;   // paths that it deletes with all below
  std::vector<std::string> touches;   // other texts in it that look like paths
  bool runs_unknown = false;          // runs a command that is made at run time
  bool fetches = false;               // or names an address
  bool evaluates = false;
  bool connects = false;
  bool hands_over_streams = false;  // makes a connection its standard input or output
  bool forks_forever = false;
  bool decodes = false;
  bool writes = false;             // opens a file to write
  bool removes = false;            // removes files one by one
  bool walks = false;              // walks directories
  bool whole_environment = false;  // reads all variables, not one
  bool loads = false;              // loads a library by its path
};

CodeFacts scan_code(std::string_view code, Language language);

// Statements that remove data: DROP, TRUNCATE, DELETE and UPDATE without WHERE; or that run programs.
bool destroys_data(std::string_view sql);

}  // namespace pinfold::advice
